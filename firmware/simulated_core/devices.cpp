#include "firmware/simulated_core/devices.h"

#include <stdio.h>

#include "firmware/simulated_core/addresses.h"

namespace malloom::simulated_core {

bool Devices::read(uint32_t address, uint32_t& word) const {
    switch (address) {
        case CORE_MEMORY_END:
            word = places_.memory_end;
            return true;
        case CORE_DATA_BEGIN:
            word = places_.data_begin;
            return true;
        case CORE_DATA_BYTES:
            word = places_.data_bytes;
            return true;
        case CORE_NUMBER:
            word = places_.number;
            return true;
        case CORE_COUNT:
            word = places_.cores;
            return true;
        case CORE_SHARED_BYTES:
            word = places_.shared_bytes;
            return true;
        default:
            return false;
    }
}

bool Devices::write(uint32_t address, uint32_t word) {
    switch (address) {
        case CORE_OUTPUT:
            putchar(static_cast<int>(word & 0xff));
            return true;
        case CORE_EXIT:
            has_exited_ = true;
            exit_word_ = word;
            return true;
        case CORE_TIMER:
            timer_ = word;
            interrupts_ = false;
            return true;
        default:
            return false;
    }
}

int Devices::exit_status() const {
    const int low = static_cast<int>(exit_word_ & 0xff);
    return low == 0 && exit_word_ != 0 ? 1 : low;
}

}  // namespace malloom::simulated_core
