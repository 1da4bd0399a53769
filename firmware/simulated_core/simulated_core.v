// The core, its two buses outside, its function unit inside. A request stays until it is answered; the answer
// to a read brings the data in the same cycle. A burst is one request a word, at consecutive addresses, until
// the last. retires_o is 1 in the cycle in which an instruction is done, the one at retired_address_o.
`timescale 1ns / 1ps

`ifndef FUNCTION_UNIT
`define FUNCTION_UNIT function_unit
`endif

module simulated_core #(
    // Whether the unit is one with a clock, which is not to move while nothing is asked.
    parameter UNIT_RESTS = 0
) (
    input  wire        clk_i,
    input  wire        reset_i,
    input  wire [31:0] entry_i,

    output wire        fetch_request_o,
    output wire        fetch_last_o,
    output wire [31:0] fetch_address_o,
    input  wire        fetch_answer_i,
    input  wire [31:0] fetch_data_i,

    output wire        data_request_o,
    output wire        data_last_o,
    output wire        data_write_o,
    output wire [31:0] data_address_o,
    output wire [31:0] data_data_o,
    output wire [ 3:0] data_lanes_o,
    input  wire        data_answer_i,
    input  wire [31:0] data_data_i,

    input  wire        timer_i,

    output wire        retires_o,
    output wire [31:0] retired_address_o
);
    // The type of a cycle that others of the same burst follow.
    localparam [2:0] INCREMENTING = 3'b010;

    wire        fetch_cycle, fetch_strobe;
    wire [29:0] fetch_word;
    wire [ 2:0] fetch_type;
    assign fetch_request_o = fetch_cycle & fetch_strobe;
    assign fetch_last_o    = fetch_type != INCREMENTING;
    assign fetch_address_o = {fetch_word, 2'b00};

    wire        data_cycle, data_strobe;
    wire [29:0] data_word;
    wire [ 2:0] data_type;
    assign data_request_o = data_cycle & data_strobe;
    assign data_last_o    = data_type != INCREMENTING;
    assign data_address_o = {data_word, 2'b00};

    wire        unit_request, unit_accepts, unit_answer, unit_taken;
    wire [ 9:0] unit_function;
    wire [31:0] unit_operand_0, unit_operand_1, unit_result;

    // What the unit sees of that.
    wire clock, reset, request, taken;
    wire [ 9:0] asked;
    wire [31:0] operand_0, operand_1;

    generate
        if (UNIT_RESTS != 0) begin : resting
            // The unit's clock stands while nothing is asked, under way or answered, and it sees what it is asked from the
            // middle of a cycle on, where all of that is settled. What does not change, the simulator does not
            // compute: a unit may be larger than the core, and is asked in one cycle of fifty.
            reg [1:0] owed;
            reg runs, held_reset, held_request, held_taken;
            reg [ 9:0] held_function;
            reg [31:0] held_operand_0, held_operand_1;
            wire accepts = unit_request & unit_accepts, answers = unit_answer & unit_taken;
            wire moves = reset_i | unit_request | |owed | unit_answer;
            wire half_cycle = ~clk_i & moves;
            always @(posedge clk_i) owed <= reset_i ? 2'd0 : owed + {1'b0, accepts} - {1'b0, answers};
            always @(negedge clk_i) runs <= moves;
            always @(posedge half_cycle) begin
                {held_reset, held_request, held_taken} <= {reset_i, unit_request, unit_taken};
                held_function                          <= unit_function;
                held_operand_0                         <= unit_operand_0;
                held_operand_1                         <= unit_operand_1;
            end
            assign {reset, request, taken} = {held_reset, held_request, held_taken};

            assign clock     = clk_i & runs;
            assign asked     = held_function;
            assign operand_0 = held_operand_0;
            assign operand_1 = held_operand_1;
        end else begin : running
            assign {reset, request, taken} = {reset_i, unit_request, unit_taken};

            assign clock     = clk_i;
            assign asked     = unit_function;
            assign operand_0 = unit_operand_0;
            assign operand_1 = unit_operand_1;
        end
    endgenerate

    `FUNCTION_UNIT unit (
        .clk_i       (clock),
        .reset_i     (reset),
        .request_i   (request),
        .accepts_o   (unit_accepts),
        .function_i  (asked),
        .operand_0_i (operand_0),
        .operand_1_i (operand_1),
        .answer_o    (unit_answer),
        .taken_i     (taken),
        .result_o    (unit_result)
    );

    VexRiscv core (
        .clk                                  (clk_i),
        .reset                                (reset_i),
        .externalResetVector                  (entry_i),
        .timerInterrupt                       (timer_i),
        .softwareInterrupt                    (1'b0),
        .externalInterruptArray               (32'b0),

        .CfuPlugin_bus_cmd_valid              (unit_request),
        .CfuPlugin_bus_cmd_ready              (unit_accepts),
        .CfuPlugin_bus_cmd_payload_function_id(unit_function),
        .CfuPlugin_bus_cmd_payload_inputs_0   (unit_operand_0),
        .CfuPlugin_bus_cmd_payload_inputs_1   (unit_operand_1),
        .CfuPlugin_bus_rsp_valid              (unit_answer),
        .CfuPlugin_bus_rsp_ready              (unit_taken),
        .CfuPlugin_bus_rsp_payload_outputs_0  (unit_result),

        .iBusWishbone_CYC                     (fetch_cycle),
        .iBusWishbone_STB                     (fetch_strobe),
        .iBusWishbone_ACK                     (fetch_answer_i),
        .iBusWishbone_WE                      (),
        .iBusWishbone_ADR                     (fetch_word),
        .iBusWishbone_DAT_MISO                (fetch_data_i),
        .iBusWishbone_DAT_MOSI                (),
        .iBusWishbone_SEL                     (),
        .iBusWishbone_ERR                     (1'b0),
        .iBusWishbone_CTI                     (fetch_type),
        .iBusWishbone_BTE                     (),

        .dBusWishbone_CYC                     (data_cycle),
        .dBusWishbone_STB                     (data_strobe),
        .dBusWishbone_ACK                     (data_answer_i),
        .dBusWishbone_WE                      (data_write_o),
        .dBusWishbone_ADR                     (data_word),
        .dBusWishbone_DAT_MISO                (data_data_i),
        .dBusWishbone_DAT_MOSI                (data_data_o),
        .dBusWishbone_SEL                     (data_lanes_o),
        .dBusWishbone_ERR                     (1'b0),
        .dBusWishbone_CTI                     (data_type),
        .dBusWishbone_BTE                     ()
    );

    assign retires_o         = core.writeBack_arbitration_isFiring;
    assign retired_address_o = core.writeBack_PC;
endmodule
