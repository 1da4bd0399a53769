// The window unit with registers at all its ports, as registered_chunk_unit.v.
`timescale 1ns / 1ps

module registered_window_unit #(
    parameter WAYS = 1
) (
    input  wire        clk_i,
    input  wire        reset_i,
    input  wire        request_valid_i,
    output reg         request_ready_o,
    input  wire [ 2:0] opcode_i,
    input  wire [31:0] first_i,
    input  wire [31:0] second_i,
    output reg         response_valid_o,
    input  wire        response_ready_i,
    output reg  [31:0] response_o
);
    // All inputs in one register, all outputs in another.
    reg [69:0] inputs;
    wire [33:0] outputs;

    always @(posedge clk_i) begin
        inputs <= {reset_i, request_valid_i, opcode_i, first_i, second_i, response_ready_i};
        {request_ready_o, response_valid_o, response_o} <= outputs;
    end

    window_unit #(.WAYS(WAYS)) window_unit (
        .clk_i           (clk_i),
        .reset_i         (inputs[69]),
        .request_valid_i (inputs[68]),
        .request_ready_o (outputs[33]),
        .opcode_i        (inputs[67:65]),
        .first_i         (inputs[64:33]),
        .second_i        (inputs[32:1]),
        .response_valid_o(outputs[32]),
        .response_ready_i(inputs[0]),
        .response_o      (outputs[31:0])
    );
endmodule
