#include "record/stream/checksum.h"

#include <new>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace malloom::stream {

uint64_t checksum(const void* bytes, size_t size) {
    return XXH3_64bits(bytes, size);
}

Checksum::Checksum() {
    static_assert(sizeof state_ >= sizeof(XXH3_state_t) && alignof(XXH3_state_t) <= alignof(Checksum));
    XXH3_64bits_reset(new (state_) XXH3_state_t);
}

void Checksum::add(const void* bytes, size_t size) {
    XXH3_64bits_update(reinterpret_cast<XXH3_state_t*>(state_), bytes, size);
}

uint64_t Checksum::value() const {
    return XXH3_64bits_digest(reinterpret_cast<const XXH3_state_t*>(state_));
}

}  // namespace malloom::stream
