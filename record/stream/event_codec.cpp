#include "record/stream/event_codec.h"

#include <string.h>

#include "record/stream/varint.h"

namespace malloom::stream {

using formats::profile::EventColumns;
using formats::profile::EventKind;
using formats::profile::EventRecord;

namespace {

constexpr unsigned char alignment_bit = 0x80;

// Which columns a kind has an entry in.
bool has_context(EventKind kind) {
    return kind == EventKind::allocate || kind == EventKind::allocate_zeroed || kind == EventKind::reallocate;
}
bool has_size(EventKind kind) {
    return has_context(kind) || kind == EventKind::touch;
}
bool known(EventKind kind) {
    return kind >= EventKind::allocate && kind <= EventKind::stop;
}

EventKind kind_of(uint8_t byte) {
    return static_cast<EventKind>(byte & ~alignment_bit);
}

unsigned char* put_kinds(const EventRecord* events, size_t count, unsigned char* out) {
    for (size_t i = 0; i < count; ++i)
        *out++ = static_cast<unsigned char>(events[i].kind | (events[i].alignment != 0 ? alignment_bit : 0));
    return out;
}

unsigned char* put_contexts(const EventRecord* events, size_t count, unsigned char* out) {
    for (size_t i = 0; i < count; ++i)
        if (has_context(kind_of(events[i].kind))) out = put_varint(out, events[i].context);
    return out;
}

unsigned char* put_sizes(const EventRecord* events, size_t count, unsigned char* out) {
    for (size_t i = 0; i < count; ++i)
        if (has_size(kind_of(events[i].kind))) out = put_varint(out, events[i].size);
    return out;
}

unsigned char* put_addresses(const EventRecord* events, size_t count, unsigned char* out) {
    uint64_t before = 0;
    for (size_t i = 0; i < count; ++i) {
        out = put_varint(out, zigzag(events[i].address - before));
        before = events[i].address;
    }
    return out;
}

unsigned char* put_alignments(const EventRecord* events, size_t count, unsigned char* out) {
    for (size_t i = 0; i < count; ++i)
        if (events[i].alignment != 0) *out++ = events[i].alignment;
    return out;
}

// Without other threads the tickets follow each other, and the column is left out.
unsigned char* put_tickets(const EventRecord* events, size_t count, uint64_t first_ticket,
                           unsigned char* out) {
    if (count == 0 || events[count - 1].ticket - first_ticket == count - 1) return out;
    uint64_t expected = first_ticket;
    for (size_t i = 0; i < count; ++i) {
        out = put_varint(out, events[i].ticket - expected);
        expected = events[i].ticket + 1;
    }
    return out;
}

/// Takes a column's entries from [next, end).
struct Column {
    const unsigned char* next;
    const unsigned char* end;

    bool byte(uint8_t& value) {
        if (next == end) return false;
        value = *next++;
        return true;
    }
    bool varint(uint64_t& value) {
        next = get_varint(next, end, value);
        return next != nullptr;
    }
    bool exhausted() const { return next == end; }
};

/// The columns of a payload, in their order on disk.
struct Columns {
    Column kinds, contexts, sizes, addresses, alignments, tickets;
    bool has_tickets;
};

bool split(const unsigned char* payload, size_t bytes, size_t count, Columns& columns) {
    EventColumns head;
    if (bytes < sizeof head) return false;
    memcpy(&head, payload, sizeof head);
    const unsigned char* next = payload + sizeof head;
    const unsigned char* const end = payload + bytes;
    const auto take = [&](uint32_t size, Column& column) {
        if (size > static_cast<size_t>(end - next)) return false;
        column = {next, next + size};
        next += size;
        return true;
    };
    columns.has_tickets = head.tickets_bytes != 0;
    return head.events == count && head.kinds_bytes == count && take(head.kinds_bytes, columns.kinds) &&
           take(head.contexts_bytes, columns.contexts) && take(head.sizes_bytes, columns.sizes) &&
           take(head.addresses_bytes, columns.addresses) && take(head.alignments_bytes, columns.alignments) &&
           take(head.tickets_bytes, columns.tickets) && next == end;
}

bool decode_event(Columns& columns, const EventRecord& before, EventRecord& event) {
    uint8_t kind_byte = 0;
    uint64_t context = 0;
    uint64_t difference = 0;
    uint64_t skipped = 0;
    event = {};
    if (!columns.kinds.byte(kind_byte)) return false;
    const EventKind kind = kind_of(kind_byte);
    if (!known(kind)) return false;
    if (has_context(kind) && (!columns.contexts.varint(context) || context > UINT32_MAX)) return false;
    if (has_size(kind) && !columns.sizes.varint(event.size)) return false;
    if (!columns.addresses.varint(difference)) return false;
    const bool aligned = (kind_byte & alignment_bit) != 0;
    if (aligned && (!columns.alignments.byte(event.alignment) || event.alignment == 0)) return false;
    if (columns.has_tickets && !columns.tickets.varint(skipped)) return false;
    event.kind = static_cast<uint8_t>(kind);
    event.context = static_cast<uint32_t>(context);
    event.address = before.address + unzigzag(difference);
    event.ticket = before.ticket + 1 + skipped;
    return true;
}

}  // namespace

size_t encode_events_bound(size_t count) {
    // kind 1, context 5, size 10, address 10, alignment 1, ticket 10
    return sizeof(EventColumns) + count * (1 + 5 + 3 * max_varint_bytes + 1);
}

size_t encode_events(const EventRecord* events, size_t count, uint64_t first_ticket, unsigned char* out) {
    EventColumns head{};
    unsigned char* const kinds = out + sizeof head;
    unsigned char* const contexts = put_kinds(events, count, kinds);
    unsigned char* const sizes = put_contexts(events, count, contexts);
    unsigned char* const addresses = put_sizes(events, count, sizes);
    unsigned char* const alignments = put_addresses(events, count, addresses);
    unsigned char* const tickets = put_alignments(events, count, alignments);
    unsigned char* const end = put_tickets(events, count, first_ticket, tickets);
    head.events = static_cast<uint32_t>(count);
    head.kinds_bytes = static_cast<uint32_t>(contexts - kinds);
    head.contexts_bytes = static_cast<uint32_t>(sizes - contexts);
    head.sizes_bytes = static_cast<uint32_t>(addresses - sizes);
    head.addresses_bytes = static_cast<uint32_t>(alignments - addresses);
    head.alignments_bytes = static_cast<uint32_t>(tickets - alignments);
    head.tickets_bytes = static_cast<uint32_t>(end - tickets);
    memcpy(out, &head, sizeof head);
    return static_cast<size_t>(end - out);
}

bool decode_events(const unsigned char* payload, size_t bytes, uint64_t first_ticket, EventRecord* out,
                   size_t count) {
    Columns columns;
    if (!split(payload, bytes, count, columns)) return false;
    EventRecord before{};
    before.ticket = first_ticket - 1;
    for (size_t i = 0; i < count; ++i) {
        if (!decode_event(columns, before, out[i])) return false;
        before = out[i];
    }
    return columns.contexts.exhausted() && columns.sizes.exhausted() && columns.addresses.exhausted() &&
           columns.alignments.exhausted() && columns.tickets.exhausted();
}

}  // namespace malloom::stream
