// Any bytes may be given to the decoder of accesses; what it accepts must round-trip.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <vector>

#include "formats/profile.h"
#include "record/stream/access_codec.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
    using namespace malloom;
    formats::profile::AccessColumns head{};
    if (size < sizeof head) return 0;
    memcpy(&head, bytes, sizeof head);
    if (head.entries > 100000) return 0;
    std::vector<uint64_t> entries(head.entries), again(head.entries);
    if (!stream::decode_accesses(bytes, size, entries.data(), entries.size())) return 0;
    std::vector<unsigned char> payload(stream::encode_accesses_bound(entries.size()));
    const size_t encoded = stream::encode_accesses(entries.data(), entries.size(), payload.data());
    if (!stream::decode_accesses(payload.data(), encoded, again.data(), again.size()) || again != entries)
        abort();
    return 0;
}
