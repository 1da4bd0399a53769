#include "src/native/text/access_printer.h"

#include <algorithm>

#include "record/stream/records.h"
#include "src/native/encoding/chunks.h"
#include "src/native/text/words.h"

namespace malloom::native {

using namespace formats::profile;
using namespace text;

AccessPrinter::Printed AccessPrinter::print(const ChunkHeader& header,
                                            const std::vector<unsigned char>& payload, std::string& out) {
    if (!stream::read_entries(header, payload, entries_)) return Printed::nothing;
    out_ = &out;
    const bool alone = encode_accesses_payload(entries_) == payload;
    const size_t begin = out.size();
    if (!alone && print_blocks(payload)) return Printed::reversible;
    out.resize(begin);
    if (!print_entries()) return Printed::nothing;
    return alone ? Printed::reversible : Printed::readable;
}

bool AccessPrinter::print_entries() {
    for (const uint64_t entry : entries_) {
        if (!print_entry(entry)) return false;
    }
    return true;
}

/// False where the blocks, encoded again, would not be the payload.
bool AccessPrinter::print_blocks(const std::vector<unsigned char>& payload) {
    const auto visit = [](void* printer, const stream::AccessPiece& piece) {
        return static_cast<AccessPrinter*>(printer)->print_piece(piece);
    };
    if (!blocks_.begin(entries_.size()) ||
        !stream::visit_accesses(payload.data(), payload.size(), entries_.size(), visit, this)) {
        return false;
    }
    return std::ranges::equal(blocks_.finish(), payload);
}

bool AccessPrinter::print_piece(const stream::AccessPiece& piece) {
    if (piece.shape == 0) return print_entry(piece.marker) && blocks_.put_marker(piece.marker);
    *out_ += " block ";
    put_number(*out_, piece.shape);
    for (unsigned i = 0; i < piece.bases; ++i) {
        *out_ += ' ';
        put_number(*out_, piece.addresses[i], 16);
    }
    *out_ += '\n';
    for (unsigned i = 0; i < piece.count; ++i) {
        const stream::ShapedAccess& access = piece.accesses[i];
        print_access(stream::entry_of(access, piece.addresses[access.base]));
        *out_ += ' ';
        put_number(*out_, access.base);
        *out_ += '\n';
    }
    return blocks_.put(piece.shape, {piece.accesses, piece.count}, {piece.addresses, piece.bases});
}

bool AccessPrinter::print_entry(uint64_t entry) {
    const auto kind = static_cast<AccessKind>(entry >> access_kind_shift);
    if (kind != AccessKind::access) {
        const std::string_view name = name_of(marker_kinds, static_cast<unsigned>(kind));
        *out_ += ' ';
        *out_ += name;
        *out_ += ' ';
        put_number(*out_, entry & access_ticket_mask);
        *out_ += '\n';
        return !name.empty();
    }
    constexpr uint64_t known_bits =
        access_address_mask | (uint64_t{15} << access_size_shift) | access_store_bit;
    print_access(entry);
    *out_ += '\n';
    return (entry & ~known_bits) == 0;
}

void AccessPrinter::print_access(uint64_t entry) {
    *out_ += (entry & access_store_bit) != 0 ? " store " : " load ";
    put_number(*out_, entry & access_address_mask, 16);
    *out_ += ' ';
    put_number(*out_, uint64_t{1} << ((entry >> access_size_shift) & 15));
}

}  // namespace malloom::native
