#include "record/stream/access_codec.h"

#include <string.h>

#include "formats/profile.h"
#include "record/stream/varint.h"

namespace malloom::stream {

using namespace formats::profile;

namespace {

constexpr unsigned escape = 7;
constexpr unsigned store_shift = 3;
constexpr unsigned length_shift = 4;
constexpr unsigned farther_bit = 0x80;
constexpr unsigned most_tags = 3;
constexpr unsigned most_address_bytes = 7;
constexpr unsigned store_from_entry = 52 - store_shift;

unsigned bytes_of(uint64_t value) {
    return value == 0 ? 0 : (71u - static_cast<unsigned>(__builtin_clzll(value))) / 8;
}

/// The addresses and the ticket that the next entry is predicted from.
struct Prediction {
    uint64_t address = 0;
    uint64_t address_before = 0;
    uint64_t ticket = 0;

    void follow(uint64_t next) {
        address_before = address;
        address = next;
    }
};

struct Writer {
    unsigned char* tags;
    unsigned char* addresses;
    Prediction prediction;

    unsigned put_bytes(uint64_t value) {
        const unsigned length = bytes_of(value);
        memcpy(addresses, &value, sizeof value);
        addresses += length;
        return length << length_shift;
    }

    /// The tag's upper half for an address: its length and what it is predicted from.
    unsigned put_address(uint64_t address) {
        const uint64_t near = zigzag(address - prediction.address);
        const uint64_t far = zigzag(address - prediction.address_before);
        prediction.follow(address);
        const bool farther = far < near;
        return put_bytes(farther ? far : near) | (farther ? farther_bit : 0);
    }

    void put_access(uint64_t entry) {
        const unsigned size = (entry >> access_size_shift) & 15;
        const unsigned store = static_cast<unsigned>(entry >> store_from_entry) & (1u << store_shift);
        const unsigned upper = put_address(entry & access_address_mask);
        if (size < escape) {
            *tags++ = static_cast<unsigned char>(size | store | upper);
        } else {
            *tags++ = static_cast<unsigned char>(escape | store | upper);
            *tags++ = static_cast<unsigned char>(AccessKind::access);
            *tags++ = static_cast<unsigned char>(size);
        }
    }

    void put_marker(uint64_t entry) {
        const uint64_t ticket = entry & access_ticket_mask;
        *tags++ = static_cast<unsigned char>(escape | put_bytes(zigzag(ticket - prediction.ticket)));
        *tags++ = static_cast<unsigned char>(entry >> access_kind_shift);
        prediction.ticket = ticket;
    }
};

/// Reads both columns within their bounds.
struct Reader {
    const unsigned char* tags;
    const unsigned char* tags_end;
    const unsigned char* addresses;
    const unsigned char* addresses_end;
    Prediction prediction;

    bool tag(unsigned& value) {
        if (tags == tags_end) return false;
        value = *tags++;
        return true;
    }

    bool bytes(unsigned tag, uint64_t& value) {
        const unsigned length = (tag >> length_shift) & 7;
        if (length > static_cast<size_t>(addresses_end - addresses)) return false;
        value = 0;
        memcpy(&value, addresses, length);
        addresses += length;
        return true;
    }

    bool access(unsigned tag, unsigned size, uint64_t& entry) {
        uint64_t difference;
        if (!bytes(tag, difference)) return false;
        const uint64_t from = (tag & farther_bit) != 0 ? prediction.address_before : prediction.address;
        const uint64_t address = from + unzigzag(difference);
        if ((address & ~access_address_mask) != 0) return false;
        prediction.follow(address);
        const uint64_t store = (tag >> store_shift & 1) != 0 ? access_store_bit : 0;
        entry = address | uint64_t{size} << access_size_shift | store;
        return true;
    }

    bool marker(unsigned tag, unsigned kind, uint64_t& entry) {
        uint64_t difference;
        if (kind > static_cast<unsigned>(AccessKind::gap) || !bytes(tag, difference)) return false;
        const uint64_t ticket = prediction.ticket + unzigzag(difference);
        if ((ticket & ~access_ticket_mask) != 0) return false;
        prediction.ticket = ticket;
        entry = ticket | uint64_t{kind} << access_kind_shift;
        return true;
    }

    bool entry(uint64_t& value) {
        unsigned first;
        if (!tag(first)) return false;
        if ((first & 7) != escape) return access(first, first & 7, value);
        unsigned kind;
        if (!tag(kind)) return false;
        if (kind != 0) return marker(first, kind, value);
        unsigned size;
        return tag(size) && size >= escape && size <= 15 && access(first, size, value);
    }
};

}  // namespace

size_t encode_accesses_bound(size_t count) {
    // The last entry is written eight bytes wide, however long it is.
    return sizeof(AccessColumns) + count * (most_tags + most_address_bytes) + sizeof(uint64_t);
}

size_t encode_accesses(const uint64_t* entries, size_t count, unsigned char* out) {
    unsigned char* const tags = out + sizeof(AccessColumns);
    unsigned char* const addresses = tags + count * most_tags;
    Writer writer{tags, addresses, {}};
    for (size_t i = 0; i < count; ++i) {
        if (entries[i] >> access_kind_shift == static_cast<uint64_t>(AccessKind::access))
            writer.put_access(entries[i]);
        else
            writer.put_marker(entries[i]);
    }
    AccessColumns head{};
    head.entries = static_cast<uint32_t>(count);
    head.tags_bytes = static_cast<uint32_t>(writer.tags - tags);
    head.addresses_bytes = static_cast<uint32_t>(writer.addresses - addresses);
    memcpy(out, &head, sizeof head);
    memmove(writer.tags, addresses, head.addresses_bytes);
    return sizeof head + head.tags_bytes + head.addresses_bytes;
}

bool decode_accesses(const unsigned char* payload, size_t bytes, uint64_t* out, size_t count) {
    AccessColumns head;
    if (bytes < sizeof head) return false;
    memcpy(&head, payload, sizeof head);
    if (head.entries != count || head.reserved != 0) return false;
    if (sizeof head + uint64_t{head.tags_bytes} + head.addresses_bytes != bytes) return false;
    const unsigned char* const tags = payload + sizeof head;
    const unsigned char* const addresses = tags + head.tags_bytes;
    Reader reader{tags, addresses, addresses, addresses + head.addresses_bytes, {}};
    for (size_t i = 0; i < count; ++i)
        if (!reader.entry(out[i])) return false;
    return reader.tags == reader.tags_end && reader.addresses == reader.addresses_end;
}

}  // namespace malloom::stream
