// What the core's custom instructions (custom-0, R-type) reach. This one answers zero at once; another module
// of this name takes its place with -DMALLOOM_FUNCTION_UNIT=FILES. function_i is funct7 and funct3 of the
// instruction. A request holds until it is accepted, an answer until it is taken; one for each request, in the
// same cycle at the earliest.
`timescale 1ns / 1ps

module function_unit (
    input  wire        clk_i,
    input  wire        reset_i,
    input  wire        request_i,
    output wire        accepts_o,
    input  wire [ 9:0] function_i,
    input  wire [31:0] operand_0_i,
    input  wire [31:0] operand_1_i,
    output wire        answer_o,
    input  wire        taken_i,
    output wire [31:0] result_o
);
    assign accepts_o = taken_i;
    assign answer_o  = request_i & taken_i;
    assign result_o  = 32'b0;

    wire unused = &{1'b0, clk_i, reset_i, function_i, operand_0_i, operand_1_i};
endmodule
