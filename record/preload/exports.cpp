#include "record/preload/exports.h"

extern "C" {
int client_present = 0;
uint64_t record_tickets = 0;
uint64_t record_process = 0;
extern int malloom_client_present [[gnu::alias("client_present"), gnu::visibility("default")]];
extern uint64_t malloom_record_tickets [[gnu::alias("record_tickets"), gnu::visibility("default")]];
extern uint64_t malloom_record_process [[gnu::alias("record_process"), gnu::visibility("default")]];

[[gnu::noinline]] void malloom_record_beacon(uint64_t ticket) {
    asm volatile("" : : "r"(ticket) : "memory");
}
}
