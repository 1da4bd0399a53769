// Gives and takes back chunks by their addresses, without software between: for each class of sizes a window
// of 32 chunks of a page, one word of its bitmap. All classes share one tree of 32 leaves. A class is found by
// the size, and a chunk that comes back by comparing its address with the windows' begins. What no window has
// is software's.
//
//   opcode  name     first operand     answer
//   0       take     bytes             the address of the window's lowest free chunk, which is taken then; 0 where
//                                      none is free, or the bytes are more than half a page
//   1       give     address           0: it is free now. Else a code; nothing has changed then
//   2       swap     class, least,     the mask of the class's window before; it gets this begin, and the
//                    begin             second operand as its mask, a bit a chunk, 1 where it is free
//   3       begin    class             the begin of its window
//
// Codes: 1 in no window (software looks after it), 2 no chunk begins there, 3 it is free already, 4 no such
// opcode or class. A window begins at a multiple of its own size, or at its page where that is smaller, so an
// address is put together without an adder. The class stands in the lowest four bits of the operand, and above it
// in five the first chunk of the window that an object may have: those before it are the page's head. Requests
// and answers are as the chunk unit's (chunk_unit.v). After a reset there is no window, nor is one at address 0.
`timescale 1ns / 1ps

module window_unit #(
    parameter PAGE_BYTES     = 4096,
    parameter SMALLEST_BYTES = 16
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
    // Bits of an address that a window of the smallest chunks begins with, and all others.
    localparam LOW           = SMALLEST_BITS + 5;
    localparam HIGH          = 32 - LOW;

    localparam [31:0] GIVEN        = 32'd0;
    localparam [31:0] ELSEWHERE    = 32'd1;
    localparam [31:0] NO_BEGIN     = 32'd2;
    localparam [31:0] FREED_TWICE  = 32'd3;
    localparam [31:0] NO_SUCH      = 32'd4;

    wire is_take  = opcode_i == 3'd0;
    wire is_give  = opcode_i == 3'd1;
    wire is_swap  = opcode_i == 3'd2;
    wire is_begin = opcode_i == 3'd3;

    assign request_ready_o = ~response_valid_o | response_ready_i;
    wire accepted = request_valid_i & request_ready_o;

    reg [31:0] masks[0:CLASSES-1];
    reg [HIGH-1:0] begins[0:CLASSES-1];
    reg [4:0] leasts[0:CLASSES-1];
    reg [CLASSES-1:0] is_there;

    // A bit a class: that of the size, of the window that has the address, of the operand's low byte.
    wire [CLASSES-1:0] sized, hit, named;
    // By class: its mask, its begin, where in it the address lies, and whether a chunk begins there.
    wire [CLASSES*32-1:0] mask_bits, begin_bits;
    wire [CLASSES*5-1:0] index_bits;
    wire [CLASSES-1:0] is_chunk, is_free;
    wire [CLASSES:0] fits;
    assign fits[0] = 1'b0;

    genvar number;
    generate
        for (number = 0; number < CLASSES; number = number + 1) begin : classes
            localparam SHIFT = SMALLEST_BITS + number;
            // Of a window, or of the page where that is smaller.
            localparam SPAN  = SHIFT + 5 < PAGE_BITS ? SHIFT + 5 : PAGE_BITS;
            localparam CHUNK_BITS = SPAN - SHIFT;

            // At most so many bytes; of no bytes it is an object too.
            assign fits[number+1] = ~|first_i[31:SHIFT+1] & (~first_i[SHIFT] | ~|first_i[SHIFT-1:0]);
            assign sized[number]  = fits[number+1] & ~fits[number];
            assign hit[number]    = is_there[number] & first_i[31:SPAN] == begins[number][HIGH-1:SPAN-LOW];
            assign named[number]  = first_i[3:0] == number;
            wire [4:0] index = {{5 - CHUNK_BITS{1'b0}}, first_i[SPAN-1:SHIFT]};
            assign is_chunk[number] = ~|first_i[SHIFT-1:0] & index >= leasts[number];
            multiplexer #(
                .WIDTH      (1),
                .SELECT_BITS(CHUNK_BITS)
            ) given (
                .inputs_i  (masks[number][(1<<CHUNK_BITS)-1:0]),
                .select_i  (first_i[SPAN-1:SHIFT]),
                .selected_o(is_free[number])
            );

            // Not by the address, which is compared meanwhile.
            wire chosen = is_take ? sized[number] : named[number];
            assign mask_bits[32*number+:32]  = masks[number] & {32{chosen}};
            assign begin_bits[32*number+:32] =
                {begins[number], {LOW{1'b0}}} & {32{chosen}} & ~(32'hffff_ffff >> (32 - SPAN));
            assign index_bits[5*number+:5]   = index & {5{hit[number]}};
        end
    endgenerate

    // One window, of the one class that is chosen, or nothing but zeros.
    reg [31:0] mask, begins_at;
    reg [4:0] place;
    integer each;
    always @* begin
        mask = 32'b0;
        begins_at = 32'b0;
        place = 5'b0;
        for (each = 0; each < CLASSES; each = each + 1) begin
            mask = mask | mask_bits[32*each+:32];
            begins_at = begins_at | begin_bits[32*each+:32];
            place = place | index_bits[5*each+:5];
        end
    end

    wire all_taken;
    wire [4:0] lowest;
    and_tree #(.LEAVES(32)) and_tree (
        .leaves_i(~mask),
        .all_o   (all_taken),
        .first_o (lowest)
    );

    wire [31:0] chosen_chunk;
    demultiplexer #(.OUTPUTS(32)) demux (
        .enable_i (1'b1),
        .address_i(is_give ? place : lowest),
        .outputs_o(chosen_chunk)
    );

    // The lowest chunk's distance from the window's begin.
    reg [31:0] distance;
    always @* begin
        distance = 32'b0;
        for (each = 0; each < CLASSES; each = each + 1)
            distance = distance | ({27'b0, lowest & {5{sized[each]}}} << (SMALLEST_BITS + each));
    end

    wire [31:0] give_answer = ~|hit ? ELSEWHERE : ~|(hit & is_chunk) ? NO_BEGIN : |(hit & is_free) ? FREED_TWICE : GIVEN;
    wire [31:0] answer = is_take ? (all_taken ? 32'b0 : begins_at | distance)
        : is_give ? give_answer
        : ~(is_swap | is_begin) | ~|named ? NO_SUCH
        : is_swap ? mask : begins_at;

    generate
        for (number = 0; number < CLASSES; number = number + 1) begin : windows
            wire takes = is_take & sized[number];
            wire gives = is_give & hit[number] & is_chunk[number];
            wire swaps = is_swap & named[number];
            always @(posedge clk_i) begin
                if (reset_i) begin
                    is_there[number] <= 1'b0;
                    masks[number]    <= 32'b0;
                    begins[number]   <= {HIGH{1'b0}};
                    leasts[number]   <= 5'b0;
                end else if (accepted & swaps) begin
                    is_there[number] <= |first_i[31:LOW];
                    masks[number]    <= second_i;
                    begins[number]   <= first_i[31:LOW];
                    leasts[number]   <= first_i[8:4];
                end else if (accepted & (takes | gives)) begin
                    masks[number] <= gives ? masks[number] | chosen_chunk : masks[number] & ~chosen_chunk;
                end
            end
        end
    endgenerate

    always @(posedge clk_i) begin
        if (reset_i) begin
            response_valid_o <= 1'b0;
            response_o       <= 32'b0;
        end else if (accepted) begin
            response_valid_o <= 1'b1;
            response_o       <= answer;
        end else if (response_ready_i) begin
            response_valid_o <= 1'b0;
        end
    end
endmodule
