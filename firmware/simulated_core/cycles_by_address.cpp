#include "firmware/simulated_core/cycles_by_address.h"

#include <inttypes.h>

namespace malloom::simulated_core {

void CyclesByAddress::print(FILE* file) const {
    for (size_t number = 0; number < pages_.size(); ++number) {
        if (pages_[number] == nullptr) continue;
        auto address = static_cast<uint32_t>(number * page_bytes);
        for (const auto& [times, sums] : *pages_[number]) {
            if (times != 0) {
                fprintf(file, "0x%08" PRIx32 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", address,
                        times, sums.cycles, sums.instruction_lines, sums.data_lines);
            }
            address += sizeof(uint32_t);
        }
    }
}

}  // namespace malloom::simulated_core
