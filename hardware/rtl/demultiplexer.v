// Brings enable_i to the one output that the address names, and 0 to all others: the DEMUX of the paper's
// figure 1. OUTPUTS is a power of two.
`timescale 1ns / 1ps

module demultiplexer #(
    parameter OUTPUTS = 256
) (
    input  wire                       enable_i,
    input  wire [$clog2(OUTPUTS)-1:0] address_i,
    output wire [        OUTPUTS-1:0] outputs_o
);
    localparam BITS = $clog2(OUTPUTS);

    wire upper = enable_i & address_i[BITS-1];
    wire lower = enable_i & ~address_i[BITS-1];

    generate
        if (OUTPUTS == 2) begin : leaf
            assign outputs_o = {upper, lower};
        end else begin : inner
            demultiplexer #(.OUTPUTS(OUTPUTS / 2)) lower_half (
                .enable_i (lower),
                .address_i(address_i[BITS-2:0]),
                .outputs_o(outputs_o[OUTPUTS/2-1:0])
            );
            demultiplexer #(.OUTPUTS(OUTPUTS / 2)) upper_half (
                .enable_i (upper),
                .address_i(address_i[BITS-2:0]),
                .outputs_o(outputs_o[OUTPUTS-1:OUTPUTS/2])
            );
        end
    endgenerate
endmodule
