#include "record/stream/access_encoder.h"

#include <string.h>

#include "checks/check.h"
#include "formats/profile.h"
#include "record/stream/varint.h"

namespace malloom::stream {

using namespace formats::profile;

namespace {

constexpr size_t shapes_room = size_t{128} << 10;
// The most that one more piece takes in each column; the first is a definition of the largest shape.
constexpr size_t largest_definition = 8 + AccessShape::most_accesses * 8;
constexpr size_t largest_tags = max_varint_bytes + 2 + AccessShape::most_bases;
constexpr size_t largest_addresses = (AccessShape::most_bases + 1) * sizeof(uint64_t);

unsigned bytes_of(uint64_t value) {
    return (71u - static_cast<unsigned>(__builtin_clzll(value | 1)) - (value == 0 ? 8 : 0)) / 8;
}

}  // namespace

size_t AccessEncoder::payload_bound(size_t words) {
    return sizeof(AccessColumns) + shapes_room + largest_definition + words * (5 + 1) + largest_tags +
           words * sizeof(uint64_t) + largest_addresses;
}

size_t AccessEncoder::entries_bound(size_t entries) {
    // A word has 6 bytes of tags, and a marker takes up to 11.
    return payload_bound(2 * entries);
}

void AccessEncoder::use(const Memory& memory) {
    memory_ = memory;
    const size_t rest = memory.payload_bytes - sizeof(AccessColumns) - shapes_room - largest_definition -
                        largest_tags - largest_addresses;
    const size_t tags_room = rest * 6 / 14;
    shapes_limit_ = memory.payload + sizeof(AccessColumns) + shapes_room;
    tags_ = shapes_limit_ + largest_definition;
    tags_limit_ = tags_ + tags_room;
    addresses_ = tags_limit_ + largest_tags;
    addresses_limit_ = memory.payload + memory.payload_bytes - largest_addresses;
}

void AccessEncoder::begin() {
    shapes_end_ = memory_.payload + sizeof(AccessColumns);
    tags_end_ = tags_;
    addresses_end_ = addresses_;
    base_before_ = ticket_before_ = 0;
    entries_ = shapes_defined_ = 0;
    ++chunk_;
}

void AccessEncoder::define(const AccessShape& shape) {
    shapes_end_ = put_varint(shapes_end_, shape.bases);
    shapes_end_ = put_varint(shapes_end_, shape.count);
    for (unsigned i = 0; i < shape.count; ++i) {
        *shapes_end_++ = shape.accesses[i].tag;
        *shapes_end_++ = shape.accesses[i].base;
        shapes_end_ = put_varint(
            shapes_end_, zigzag(static_cast<uint64_t>(static_cast<int64_t>(shape.accesses[i].offset))));
    }
    memset(memory_.slots + shape.first_slot, 0, shape.bases * sizeof(uint64_t));
}

uint32_t AccessEncoder::number_of(const AccessShape& shape) {
    ShapeState& state = memory_.shapes[shape.id];
    if (state.chunk != chunk_) {
        define(shape);
        state = {chunk_, ++shapes_defined_};
    }
    return state.number;
}

void AccessEncoder::put(const AccessShape& shape, const uint64_t* bases) {
    unsigned char* tags = put_varint(tags_end_, number_of(shape));
    unsigned char* addresses = addresses_end_;
    uint64_t* const slots = memory_.slots + shape.first_slot;
    uint64_t before = base_before_;
    for (unsigned i = 0; i < shape.bases; ++i) {
        const uint64_t base = bases[i];
        const uint64_t from_last = zigzag(base - before);
        const uint64_t from_own = zigzag(base - slots[i]);
        const bool own = from_own < from_last;
        const uint64_t difference = own ? from_own : from_last;
        const unsigned length = bytes_of(difference);
        memcpy(addresses, &difference, sizeof difference);
        addresses += length;
        *tags++ = static_cast<unsigned char>(length | (own ? 16 : 0));
        slots[i] = before = base;
    }
    base_before_ = before;
    tags_end_ = tags;
    addresses_end_ = addresses;
    entries_ += shape.count;
}

void AccessEncoder::put_marker(uint64_t entry) {
    const uint64_t ticket = entry & access_ticket_mask;
    *tags_end_++ = 0;
    *tags_end_++ = static_cast<unsigned char>(entry >> access_kind_shift);
    tags_end_ = put_varint(tags_end_, zigzag(ticket - ticket_before_));
    ticket_before_ = ticket;
    ++entries_;
}

bool AccessEncoder::is_valid() const noexcept {
    return memory_.payload + sizeof(AccessColumns) <= shapes_end_ && shapes_end_ <= tags_ &&
           tags_ <= tags_end_ && tags_end_ <= addresses_ && addresses_ <= addresses_end_ &&
           addresses_end_ <= memory_.payload + memory_.payload_bytes;
}

// A column that reaches into another one has made that one wrong.
size_t AccessEncoder::finish() {
    MALLOOM_CHECK(is_valid());
    AccessColumns head{};
    unsigned char* end = memory_.payload + sizeof head;
    head.entries = static_cast<uint32_t>(entries_);
    head.shapes_bytes = static_cast<uint32_t>(shapes_end_ - end);
    head.tags_bytes = static_cast<uint32_t>(tags_end_ - tags_);
    head.addresses_bytes = static_cast<uint32_t>(addresses_end_ - addresses_);
    memcpy(memory_.payload, &head, sizeof head);
    end += head.shapes_bytes;
    memmove(end, tags_, head.tags_bytes);
    end += head.tags_bytes;
    memmove(end, addresses_, head.addresses_bytes);
    return static_cast<size_t>(end + head.addresses_bytes - memory_.payload);
}

}  // namespace malloom::stream
