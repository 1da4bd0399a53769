#include "src/native/text/access_lines.h"

#include <bit>
#include <optional>

#include "formats/profile.h"
#include "src/native/encoding/chunks.h"
#include "src/native/text/words.h"

namespace malloom::native {

using namespace formats::profile;
using namespace text;

namespace {

constexpr const char* too_many = "more records than the chunk says";

std::optional<uint64_t> access_entry(bool store, std::string_view address_word, std::string_view size_word) {
    const auto address = get_number(address_word, 16);
    const auto size = get_number(size_word);
    if (!address || *address > access_address_mask) return std::nullopt;
    if (!size || !std::has_single_bit(*size) || *size > (1u << 15)) return std::nullopt;
    const auto log2 = static_cast<uint64_t>(std::countr_zero(*size));
    return *address | (log2 << access_size_shift) | (store ? access_store_bit : 0);
}

}  // namespace

const char* AccessLines::add(std::string_view line, uint64_t records) {
    const std::string_view word = take_word(line);
    if (word == "block") return begin_block(line, records);
    if (const auto marker = number_of(marker_kinds, word)) {
        const auto ticket = get_number(line);
        if (!ticket || *ticket > access_ticket_mask) return "expected the ticket of a marker";
        return add_marker((uint64_t{*marker} << access_kind_shift) | *ticket);
    }
    const std::string_view address = take_word(line);
    const std::string_view size = take_word(line);
    const auto entry = access_entry(word == "store", address, size);
    if (!entry || (word != "load" && word != "store") || (!has_blocks_ && !line.empty())) {
        return "expected an access as load|store ADDRESS SIZE, or a marker";
    }
    if (has_blocks_) return add_access(*entry, line);
    entries_.push_back(*entry);
    return nullptr;
}

const char* AccessLines::add_marker(uint64_t entry) {
    if (!has_blocks_) {
        entries_.push_back(entry);
        return nullptr;
    }
    if (const char* wrong = end_block()) return wrong;
    return encoder_.put_marker(entry) ? nullptr : too_many;
}

const char* AccessLines::begin_block(std::string_view line, uint64_t records) {
    if (const char* wrong = end_block()) return wrong;
    if (!has_blocks_) {
        if (!encoder_.begin(records)) return "too many records for one chunk";
        for (const uint64_t entry : entries_) {
            if (entry >> access_kind_shift == 0) return "an access outside of a block, in a chunk of blocks";
            if (!encoder_.put_marker(entry)) return too_many;
        }
        has_blocks_ = true;
    }
    const auto number = get_number(take_word(line));
    addresses_.clear();
    while (!line.empty()) {
        const auto address = get_number(take_word(line), 16);
        if (!address) return "expected a block as NUMBER ADDRESS...";
        addresses_.push_back(*address);
    }
    if (!number || *number == 0 || *number > UINT32_MAX) return "expected the number of a block";
    block_ = static_cast<uint32_t>(*number);
    return nullptr;
}

const char* AccessLines::add_access(uint64_t entry, std::string_view base_word) {
    const auto base = get_number(base_word);
    if (block_ == 0) return "an access outside of a block, in a chunk of blocks";
    if (!base || *base >= addresses_.size() || *base >= stream::AccessShape::most_bases) {
        return "expected an access of a block as load|store ADDRESS SIZE BASE";
    }
    // The 48 bits of an address, with their sign.
    const auto offset = static_cast<int64_t>((entry - addresses_[*base]) << 16) >> 16;
    if (offset != static_cast<int32_t>(offset)) return "an access too far from the base of its block";
    const auto tag = static_cast<uint8_t>(entry >> access_size_shift);
    accesses_.push_back({static_cast<int32_t>(offset), static_cast<uint8_t>(*base), tag});
    return nullptr;
}

const char* AccessLines::end_block() {
    const bool good = block_ == 0 || encoder_.put(block_, accesses_, addresses_);
    block_ = 0;
    accesses_.clear();
    return good ? nullptr : "a block unlike the one of that number before, or out of order";
}

const char* AccessLines::finish(uint64_t records, std::vector<unsigned char>& payload) {
    if (const char* wrong = end_block()) return wrong;
    if (records != (has_blocks_ ? encoder_.entries() : entries_.size())) {
        return "the chunk has another number of records";
    }
    if (has_blocks_) {
        const auto encoded = encoder_.finish();
        payload.assign(encoded.begin(), encoded.end());
    } else {
        payload = encode_accesses_payload(entries_);
    }
    entries_.clear();
    has_blocks_ = false;
    return nullptr;
}

}  // namespace malloom::native
