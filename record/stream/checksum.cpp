#include "record/stream/checksum.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace malloom::stream {

uint64_t checksum(const void* bytes, size_t size) {
    return XXH3_64bits(bytes, size);
}

}  // namespace malloom::stream
