// The chunk unit as what VexRiscv's custom instructions (custom-0, R-type) reach, in the place of
// firmware/simulated_core/function_unit.v. funct3 is the opcode, and funct7 is 0; the first operand is the
// class in its low byte, and the word above, the second one is data. The answer is there when the instruction
// is in the core's next stage, so none waits for it. The bus has no wire for errors: they are values.
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
    localparam [2:0] NO_OPCODE = 3'd7;

    chunk_unit chunk_unit (
        .clk_i           (clk_i),
        .reset_i         (reset_i),
        .request_valid_i (request_i),
        .request_ready_o (accepts_o),
        .opcode_i        (|function_i[9:3] ? NO_OPCODE : function_i[2:0]),
        .class_i         (operand_0_i[7:0]),
        .word_i          (operand_0_i[31:8]),
        .data_i          (operand_1_i),
        .response_valid_o(answer_o),
        .response_ready_i(taken_i),
        .response_o      (result_o)
    );
endmodule
