// What the recorder of accesses finds by name in libmalloom_record.so. The names without prefix are the same
// objects without an indirection through the global offset table, for the recorder's own use.
#pragma once

#include <stdint.h>

extern "C" {
/// Set by the DynamoRIO client: it wants the beacon. Exported as malloom_client_present.
extern int client_present;
/// Last ticket given. Exported as malloom_record_tickets.
extern uint64_t record_tickets;
/// Identity of the process image, as in ChunkHeader; 0 before the first event. Exported as
/// malloom_record_process.
extern uint64_t record_process;
/// Does nothing; the client sees the call, and the ticket of the event just staged in the first argument's
/// register.
[[gnu::visibility("default")]] void malloom_record_beacon(uint64_t ticket);
}
