#include "runtime/structures/occupancy.h"

#include <sched.h>

#include "runtime/platform/memory.h"
#include "runtime/platform/output.h"

namespace malloom::structures {

namespace {

constexpr uint64_t word_granules = 64;

uint64_t bit_of(uint64_t granule) {
    return uint64_t{1} << (granule % word_granules);
}

// The bits of granules first to first + count - 1 as far as they lie in first's word.
uint64_t mask_in_word(uint64_t first, uint64_t count) {
    const uint64_t room = word_granules - first % word_granules;
    const uint64_t bits = count < room ? count : room;
    return (~uint64_t{0} >> (word_granules - bits)) << (first % word_granules);
}

// Calls visit(word index, mask) for every word of the granules, until it says false; gives the granule it
// stopped at.
template <typename Visit>
uint64_t for_each_word(uint64_t first, uint64_t count, Visit&& visit) {
    const uint64_t past = first + count;
    while (first < past) {
        if (!visit(first / word_granules, mask_in_word(first, past - first))) {
            break;
        }
        first = (first / word_granules + 1) * word_granules;
    }
    return first < past ? first : past;
}

bool set_bits(uint64_t& word, uint64_t mask) {
    const bool is_alone = alone();
    for (;;) {
        const uint64_t before = load(word);
        if ((before & mask) != 0) {
            return false;
        }
        if (replace(is_alone, word, before, before | mask)) {
            return true;
        }
    }
}

}  // namespace

bool Occupancy::open(size_t bytes) {
    const uint64_t granules = platform::round_up(bytes, word_granules << granule_shift) >> granule_shift;
    void* range = platform::reserve_pages(granules << granule_shift, platform::huge_page_bytes);
    if (range == nullptr) {
        return false;
    }
    // One word more than the range has, so that end_of may look one further.
    void* words =
        platform::reserve_pages((granules / word_granules + 1) * sizeof(Word), platform::page_bytes());
    if (words == nullptr) {
        platform::unmap_pages(range, granules << granule_shift);
        return false;
    }
    base_ = reinterpret_cast<uintptr_t>(range);
    words_ = static_cast<Word*>(words);
    granules_ = granules;
    bytes_ = granules << granule_shift;
    return true;
}

void Occupancy::close() {
    platform::unmap_pages(reinterpret_cast<void*>(base_), granules_ << granule_shift);
    if (granules_ != 0) {
        platform::unmap_pages(words_, (granules_ / word_granules + 1) * sizeof(Word));
    }
    *this = Occupancy();
}

bool Occupancy::claim_words(uint64_t first, uint64_t last) {
    if (first >= granules_ || last >= granules_ - first) {
        return false;
    }
    const Word* interrupted = begin_change(words_[(first + last) / word_granules]);
    const bool done = last < word_granules ? claim_pair(first, last) : claim_many(first, last);
    end_change(interrupted);
    return done;
}

bool Occupancy::claim_many(uint64_t first, uint64_t last) {
    const uint64_t count = last + 1;
    const uint64_t stopped = for_each_word(
        first, count, [this](uint64_t i, uint64_t mask) { return set_bits(words_[i].occupied, mask); });
    if (stopped != first + count) {
        release_bits(first, stopped - first);
        return false;
    }
    flip_end(first + last);
    return true;
}

// Small objects that lie in two words: too many for the general way.
bool Occupancy::claim_pair(uint64_t first, uint64_t last) {
    Word* word = &words_[first / word_granules];
    const uint64_t head = -bit_of(first);
    const uint64_t end = bit_of(first + last);
    if (!set_bits(word[0].occupied, head)) {
        return false;
    }
    if (!set_bits(word[1].occupied, end + end - 1)) {
        flip(alone(), word[0].occupied, head);
        return false;
    }
    flip(alone(), word[1].ends, end);
    return true;
}

void Occupancy::release_bits(uint64_t first, uint64_t granules) {
    const bool is_alone = alone();
    for_each_word(first, granules, [this, is_alone](uint64_t i, uint64_t mask) {
        flip(is_alone, words_[i].occupied, mask);
        return true;
    });
}

void Occupancy::flip_end(uint64_t granule) {
    flip(alone(), words_[granule / word_granules].ends, bit_of(granule));
}

void Occupancy::release(const void* object, uint64_t granules) {
    const uint64_t first = granule_of(object);
    const Word* interrupted = begin_change(words_[(first + granules - 1) / word_granules]);
    flip_end(first + granules - 1);
    release_bits(first, granules);
    end_change(interrupted);
}

uint64_t Occupancy::extent(const void* object) const {
    require_object(object);
    const uint64_t first = granule_of(object);
    return end_of(first) - first + 1;
}

bool Occupancy::resize(const void* object, uint64_t granules) {
    const uint64_t first = granule_of(object);
    const uint64_t last = end_of(first);
    const uint64_t wanted = first + granules - 1;
    if (wanted == last) {
        return true;
    }
    if (wanted < last) {
        flip_end(wanted);
        flip_end(last);
        release_bits(wanted + 1, last - wanted);
        return true;
    }
    // The new part is claimed as an object of its own; without the old end it becomes one with the old part.
    if (wanted >= granules_ || !claim(alone(), last + 1, wanted - last - 1)) {
        return false;
    }
    flip_end(last);
    return true;
}

bool Occupancy::begins_object(uint64_t granule) const {
    if ((load(words_[granule / word_granules].occupied) & bit_of(granule)) == 0) {
        return false;
    }
    if (granule == 0) {
        return true;
    }
    const Word& word = words_[(granule - 1) / word_granules];
    if (alone() && __atomic_load_n(&changing_, __ATOMIC_RELAXED) == &word) {
        return true;
    }
    return (load(word.occupied) & ~load(word.ends) & bit_of(granule - 1)) == 0;
}

void Occupancy::require_object(const void* object) const {
    if (reinterpret_cast<uintptr_t>(object) % granule_bytes != 0) {
        platform::abort_with("free(): invalid pointer");
    }
    const uint64_t granule = granule_of(object);
    // The object before this one may be halfway through its claim or its release in another thread.
    for (unsigned attempt = 0; attempt < 10000; ++attempt) {
        if (begins_object(granule)) {
            return;
        }
        sched_yield();
    }
    const bool taken = (load(words_[granule / word_granules].occupied) & bit_of(granule)) != 0;
    platform::abort_with(taken ? "free(): invalid pointer" : "free(): double free or invalid pointer");
}

uint64_t Occupancy::end_of(uint64_t granule) const {
    uint64_t index = granule / word_granules;
    uint64_t ends = load(words_[index].ends) & -bit_of(granule);
    while (ends == 0 && ++index <= granules_ / word_granules) {
        ends = load(words_[index].ends);
    }
    if (ends == 0) {
        platform::abort_with("malloom: the heap's bits are damaged");
    }
    return index * word_granules + static_cast<unsigned>(__builtin_ctzll(ends));
}

uint64_t Occupancy::count_occupied(uint64_t first, uint64_t granules) const {
    uint64_t count = 0;
    for_each_word(first, granules, [this, &count](uint64_t i, uint64_t mask) {
        count += static_cast<unsigned>(__builtin_popcountll(load(words_[i].occupied) & mask));
        return true;
    });
    return count;
}

}  // namespace malloom::structures
