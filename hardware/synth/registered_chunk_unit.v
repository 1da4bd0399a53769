// The chunk unit with registers at all its ports, so that what is timed is the unit, and not how signals reach
// it. This is how it is placed and routed alone.
`timescale 1ns / 1ps

module registered_chunk_unit #(
    parameter PAGE_BYTES     = 4096,
    parameter SMALLEST_BYTES = 16
) (
    input  wire        clk_i,
    input  wire        reset_i,
    input  wire        request_valid_i,
    output reg         request_ready_o,
    input  wire [ 2:0] opcode_i,
    input  wire [ 7:0] class_i,
    input  wire [23:0] word_i,
    input  wire [31:0] data_i,
    output reg         response_valid_o,
    input  wire        response_ready_i,
    output reg  [31:0] response_o
);
    reg reset, request_valid, response_ready;
    reg [ 2:0] opcode;
    reg [ 7:0] size_class;
    reg [23:0] word;
    reg [31:0] data;

    wire request_ready, response_valid;
    wire [31:0] response;

    always @(posedge clk_i) begin
        reset            <= reset_i;
        request_valid    <= request_valid_i;
        opcode           <= opcode_i;
        size_class       <= class_i;
        word             <= word_i;
        data             <= data_i;
        response_ready   <= response_ready_i;
        request_ready_o  <= request_ready;
        response_valid_o <= response_valid;
        response_o       <= response;
    end

    chunk_unit #(
        .PAGE_BYTES    (PAGE_BYTES),
        .SMALLEST_BYTES(SMALLEST_BYTES)
    ) chunk_unit (
        .clk_i           (clk_i),
        .reset_i         (reset),
        .request_valid_i (request_valid),
        .request_ready_o (request_ready),
        .opcode_i        (opcode),
        .class_i         (size_class),
        .word_i          (word),
        .data_i          (data),
        .response_valid_o(response_valid),
        .response_ready_i(response_ready),
        .response_o      (response)
    );
endmodule
