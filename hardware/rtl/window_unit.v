// Gives out and takes back chunks by their addresses, without software between: for each class of sizes
// WAYS windows of at most 32 chunks of a page, one word of its bitmap each. All share one tree of 32 leaves. A
// class is found by the size, and a chunk that comes back by comparing its address with the windows' begins.
// What no window has is software's. Class c has chunks of SMALLEST_BYTES << c bytes, at most half a page.
//
//   opcode  name   first operand  answer
//   0       take   bytes          the address of a free chunk, which is taken then; else bit 31, and below it the
//                                 class where none of it is free, or the bytes where they are more than half a
//                                 page: all bits of them where they have bit 31 themselves
//   1       give   address        0: it is free now. Else a code; nothing has changed then
//   2       fill   begin, class   the lowest chunk of a window that begins there and has the second operand's
//                                 chunks, a bit each, 1 where it is free; it is taken. The window replaces the one
//                                 of its class that was filled longest ago, which must have no free chunk
//   3       peek   window         its lowest free chunk, which is not taken
//   4       drain  window         its chunks that are free, a bit each, 0 also where there is no such window; it is
//                                 no window any more
//
// Bit 31 alone is the answer of a fill or peek where no chunk is free.
// Codes: 1 in no window (software looks after it), 2 no chunk begins there, 3 it is free already, 4 no such opcode,
// class, window or begin, 5 the window still has chunks, 6 the page has a window of another class, or this one already. What
// gets a code changes nothing. A class stands in the lowest four bits of an operand, a window's number in the lowest
// eight; window w is one of class w % classes. A window begins at a multiple of its own size, in a page below
// 2^31 that is not the first one.
//
// Requests and answers are as the chunk unit's (chunk_unit.v). What is answered is known before the windows change,
// and the lowest chunk of each before it is asked for: so after a take or give that changed something the unit
// is busy for a cycle, in which it changes the window and finds its lowest chunk. A fill is answered two
// cycles later. After a reset there is no window.
`timescale 1ns / 1ps

module window_unit #(
    parameter PAGE_BYTES     = 4096,
    parameter SMALLEST_BYTES = 16,
    parameter WAYS           = 1
) (
    input  wire        clk_i,
    input  wire        reset_i,

    input  wire        request_valid_i,
    output wire        request_ready_o,
    input  wire [ 2:0] opcode_i,
    input  wire [31:0] first_i,
    input  wire [31:0] second_i,

    output reg         response_valid_o,
    input  wire        response_ready_i,
    output reg  [31:0] response_o
);
    localparam SMALLEST_BITS = $clog2(SMALLEST_BYTES);
    localparam PAGE_BITS     = $clog2(PAGE_BYTES);
    localparam CLASSES       = PAGE_BITS - SMALLEST_BITS;
    localparam WINDOWS       = CLASSES * WAYS;

    localparam [31:0] GIVEN       = 32'd0;
    localparam [31:0] ELSEWHERE   = 32'd1;
    localparam [31:0] NO_BEGIN    = 32'd2;
    localparam [31:0] FREED_TWICE = 32'd3;
    localparam [31:0] NO_SUCH     = 32'd4;
    localparam [31:0] NOT_EMPTY   = 32'd5;
    localparam [31:0] OVERLAPS    = 32'd6;
    localparam [31:0] NOTHING     = 32'h8000_0000;

    wire is_take  = opcode_i == 3'd0;
    wire is_give  = opcode_i == 3'd1;
    wire is_fill  = opcode_i == 3'd2;
    wire is_peek  = opcode_i == 3'd3;
    wire is_drain = opcode_i == 3'd4;

    // A window changes in this cycle; it is filled, and gives its first chunk when that is known.
    reg changes, fills;
    // Which window; the chunk of it that changes, and whether that becomes free.
    reg [WINDOWS-1:0] changed;
    reg [4:0] place;
    reg becomes_free;

    wire takes_first = fills & ~changes;
    assign request_ready_o = ~changes & ~fills & (~response_valid_o | response_ready_i);
    wire accepted = request_valid_i & request_ready_o;

    // A bit a class: that of the size, that of the operand's low bits.
    wire [CLASSES-1:0] sized, named;
    wire [CLASSES:0] fits;
    assign fits[0] = 1'b0;

    // A bit a window: what it says of an address and of itself, whether a take of its class is its to answer, whether
    // it is the next one that a fill replaces, and whether the operand has its number.
    wire [WINDOWS-1:0] is_beside, hit, is_chunk, is_free, has, serves, is_next, numbered;
    wire [WINDOWS*5-1:0] indices, lowests;
    wire [WINDOWS*32-1:0] addresses, masks;

    // What becomes of the window that changes.
    wire [31:0] updated;
    wire [4:0] lowest;
    wire none_free;

    wire [WINDOWS-1:0] replaced = is_next & {WAYS{named}};
    // Pages have chunks of one class. So what another class has in a page would overlap, and of the same class the same window.
    wire overlaps = |(is_beside & ~{WAYS{named}}) | |(hit & {WAYS{named}} & ~replaced);
    wire is_begin = ~first_i[31] & |first_i[30:PAGE_BITS];
    wire fits_in = is_fill & is_begin & ~overlaps & ~|(replaced & has);
    wire [WINDOWS-1:0] filled = replaced & {WINDOWS{accepted & fits_in}};
    wire [WINDOWS-1:0] drained = numbered & {WINDOWS{accepted & is_drain}};

    genvar number, way;
    generate
        if (WAYS != 1 && WAYS != 2) begin : refused_parameters
            ways_are_1_or_2 refused ();
        end

        for (number = 0; number < CLASSES; number = number + 1) begin : classes
            localparam SHIFT = SMALLEST_BITS + number;

            // At most so many bytes; of no bytes it is an object too.
            assign fits[number+1] = ~|first_i[31:SHIFT+1] & (~first_i[SHIFT] | ~|first_i[SHIFT-1:0]);
            assign sized[number]  = fits[number+1] & ~fits[number];
            assign named[number]  = first_i[3:0] == number;

            if (WAYS == 1) begin : alone
                assign serves[number]  = has[number];
                assign is_next[number] = 1'b1;
            end else begin : in_turn
                reg second_is_next;
                assign serves[number]          = has[number];
                assign serves[CLASSES+number]  = has[CLASSES+number] & ~has[number];
                assign is_next[number]         = ~second_is_next;
                assign is_next[CLASSES+number] = second_is_next;
                always @(posedge clk_i) begin
                    if (reset_i) second_is_next <= 1'b0;
                    else if (filled[number] | filled[CLASSES+number]) second_is_next <= ~second_is_next;
                end
            end
        end

        for (way = 0; way < WAYS; way = way + 1) begin : ways
            for (number = 0; number < CLASSES; number = number + 1) begin : windows
                localparam WINDOW = way * CLASSES + number;
                localparam SHIFT = SMALLEST_BITS + number;
                // A window is at most a page.
                localparam CHUNK_BITS = SHIFT + 5 < PAGE_BITS ? 5 : PAGE_BITS - SHIFT;
                localparam CHUNKS = 1 << CHUNK_BITS;

                assign numbered[WINDOW] = first_i[7:0] == WINDOW[7:0];
                window #(
                    .PAGE_BITS (PAGE_BITS),
                    .SHIFT     (SHIFT),
                    .CHUNK_BITS(CHUNK_BITS)
                ) window (
                    .clk_i           (clk_i),
                    .reset_i         (reset_i),
                    .address_i       (first_i),
                    .is_beside_o     (is_beside[WINDOW]),
                    .hit_o           (hit[WINDOW]),
                    .is_chunk_o      (is_chunk[WINDOW]),
                    .is_free_o       (is_free[WINDOW]),
                    .index_o         (indices[5*WINDOW+:5]),
                    .has_o           (has[WINDOW]),
                    .lowest_o        (lowests[5*WINDOW+:5]),
                    .lowest_address_o(addresses[32*WINDOW+:32]),
                    .mask_o          (masks[32*WINDOW+:32]),
                    .fill_i          (filled[WINDOW] | drained[WINDOW]),
                    .begin_i         (first_i[31:SHIFT+CHUNK_BITS] & {32 - SHIFT - CHUNK_BITS{is_fill}}),
                    .filled_i        (second_i[CHUNKS-1:0] & {CHUNKS{is_fill}}),
                    .update_i        (changes & changed[WINDOW]),
                    .updated_i       (updated[CHUNKS-1:0]),
                    .has_i           (~none_free),
                    .lowest_i        (lowest[CHUNK_BITS-1:0])
                );
            end
        end
    endgenerate

    // Which window gives its lowest chunk, if any does.
    wire [WINDOWS-1:0] gives_out = takes_first ? changed & has
        : is_take ? serves & {WAYS{sized}}
        : numbered & has & {WINDOWS{is_peek}};

    // Of the windows that are chosen, or nothing but zeros: the lowest chunk, the place of an address that came back,
    // the mask that changes, and the one that is drained. The class of the size.
    reg [31:0] taken, mask, rest;
    reg [4:0] taken_place, given_place;
    reg [30:0] size_class;
    integer each;
    always @* begin
        taken       = 32'b0;
        mask        = 32'b0;
        rest        = 32'b0;
        taken_place = 5'b0;
        given_place = 5'b0;
        size_class  = 31'b0;
        for (each = 0; each < WINDOWS; each = each + 1) begin
            taken       = taken | (addresses[32*each+:32] & {32{gives_out[each]}});
            mask        = mask | (masks[32*each+:32] & {32{changed[each]}});
            rest        = rest | (masks[32*each+:32] & {32{numbered[each]}});
            taken_place = taken_place | (lowests[5*each+:5] & {5{gives_out[each]}});
            given_place = given_place | (indices[5*each+:5] & {5{hit[each]}});
        end
        for (each = 0; each < CLASSES; each = each + 1) size_class = size_class | (each[30:0] & {31{sized[each]}});
    end

    wire [WINDOWS-1:0] freed = hit & is_chunk & ~is_free;
    wire [31:0] refused = {1'b1, fits[CLASSES] ? size_class : first_i[30:0] | {31{first_i[31]}}};
    wire [31:0] given = ~|hit ? ELSEWHERE : ~|(hit & is_chunk) ? NO_BEGIN : ~|freed ? FREED_TWICE : GIVEN;
    wire [31:0] answer = is_take ? refused
        : is_give ? given
        : is_drain ? rest
        : is_fill & |named & is_begin ? (overlaps ? OVERLAPS : NOT_EMPTY)
        : is_peek & |numbered ? NOTHING : NO_SUCH;

    wire [31:0] chosen_chunk;
    demultiplexer #(.OUTPUTS(32)) demux (
        .enable_i (~fills),
        .address_i(place),
        .outputs_o(chosen_chunk)
    );
    assign updated = becomes_free ? mask | chosen_chunk : mask & ~chosen_chunk;
    and_tree #(.LEAVES(32)) and_tree (
        .leaves_i(~updated),
        .all_o   (none_free),
        .first_o (lowest)
    );

    always @(posedge clk_i) begin
        if (reset_i) begin
            changes <= 1'b0;
            fills   <= 1'b0;
        end else if (changes) begin
            changes <= 1'b0;
        end else if (takes_first | accepted) begin
            changes <= takes_first ? |gives_out : |filled | is_take & |gives_out | is_give & |freed;
            fills   <= |filled;
        end
        if (~changes & ~fills) changed <= is_give ? freed : is_fill ? replaced : gives_out;
        if (~changes) begin
            place        <= takes_first | ~is_give ? taken_place : given_place;
            becomes_free <= ~takes_first & is_give;
        end
    end

    always @(posedge clk_i) begin
        if (reset_i) begin
            response_valid_o <= 1'b0;
            response_o       <= 32'b0;
        end else if (takes_first | accepted) begin
            response_valid_o <= takes_first | ~|filled;
            response_o       <= |gives_out ? taken : takes_first ? NOTHING : answer;
        end else if (response_ready_i) begin
            response_valid_o <= 1'b0;
        end
    end
endmodule
