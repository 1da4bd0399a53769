// The flip-flops that hold a page's bitmap, a bit a chunk, 1 where it is free: the D-latches of the paper's
// figure 1. Each word of 32 bits, or the only one of a smaller bitmap, can be loaded instead of what the
// bitmap would become. After a reset no chunk is free.
`timescale 1ns / 1ps

module bitmap_register #(
    parameter CHUNKS = 256,
    parameter WORDS  = (CHUNKS + 31) / 32
) (
    input  wire              clk_i,
    input  wire              reset_i,
    input  wire [CHUNKS-1:0] next_i,
    input  wire [ WORDS-1:0] load_i,
    input  wire [      31:0] data_i,
    output reg  [CHUNKS-1:0] bitmap_o
);
    localparam WORD_BITS = CHUNKS < 32 ? CHUNKS : 32;

    genvar word;
    generate
        for (word = 0; word < WORDS; word = word + 1) begin : words
            always @(posedge clk_i) begin
                if (reset_i) begin
                    bitmap_o[word*WORD_BITS+:WORD_BITS] <= {WORD_BITS{1'b0}};
                end else begin
                    bitmap_o[word*WORD_BITS+:WORD_BITS] <=
                        load_i[word] ? data_i[WORD_BITS-1:0] : next_i[word*WORD_BITS+:WORD_BITS];
                end
            end
        end
        if (WORD_BITS < 32) begin : rest
            wire unused = &{1'b0, data_i[31:WORD_BITS]};
        end
    endgenerate
endmodule
