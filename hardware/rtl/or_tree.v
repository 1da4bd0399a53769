// Whether any of the leaves is 1: the OR-tree of the paper's figure 1, LEAVES - 1 gates. LEAVES is a power of two.
`timescale 1ns / 1ps

module or_tree #(
    parameter LEAVES = 256
) (
    input  wire [LEAVES-1:0] leaves_i,
    output wire              any_o
);
    wire lower, upper;

    generate
        if (LEAVES == 2) begin : leaf
            assign {upper, lower} = leaves_i;
        end else begin : inner
            or_tree #(.LEAVES(LEAVES / 2)) lower_half (
                .leaves_i(leaves_i[LEAVES/2-1:0]),
                .any_o   (lower)
            );
            or_tree #(.LEAVES(LEAVES / 2)) upper_half (
                .leaves_i(leaves_i[LEAVES-1:LEAVES/2]),
                .any_o   (upper)
            );
        end
    endgenerate

    assign any_o = lower | upper;
endmodule
