#include "record/stream/event_codec.h"

#include <string.h>

#include "record/stream/column.h"
#include "record/stream/varint.h"

namespace malloom::stream {

using formats::profile::EventColumns;
using formats::profile::EventKind;
using formats::profile::EventRecord;

namespace {

// Parts of a byte in the columns of kinds and lengths.
constexpr unsigned kind_mask = 15;
constexpr unsigned address_shift = 4;
constexpr unsigned aligned_bit = 0x80;
constexpr unsigned size_shift = 2;

// A number is stored by 8 bytes at once, of which only its own count.
constexpr size_t slack_bytes = 8;

/// 1 for the kinds that have a size and, but for touch, a context: bit n is kind n.
constexpr unsigned sized_kinds = 1u << static_cast<unsigned>(EventKind::allocate) |
                                 1u << static_cast<unsigned>(EventKind::allocate_zeroed) |
                                 1u << static_cast<unsigned>(EventKind::reallocate) |
                                 1u << static_cast<unsigned>(EventKind::touch);
constexpr bool sized(unsigned kind) {
    return (sized_kinds >> kind & 1) != 0;
}

/// Bytes that a number needs, less 1.
unsigned length_of(uint64_t value) {
    return (63u - static_cast<unsigned>(__builtin_clzll(value | 1))) >> 3;
}

/// Where the columns of an encoding grow, far enough apart that none reaches the next.
struct Columns {
    unsigned char* kinds;
    unsigned char* lengths;
    unsigned char* contexts;
    unsigned char* sizes;
    unsigned char* addresses;
    unsigned char* alignments;
    unsigned char* tickets;

    Columns(unsigned char* out, size_t count)
        : kinds(out),
          lengths(kinds + count),
          contexts(lengths + count + 1),
          sizes(contexts + 4 * count + slack_bytes),
          addresses(sizes + 8 * count + slack_bytes),
          alignments(addresses + 8 * count + slack_bytes),
          tickets(alignments + count + 1) {}
};

// What an event has no entry for is written all the same, and overwritten by the next: cheaper than a branch
// that the processor cannot predict.
void put_event(Columns& columns, const EventRecord& event, uint64_t address_before) {
    const unsigned has_size = sized(event.kind) ? 1 : 0;
    const uint64_t difference = zigzag(event.address - address_before);
    const unsigned address_length = length_of(difference);
    const unsigned context_length = length_of(event.context);
    const unsigned size_length = length_of(event.size);
    const unsigned aligned = event.alignment != 0 ? 1 : 0;
    const uint64_t context = event.context;
    *columns.kinds++ =
        static_cast<unsigned char>(event.kind | address_length << address_shift | aligned * aligned_bit);
    *columns.lengths = static_cast<unsigned char>(context_length | size_length << size_shift);
    columns.lengths += has_size;
    memcpy(columns.contexts, &context, sizeof context);
    columns.contexts += has_size * (context_length + 1);
    memcpy(columns.sizes, &event.size, sizeof event.size);
    columns.sizes += has_size * (size_length + 1);
    memcpy(columns.addresses, &difference, sizeof difference);
    columns.addresses += address_length + 1;
    *columns.alignments = event.alignment;
    columns.alignments += aligned;
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

/// Moves a finished column up to the end of the one before it.
uint32_t close_up(unsigned char*& end, const unsigned char* begin, const unsigned char* column_end) {
    const auto bytes = static_cast<size_t>(column_end - begin);
    memmove(end, begin, bytes);
    end += bytes;
    return static_cast<uint32_t>(bytes);
}

/// A number of `bytes` bytes, which must be as few as it needs.
bool shortest_number(Column& column, unsigned bytes, uint64_t& value) {
    return column.number(bytes, value) && length_of(value) + 1 == bytes;
}

/// The columns of a payload, in their order on disk.
struct Payload {
    Column kinds, lengths, contexts, sizes, addresses, alignments, tickets;
    bool has_tickets;

    bool exhausted() const {
        return lengths.exhausted() && contexts.exhausted() && sizes.exhausted() && addresses.exhausted() &&
               alignments.exhausted() && tickets.exhausted();
    }
};

bool split(const unsigned char* payload, size_t bytes, size_t count, Payload& columns) {
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
    return head.events == count && take(head.events, columns.kinds) &&
           take(head.lengths_bytes, columns.lengths) && take(head.contexts_bytes, columns.contexts) &&
           take(head.sizes_bytes, columns.sizes) && take(head.addresses_bytes, columns.addresses) &&
           take(head.alignments_bytes, columns.alignments) && take(head.tickets_bytes, columns.tickets) &&
           next == end;
}

bool get_size(Payload& columns, EventRecord& event) {
    uint8_t lengths = 0;
    uint64_t context = 0;
    if (!columns.lengths.byte(lengths) || lengths >> 5 != 0) return false;
    if (!shortest_number(columns.contexts, (lengths & 3) + 1, context)) return false;
    event.context = static_cast<uint32_t>(context);
    return shortest_number(columns.sizes, (lengths >> size_shift) + 1, event.size);
}

bool get_event(Payload& columns, const EventRecord& before, EventRecord& event) {
    uint8_t byte = 0;
    uint64_t difference = 0;
    uint64_t skipped = 0;
    event = {};
    if (!columns.kinds.byte(byte)) return false;
    event.kind = byte & kind_mask;
    if (!is_event_kind(event.kind)) return false;
    if (sized(event.kind) && !get_size(columns, event)) return false;
    if (!shortest_number(columns.addresses, (byte >> address_shift & 7) + 1, difference)) return false;
    const bool aligned = (byte & aligned_bit) != 0;
    if (aligned && (!columns.alignments.byte(event.alignment) || event.alignment == 0)) return false;
    if (columns.has_tickets && !columns.tickets.varint(skipped)) return false;
    event.address = before.address + unzigzag(difference);
    event.ticket = before.ticket + 1 + skipped;
    return true;
}

}  // namespace

size_t encode_events_bound(size_t count) {
    // kind 1, lengths 1, context 4, size 8, address 8, alignment 1, ticket 10, and room to write past an end
    return sizeof(EventColumns) + count * (1 + 1 + 4 + 8 + 8 + 1 + max_varint_bytes) + 3 * slack_bytes + 2;
}

size_t encode_events(const EventRecord* events, size_t count, uint64_t first_ticket, unsigned char* out) {
    EventColumns head{};
    const Columns begin(out + sizeof head, count);
    Columns columns = begin;
    uint64_t address_before = 0;
    for (size_t i = 0; i < count; ++i) {
        put_event(columns, events[i], address_before);
        address_before = events[i].address;
    }
    columns.tickets = put_tickets(events, count, first_ticket, columns.tickets);
    unsigned char* end = columns.kinds;
    head.events = static_cast<uint32_t>(count);
    head.lengths_bytes = close_up(end, begin.lengths, columns.lengths);
    head.contexts_bytes = close_up(end, begin.contexts, columns.contexts);
    head.sizes_bytes = close_up(end, begin.sizes, columns.sizes);
    head.addresses_bytes = close_up(end, begin.addresses, columns.addresses);
    head.alignments_bytes = close_up(end, begin.alignments, columns.alignments);
    head.tickets_bytes = close_up(end, begin.tickets, columns.tickets);
    memcpy(out, &head, sizeof head);
    return static_cast<size_t>(end - out);
}

bool decode_events(const unsigned char* payload, size_t bytes, uint64_t first_ticket, EventRecord* out,
                   size_t count) {
    Payload columns;
    if (!split(payload, bytes, count, columns)) return false;
    EventRecord before{};
    before.ticket = first_ticket - 1;
    for (size_t i = 0; i < count; ++i) {
        if (!get_event(columns, before, out[i])) return false;
        before = out[i];
    }
    return columns.exhausted();
}

}  // namespace malloom::stream
