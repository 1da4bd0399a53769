// The window unit beside windows of this bench's own: requests by chance, each answer compared, with stalls and
// resets between. Ends with "passed" and the number of answers, or tells the first that is wrong.
`timescale 1ns / 1ps

module window_unit_bench;
    localparam ROUNDS = 3000;

    reg clk = 0, reset = 1, request_valid = 0, response_ready = 0;
    reg  [ 2:0] opcode;
    reg  [31:0] first, second;
    wire        request_ready, response_valid;
    wire [31:0] response;

    window_unit unit (
        .clk_i           (clk),
        .reset_i         (reset),
        .request_valid_i (request_valid),
        .request_ready_o (request_ready),
        .opcode_i        (opcode),
        .first_i         (first),
        .second_i        (second),
        .response_valid_o(response_valid),
        .response_ready_i(response_ready),
        .response_o      (response)
    );

    always #5 clk = ~clk;

    // What the unit has to hold. Each class has pages of its own.
    reg [31:0] masks[0:7], begins[0:7];
    integer leasts[0:7];
    reg [7:0] is_there;
    integer seed, round, number, chunk, i;
    reg [31:0] wanted;

    function integer chunks_of(input integer of_class);
        chunks_of = of_class < 4 ? 32 : 256 >> of_class;
    endfunction

    task clear;
        begin
            is_there = 0;
            for (i = 0; i < 8; i = i + 1) masks[i] = 0;
            for (i = 0; i < 8; i = i + 1) begins[i] = 0;
            for (i = 0; i < 8; i = i + 1) leasts[i] = 0;
        end
    endtask

    task expect_take;
        begin
            number = 0;
            while (number < 8 && first > 16 << number) number = number + 1;
            wanted = 0;
            if (number < 8 && masks[number] != 0) begin
                chunk = 0;
                while (!masks[number][chunk]) chunk = chunk + 1;
                masks[number][chunk] = 1'b0;
                wanted = begins[number] + (chunk * 16 << number);
            end
        end
    endtask

    task expect_give;
        begin
            wanted = 1;
            for (i = 0; i < 8; i = i + 1)
                if (is_there[i] && first >= begins[i] && first < begins[i] + (chunks_of(i) * 16 << i)) begin
                    chunk = (first - begins[i]) / (16 << i);
                    wanted = first % (16 << i) != 0 || chunk < leasts[i] ? 2 : masks[i][chunk] ? 3 : 0;
                    if (wanted == 0) masks[i][chunk] = 1'b1;
                end
        end
    endtask

    task expect_named;
        if (first[3:0] > 7) wanted = 4;
        else if (opcode == 3) wanted = begins[first[3:0]];
        else begin
            wanted = masks[first[3:0]];
            masks[first[3:0]] = second;
            begins[first[3:0]] = first & ~32'h1ff;
            leasts[first[3:0]] = first[8:4];
            is_there[first[3:0]] = 1'b1;
        end
    endtask

    // Of the class's own pages, at a multiple of the window's size.
    function [31:0] drawn_begin(input integer of_class);
        drawn_begin = 32'h8000_0000 + (of_class << 20) + ($urandom(seed) % 16 << 12) +
            (of_class < 3 ? $urandom(seed) % (8 >> of_class) << 9 + of_class : 0);
    endfunction

    task draw;
        begin
            i = $urandom(seed) % 16;
            opcode = i < 7 ? 0 : i < 13 ? 1 : i < 15 ? 2 : $urandom(seed);
            second = $urandom(seed) & $urandom(seed);
            number = $urandom(seed) % 8;
            case (opcode)
                0: first = $urandom(seed) % 20 == 0 ? $urandom(seed) : $urandom(seed) % (18 << number);
                1: first = $urandom(seed) % 8 == 0 ? drawn_begin(number)
                    : begins[number] + ($urandom(seed) % (chunks_of(number) + 1) * 16 << number) +
                      ($urandom(seed) % 8 == 0 ? $urandom(seed) % 16 : 0);
                default: first = drawn_begin(number) | ($urandom(seed) % 16 == 0 ? 8 + $urandom(seed) % 8 : number)
                    | ($urandom(seed) % 4 == 0 ? $urandom(seed) % chunks_of(number) << 4 : 0);
            endcase
            if (opcode == 2) second = second & 32'hffff_ffff << first[8:4];
            if (opcode == 2 && number > 3) second = second & ~(32'hffff_ffff << chunks_of(number));
        end
    endtask

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
            request_valid = 0;
            if (!response_valid || response !== wanted) begin
                $display("failed: round %0d, opcode %0d, %h, %h: %h, not %h", round, opcode, first, second,
                         response, wanted);
                $finish;
            end
            response_ready = 1;
            @(negedge clk);
            response_ready = 0;
        end
    endtask

    initial begin
        seed = 1;
        for (round = 0; round < ROUNDS; round = round + 1) begin
            if (round % 500 == 0) begin
                clear;
                reset = 1;
                @(negedge clk);
                reset = 0;
            end
            draw;
            case (opcode)
                0: expect_take;
                1: expect_give;
                2, 3: expect_named;
                default: wanted = 4;
            endcase
            ask;
        end
        $display("passed %0d answers", ROUNDS);
        $finish;
    end
endmodule
