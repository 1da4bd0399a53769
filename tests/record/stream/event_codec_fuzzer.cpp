// libFuzzer over the decoder of events, for soak runs (clang only): the first byte is the count.
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <vector>

#include "record/stream/event_codec.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
    using namespace malloom;
    if (size == 0) return 0;
    const size_t count = bytes[0];
    std::vector<formats::profile::EventRecord> events(count);
    if (!stream::decode_events(bytes + 1, size - 1, 1, events.data(), count)) return 0;
    std::vector<unsigned char> again(stream::encode_events_bound(count));
    again.resize(stream::encode_events(events.data(), count, 1, again.data()));
    // What was read can be written, and read again.
    if (!stream::decode_events(again.data(), again.size(), 1, events.data(), count)) abort();
    return 0;
}
