// Events as programs make them, from a seed.
#pragma once

#include <random>
#include <vector>

#include "formats/profile.h"

namespace malloom::stream {

/// `count` events with growing tickets from `first_ticket`; with gaps between them when `threads`.
inline std::vector<formats::profile::EventRecord> make_events(unsigned seed, size_t count,
                                                              uint64_t first_ticket, bool threads) {
    using formats::profile::EventKind;
    std::mt19937_64 random(seed);
    std::vector<formats::profile::EventRecord> events(count);
    uint64_t ticket = first_ticket;
    for (auto& event : events) {
        const unsigned kind = 1 + random() % 8;
        const bool sized = kind <= 2 || kind == 5 || kind == 6;
        event.kind = static_cast<uint8_t>(kind);
        // Every width in bytes comes up, the extremes too.
        event.address = random() >> (random() % 64);
        event.size = sized ? random() >> (random() % 64) : 0;
        event.context = sized && kind != 6 ? static_cast<uint32_t>(random() >> (32 + random() % 32)) : 0;
        event.alignment = static_cast<uint8_t>(random() % 4 == 0 ? 1 + random() % 63 : 0);
        event.ticket = ticket;
        ticket += 1 + (threads ? random() % 5 : 0);
    }
    return events;
}

}  // namespace malloom::stream
