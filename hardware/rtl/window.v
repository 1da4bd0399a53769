// One window of the window unit: CHUNKS chunks of 2^SHIFT bytes each at consecutive addresses, a bit for each
// that is 1 where it is free, and beside them which one is the lowest, found out beforehand. It begins at a
// multiple of its own size; that of no window is 0.
`timescale 1ns / 1ps

module window #(
    parameter PAGE_BITS  = 12,
    parameter SHIFT      = 4,
    parameter CHUNK_BITS = 5,
    parameter CHUNKS     = 1 << CHUNK_BITS,
    parameter SPAN       = SHIFT + CHUNK_BITS
) (
    input  wire                  clk_i,
    input  wire                  reset_i,
    // An address: whether it lies in the page of the window, and in the window, whether a chunk begins there that is
    // free; its number.
    input  wire [          31:0] address_i,
    output wire                  is_beside_o,
    output wire                  hit_o,
    output wire                  is_chunk_o,
    output wire                  is_free_o,
    output wire [           4:0] index_o,
    // Whether a chunk is free; the lowest one, as a number and as an address, which is the begin where none is.
    output reg                   has_o,
    output wire [           4:0] lowest_o,
    output wire [          31:0] lowest_address_o,
    output wire [          31:0] mask_o,
    // Another window instead, whose lowest chunk is not known yet; or none.
    input  wire                  fill_i,
    input  wire [     31-SPAN:0] begin_i,
    input  wire [    CHUNKS-1:0] filled_i,
    // The same window with what is free now, and the lowest of it.
    input  wire                  update_i,
    input  wire [    CHUNKS-1:0] updated_i,
    input  wire                  has_i,
    input  wire [CHUNK_BITS-1:0] lowest_i
);
    reg [CHUNKS-1:0] mask;
    reg [31-SPAN:0] begins;
    reg [CHUNK_BITS-1:0] lowest;

    wire [CHUNK_BITS-1:0] index = address_i[SPAN-1:SHIFT];

    localparam PAGE_BIT = PAGE_BITS - SPAN;

    assign is_beside_o      = |begins[31-SPAN:PAGE_BIT] & address_i[31:PAGE_BITS] == begins[31-SPAN:PAGE_BIT];
    assign is_chunk_o       = ~|address_i[SHIFT-1:0];
    assign index_o          = {{5 - CHUNK_BITS{1'b0}}, index};
    assign lowest_o         = {{5 - CHUNK_BITS{1'b0}}, lowest};
    assign lowest_address_o = {begins, lowest, {SHIFT{1'b0}}};
    assign mask_o           = {{32 - CHUNKS{1'b0}}, mask};

    generate
        if (PAGE_BIT == 0) begin : whole
            assign hit_o = is_beside_o;
        end else begin : part
            assign hit_o = is_beside_o & address_i[PAGE_BITS-1:SPAN] == begins[PAGE_BIT-1:0];
        end
    endgenerate

    multiplexer #(
        .WIDTH      (1),
        .SELECT_BITS(CHUNK_BITS)
    ) bit_of_index (
        .inputs_i  (mask),
        .select_i  (index),
        .selected_o(is_free_o)
    );

    always @(posedge clk_i) begin
        if (reset_i) begin
            mask   <= {CHUNKS{1'b0}};
            begins <= {32 - SPAN{1'b0}};
            lowest <= {CHUNK_BITS{1'b0}};
            has_o  <= 1'b0;
        end else if (fill_i) begin
            mask   <= filled_i;
            begins <= begin_i;
            has_o  <= 1'b0;
        end else if (update_i) begin
            mask   <= updated_i;
            lowest <= lowest_i;
            has_o  <= has_i;
        end
    end
endmodule
