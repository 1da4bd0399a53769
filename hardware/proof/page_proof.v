// What is proven of a page's unit, whatever its bitmap and whatever is asked in each cycle: an output a property,
// which is always 1. A chunk that is watched stands for each of them: nothing says which one it is.
`timescale 1ns / 1ps

module page_proof #(
    parameter CHUNKS = 256,
    parameter WORDS  = (CHUNKS + 31) / 32
) (
    input  wire                      clk_i,
    input  wire                      reset_i,
    input  wire [               1:0] opcode_i,
    input  wire [$clog2(CHUNKS)-1:0] chunk_i,
    input  wire [         WORDS-1:0] words_i,
    input  wire [              31:0] data_i,
    // What is found is free, and no lower chunk is.
    output wire                      lowest_o,
    // A chunk is found exactly when one is free.
    output wire                      full_o,
    // What was found is not found again before it is freed, or the bitmap loaded or reset.
    output wire                      once_o,
    // The free of a chunk that is free is told, and changes no bit.
    output wire                      refused_o,
    // A find takes what it found, a free frees its chunk, and neither changes another bit; without either, and
    // without a load or a reset, none changes.
    output wire                      only_o
);
    localparam BITS = $clog2(CHUNKS);

    wire is_find = opcode_i == 2'd0;
    wire is_free = opcode_i == 2'd1;
    wire is_load = opcode_i == 2'd2;

    wire any, told;
    wire [  BITS-1:0] found;
    wire [CHUNKS-1:0] bitmap;

    page_unit #(.CHUNKS(CHUNKS)) page_unit (
        .clk_i    (clk_i),
        .reset_i  (reset_i),
        .find_i   (is_find),
        .free_i   (is_free),
        .chunk_i  (chunk_i),
        .load_i   (words_i & {WORDS{is_load}}),
        .data_i   (data_i),
        .any_o    (any),
        .found_o  (found),
        .is_free_o(told),
        .bitmap_o (bitmap)
    );

    reg [BITS-1:0] watched;
    always @(posedge clk_i) watched <= watched;

    assign lowest_o = ~any | (bitmap[found] & ~(bitmap[watched] & watched < found));
    assign full_o   = any ? bitmap[found] : ~bitmap[watched];

    // The second half is what the bitmap has to say of a chunk that is held; the first follows from it.
    reg  is_held = 1'b0;
    wire is_found = is_find & any & found == watched;
    wire is_given = is_load | (is_free & chunk_i == watched);
    always @(posedge clk_i) is_held <= ~reset_i & (is_found | (is_held & ~is_given));
    assign once_o = ~is_held | (~is_found & ~bitmap[watched]);

    // The cycle before: what it was asked, and what it had.
    reg was_kept = 1'b0;
    reg was_find, was_free, was_told;
    reg [  BITS-1:0] addressed;
    reg [CHUNKS-1:0] previous;
    always @(posedge clk_i) begin
        was_kept  <= ~reset_i & ~is_load;
        was_find  <= is_find & any;
        was_free  <= is_free;
        was_told  <= told;
        addressed <= is_find ? found : chunk_i;
        previous    <= bitmap;
    end

    assign refused_o = ~was_kept | ~was_free | (was_told == previous[addressed] & (~was_told | bitmap == previous));

    wire wanted = (was_find | was_free) & watched == addressed ? was_free : previous[watched];
    assign only_o = ~was_kept | bitmap[watched] == wanted;
endmodule
