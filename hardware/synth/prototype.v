// The chunk unit's search with as many pins as the paper's prototype is said to have, 21: what these carry there
// is not told. Bitmaps begin full, and cannot be loaded: a page is set up by freeing its chunks one by one.
`timescale 1ns / 1ps

module prototype (
    input  wire       clk_i,
    input  wire       find_i,
    input  wire [2:0] class_i,
    input  wire [7:0] chunk_i,
    output reg  [7:0] found_o
);
    wire [63:0] found;

    genvar number;
    generate
        for (number = 0; number < 8; number = number + 1) begin : classes
            wire any, is_free, unused;
            wire [255>>number:0] bitmap;

            page_unit #(.CHUNKS(256 >> number)) page_unit (
                .clk_i    (clk_i),
                .reset_i  (1'b0),
                .find_i   (class_i == number & find_i),
                .free_i   (class_i == number & ~find_i),
                .chunk_i  (chunk_i[7-number:0]),
                .load_i   ({(256 >> number) + 31 >> 5{1'b0}}),
                .data_i   (32'b0),
                .any_o    (any),
                .found_o  (found[8*number+:8-number]),
                .is_free_o(is_free),
                .bitmap_o (bitmap)
            );
            if (number > 0) begin : rest
                assign found[8*number+8-number+:number] = {number{1'b0}};
            end
            assign unused = &{1'b0, any, is_free, bitmap};
        end
    endgenerate

    wire [7:0] selected;
    multiplexer #(
        .WIDTH      (8),
        .SELECT_BITS(3)
    ) mux (
        .inputs_i  (found),
        .select_i  (class_i),
        .selected_o(selected)
    );
    always @(posedge clk_i) found_o <= selected;
endmodule
