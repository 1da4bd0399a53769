// The search of Chang and Gehringer's allocator, to be counted: one bitmap for all of memory, in which a block
// of 2^level chunks is looked for. The levels of an OR-tree say of each such block whether some of it is taken;
// an interconnection brings the level that is asked for to the leaves of an AND-tree, which finds the first
// block that is not; all its chunks are then taken, or freed. A chunk of the bitmap is 1 where it is taken.
//
// The interconnection is a chain of multiplexers for each leaf, one a level: its path is as long as both trees'
// together where a multiplexer counts two, and it has CHUNKS * log2(CHUNKS) of them, as the paper says of it.
`timescale 1ns / 1ps

module whole_memory_allocator #(
    parameter CHUNKS = 256,
    parameter LEVELS = $clog2(CHUNKS)
) (
    input  wire              clk_i,
    input  wire              reset_i,
    input  wire              find_i,
    input  wire              free_i,
    // A bit for each level, of which one is 1: blocks of 2^level chunks.
    input  wire [  LEVELS:0] level_i,
    input  wire [LEVELS-1:0] address_i,
    output wire              any_o,
    output wire [LEVELS-1:0] found_o
);
    reg  [CHUNKS-1:0] bitmap;
    wire [CHUNKS-1:0] chosen, leaves;
    wire all_taken;

    // Node n has the children 2n and 2n + 1; the leaves begin at CHUNKS.
    wire [2*CHUNKS-1:1] nodes  /* verilator split_var */;
    assign nodes[2*CHUNKS-1:CHUNKS] = bitmap;

    genvar node, leaf, level;
    generate
        for (node = 1; node < CHUNKS; node = node + 1) begin : or_tree
            assign nodes[node] = nodes[2*node] | nodes[2*node+1];
        end
        for (leaf = 0; leaf < CHUNKS; leaf = leaf + 1) begin : interconnection
            wire [LEVELS:0] chain  /* verilator split_var */;
            assign chain[0] = nodes[CHUNKS+leaf];
            for (level = 1; level <= LEVELS; level = level + 1) begin : levels
                assign chain[level] = level_i[level] ? nodes[(CHUNKS+leaf)>>level] : chain[level-1];
            end
            assign leaves[leaf] = chain[LEVELS];
        end
    endgenerate

    and_tree #(.LEAVES(CHUNKS)) and_tree (
        .leaves_i(leaves),
        .all_o   (all_taken),
        .first_o (found_o)
    );
    assign any_o = ~all_taken;

    // The nodes above the block, then all below it.
    wire [LEVELS-1:0] address = find_i ? found_o : address_i;
    wire [2*CHUNKS-1:1] ways  /* verilator split_var */;
    assign ways[1] = (find_i & any_o) | free_i;
    // Whether the block is at least as high as the nodes of a level: all below is then within it.
    wire [LEVELS:1] is_within;
    generate
        for (level = 1; level <= LEVELS; level = level + 1) begin : heights
            assign is_within[level] = |level_i[LEVELS:level];
        end
        for (node = 1; node < CHUNKS; node = node + 1) begin : demultiplexer
            localparam HEIGHT = LEVELS - $clog2(node + 1) + 1;
            assign ways[2*node]   = ways[node] & (is_within[HEIGHT] | ~address[HEIGHT-1]);
            assign ways[2*node+1] = ways[node] & (is_within[HEIGHT] | address[HEIGHT-1]);
        end
    endgenerate
    assign chosen = ways[2*CHUNKS-1:CHUNKS];

    always @(posedge clk_i) begin
        if (reset_i) bitmap <= {CHUNKS{1'b0}};
        else bitmap <= (chosen & {CHUNKS{find_i}}) | (~chosen & bitmap);
    end

    wire unused = &{1'b0, level_i[0]};
endmodule
