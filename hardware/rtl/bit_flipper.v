// What the bitmap becomes: the chunks that are chosen (one, or none) get the state of free_i, all others keep
// theirs. The bit-flippers of the paper's figure 1.
`timescale 1ns / 1ps

module bit_flipper #(
    parameter CHUNKS = 256
) (
    input  wire [CHUNKS-1:0] bitmap_i,
    input  wire [CHUNKS-1:0] chosen_i,
    input  wire              free_i,
    output wire [CHUNKS-1:0] bitmap_o
);
    wire [CHUNKS-1:0] state = {CHUNKS{free_i}};

    assign bitmap_o = (chosen_i & state) | (~chosen_i & bitmap_i);
endmodule
