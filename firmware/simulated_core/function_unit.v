// What the core's custom instructions (custom-0, R-type) reach. This one answers at once: where funct7 is 1 and
// funct3 is 0 how many zeros the first operand ends with, 32 of 0, as Zbb's ctz has it; else zero. Another module
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
    localparam [9:0] COUNT_ZEROS = {7'd1, 3'd0};

    assign accepts_o = taken_i;
    assign answer_o  = request_i & taken_i;
    assign result_o  = function_i == COUNT_ZEROS ? {26'b0, zeros_of(operand_0_i)} : 32'b0;

    function [5:0] zeros_of(input [31:0] word);
        integer bit_number;
        begin
            zeros_of = 6'd32;
            for (bit_number = 31; bit_number >= 0; bit_number = bit_number - 1) begin
                if (word[bit_number]) zeros_of = bit_number[5:0];
            end
        end
    endfunction

    wire unused = &{1'b0, clk_i, reset_i, operand_1_i};
endmodule
