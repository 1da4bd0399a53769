#include "runtime/heaps/arrays/element_runs.h"

#include <string.h>

#include "runtime/platform/output.h"

namespace malloom::heaps {

namespace {

// Of runs in one list that may be too short.
constexpr unsigned most_looks = 16;

}  // namespace

void ElementRuns::open(uint8_t* tags, uintptr_t memory, size_t unit_bytes) {
    tags_ = tags;
    memory_ = memory;
    unit_bytes_ = unit_bytes;
}

ElementRuns::Taken ElementRuns::take_free(uint32_t units) {
    const uint32_t link = find(units);
    if (link == 0) {
        return {};
    }
    const uint32_t first = link - 1;
    const uint32_t had = length_at(first);
    const bool was_discarded = free_run(first).is_discarded != 0;
    unlist(first, had);
    if (had > units) {
        list(first + units, had - units, was_discarded);
    }
    set_tags(first, units, 0);
    end_idling(units, was_discarded);
    return {first, units, units, was_discarded};
}

void ElementRuns::end_idling(uint32_t units, bool were_discarded) {
    if (!were_discarded) {
        idle_units_ -= idle_units_ < units ? idle_units_ : units;
    }
}

ElementRuns::Taken ElementRuns::take_last(uint32_t units) {
    const uint32_t reused = last_free();
    const uint32_t first = end_ - reused;
    const bool was_discarded = reused != 0 && free_run(first).is_discarded != 0;
    if (reused != 0) {
        unlist(first, reused);
        end_idling(reused, was_discarded);
    }
    __atomic_store_n(&end_, first + units, __ATOMIC_RELAXED);
    set_tags(first, units, 0);
    return {first, units, reused, was_discarded};
}

uint32_t ElementRuns::give(uint32_t first) {
    const uint32_t units = length_at(first);
    const uint32_t before = free_before(first);
    const uint32_t behind = first + units;
    const uint32_t after = behind < end_ && begins_free(behind) ? length_at(behind) : 0;
    clear_tags(first, units);
    if (before != 0) {
        unlist(first - before, before);
    }
    if (after != 0) {
        unlist(behind, after);
    }
    list(first - before, before + units + after, false);
    idle_units_ += units;
    return units;
}

// Only whoever ends the program asks, so it may walk over all runs. What waits is free to the program.
bool ElementRuns::is_free(uint64_t unit) const {
    for (uint64_t first = 0; first < end_;) {
        const uint32_t units = length_at(static_cast<uint32_t>(first));
        if (unit < first + units) {
            return !is_used_begin(tag(first));
        }
        first += units;
    }
    return false;
}

bool ElementRuns::is_any_used() const {
    for (uint64_t first = 0; first < end_; first += length_at(static_cast<uint32_t>(first))) {
        if (is_used_begin(tag(first))) {
            return true;
        }
    }
    return false;
}

bool ElementRuns::is_valid() const noexcept {
    uint64_t first = 0;
    for (bool was_free = false; first < end_;) {
        const auto begin = static_cast<uint32_t>(first);
        const uint32_t units = length_at(begin);
        const bool is_free = begins_free(begin);
        first += units;
        if (units == 0 || first > end_ || (is_free && was_free) ||
            free_before(static_cast<uint32_t>(first)) != (is_free ? units : 0)) {
            return false;
        }
        was_free = is_free;
    }
    for (unsigned list = 0; list < lists; ++list) {
        if ((heads_[list] != 0) != ((filled_[list / 64] >> list % 64 & 1) != 0)) {
            return false;
        }
    }
    return true;
}

unsigned ElementRuns::list_of(uint32_t units) {
    if (units < exact_lists) {
        return units;
    }
    const auto top = static_cast<unsigned>(31 - __builtin_clz(units));
    return exact_lists + (top - exact_bits) * lists_a_doubling +
           ((units >> (top - 2)) & (lists_a_doubling - 1));
}

// Of a run in use or free, whose first unit it is.
uint32_t ElementRuns::length_at(uint32_t first) const {
    const uint8_t length = tag(first) & length_bits;
    if (length != long_run) {
        return length < long_run ? length : length - waiting;
    }
    uint64_t units = 0;
    for (unsigned digit = 1; digit <= digits; ++digit) {
        units = units << digit_bits | (tags_[first + digit] & length_bits);
    }
    return static_cast<uint32_t>(units);
}

// The length of the free run that ends where the unit begins; 0 where none does.
uint32_t ElementRuns::free_before(uint32_t unit) const {
    if (unit == 0 || tag(unit - 1) <= free_bit) {
        return 0;
    }
    const uint8_t length = tag(unit - 1) & length_bits;
    return length != long_run ? length : length_at(unit - 1 - digits - 1);
}

// `state` is free_bit or 0. A free run has its tag at its last unit too, so that who comes behind finds its
// begin; before a long one's stands a copy of the tag and the digits from its begin.
void ElementRuns::set_tags(uint32_t first, uint32_t units, uint8_t state) {
    const bool is_long = units >= long_run;
    const auto both_ends = static_cast<uint8_t>(state | (is_long ? long_run : units));
    uint8_t* begin = tags_ + first;
    set_tag(first, both_ends);
    for (unsigned digit = 1; is_long && digit <= digits; ++digit) {
        begin[digit] = static_cast<uint8_t>(units >> ((digits - digit) * digit_bits) | free_bit);
    }
    if (state != 0 && is_long) {
        memcpy(begin + units - 1 - digits - 1, begin, digits + 1);
    }
    if (state != 0) {
        set_tag(first + units - 1, both_ends);
    }
}

void ElementRuns::clear_tags(uint32_t first, uint32_t units) {
    const bool is_long = units >= long_run;
    uint8_t* begin = tags_ + first;
    if (is_long) {
        memset(begin, 0, digits + 1);
        memset(begin + units - 1 - digits - 1, 0, digits + 1);
    }
    set_tag(first, 0);
    set_tag(first + units - 1, 0);
}

void ElementRuns::list(uint32_t first, uint32_t units, bool is_discarded) {
    set_tags(first, units, free_bit);
    const unsigned number = list_of(units);
    uint32_t& head = heads_[number];
    free_run(first) = {head, 0, is_discarded ? 1U : 0U};
    if (head != 0) {
        free_run(head - 1).before = (first + 1) & link_mask;
    }
    head = first + 1;
    filled_[number / 64] |= uint64_t{1} << number % 64;
}

// What the program wrote into memory that it had given back must not lead anywhere.
void ElementRuns::unlist(uint32_t first, uint32_t units) {
    const FreeRun run = free_run(first);
    const unsigned number = list_of(units);
    uint32_t& head = heads_[number];
    const bool is_head = head == first + 1;
    if (!is_linked(run.next) || !is_linked(run.before) || (run.before == 0) != is_head) {
        platform::abort_with("malloom: an object was written to after it was freed");
    }
    if (run.next != 0) {
        free_run(run.next - 1).before = run.before;
    }
    if (is_head) {
        head = run.next;
    } else {
        free_run(run.before - 1).next = run.next;
    }
    if (head == 0) {
        filled_[number / 64] &= ~(uint64_t{1} << number % 64);
    }
    clear_tags(first, units);
}

// A link to a free run of at least so many units, or 0.
uint32_t ElementRuns::find(uint32_t units) const {
    const unsigned own = list_of(units);
    if (own >= exact_lists) {
        const uint32_t found = find_in_list(own, units);
        if (found != 0) {
            return found;
        }
    }
    const uint32_t found = first_of_lists(own < exact_lists ? own : own + 1);
    const uint32_t last = last_free();
    return found != 0 ? found : last >= units ? end_ - last + 1 : 0;
}

uint32_t ElementRuns::find_in_list(unsigned list, uint32_t units) const {
    uint32_t link = heads_[list];
    for (unsigned looks = 1; link != 0 && length_at(link - 1) < units; ++looks) {
        const uint32_t next = free_run(link - 1).next;
        link = looks < most_looks && is_linked(next) ? next : 0;
    }
    return link;
}

uint32_t ElementRuns::first_of_lists(unsigned from) const {
    for (unsigned word = from / 64; word < sizeof filled_ / sizeof *filled_; ++word) {
        const uint64_t wanted = word == from / 64 ? ~uint64_t{0} << from % 64 : ~uint64_t{0};
        if ((filled_[word] & wanted) != 0) {
            return heads_[word * 64 + static_cast<unsigned>(__builtin_ctzll(filled_[word] & wanted))];
        }
    }
    return 0;
}

}  // namespace malloom::heaps
