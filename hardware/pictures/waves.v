// A few requests to the chunk unit, for a picture of its signals: a line a cycle with their values.
`timescale 1ns / 1ps

module waves;
    reg clk = 0, reset = 1, request_valid = 0, response_ready = 1;
    reg  [ 2:0] opcode = 0;
    reg  [31:0] data = 0;
    wire        request_ready, response_valid;
    wire [31:0] response;

    chunk_unit unit (
        .clk_i           (clk),
        .reset_i         (reset),
        .request_valid_i (request_valid),
        .request_ready_o (request_ready),
        .opcode_i        (opcode),
        .class_i         (8'd7),
        .word_i          (24'b0),
        .data_i          (data),
        .response_valid_o(response_valid),
        .response_ready_i(response_ready),
        .response_o      (response)
    );

    task tell;
        begin
            #1;
            $display("%b %b %b %0d %0d %b %b %h", reset, request_valid, request_ready, opcode, data, response_valid,
                     response_ready, response);
            #4 clk = 1;
            #5 clk = 0;
        end
    endtask

    task ask(input [2:0] wanted, input [31:0] with_data);
        begin
            request_valid = 1;
            opcode = wanted;
            data = with_data;
            tell;
        end
    endtask

    initial begin
        tell;
        reset = 0;
        // Two chunks: both free, both found, then none.
        ask(2, 3);
        ask(0, 0);
        ask(0, 0);
        ask(0, 0);
        // One freed twice, which the next find tells.
        ask(1, 1);
        ask(1, 1);
        ask(0, 0);
        // A find whose answer is not taken at once.
        ask(0, 0);
        response_ready = 0;
        ask(1, 0);
        tell;
        response_ready = 1;
        tell;
        request_valid = 0;
        tell;
        tell;
        $finish;
    end
endmodule
