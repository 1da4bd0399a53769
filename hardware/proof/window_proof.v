// What is proven of the window unit, whatever it is asked in each cycle after a reset: an output a property, which is always 1. An
// address that is watched stands for each of them: nothing says which one it is. All of them together follow
// from one cycle to the next.
`timescale 1ns / 1ps

module window_proof #(
    parameter PAGE_BYTES     = 4096,
    parameter SMALLEST_BYTES = 16,
    parameter WINDOWS        = $clog2(PAGE_BYTES / SMALLEST_BYTES)
) (
    input  wire        clk_i,
    input  wire        reset_i,
    input  wire        request_valid_i,
    input  wire [ 2:0] opcode_i,
    input  wire [31:0] first_i,
    input  wire [31:0] second_i,
    input  wire        response_ready_i,
    // What the unit holds: chunks that are free, begins with the lowest of them, what is known of each window, and which one
    // changes. Signals of the unit by their names, which prove.sh connects.
    input  wire [WINDOWS*32-1:0] masks_i,
    input  wire [WINDOWS*32-1:0] addresses_i,
    input  wire [ WINDOWS*5-1:0] lowests_i,
    input  wire [   WINDOWS-1:0] has_i,
    input  wire [   WINDOWS-1:0] changed_i,
    input  wire [   WINDOWS-1:0] filled_i,
    input  wire [   WINDOWS-1:0] drained_i,
    input  wire [           4:0] place_i,
    input  wire                  changes_i,
    input  wire                  fills_i,
    input  wire                  becomes_free_i,
    // What was given out is not given out again before it came back, or a fill names it as free; nor is it free meanwhile.
    output wire        once_o,
    // What a take or a fill gives is a free chunk, and no lower one of its window is free.
    output wire        lowest_o,
    // A give of a chunk that is free is told, and changes nothing.
    output wire        refused_o,
    // A chunk changes its state when it is given out or comes back, or its window is filled or drained, and not otherwise.
    output wire        only_o,
    // Windows lie in pages of their own, below 2^31 and not in the first one.
    output wire        apart_o,
    // What is known of each window beforehand is right, but for the one that changes.
    output wire        known_o
);
    localparam SMALLEST_BITS = $clog2(SMALLEST_BYTES);
    localparam PAGE_BITS     = $clog2(PAGE_BYTES);

    wire request_ready, response_valid;
    wire [31:0] response;

    window_unit #(
        .PAGE_BYTES    (PAGE_BYTES),
        .SMALLEST_BYTES(SMALLEST_BYTES)
    ) window_unit (
        .clk_i           (clk_i),
        .reset_i         (reset_i),
        .request_valid_i (request_valid_i),
        .request_ready_o (request_ready),
        .opcode_i        (opcode_i),
        .first_i         (first_i),
        .second_i        (second_i),
        .response_valid_o(response_valid),
        .response_ready_i(response_ready_i),
        .response_o      (response)
    );

    reg [31:0] watched;
    always @(posedge clk_i) watched <= watched;

    reg was_reset = 1'b0;
    always @(posedge clk_i) was_reset <= was_reset | reset_i;

    // A bit a window: whether the watched chunk lies there, and is free; whether it lies where a fill puts the window, and is to be
    // free; whether all that is known of the window is right.
    wire [WINDOWS-1:0] holds, is_free, is_named, is_right, is_apart, is_changing_right;

    genvar number, other;
    generate
        for (number = 0; number < WINDOWS; number = number + 1) begin : windows
            localparam SHIFT = SMALLEST_BITS + number;
            localparam CHUNK_BITS = SHIFT + 5 < PAGE_BITS ? 5 : PAGE_BITS - SHIFT;
            localparam SPAN = SHIFT + CHUNK_BITS;
            wire [31-SPAN:0] begins = addresses_i[32*number+SPAN+:32-SPAN];
            wire [31:0] mask = masks_i[32*number+:32];
            wire [4:0] lowest = lowests_i[5*number+:5];
            wire [CHUNK_BITS-1:0] chunk = watched[SPAN-1:SHIFT];
            wire [4:0] index = {{5 - CHUNK_BITS{1'b0}}, chunk};
            wire is_there = |begins;
            wire is_chunk = ~|watched[SHIFT-1:0];
            wire [31:0] below = (32'd1 << lowest) - 32'd1;

            assign holds[number]    = is_there & is_chunk & watched[31:SPAN] == begins;
            assign is_free[number]  = holds[number] & mask[index];
            assign is_named[number] = filled_i[number] & is_chunk & watched[31:SPAN] == first_i[31:SPAN] & second_i[index];

            wire [WINDOWS-1:0] is_elsewhere;
            for (other = 0; other < WINDOWS; other = other + 1) begin : others
                assign is_elsewhere[other] = other == number |
                    addresses_i[32*other+PAGE_BITS+:32-PAGE_BITS] != addresses_i[32*number+PAGE_BITS+:32-PAGE_BITS];
            end
            assign is_apart[number] = ~is_there | (~begins[31-SPAN] & |addresses_i[32*number+PAGE_BITS+:32-PAGE_BITS] & &is_elsewhere);

            wire is_address = addresses_i[32*number+:SPAN] == {lowest[CHUNK_BITS-1:0], {SHIFT{1'b0}}};
            wire is_known = has_i[number] == |mask & (~has_i[number] | (mask[lowest] & ~|(mask & below) & is_address));
            assign is_right[number] = (is_there | ~|mask) & (changes_i & changed_i[number] | is_known);
            assign is_changing_right[number] = ~changed_i[number] | (is_there &
                (fills_i | (becomes_free_i ? ~mask[place_i] : mask[place_i] & place_i == lowest & has_i[number])));
        end
    endgenerate

    wire one_changes = |changed_i & ~|(changed_i & (changed_i - 1'b1));
    assign apart_o = ~was_reset | &is_apart;
    assign known_o = ~was_reset | (&is_right & (~(changes_i | fills_i) | one_changes) & (~changes_i | &is_changing_right));

    // The request that is answered last or next.
    wire accepted = request_valid_i & request_ready;
    reg was_take, was_fill, was_give, is_awaited = 1'b0;
    reg [31:0] asked;
    always @(posedge clk_i) begin
        if (accepted) begin
            was_take <= opcode_i == 3'd0;
            was_give <= opcode_i == 3'd1;
            was_fill <= opcode_i == 3'd2;
            asked    <= first_i;
        end
        is_awaited <= ~reset_i & (accepted | (is_awaited & ~response_valid));
    end
    // In its first cycle.
    wire is_answer = was_reset & is_awaited & response_valid;
    wire gives_out = is_answer & (was_take | was_fill) & ~response[31] & |response[30:PAGE_BITS];
    wire takes_back = is_answer & was_give & ~|response;

    reg is_held = 1'b0;
    always @(posedge clk_i)
        is_held <= was_reset & ~reset_i & ~|is_named & (gives_out & response == watched | is_held & ~(takes_back & asked == watched));
    assign once_o = ~is_held | (~|is_free & ~(gives_out & response == watched));

    // The window that changes is the one that gives.
    wire [WINDOWS-1:0] is_beside = holds & changed_i;
    assign lowest_o = ~gives_out | (changes_i & ~fills_i & ~becomes_free_i & (~|(is_beside & is_free) | response <= watched) &
        (response != watched | |(is_beside & is_free)));

    // The cycle before.
    reg was_kept = 1'b0;
    reg was_free, was_refused, was_given_out, was_taken_back, was_named;
    always @(posedge clk_i) begin
        was_kept       <= was_reset & ~reset_i;
        was_free       <= |is_free;
        was_refused    <= accepted & opcode_i == 3'd1 & first_i == watched & |is_free;
        was_given_out  <= gives_out & response == watched;
        was_taken_back <= takes_back & asked == watched;
        was_named      <= |is_named | |(drained_i & holds);
    end
    assign refused_o = ~was_kept | ~was_refused | (response_valid & response == 32'd3 & ~changes_i & |is_free);
    assign only_o = ~was_kept | was_named | |is_free == (was_given_out ? 1'b0 : was_taken_back ? 1'b1 : was_free);
endmodule
