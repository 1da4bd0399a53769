// The allocator with a bitmap of all of memory beside a bitmap of this bench's own: blocks of all levels found and
// freed by chance. Ends with "passed", or tells the first difference.
`timescale 1ns / 1ps

module whole_memory_bench;
    localparam CHUNKS = 64;
    localparam LEVELS = 6;

    reg clk = 0, reset = 1, find = 0, free = 0;
    reg  [  LEVELS:0] level_bits;
    reg  [LEVELS-1:0] address;
    wire              any;
    wire [LEVELS-1:0] found;

    whole_memory_allocator #(.CHUNKS(CHUNKS)) unit (
        .clk_i    (clk),
        .reset_i  (reset),
        .find_i   (find),
        .free_i   (free),
        .level_i  (level_bits),
        .address_i(address),
        .any_o    (any),
        .found_o  (found)
    );

    always #5 clk = ~clk;

    reg [CHUNKS-1:0] taken = 0;
    integer seed = 1, round, level, first, chunk;

    // The bits of a block of the level.
    function [CHUNKS-1:0] block(input integer number, input integer begins);
        block = (({{CHUNKS - 1{1'b0}}, 1'b1} << (1 << number)) - 1) << begins;
    endfunction

    task find_first;
        begin
            first = -1;
            for (chunk = CHUNKS - (1 << level); chunk >= 0; chunk = chunk - (1 << level))
                if ((taken & (level == LEVELS ? {CHUNKS{1'b1}} : block(level, chunk))) == 0) first = chunk;
        end
    endtask

    initial begin
        @(negedge clk);
        reset = 0;
        for (round = 0; round < 400; round = round + 1) begin
            level = $urandom(seed) % 8 == 0 ? $urandom(seed) % (LEVELS + 1) : $urandom(seed) % 3;
            level_bits = 1 << level;
            find = $urandom(seed) % 8 < 4;
            free = ~find;
            address = $urandom(seed) % CHUNKS >> level << level;
            find_first;
            #1;
            if (find && any !== (first >= 0) || find && any && found !== first) begin
                $display("failed: round %0d, level %0d: %0d at %0d, not at %0d", round, level, any, found, first);
                $finish;
            end
            if (find && first >= 0) taken = taken | (level == LEVELS ? {CHUNKS{1'b1}} : block(level, first));
            if (free) taken = taken & ~(level == LEVELS ? {CHUNKS{1'b1}} : block(level, address));
            @(negedge clk);
        end
        $display("passed");
        $finish;
    end
endmodule
