// One of 2^SELECT_BITS inputs of WIDTH bits; input 0 has the lowest bits.
`timescale 1ns / 1ps

module multiplexer #(
    parameter WIDTH       = 32,
    parameter SELECT_BITS = 3
) (
    input  wire [(WIDTH<<SELECT_BITS)-1:0] inputs_i,
    input  wire [         SELECT_BITS-1:0] select_i,
    output wire [               WIDTH-1:0] selected_o
);
    localparam HALF = WIDTH << (SELECT_BITS - 1);

    wire [WIDTH-1:0] lower, upper;

    generate
        if (SELECT_BITS == 1) begin : leaf
            assign {upper, lower} = inputs_i;
        end else begin : inner
            multiplexer #(
                .WIDTH      (WIDTH),
                .SELECT_BITS(SELECT_BITS - 1)
            ) lower_half (
                .inputs_i  (inputs_i[HALF-1:0]),
                .select_i  (select_i[SELECT_BITS-2:0]),
                .selected_o(lower)
            );
            multiplexer #(
                .WIDTH      (WIDTH),
                .SELECT_BITS(SELECT_BITS - 1)
            ) upper_half (
                .inputs_i  (inputs_i[2*HALF-1:HALF]),
                .select_i  (select_i[SELECT_BITS-2:0]),
                .selected_o(upper)
            );
        end
    endgenerate

    assign selected_o = select_i[SELECT_BITS-1] ? upper : lower;
endmodule
