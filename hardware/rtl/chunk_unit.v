// Finds and frees chunks of pages, one page for each class of sizes: the paper's figure 2. The bitmap of each
// class's page stays here while requests are for that page. Class c has objects of SMALLEST_BYTES << c bytes,
// at most half a page. A bit of a bitmap is 1 where the chunk is free; chunk n is bit n % 32 of word n / 32.
//
// A request is taken in a cycle in which both valid and ready are 1. Its answer is there from the next cycle
// on, until it is taken in the same way; a further request is taken in that cycle at the earliest.
//
//   opcode  name    answer
//   0       find    the lowest free chunk, which is taken then; ERROR where none is free
//   1       free    0; data_i is the chunk
//   2       load    0; the word of the class's bitmap becomes data_i
//   3       store   the word of the class's bitmap
//   4       status  the code of the error that waits, 0 for none; none waits then
//
// ERROR is bit 31; a code in the low bits says why. What is wrong changes no bit. The answers to free and
// store have no room for an error: it waits for the next find of a class that there is, which then answers it
// and takes no chunk, or for status. Of several only the first waits. A reset clears all bitmaps and errors.
`timescale 1ns / 1ps

module chunk_unit #(
    parameter PAGE_BYTES     = 4096,
    parameter SMALLEST_BYTES = 16
) (
    input  wire        clk_i,
    input  wire        reset_i,

    input  wire        request_valid_i,
    output wire        request_ready_o,
    input  wire [ 2:0] opcode_i,
    input  wire [ 7:0] class_i,
    input  wire [23:0] word_i,
    input  wire [31:0] data_i,

    output reg         response_valid_o,
    input  wire        response_ready_i,
    output reg  [31:0] response_o
);
    localparam MOST_CHUNKS = PAGE_BYTES / SMALLEST_BYTES;
    localparam FOUND_BITS  = $clog2(MOST_CHUNKS);
    // A class for each power of two from the smallest object to half a page, in slots whose number is a power
    // of two, as multiplexers have inputs.
    localparam CLASSES     = FOUND_BITS;
    localparam CLASS_BITS  = $clog2(CLASSES);
    localparam SLOTS       = 1 << CLASS_BITS;
    // What a class says: four facts, what is found, and a word.
    localparam SAID        = 4 + FOUND_BITS + 32;

    localparam [31:0] ERROR           = 32'h8000_0000;
    localparam [ 2:0] NO_ERROR        = 3'd0;
    localparam [ 2:0] FREED_TWICE     = 3'd1;
    localparam [ 2:0] BEYOND_PAGE     = 3'd2;
    localparam [ 2:0] NO_SUCH_CLASS   = 3'd3;
    localparam [ 2:0] NO_SUCH_REQUEST = 3'd4;

    wire is_find   = opcode_i == 3'd0;
    wire is_free   = opcode_i == 3'd1;
    wire is_load   = opcode_i == 3'd2;
    wire is_store  = opcode_i == 3'd3;
    wire is_status = opcode_i == 3'd4;

    reg  [2:0] waiting;
    wire       has_error = |waiting;

    assign request_ready_o = ~response_valid_o | response_ready_i;
    wire accepted = request_valid_i & request_ready_o;

    wire [SLOTS*SAID-1:0] said;
    wire [     SLOTS-1:0] named;

    genvar slot;
    generate
        for (slot = 0; slot < SLOTS; slot = slot + 1) begin : classes
            if (slot < CLASSES) begin : used
                wire has_word, is_beyond, is_free_chunk, any;
                wire [FOUND_BITS-1:0] found;
                wire [          31:0] word;

                size_class #(
                    .CLASS      (slot),
                    .MOST_CHUNKS(MOST_CHUNKS)
                ) size_class (
                    .clk_i      (clk_i),
                    .reset_i    (reset_i),
                    .find_i     (accepted & is_find & ~has_error),
                    .free_i     (accepted & is_free),
                    .load_i     (accepted & is_load),
                    .class_i    (class_i),
                    .word_i     (word_i),
                    .data_i     (data_i),
                    .is_named_o (named[slot]),
                    .has_word_o (has_word),
                    .is_beyond_o(is_beyond),
                    .is_free_o  (is_free_chunk),
                    .any_o      (any),
                    .found_o    (found),
                    .word_o     (word)
                );
                assign said[slot*SAID+:SAID] = {has_word, is_beyond, is_free_chunk, any, found, word};
            end else begin : unused
                assign named[slot]           = 1'b0;
                assign said[slot*SAID+:SAID] = {SAID{1'b0}};
            end
        end
    endgenerate

    wire has_word, is_beyond, is_free_chunk, any;
    wire [FOUND_BITS-1:0] found;
    wire [          31:0] word;

    multiplexer #(
        .WIDTH      (SAID),
        .SELECT_BITS(CLASS_BITS)
    ) mux (
        .inputs_i  (said),
        .select_i  (class_i[CLASS_BITS-1:0]),
        .selected_o({has_word, is_beyond, is_free_chunk, any, found, word})
    );

    // What is wrong with the request, by its opcode.
    wire has_class = |named;
    wire [2:0] wrong_word = ~has_class ? NO_SUCH_CLASS : ~has_word ? NO_SUCH_REQUEST : NO_ERROR;
    wire [2:0] wrong_free =
        ~has_class ? NO_SUCH_CLASS : is_beyond ? BEYOND_PAGE : is_free_chunk ? FREED_TWICE : NO_ERROR;

    wire [31:0] find_answer = ~has_class ? ERROR | {29'b0, NO_SUCH_CLASS}
        : has_error ? ERROR | {29'b0, waiting}
        : ~any ? ERROR
        : {{32 - FOUND_BITS{1'b0}}, found};
    wire [31:0] word_error = {|wrong_word, 28'b0, wrong_word};
    wire [31:0] answer = is_find ? find_answer
        : is_free ? 32'b0
        : is_load ? word_error
        : is_store ? (|wrong_word ? word_error : word)
        : is_status ? {29'b0, waiting}
        : ERROR | {29'b0, NO_SUCH_REQUEST};

    wire       is_told = is_status | (is_find & has_class);
    wire [2:0] wrong = is_free ? wrong_free : is_store ? wrong_word : NO_ERROR;

    always @(posedge clk_i) begin
        if (reset_i) begin
            waiting          <= NO_ERROR;
            response_valid_o <= 1'b0;
            response_o       <= 32'b0;
        end else if (accepted) begin
            waiting          <= is_told ? NO_ERROR : has_error ? waiting : wrong;
            response_valid_o <= 1'b1;
            response_o       <= answer;
        end else if (response_ready_i) begin
            response_valid_o <= 1'b0;
        end
    end
endmodule
