// What is proven of the chunk unit's choice of classes, whatever it is asked in each cycle after a reset: an output a property,
// which is always 1. A class and a chunk of it that are watched stand for all: nothing says which ones they are.
`timescale 1ns / 1ps

module chunk_proof #(
    parameter PAGE_BYTES     = 4096,
    parameter SMALLEST_BYTES = 16,
    parameter CHUNKS         = PAGE_BYTES / SMALLEST_BYTES,
    parameter CLASSES        = $clog2(CHUNKS)
) (
    input  wire        clk_i,
    input  wire        reset_i,
    input  wire        request_valid_i,
    input  wire [ 2:0] opcode_i,
    input  wire [ 7:0] class_i,
    input  wire [23:0] word_i,
    input  wire [31:0] data_i,
    input  wire        response_ready_i,
    // What the unit holds, which prove.sh connects: the bitmap of each class in as many bits as the first one has, and the
    // error that waits.
    input  wire [CLASSES*CHUNKS-1:0] bitmaps_i,
    input  wire [               2:0] waiting_i,
    // What is found is the lowest free chunk of the class that was named; none is found where none is free.
    output wire        lowest_o,
    // What was found is not found again before it is freed, or a word of its class is loaded, or the unit is reset.
    output wire        once_o,
    // A free of a chunk that is free changes nothing, and an error waits then.
    output wire        refused_o,
    // A chunk changes its state when a request names its class, and it or its word, and not otherwise: neither by a
    // request for another class nor by one that is wrong, nor while an error waits.
    output wire        only_o
);
    localparam BITS = $clog2(CHUNKS);

    wire request_ready, response_valid;
    wire [31:0] response;

    chunk_unit #(
        .PAGE_BYTES    (PAGE_BYTES),
        .SMALLEST_BYTES(SMALLEST_BYTES)
    ) chunk_unit (
        .clk_i           (clk_i),
        .reset_i         (reset_i),
        .request_valid_i (request_valid_i),
        .request_ready_o (request_ready),
        .opcode_i        (opcode_i),
        .class_i         (class_i),
        .word_i          (word_i),
        .data_i          (data_i),
        .response_valid_o(response_valid),
        .response_ready_i(response_ready_i),
        .response_o      (response)
    );

    // Only classes and chunks that there are.
    reg [    31:0] watched_class;
    reg [BITS-1:0] watched;
    always @(posedge clk_i) begin
        watched_class <= watched_class;
        watched       <= watched;
    end

    wire [CHUNKS-1:0] bitmap = bitmaps_i[watched_class*CHUNKS+:CHUNKS];
    wire is_free = bitmap[watched];
    wire [31:0] chunk = {{32 - BITS{1'b0}}, watched};
    wire is_watched = watched_class < CLASSES & chunk < CHUNKS >> watched_class;

    wire accepted = request_valid_i & request_ready & watched_class == {24'b0, class_i} & is_watched;
    wire finds = accepted & opcode_i == 3'd0 & ~|waiting_i;
    wire frees = accepted & opcode_i == 3'd1 & data_i == chunk;
    wire loads = accepted & opcode_i == 3'd2 & word_i == {5'b0, chunk[23:5]};

    // The cycle before, whose answer is there now.
    reg was_kept = 1'b0;
    reg was_find, was_free, was_freed, was_loaded, was_word;
    always @(posedge clk_i) begin
        was_kept   <= ~reset_i;
        was_find   <= finds;
        was_free   <= is_free;
        was_freed  <= frees;
        was_loaded <= loads;
        was_word   <= data_i[chunk[4:0]];
    end
    wire is_found = was_kept & was_find & response == chunk;

    assign lowest_o = ~was_kept | ~was_find |
        (response_valid & (response == 32'h8000_0000 ? ~was_free : ~was_free | response <= chunk) & (response != chunk | was_free));

    reg is_held = 1'b0;
    always @(posedge clk_i) is_held <= ~reset_i & ~frees & ~loads & (is_held | is_found);
    assign once_o = ~is_held | ~is_watched | (~is_free & ~is_found);

    assign refused_o = ~was_kept | ~was_freed | ~was_free | (is_free & |waiting_i);

    wire wanted = was_loaded ? was_word : was_freed ? 1'b1 : is_found ? 1'b0 : was_free;
    assign only_o = ~was_kept | ~is_watched | is_free == wanted;
endmodule
