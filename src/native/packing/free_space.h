// The free part of an arena while requests come and go: an allocator that places nothing, only numbers.
#pragma once

#include <stdint.h>

#include <array>
#include <memory>
#include <vector>

namespace malloom::native {

/// Free blocks by size, merged with their neighbours as soon as they are given, after Lea's allocator: the
/// most recently freed block of just the size first, then the smallest larger one, then the arena's end. All
/// numbers are granules. O(1) an operation; memory: at most 4 bytes per granule of the arena, and only where
/// blocks were free.
class FreeSpace {
  public:
    FreeSpace();

    /// Finds room for `room` granules at a multiple of `alignment`.
    uint64_t take(uint64_t room, uint64_t alignment);

    /// Takes [start, start + room) if all of it is free or beyond the end.
    bool take_at(uint64_t start, uint64_t room);

    /// Gives [start, start + room) back, which must have been taken.
    void give(uint64_t start, uint64_t room);

    /// Whether each free block is found by its size and by both its ends, and no two of them touch each other
    /// or the end. Goes through all free blocks.
    bool is_valid() const noexcept;

    /// The highest end that there was.
    uint64_t highest() const { return highest_; }

  private:
    struct Block {
        uint64_t start;
        uint64_t room;
        uint32_t previous;
        uint32_t next;
    };

    struct Unmap {
        void operator()(uint32_t* tags) const;
    };

    static constexpr uint32_t none = 0;
    static constexpr unsigned exact_bins = 256;
    static constexpr unsigned steps_per_octave = 8;
    static constexpr unsigned bin_count = exact_bins + steps_per_octave * 40;

    static unsigned bin_of(uint64_t room);
    uint32_t find(uint64_t room) const;
    bool is_block(uint32_t number, unsigned bin) const noexcept;
    uint64_t take_end(uint64_t room, uint64_t alignment);
    uint64_t take_from(uint32_t block, uint64_t room, uint64_t alignment);
    void insert(uint64_t start, uint64_t room);
    void remove(uint32_t block);
    void tag(const Block& block, uint32_t number);
    void rise_to(uint64_t end);

    std::vector<Block> blocks_;
    std::vector<uint32_t> unused_;  ///< numbers of blocks to use again
    /// At a free block's first and last granule its number; elsewhere none.
    std::unique_ptr<uint32_t[], Unmap> tags_;
    std::array<uint32_t, bin_count> heads_{};
    std::array<uint64_t, (bin_count + 63) / 64> filled_{};  ///< a bit for every bin that has blocks
    uint64_t end_ = 0;
    uint64_t highest_ = 0;
};

}  // namespace malloom::native
