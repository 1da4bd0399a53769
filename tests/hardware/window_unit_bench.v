// The window unit beside windows of this bench's own: requests by chance, each answer compared, with stalls and
// resets between. Ends with "passed" and the number of answers, or tells the first that is wrong.
`timescale 1ns / 1ps

module window_unit_bench;
    parameter WAYS = 1;
    localparam WINDOWS = 8 * WAYS;
    localparam ROUNDS = 4000;
    localparam MOST_CYCLES = 8;

    reg clk = 0, reset = 1, request_valid = 0, response_ready = 0;
    reg  [ 2:0] opcode;
    reg  [31:0] first, second;
    wire        request_ready, response_valid;
    wire [31:0] response;

    window_unit #(.WAYS(WAYS)) unit (
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
    reg [31:0] masks[0:WINDOWS-1], begins[0:WINDOWS-1];
    reg [7:0] turn;
    // The next request comes in the cycle in which the answer to the last one is taken.
    reg overlaps;
    integer seed, round, number, chunk, cycles, i;
    reg [31:0] wanted;

    function integer chunks_of(input integer window);
        chunks_of = window % 8 < 4 ? 32 : 256 >> window % 8;
    endfunction

    task clear;
        for (i = 0; i < WINDOWS; i = i + 1) begin
            turn[i%8] = 1'b0;
            masks[i]  = 0;
            begins[i] = 0;
        end
    endtask

    // The lowest chunk of a window.
    task find(input integer window);
        begin
            wanted = 32'h8000_0000;
            for (chunk = 31; chunk >= 0; chunk = chunk - 1)
                if (masks[window][chunk]) wanted = begins[window] + (chunk * 16 << window % 8);
        end
    endtask

    task take(input integer window);
        begin
            find(window);
            masks[window] = masks[window] & masks[window] - 1;
        end
    endtask

    task expect_take;
        begin
            number = 0;
            while (number < 8 && first > 16 << number) number = number + 1;
            wanted = first[31] ? 32'hffff_ffff : 32'h8000_0000 | (number < 8 ? number : first);
            if (number < 8) begin
                for (i = WINDOWS - 8 + number; i >= 0; i = i - 8) if (masks[i] != 0) number = i;
                if (masks[number] != 0) take(number);
            end
        end
    endtask

    task expect_give;
        begin
            wanted = 1;
            for (i = 0; i < WINDOWS; i = i + 1)
                if (begins[i] != 0 && first >= begins[i] && first < begins[i] + (chunks_of(i) * 16 << i % 8)) begin
                    chunk = (first - begins[i]) / (16 << i % 8);
                    wanted = first % (16 << i % 8) != 0 ? 2 : masks[i][chunk] ? 3 : 0;
                    if (wanted == 0) masks[i][chunk] = 1'b1;
                end
        end
    endtask

    function [31:0] bytes_of(input integer window);
        bytes_of = chunks_of(window) * 16 << window % 8;
    endfunction

    // Whether the begin is in the page of another class's window, or that of another window of this class.
    reg overlaps_others;
    task look_for_others;
        begin
            overlaps_others = 0;
            for (i = 0; i < WINDOWS; i = i + 1)
                if (begins[i] != 0 && i != number)
                    if (i % 8 != number % 8) overlaps_others = overlaps_others | begins[i] >> 12 == first >> 12;
                    else overlaps_others = overlaps_others | begins[i] == (first & ~(bytes_of(i) - 1));
        end
    endtask

    task expect_fill;
        begin
            number = first[3:0];
            if (number < 8 && WAYS > 1 && turn[number]) number = number + 8;
            look_for_others;
            if (first[3:0] >= 8 || first < 4096 || first[31]) wanted = 4;
            else if (overlaps_others) wanted = 6;
            else if (masks[number] != 0) wanted = 5;
            else begin
                turn[number%8] = ~turn[number%8];
                begins[number] = first & ~(bytes_of(number) - 1);
                masks[number]  = chunks_of(number) == 32 ? second : second & (1 << chunks_of(number)) - 1;
                take(number);
            end
        end
    endtask

    task expect_window;
        if (first[7:0] >= WINDOWS) wanted = opcode == 3 ? 4 : 0;
        else if (opcode == 3) find(first[7:0]);
        else begin
            wanted = masks[first[7:0]];
            masks[first[7:0]] = 0;
            begins[first[7:0]] = 0;
        end
    endtask

    // Of the class's own pages, at a multiple of the window's size, and no other window's.
    reg [31:0] drawn;
    task draw_begin(input integer of_class);
        begin
            drawn = 0;
            while (drawn == 0) begin
                drawn = 32'h4000_0000 + (of_class << 20) + ($urandom(seed) % 16 << 12) +
                    (of_class < 3 ? $urandom(seed) % (8 >> of_class) << 9 + of_class : 0);
                for (i = 0; i < WINDOWS; i = i + 1) if (begins[i] == drawn) drawn = 0;
            end
        end
    endtask

    // A begin that a fill may have, or else one in the first page, above 2^31, or in another window's page.
    task draw_fill;
        begin
            i = $urandom(seed) % 16;
            if (i == 0) drawn = $urandom(seed) % 4096;
            if (i == 1) drawn = drawn | 32'h8000_0000;
            if (i > 1 && i < 6) drawn = begins[$urandom(seed)%WINDOWS] & ~32'hfff | $urandom(seed) % 4096;
            first = drawn & ~32'hf | ($urandom(seed) % 16 == 0 ? 8 + $urandom(seed) % 8 : number % 8);
        end
    endtask

    task draw;
        begin
            number = $urandom(seed) % WINDOWS;
            draw_begin(number % 8);
            i = $urandom(seed) % 16;
            opcode = i < 7 ? 0 : i < 12 ? 1 : i < 15 ? 2 : $urandom(seed);
            second = $urandom(seed) % 16 == 0 ? 0 : $urandom(seed) & $urandom(seed);
            case (opcode)
                0: first = $urandom(seed) % 20 == 0 ? $urandom(seed) : $urandom(seed) % (18 << number % 8);
                1: first = $urandom(seed) % 8 == 0 ? drawn
                    : begins[number] + ($urandom(seed) % (chunks_of(number) + 1) * 16 << number % 8) +
                      ($urandom(seed) % 8 == 0 ? $urandom(seed) % 16 : 0);
                2: draw_fill;
                default: first = $urandom(seed) % 8 == 0 ? $urandom(seed) : number;
            endcase
        end
    endtask

    task stall;
        repeat ($urandom(seed) % 3) @(negedge clk);
    endtask

    task fail;
        begin
            $display("failed: round %0d, opcode %0d, %h, %h: %b %h, not %h", round, opcode, first, second,
                     response_valid, response, wanted);
            $finish;
        end
    endtask

    // At once, or in two cycles more where a window is filled.
    task await_answer;
        begin
            cycles = 0;
            while (!response_valid && cycles < MOST_CYCLES) begin
                cycles = cycles + 1;
                @(negedge clk);
            end
            if (!response_valid || response !== wanted) fail;
            if (cycles != (opcode == 2 && wanted != 4 && wanted != 5 && wanted != 6 ? 2 : 0)) fail;
        end
    endtask

    task ask;
        begin
            if (!overlaps) stall;
            request_valid = 1;
            cycles = 0;
            #1;
            while (!request_ready && cycles < MOST_CYCLES) begin
                cycles = cycles + 1;
                @(negedge clk);
            end
            @(negedge clk);
            response_ready = 0;
            await_answer;
            // The request stands on, and must not be taken again while its answer waits.
            stall;
            request_valid = 0;
            if (!response_valid || response !== wanted) fail;
            response_ready = 1;
            overlaps = $urandom(seed);
            if (!overlaps) begin
                @(negedge clk);
                response_ready = 0;
            end
        end
    endtask

    // At any time, also while the unit is busy.
    task break_off;
        begin
            request_valid = $urandom(seed);
            stall;
            overlaps = 0;
            response_ready = 0;
            clear;
            reset = 1;
            request_valid = 0;
            @(negedge clk);
            reset = 0;
            if (response_valid) fail;
        end
    endtask

    initial begin
        seed = 1;
        for (round = 0; round < ROUNDS; round = round + 1) begin
            if (round % 200 == 0) break_off;
            draw;
            case (opcode)
                0: expect_take;
                1: expect_give;
                2: expect_fill;
                3, 4: expect_window;
                default: wanted = 4;
            endcase
            ask;
        end
        $display("passed %0d answers", ROUNDS);
        $finish;
    end
endmodule
