// The page of one class, and what of a request is its: one of the units of the paper's figure 2. A request
// that is wrong for the class changes nothing.
`timescale 1ns / 1ps

module size_class #(
    parameter CLASS       = 0,
    parameter MOST_CHUNKS = 256,
    parameter CHUNKS      = MOST_CHUNKS >> CLASS,
    parameter FOUND_BITS  = $clog2(MOST_CHUNKS)
) (
    input  wire                  clk_i,
    input  wire                  reset_i,
    // What is asked for, if anything: at most one is 1. The rest of the request stands in any case.
    input  wire                  find_i,
    input  wire                  free_i,
    input  wire                  load_i,
    input  wire [           7:0] class_i,
    input  wire [          23:0] word_i,
    input  wire [          31:0] data_i,
    // Whether the request names this class; a word of its bitmap; a chunk beyond its page, or one that is free.
    output wire                  is_named_o,
    output wire                  has_word_o,
    output wire                  is_beyond_o,
    output wire                  is_free_o,
    // Whether a chunk is free, and the first one that is; the word of the bitmap.
    output wire                  any_o,
    output wire [FOUND_BITS-1:0] found_o,
    output wire [          31:0] word_o
);
    localparam BITS  = $clog2(CHUNKS);
    localparam WORDS = (CHUNKS + 31) / 32;

    wire [  BITS-1:0] found;
    wire [CHUNKS-1:0] bitmap;
    wire [ WORDS-1:0] words;

    assign is_named_o  = class_i == CLASS;
    assign has_word_o  = |words;
    assign is_beyond_o = |data_i[31:BITS];
    assign found_o     = {{FOUND_BITS - BITS{1'b0}}, found};

    genvar word;
    generate
        for (word = 0; word < WORDS; word = word + 1) begin : named
            assign words[word] = word_i == word;
        end
        if (WORDS == 1) begin : one
            assign word_o = {{32 - CHUNKS{1'b0}}, bitmap};
        end else begin : several
            multiplexer #(
                .WIDTH      (32),
                .SELECT_BITS($clog2(WORDS))
            ) mux (
                .inputs_i  (bitmap),
                .select_i  (word_i[$clog2(WORDS)-1:0]),
                .selected_o(word_o)
            );
        end
    endgenerate

    page_unit #(.CHUNKS(CHUNKS)) page_unit (
        .clk_i    (clk_i),
        .reset_i  (reset_i),
        .find_i   (is_named_o & find_i),
        .free_i   (is_named_o & free_i & ~is_beyond_o),
        .chunk_i  (data_i[BITS-1:0]),
        .load_i   (words & {WORDS{is_named_o & load_i}}),
        .data_i   (data_i),
        .any_o    (any_o),
        .found_o  (found),
        .is_free_o(is_free_o),
        .bitmap_o (bitmap)
    );
endmodule
