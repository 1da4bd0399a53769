// The window unit as what VexRiscv's custom instructions (custom-0, R-type) reach, in the place of
// firmware/simulated_core/function_unit.v. funct3 is the opcode, and funct7 is 2. The answers to take and give are
// there when the instruction is in the core's next stage, so that none waits for it; a fill keeps it there for two
// cycles more.
`timescale 1ns / 1ps

module window_function_unit (
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
    localparam [2:0] NO_OPCODE = 3'd7;

    window_unit window_unit (
        .clk_i           (clk_i),
        .reset_i         (reset_i),
        .request_valid_i (request_i),
        .request_ready_o (accepts_o),
        .opcode_i        (function_i[9:3] == 7'd2 ? function_i[2:0] : NO_OPCODE),
        .first_i         (operand_0_i),
        .second_i        (operand_1_i),
        .response_valid_o(answer_o),
        .response_ready_i(taken_i),
        .response_o      (result_o)
    );
endmodule
