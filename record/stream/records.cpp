#include "record/stream/records.h"

#include <algorithm>

#include "record/stream/access_codec.h"
#include "record/stream/event_codec.h"

namespace malloom::stream {

using namespace formats::profile;

namespace {

// Of zstd's blocks the one that grows most is 4 bytes that become 128 KiB.
constexpr uint64_t most_growth = uint64_t{32} << 10;
constexpr uint64_t largest_payload = uint64_t{1} << 30;

// On x86-64, Linux gives programs addresses of 47 bits.
constexpr uint64_t address_space = uint64_t{1} << 47;
constexpr unsigned highest_alignment = 63;  // log2

bool fits_its_place(const EventRecord& event) {
    return event.address < address_space && event.size <= address_space - event.address &&
           event.address % (uint64_t{1} << event.alignment) == 0;
}

bool makes_object(const EventRecord& event) {
    const auto kind = static_cast<EventKind>(event.kind);
    return kind == EventKind::allocate || kind == EventKind::allocate_zeroed || kind == EventKind::reallocate;
}

bool is_plausible(const EventRecord& event, uint64_t ticket_before) {
    return is_event_kind(event.kind) && event.alignment <= highest_alignment &&
           event.ticket > ticket_before && event.ticket <= access_ticket_mask &&
           (!makes_object(event) || fits_its_place(event));
}

}  // namespace

uint64_t most_payload_bytes(const ChunkHeader& header) {
    switch (static_cast<Codec>(header.codec)) {
        case Codec::plain:
            return header.stored_bytes;
        case Codec::zstd:
            return std::min(header.stored_bytes * most_growth, largest_payload);
        default:
            return 0;
    }
}

uint64_t most_records(const ChunkHeader& header, uint64_t payload_bytes) {
    switch (static_cast<ChunkKind>(header.kind)) {
        case ChunkKind::events:  // a kind, and a byte of the address
            return std::min(payload_bytes / 2, most_events);
        case ChunkKind::accesses:  // the number of the largest shape, and a base
            return std::min(payload_bytes / 2 * AccessShape::most_accesses, most_entries);
        default:
            return payload_bytes;
    }
}

uint64_t believable_records(const ChunkHeader& header) {
    const uint64_t bytes = std::min<uint64_t>(header.decoded_bytes, most_payload_bytes(header));
    return std::min(header.records, most_records(header, bytes));
}

bool read_events(const ChunkHeader& header, const std::vector<unsigned char>& payload,
                 std::vector<EventRecord>& events) {
    if (header.records > most_records(header, payload.size())) return false;
    events.resize(header.records);
    return decode_events(payload.data(), payload.size(), header.first_ticket, events.data(), events.size());
}

bool read_entries(const ChunkHeader& header, const std::vector<unsigned char>& payload,
                  std::vector<uint64_t>& entries) {
    if (header.records > most_records(header, payload.size())) return false;
    entries.resize(header.records);
    return decode_accesses(payload.data(), payload.size(), entries.data(), entries.size());
}

size_t plausible_events(const EventRecord* events, size_t count, uint64_t ticket_before) {
    for (size_t i = 0; i < count; ++i) {
        if (!is_plausible(events[i], ticket_before)) return i;
        ticket_before = events[i].ticket;
    }
    return count;
}

}  // namespace malloom::stream
