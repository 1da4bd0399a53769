// The calls of a list of operations, each with the cycles that it takes. Whatever else is done between them
// is not timed.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "firmware/benchmarks/bins/replay_file.h"

namespace malloom::bench::bins {

struct RunTimes {
    uint64_t cycles = 0;  ///< of all calls
    uint32_t worst_allocation = 0;
    uint32_t worst_release = 0;
    uint32_t allocations = 0;
    uint32_t failures = 0;             ///< allocations that got nothing
    const uint8_t* highest = nullptr;  ///< the end of the object that reached furthest
};

/// What two readings of the clock differ by where nothing is between them.
inline uint32_t cycles_of_clock() {
    uint32_t least = UINT32_MAX;
    for (unsigned reading = 0; reading < 8; ++reading) {
        const uint32_t begin = board_cycles();
        const uint32_t cycles = board_cycles() - begin;
        least = cycles < least ? cycles : least;
    }
    return least;
}

/// Does all operations; the slots are empty before and after. `clock` is what is taken off each time.
template <class Heap>
[[gnu::noinline]] RunTimes timed(const Heap& heap, const OperationList& list, void** slots, uint32_t clock) {
    RunTimes times;
    for (const Operation& operation : list) {
        void*& slot = slots[operation.slot()];
        if (operation.bytes() != 0) {
            const uint32_t begin = board_cycles();
            void* const object = heap.allocate(operation.bytes());
            const uint32_t cycles = board_cycles() - begin - clock;
            slot = object;
            times.cycles += cycles;
            times.worst_allocation = cycles > times.worst_allocation ? cycles : times.worst_allocation;
            const uint8_t* const end = static_cast<const uint8_t*>(object) + operation.bytes();
            times.highest = object != nullptr && end > times.highest ? end : times.highest;
            times.failures += object == nullptr;
            ++times.allocations;
        } else if (slot != nullptr) {
            const uint32_t begin = board_cycles();
            heap.release(slot);
            const uint32_t cycles = board_cycles() - begin - clock;
            slot = nullptr;
            times.cycles += cycles;
            times.worst_release = cycles > times.worst_release ? cycles : times.worst_release;
        }
    }
    return times;
}

/// Does all operations, and writes into the first and the last byte of each object which slot has it: whether
/// the first one is there still whenever an object is released.
template <class Heap>
[[gnu::noinline]] bool is_right(const Heap& heap, const OperationList& list, void** slots) {
    bool is_whole = true;
    for (const Operation& operation : list) {
        void*& slot = slots[operation.slot()];
        auto* bytes = static_cast<uint8_t*>(slot);
        const auto mark = static_cast<uint8_t>(operation.slot());
        if (operation.bytes() != 0) {
            slot = heap.allocate(operation.bytes());
            bytes = static_cast<uint8_t*>(slot);
            if (bytes != nullptr) {
                bytes[operation.bytes() - 1] = mark;
                bytes[0] = mark;
            }
        } else if (bytes != nullptr) {
            is_whole = is_whole && bytes[0] == mark;
            heap.release(slot);
            slot = nullptr;
        }
    }
    return is_whole;
}

}  // namespace malloom::bench::bins
