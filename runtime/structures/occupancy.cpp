#include "runtime/structures/occupancy.h"

#include "runtime/platform/memory.h"
#include "runtime/platform/output.h"
#include "runtime/structures/alone.h"

namespace malloom::structures {

namespace {

// Both bits of the granules from first to last, which share a word.
uint64_t mask_of(uint64_t first, uint64_t last) {
    return (~uint64_t{0} >> (62 - 2 * (last - first))) << (2 * first % 64);
}

}  // namespace

bool Occupancy::open(size_t bytes) {
    const uint64_t granules = platform::round_up(bytes, word_granules << granule_shift) >> granule_shift;
    void* range = platform::reserve_pages(granules << granule_shift, platform::huge_page_bytes);
    if (range == nullptr) {
        return false;
    }
    // One word more than the range has, so that last_of may look one further.
    void* words =
        platform::reserve_pages((granules / word_granules + 1) * sizeof(uint64_t), platform::page_bytes());
    if (words == nullptr) {
        platform::unmap_pages(range, granules << granule_shift);
        return false;
    }
    open(reinterpret_cast<uintptr_t>(range), static_cast<uint64_t*>(words), granules);
    is_own_ = true;
    return true;
}

void Occupancy::open(uintptr_t base, uint64_t* words, uint64_t granules) {
    base_ = base;
    words_ = words;
    granules_ = granules;
    bytes_ = granules << granule_shift;
}

void Occupancy::close() {
    if (is_own_) {
        platform::unmap_pages(reinterpret_cast<void*>(base_), granules_ << granule_shift);
        platform::unmap_pages(words_, (granules_ / word_granules + 1) * sizeof(uint64_t));
    }
    *this = Occupancy();
}

// Small objects often lie in two words: too many for the general way.
bool Occupancy::claim_words(uint64_t first, uint64_t last) {
    if (first >= granules_ || last >= granules_ - first) {
        return false;
    }
    const uint64_t past = (first + last + 1) % word_granules;
    if (past == 0 || last >= word_granules || !spans_words(first, last)) {
        return claim_many(first, last);
    }
    const bool is_alone = alone();
    uint64_t* word = &words_[first / word_granules];
    const unsigned shift = 2 * first % 64;
    const uint64_t head = ~uint64_t{0} << shift;
    const uint64_t tail = (uint64_t{1} << (2 * past)) - 1;
    const uint64_t before = load(word[0]);
    if ((before & head) != 0 || (load(word[1]) & tail) != 0 ||
        !replace(is_alone, word[0], before, before | (head - (uint64_t{1} << shift)))) {
        return claim_many(first, last);
    }
    const uint64_t after = load(word[1]);
    if ((after & tail) == 0 && replace(is_alone, word[1], after, after | tail)) [[likely]] {
        return true;
    }
    release_words(first, first + word_granules - first % word_granules);
    return claim_many(first, last);
}

bool Occupancy::release_in_two_words(const void* object) {
    const uintptr_t offset = reinterpret_cast<uintptr_t>(object) - base_;
    uint64_t* word = &words_[offset / (word_granules * granule_bytes)];
    const unsigned shift = 2 * (offset / granule_bytes) % 64;
    const uint64_t head = ~uint64_t{0} << shift;
    const uint64_t head_bits = head - (uint64_t{1} << shift);
    if ((load(word[0]) & head) != head_bits || offset % granule_bytes != 0) {
        return false;
    }
    const uint64_t others = ~load(word[1]) & low_everywhere;
    if (others == 0) {
        return false;
    }
    const bool is_alone = alone();
    if (const uint64_t tail = (others & -others) - 1) {
        flip(is_alone, word[1], tail);
    }
    flip(is_alone, word[0], head_bits);
    return true;
}

// From the first word to the last.
bool Occupancy::claim_many(uint64_t first, uint64_t last) {
    const bool is_alone = alone();
    const uint64_t stop = first + last;
    uint64_t not_later = uint64_t{1} << (2 * first % 64);
    for (uint64_t from = first; from <= stop;) {
        const uint64_t word_last = from | (word_granules - 1);
        const uint64_t mask = mask_of(from, stop < word_last ? stop : word_last);
        uint64_t& word = words_[from / word_granules];
        const uint64_t before = load(word);
        if ((before & mask) != 0) {
            release_words(first, from);
            return false;
        }
        if (replace(is_alone, word, before, before | (mask - not_later))) {
            from = word_last + 1;
            not_later = 0;
        }
    }
    return true;
}

// Granules from first up to `past`, from the last word to the first. All are one owner's.
void Occupancy::release_words(uint64_t first, uint64_t past) {
    const bool is_alone = alone();
    while (first < past) {
        const uint64_t word_first = (past - 1) & ~(word_granules - 1);
        const uint64_t from = first > word_first ? first : word_first;
        uint64_t& word = words_[from / word_granules];
        flip(is_alone, word, load(word) & mask_of(from, past - 1));
        past = from;
    }
}

void Occupancy::release(const void* object, uint64_t granules) {
    const uint64_t first = granule_of(object);
    release_words(first, first + granules);
}

uint64_t Occupancy::extent(const void* object) const {
    require_object(object);
    const uint64_t first = granule_of(object);
    return last_of(first) - first + 1;
}

bool Occupancy::resize(const void* object, uint64_t granules) {
    require_object(object);
    const uint64_t first = granule_of(object);
    const uint64_t last = last_of(first);
    const uint64_t wanted = first + granules - 1;
    if (wanted <= last) {
        release_words(wanted + 1, last + 1);
        return true;
    }
    // The new part is claimed as an object of its own, whose first granule then becomes a later one of this.
    if (wanted >= granules_ || !claim(alone(), last + 1, wanted - last - 1)) {
        return false;
    }
    flip(alone(), words_[(last + 1) / word_granules], uint64_t{1} << (2 * (last + 1) % 64));
    return true;
}

unsigned Occupancy::state_of(uint64_t granule) const {
    return static_cast<unsigned>(load(words_[granule / word_granules]) >> (2 * granule % 64) & 3);
}

void Occupancy::require_object(const void* object) const {
    const unsigned state = state_of(granule_of(object));
    if (reinterpret_cast<uintptr_t>(object) % granule_bytes != 0 || state != 2) {
        platform::abort_with(state != 0 ? "free(): invalid pointer"
                                        : "free(): double free or invalid pointer");
    }
}

uint64_t Occupancy::last_of(uint64_t first) const {
    uint64_t word = (first + 1) / word_granules;
    // What says anything but "later", after the first granule.
    uint64_t others = ~load(words_[word]) & low_everywhere & (~uint64_t{0} << (2 * (first + 1) % 64));
    while (others == 0) {
        others = ~load(words_[++word]) & low_everywhere;
    }
    return word * word_granules + static_cast<unsigned>(__builtin_ctzll(others)) / 2 - 1;
}

uint64_t Occupancy::count_occupied(uint64_t first, uint64_t granules) const {
    uint64_t count = 0;
    for (uint64_t from = first; from < first + granules;) {
        const uint64_t word_last = from | (word_granules - 1);
        const uint64_t last = first + granules - 1 < word_last ? first + granules - 1 : word_last;
        const uint64_t bits = load(words_[from / word_granules]) & high_everywhere & mask_of(from, last);
        count += static_cast<unsigned>(__builtin_popcountll(bits));
        from = word_last + 1;
    }
    return count;
}

}  // namespace malloom::structures
