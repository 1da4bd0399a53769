// The number of the first leaf that is 0: the AND-tree of the paper's figure 1, LEAVES - 1 gates, and the
// multiplexers that make an address of it. A leaf is 1 where the chunk is taken. At each gate the lower half,
// where all of it is taken, gives way to the upper one; so it says one bit of the address, and chooses the
// others. Where all leaves are 1 the address is that of the last one. LEAVES is a power of two.
`timescale 1ns / 1ps

module and_tree #(
    parameter LEAVES = 256
) (
    input  wire [        LEAVES-1:0] leaves_i,
    output wire                      all_o,
    output wire [$clog2(LEAVES)-1:0] first_o
);
    localparam BITS = $clog2(LEAVES);

    wire lower, upper;

    generate
        if (LEAVES == 2) begin : leaf
            assign {upper, lower} = leaves_i;
            assign first_o        = lower;
        end else begin : inner
            wire [BITS-2:0] lower_first, upper_first;

            and_tree #(.LEAVES(LEAVES / 2)) lower_half (
                .leaves_i(leaves_i[LEAVES/2-1:0]),
                .all_o   (lower),
                .first_o (lower_first)
            );
            and_tree #(.LEAVES(LEAVES / 2)) upper_half (
                .leaves_i(leaves_i[LEAVES-1:LEAVES/2]),
                .all_o   (upper),
                .first_o (upper_first)
            );
            assign first_o = {lower, lower ? upper_first : lower_first};
        end
    endgenerate

    assign all_o = lower & upper;
endmodule
