// The chunk unit as what VexRiscv's custom instructions (custom-0, R-type) reach, in the place of
// firmware/simulated_core/function_unit.v. funct3 is the opcode, and funct7 is 0; the first operand is the
// class in its low byte, and the word above, the second one is data. The answer is there when the instruction
// is in the core's next stage, so none waits for it. The bus has no wire for errors: they are values.
//
// Beside the unit, for software that searches without it: where funct7 is 1 and funct3 is 0 the answer is how
// many zeros the first operand ends with, 32 of 0, as Zbb's ctz has it.
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

    localparam [9:0] COUNT_ZEROS = {7'd1, 3'd0};

    function [5:0] zeros_of(input [31:0] word);
        integer bit_number;
        begin
            zeros_of = 6'd32;
            for (bit_number = 31; bit_number >= 0; bit_number = bit_number - 1) begin
                if (word[bit_number]) zeros_of = bit_number[5:0];
            end
        end
    endfunction

    // The unit is asked for what it does not know meanwhile, so that answers keep their order.
    reg         counts;
    reg  [ 5:0] zeros;
    wire [31:0] response;
    assign result_o = counts ? {26'b0, zeros} : response;

    always @(posedge clk_i) begin
        if (request_i & accepts_o) begin
            counts <= function_i == COUNT_ZEROS;
            zeros  <= zeros_of(operand_0_i);
        end
    end

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
        .response_o      (response)
    );
endmodule
