#include "record/stream/access_codec.h"

#include <stdlib.h>
#include <string.h>

#include "formats/profile.h"
#include "record/stream/access_encoder.h"
#include "record/stream/column.h"
#include "record/stream/varint.h"

namespace malloom::stream {

using namespace formats::profile;

namespace {

constexpr unsigned lone_shapes = 32;  // all values of an access's tag
constexpr uint8_t own_bit = 16;
constexpr unsigned longest_base = 8;

/// A growing array without exceptions.
template <class T>
struct Array {
    T* items = nullptr;
    size_t count = 0;
    size_t capacity = 0;

    Array() = default;
    ~Array() { free(items); }
    Array(const Array&) = delete;
    Array& operator=(const Array&) = delete;

    bool add(const T& item) {
        if (count == capacity) {
            const size_t wanted = capacity == 0 ? 256 : capacity * 2;
            auto* const grown = static_cast<T*>(realloc(items, wanted * sizeof(T)));
            if (grown == nullptr) return false;
            items = grown;
            capacity = wanted;
        }
        items[count++] = item;
        return true;
    }
};

struct Decoder {
    Column shapes, tags, addresses;
    Array<ShapedAccess> accesses;
    struct Shape {
        size_t first_access, first_slot;
        uint16_t bases, count;
    };
    Array<Shape> defined;
    Array<uint64_t> slots;
    uint64_t base_before = 0;
    uint64_t ticket_before = 0;

    bool read_access(unsigned bases) {
        ShapedAccess access;
        uint64_t offset;
        if (!shapes.byte(access.tag) || !shapes.byte(access.base) || !shapes.varint(offset)) return false;
        const auto signed_offset = static_cast<int64_t>(unzigzag(offset));
        access.offset = static_cast<int32_t>(signed_offset);
        return access.offset == signed_offset && access.base < bases && access.tag < lone_shapes &&
               accesses.add(access);
    }

    bool read_shape() {
        uint64_t bases, count;
        if (!shapes.varint(bases) || !shapes.varint(count)) return false;
        if (bases > AccessShape::most_bases || count == 0 || count > AccessShape::most_accesses) return false;
        if (bases > count) return false;  // each base is one of an access
        if (!defined.add(
                {accesses.count, slots.count, static_cast<uint16_t>(bases), static_cast<uint16_t>(count)}))
            return false;
        for (unsigned i = 0; i < bases; ++i)
            if (!slots.add(0)) return false;
        for (unsigned i = 0; i < count; ++i)
            if (!read_access(static_cast<unsigned>(bases))) return false;
        return true;
    }

    bool read_shapes() {
        while (!shapes.exhausted())
            if (!read_shape()) return false;
        return true;
    }

    bool read_base(uint64_t& slot) {
        uint8_t tag;
        if (!tags.byte(tag) || tag > (own_bit | longest_base) || (tag & 15) > longest_base) return false;
        uint64_t difference;
        if (!addresses.number(tag & 15, difference)) return false;
        slot = base_before = ((tag & own_bit) != 0 ? slot : base_before) + unzigzag(difference);
        return true;
    }

    bool read_marker(uint64_t& entry) {
        uint8_t kind;
        uint64_t difference;
        if (!tags.byte(kind) || kind == 0 || kind > static_cast<uint8_t>(AccessKind::gap) ||
            !tags.varint(difference))
            return false;
        ticket_before += unzigzag(difference);
        entry = ticket_before | uint64_t{kind} << access_kind_shift;
        return (ticket_before & ~access_ticket_mask) == 0;
    }

    /// One execution or marker of at most `room` entries.
    bool read(AccessPiece& piece, size_t room) {
        uint64_t number;
        if (room == 0 || !tags.varint(number) || number > defined.count) return false;
        piece.shape = static_cast<uint32_t>(number);
        if (number == 0) {
            piece.count = 1;
            return read_marker(piece.marker);
        }
        const Shape& shape = defined.items[number - 1];
        if (shape.count > room) return false;
        uint64_t* const bases = slots.items + shape.first_slot;
        for (unsigned i = 0; i < shape.bases; ++i)
            if (!read_base(bases[i])) return false;
        piece.accesses = accesses.items + shape.first_access;
        piece.addresses = bases;
        piece.count = shape.count;
        piece.bases = shape.bases;
        return true;
    }
};

/// The shapes of single accesses: number and tag are one.
void make_lone_shapes(ShapedAccess* accesses, AccessShape* shapes) {
    for (unsigned i = 0; i < lone_shapes; ++i) {
        accesses[i] = {0, 0, static_cast<uint8_t>(i)};
        shapes[i] = {i, i, 1, 1, &accesses[i], nullptr};
    }
}

}  // namespace

size_t encode_accesses_bound(size_t count) {
    return AccessEncoder::entries_bound(count);
}

size_t encode_accesses(const uint64_t* entries, size_t count, unsigned char* out) {
    ShapedAccess accesses[lone_shapes];
    AccessShape shapes[lone_shapes];
    make_lone_shapes(accesses, shapes);
    AccessEncoder::ShapeState states[lone_shapes] = {};
    uint64_t slots[lone_shapes] = {};
    AccessEncoder encoder;
    encoder.use({out, encode_accesses_bound(count), states, slots});
    encoder.begin();
    for (size_t i = 0; i < count; ++i) {
        const uint64_t address = entries[i] & access_address_mask;
        if (entries[i] >> access_kind_shift != 0) {
            encoder.put_marker(entries[i]);
        } else {
            encoder.put(shapes[(entries[i] >> access_size_shift) & (lone_shapes - 1)], &address);
        }
    }
    return encoder.finish();
}

namespace {

/// Reads a payload of `count` entries and hands on its pieces as long as `take` returns true.
template <class Take>
bool read_pieces(const unsigned char* payload, size_t bytes, size_t count, Take&& take) {
    AccessColumns head;
    if (bytes < sizeof head) return false;
    memcpy(&head, payload, sizeof head);
    if (head.entries != count) return false;
    if (sizeof head + uint64_t{head.shapes_bytes} + head.tags_bytes + head.addresses_bytes != bytes)
        return false;
    const unsigned char* const shapes = payload + sizeof head;
    const unsigned char* const tags = shapes + head.shapes_bytes;
    const unsigned char* const addresses = tags + head.tags_bytes;
    Decoder decoder{{shapes, tags}, {tags, addresses}, {addresses, payload + bytes}, {}, {}, {}};
    if (!decoder.read_shapes()) return false;
    AccessPiece piece{};
    for (size_t left = count; left != 0; left -= piece.count)
        if (!decoder.read(piece, left) || !take(piece)) return false;
    return decoder.tags.exhausted() && decoder.addresses.exhausted();
}

}  // namespace

bool decode_accesses(const unsigned char* payload, size_t bytes, uint64_t* out, size_t count) {
    return read_pieces(payload, bytes, count, [&out](const AccessPiece& piece) {
        if (piece.shape == 0) {
            *out++ = piece.marker;
            return true;
        }
        for (unsigned i = 0; i < piece.count; ++i)
            *out++ = entry_of(piece.accesses[i], piece.addresses[piece.accesses[i].base]);
        return true;
    });
}

bool visit_accesses(const unsigned char* payload, size_t bytes, size_t count,
                    bool (*visit)(void* context, const AccessPiece& piece), void* context) {
    return read_pieces(payload, bytes, count,
                       [=](const AccessPiece& piece) { return visit(context, piece); });
}

}  // namespace malloom::stream
