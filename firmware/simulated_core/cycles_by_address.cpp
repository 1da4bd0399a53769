#include "firmware/simulated_core/cycles_by_address.h"

#include <inttypes.h>

namespace malloom::simulated_core {

void CyclesByAddress::print(FILE* file) const {
    for (const auto& [address, entry] : entries_) {
        fprintf(file, "0x%08" PRIx32 " %" PRIu64 " %" PRIu64 "\n", address, entry.times, entry.cycles);
    }
}

}  // namespace malloom::simulated_core
