// The chunk unit beside bitmaps of this bench's own: requests by chance, each answer compared, with stalls on
// both sides and resets between. Ends with "passed" and the number of answers, or tells the first that is wrong.
`timescale 1ns / 1ps

module chunk_unit_bench;
    localparam ROUNDS = 2000;
    localparam [31:0] ERROR = 32'h8000_0000;

    reg clk = 0, reset = 1, request_valid = 0, response_ready = 0;
    reg  [ 2:0] opcode;
    reg  [ 7:0] size_class;
    reg  [23:0] word;
    reg  [31:0] data;
    wire        request_ready, response_valid;
    wire [31:0] response;

    chunk_unit unit (
        .clk_i           (clk),
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

    always #5 clk = ~clk;

    // What the unit has to hold: a bit a chunk of each class, and the error that waits.
    reg [255:0] bitmaps[0:7];
    integer waiting, seed, round, i;

    function integer chunks_of(input integer number);
        chunks_of = 256 >> number;
    endfunction

    // The first free chunk of a class, or -1.
    function integer first_free(input integer number);
        integer chunk;
        begin
            first_free = -1;
            for (chunk = chunks_of(number) - 1; chunk >= 0; chunk = chunk - 1)
                if (bitmaps[number][chunk]) first_free = chunk;
        end
    endfunction

    task clear;
        begin
            for (i = 0; i < 8; i = i + 1) bitmaps[i] = 256'b0;
            waiting = 0;
        end
    endtask

    task keep_waiting(input integer code);
        if (waiting == 0) waiting = code;
    endtask

    // What is wrong with a load or a store: 0 for nothing.
    function integer wrong_word(input integer unused);
        wrong_word = size_class > 7 ? 3 : word * 32 >= chunks_of(size_class) ? 4 : 0;
    endfunction

    reg [31:0] wanted;
    integer found, wrong;

    task expect_find;
        if (size_class > 7) wanted = ERROR | 3;
        else if (waiting != 0) begin
            wanted  = ERROR | waiting;
            waiting = 0;
        end else begin
            found = first_free(size_class);
            wanted = found < 0 ? ERROR : found;
            if (found >= 0) bitmaps[size_class][found] = 1'b0;
        end
    endtask

    task expect_free;
        begin
            wanted = 0;
            if (size_class > 7) keep_waiting(3);
            else if (data >= chunks_of(size_class)) keep_waiting(2);
            else if (bitmaps[size_class][data]) keep_waiting(1);
            else bitmaps[size_class][data] = 1'b1;
        end
    endtask

    task expect_word;
        begin
            wrong = wrong_word(0);
            if (opcode == 3) keep_waiting(wrong);
            if (wrong != 0) wanted = ERROR | wrong;
            else begin
                wanted = 0;
                for (i = 0; i < 32 && word * 32 + i < chunks_of(size_class); i = i + 1)
                    if (opcode == 3) wanted[i] = bitmaps[size_class][word*32+i];
                    else bitmaps[size_class][word*32+i] = data[i];
            end
        end
    endtask

    task expect_answer;
        case (opcode)
            0: expect_find;
            1: expect_free;
            2, 3: expect_word;
            4: begin
                wanted  = waiting;
                waiting = 0;
            end
            default: wanted = ERROR | 4;
        endcase
    endtask

    task draw_request;
        begin
            opcode = $urandom(seed) % 12 > 3 ? $urandom(seed) % 2 : $urandom(seed);
            size_class  = $urandom(seed) % 9;
            word   = $urandom(seed) % 9;
            data   = opcode == 2 ? $urandom(seed) & $urandom(seed) : $urandom(seed) % 260;
            if (opcode == 1 && size_class < 8 && $urandom(seed) % 16 != 0) data = data % chunks_of(size_class);
        end
    endtask

    // Inputs change at the falling edge, so that no race decides what the unit sees at the rising one.
    task stall;
        repeat ($urandom(seed) % 3) @(negedge clk);
    endtask

    task ask;
        begin
            stall;
            request_valid = 1;
            while (!request_ready) @(negedge clk);
            @(negedge clk);
            // The request stands on, and must not be taken again while its answer waits.
            stall;
            while (!response_valid) @(negedge clk);
            request_valid = 0;
            if (response !== wanted) begin
                $display("failed: round %0d, opcode %0d, class %0d, word %0d, data %0d: %h, not %h", round, opcode,
                         size_class, word, data, response, wanted);
                $finish;
            end
            response_ready = 1;
            @(negedge clk);
            response_ready = 0;
        end
    endtask

    task reset_unit;
        begin
            clear;
            reset = 1;
            @(negedge clk);
            reset = 0;
        end
    endtask

    initial begin
        seed = 1;
        @(negedge clk);
        for (round = 0; round < ROUNDS; round = round + 1) begin
            if (round % 500 == 0) reset_unit;
            draw_request;
            expect_answer;
            ask;
        end
        $display("passed %0d answers", ROUNDS);
        $finish;
    end
endmodule
