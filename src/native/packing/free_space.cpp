#include "src/native/packing/free_space.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <new>
#include <stdexcept>

namespace malloom::native {

namespace {

constexpr uint64_t maximum_granules = UINT32_MAX;  // so that a place fits 32 bits
constexpr unsigned longest_search = 16;  // blocks of one bin that are looked at for one large enough

constexpr uint64_t round_up(uint64_t value, uint64_t step) {
    return (value + step - 1) / step * step;
}

// Address space for the largest arena; only the tags that are used take memory, which in a dense arena are
// few.
constexpr size_t tags_bytes = maximum_granules * sizeof(uint32_t);

uint32_t* map_tags() {
    void* memory =
        mmap(nullptr, tags_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
        throw std::bad_alloc();
    }
    madvise(memory, tags_bytes, MADV_NOHUGEPAGE);
    return static_cast<uint32_t*>(memory);
}

}  // namespace

void FreeSpace::Unmap::operator()(uint32_t* tags) const {
    munmap(tags, tags_bytes);
}

FreeSpace::FreeSpace() : blocks_(1), tags_(map_tags()) {}

unsigned FreeSpace::bin_of(uint64_t room) {
    if (room < exact_bins) {
        return static_cast<unsigned>(room);
    }
    const auto octave = static_cast<unsigned>(std::bit_width(room)) - 1;
    const auto step = static_cast<unsigned>(room >> (octave - 3)) % steps_per_octave;
    return exact_bins + (octave - 8) * steps_per_octave + step;
}

bool FreeSpace::is_block(uint32_t number, unsigned bin) const noexcept {
    const Block& block = blocks_[number];
    const uint64_t end = block.start + block.room;
    return block.room != 0 && bin_of(block.room) == bin && end < end_ && tags_[block.start] == number &&
           tags_[end - 1] == number && tags_[end] == none &&
           (block.start == 0 || tags_[block.start - 1] == none);
}

bool FreeSpace::is_valid() const noexcept {
    size_t listed = 0;
    for (unsigned bin = 0; bin < bin_count; ++bin) {
        if ((heads_[bin] != none) != ((filled_[bin / 64] >> bin % 64 & 1) != 0)) {
            return false;
        }
        uint32_t before = none;
        for (uint32_t block = heads_[bin]; block != none; block = blocks_[block].next) {
            if (++listed >= blocks_.size() || blocks_[block].previous != before || !is_block(block, bin)) {
                return false;
            }
            before = block;
        }
    }
    return listed + unused_.size() + 1 == blocks_.size() && end_ <= highest_;
}

uint32_t FreeSpace::find(uint64_t room) const {
    const unsigned own = bin_of(room);
    uint32_t block = heads_[own];
    for (unsigned looked = 0; block != none && looked < longest_search; ++looked) {
        if (blocks_[block].room >= room) {
            return block;
        }
        block = blocks_[block].next;
    }
    const unsigned above = own + 1;
    if (above >= bin_count) {
        return none;
    }
    uint64_t word = filled_[above / 64] & (~uint64_t{0} << (above % 64));
    for (unsigned at = above / 64;;) {
        if (word != 0) {
            return heads_[at * 64 + static_cast<unsigned>(std::countr_zero(word))];
        }
        if (++at == filled_.size()) {
            return none;
        }
        word = filled_[at];
    }
}

uint64_t FreeSpace::take(uint64_t room, uint64_t alignment) {
    const uint32_t block = find(room + alignment - 1);
    return block != none ? take_from(block, room, alignment) : take_end(room, alignment);
}

uint64_t FreeSpace::take_end(uint64_t room, uint64_t alignment) {
    const uint64_t start = round_up(end_, alignment);
    const uint64_t before = end_;
    rise_to(start + room);
    if (start > before) {
        insert(before, start - before);
    }
    return start;
}

uint64_t FreeSpace::take_from(uint32_t block, uint64_t room, uint64_t alignment) {
    const Block whole = blocks_[block];
    const uint64_t start = round_up(whole.start, alignment);
    remove(block);
    if (start > whole.start) {
        insert(whole.start, start - whole.start);
    }
    if (whole.start + whole.room > start + room) {
        insert(start + room, whole.start + whole.room - start - room);
    }
    return start;
}

bool FreeSpace::take_at(uint64_t start, uint64_t room) {
    if (start == end_) {
        rise_to(end_ + room);
        return true;
    }
    const uint32_t block = start < end_ ? tags_[start] : none;
    if (block == none || blocks_[block].start != start || blocks_[block].room < room) {
        return false;
    }
    take_from(block, room, 1);
    return true;
}

void FreeSpace::give(uint64_t start, uint64_t room) {
    if (start > 0 && tags_[start - 1] != none) {
        const Block before = blocks_[tags_[start - 1]];
        remove(tags_[start - 1]);
        start = before.start;
        room += before.room;
    }
    if (start + room < end_ && tags_[start + room] != none) {
        const Block after = blocks_[tags_[start + room]];
        remove(tags_[start + room]);
        room += after.room;
    }
    if (start + room == end_) {
        end_ = start;
    } else {
        insert(start, room);
    }
}

void FreeSpace::insert(uint64_t start, uint64_t room) {
    uint32_t number = static_cast<uint32_t>(blocks_.size());
    if (unused_.empty()) {
        blocks_.emplace_back();
    } else {
        number = unused_.back();
        unused_.pop_back();
    }
    const unsigned bin = bin_of(room);
    blocks_[number] = {start, room, none, heads_[bin]};
    if (heads_[bin] != none) {
        blocks_[heads_[bin]].previous = number;
    }
    heads_[bin] = number;
    filled_[bin / 64] |= uint64_t{1} << (bin % 64);
    tag(blocks_[number], number);
}

void FreeSpace::remove(uint32_t block) {
    const Block removed = blocks_[block];
    const unsigned bin = bin_of(removed.room);
    if (removed.previous != none) {
        blocks_[removed.previous].next = removed.next;
    } else {
        heads_[bin] = removed.next;
    }
    if (removed.next != none) {
        blocks_[removed.next].previous = removed.previous;
    }
    if (heads_[bin] == none) {
        filled_[bin / 64] &= ~(uint64_t{1} << (bin % 64));
    }
    tag(removed, none);
    unused_.push_back(block);
}

void FreeSpace::tag(const Block& block, uint32_t number) {
    tags_[block.start] = number;
    tags_[block.start + block.room - 1] = number;
}

void FreeSpace::rise_to(uint64_t end) {
    if (end > maximum_granules) {
        throw std::length_error("the arena would reach 64 GiB");
    }
    end_ = end;
    highest_ = std::max(highest_, end);
}

}  // namespace malloom::native
