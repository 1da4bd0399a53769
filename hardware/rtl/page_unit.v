// Finds and frees chunks of one size in one page: the paper's figure 1. At most one of find_i, free_i and
// load_i is 1. What is found is told at once, and taken at the next edge of the clock. A find where no chunk
// is free, or the free of a chunk that is free, changes no bit.
`timescale 1ns / 1ps

module page_unit #(
    parameter CHUNKS = 256,
    parameter WORDS  = (CHUNKS + 31) / 32
) (
    input  wire                      clk_i,
    input  wire                      reset_i,
    input  wire                      find_i,
    input  wire                      free_i,
    input  wire [$clog2(CHUNKS)-1:0] chunk_i,
    input  wire [         WORDS-1:0] load_i,
    input  wire [              31:0] data_i,
    // Whether a chunk is free, and the first one that is.
    output wire                      any_o,
    output wire [$clog2(CHUNKS)-1:0] found_o,
    // Whether chunk_i is free.
    output wire                      is_free_o,
    output wire [        CHUNKS-1:0] bitmap_o
);
    localparam BITS = $clog2(CHUNKS);

    wire [CHUNKS-1:0] bitmap, flipped, chosen;
    wire [  BITS-1:0] address;

    or_tree #(.LEAVES(CHUNKS)) or_tree (
        .leaves_i(bitmap),
        .any_o   (any_o)
    );

    wire all_taken;
    and_tree #(.LEAVES(CHUNKS)) and_tree (
        .leaves_i(~bitmap),
        .all_o   (all_taken),
        .first_o (found_o)
    );

    multiplexer #(
        .WIDTH      (BITS),
        .SELECT_BITS(1)
    ) mux (
        .inputs_i  ({found_o, chunk_i}),
        .select_i  (find_i),
        .selected_o(address)
    );

    demultiplexer #(.OUTPUTS(CHUNKS)) demux (
        .enable_i (find_i | free_i),
        .address_i(address),
        .outputs_o(chosen)
    );

    bit_flipper #(.CHUNKS(CHUNKS)) bit_flipper (
        .bitmap_i(bitmap),
        .chosen_i(chosen),
        .free_i  (free_i),
        .bitmap_o(flipped)
    );

    bitmap_register #(.CHUNKS(CHUNKS)) bitmap_register (
        .clk_i   (clk_i),
        .reset_i (reset_i),
        .next_i  (flipped),
        .load_i  (load_i),
        .data_i  (data_i),
        .bitmap_o(bitmap)
    );

    multiplexer #(
        .WIDTH      (1),
        .SELECT_BITS(BITS)
    ) freed (
        .inputs_i  (bitmap),
        .select_i  (chunk_i),
        .selected_o(is_free_o)
    );

    assign bitmap_o = bitmap;

    // The OR-tree says the same, which is proven (hardware/proof).
    wire unused = &{1'b0, all_taken};
endmodule
