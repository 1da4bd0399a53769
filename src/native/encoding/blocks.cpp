#include "src/native/encoding/blocks.h"

#include <algorithm>

#include "record/stream/records.h"

namespace malloom::native {

using stream::AccessShape;
using stream::ShapedAccess;

namespace {

// A payload's shapes have 128 KiB, and none takes less than five bytes.
constexpr uint32_t most_blocks = 1 << 15;

}  // namespace

bool BlockEncoder::begin(uint64_t entries) {
    if (entries > stream::most_entries) return false;
    const size_t wanted = stream::AccessEncoder::entries_bound(entries);
    if (wanted > payload_bytes_) {
        payload_ = std::make_unique_for_overwrite<unsigned char[]>(wanted);
        payload_bytes_ = wanted;
    }
    room_ = entries;
    blocks_.clear();
    accesses_.clear();
    states_.clear();
    slots_.clear();
    use_memory();
    encoder_.begin();
    return true;
}

void BlockEncoder::use_memory() {
    encoder_.use({payload_.get(), payload_bytes_, states_.data(), slots_.data()});
}

const BlockEncoder::Block* BlockEncoder::block_of(uint32_t number, std::span<const ShapedAccess> accesses,
                                                  size_t addresses) {
    if (number == 0 || number > blocks_.size() + 1 || number > most_blocks) return nullptr;
    if (number == blocks_.size() + 1) {
        blocks_.push_back({accesses_.size(), accesses.size(), slots_.size(), addresses});
        accesses_.insert(accesses_.end(), accesses.begin(), accesses.end());
        states_.push_back({});
        slots_.resize(slots_.size() + addresses);
        use_memory();
    }
    const Block& block = blocks_[number - 1];
    const auto known = std::span(accesses_).subspan(block.first_access, block.count);
    const bool same = block.addresses == addresses && std::ranges::equal(known, accesses);
    return same ? &block : nullptr;
}

bool BlockEncoder::put(uint32_t number, std::span<const ShapedAccess> accesses,
                       std::span<const uint64_t> addresses) {
    if (accesses.empty() || accesses.size() > AccessShape::most_accesses || accesses.size() > room_)
        return false;
    if (addresses.size() > accesses.size() || addresses.size() > AccessShape::most_bases) return false;
    if (!encoder_.has_room()) return false;
    const Block* const block = block_of(number, accesses, addresses.size());
    if (block == nullptr) return false;
    encoder_.put(
        {number - 1, static_cast<uint32_t>(block->first_address), static_cast<uint16_t>(addresses.size()),
         static_cast<uint16_t>(accesses.size()), accesses.data(), nullptr},
        addresses.data());
    room_ -= accesses.size();
    return true;
}

bool BlockEncoder::put_marker(uint64_t entry) {
    if (room_ == 0 || !encoder_.has_room()) return false;
    encoder_.put_marker(entry);
    --room_;
    return true;
}

}  // namespace malloom::native
