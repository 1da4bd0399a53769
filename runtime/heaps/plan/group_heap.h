// Requests of contexts that are used together, one after the other in chunks of their group's own.
//
// All groups share one range of addresses, an equal span each, so an address gives its group and its chunk by
// shifts. Of a span only so much is mapped as chunks were taken of it, in steps: what is not counts nowhere.
// A group fills one chunk at a time. A chunk counts the objects that it got (when it is full) and the objects
// that were freed; when both are equal it is empty, and is filled again or gives its pages back. The chunk
// that is being filled begins again where all it got is freed, so what is freed at once stays in the cache.
// Lock-free.
#pragma once

#include "runtime/heaps/plan/plan_file.h"
#include "runtime/heaps/plan/planned_context.h"
#include "runtime/structures/alone.h"
#include "runtime/structures/freestanding/index_stack.h"
#include "runtime/structures/growing_range.h"
#include "runtime/structures/occupancy.h"

namespace malloom::heaps {

class GroupHeap {
  public:
    /// Finds addresses for the plan's groups. False where there are none or address space is short;
    /// the heap then claims nothing. Called once. With `in_huge_pages` what they fill becomes huge pages,
    /// but for groups that the plan keeps in small ones.
    bool open(const PlanFile& plan, bool in_huge_pages = false);
    void close();

    /// May map more, which a child that is forked in the middle would not know of, and not have again.
    void* allocate(const Request& request) {
        if (void* object = allocate_at_hand(request)) {
            return object;
        }
        return may_grow_for(request) ? allocate_in(groups_[number_of(request)], request) : nullptr;
    }
    /// The same where that is not needed; else null.
    void* allocate_at_hand(const Request& request) {
        return request.alignment <= structures::granule_bytes
                   ? allocate_small(request.bytes, number_of(request))
                   : nullptr;
    }
    /// Whether a group serves requests like this one.
    bool may_grow_for(const Request& request) const {
        const uint32_t number = number_of(request);
        return number < count_ && structures::last_granule(request.bytes) < groups_[number].maximum_granules;
    }

    /// The common case of allocate, with the default alignment: the group's chunk has room. Null, and nothing
    /// has changed, where it is another; any number is allowed, no_group is beyond all.
    [[gnu::always_inline]] void* allocate_small(size_t bytes, uint32_t number) {
        if (number >= count_) [[unlikely]] {
            return nullptr;
        }
        Group& group = groups_[number];
        const uint64_t cursor = structures::load(group.cursor);
        const uint64_t last = structures::last_granule(bytes);
        const uint64_t left = group.chunk_mask - (cursor & group.chunk_mask);
        if (last >= left || last >= group.maximum_granules) [[unlikely]] {
            return nullptr;
        }
        const bool is_alone = structures::alone();
        if (!structures::replace(is_alone, group.cursor, cursor, cursor + one_object + last + 1))
            [[unlikely]] {
            return nullptr;
        }
        return claim(is_alone, group, cursor & cursor_granule_mask, last);
    }

    [[gnu::always_inline]] void deallocate(void* object) {
        const bool is_alone = structures::alone();
        if (is_reached(object) && occupancy_.release_small(is_alone, object)) [[likely]] {
            count_gone(is_alone, object);
        } else {
            deallocate_any(object);
        }
    }
    bool owns(const void* object) const { return occupancy_.owns(object); }
    size_t usable_size(const void* object) const { return extent(object) * structures::granule_bytes; }

    uint32_t count() const { return count_; }
    /// Groups that held too much memory for what lived in them, and stopped. They serve on from what they
    /// hold.
    uint32_t stopped() const;
    /// Whether the group is one of them. Any number is allowed.
    bool has_stopped(uint32_t number) const {
        return number < count_ && __atomic_load_n(&groups_[number].is_stopped, __ATOMIC_RELAXED);
    }

    bool resize(void* object, const Request& request) const {
        return fits_room(structures::last_granule(request.bytes) + 1, extent(object));
    }

  private:
    static uint32_t number_of(const Request& request) {
        return __atomic_load_n(&request.requester->group, __ATOMIC_RELAXED);
    }

    // `cursor` says where the next object goes and how many objects the chunk got, in one word: the granule
    // within the group's span (low 36 bits) and the objects (high 28 bits). The last granule of a chunk stays
    // unused, so that a full chunk is told from the beginning of the next. Chunk 0 is filled first.
    struct alignas(64) Group {
        uint64_t cursor;
        uint64_t chunk_mask;        ///< granules of a chunk, minus one
        uint64_t maximum_granules;  ///< larger requests are not claimed
        uint64_t first_granule;     ///< where the group's span begins
        uint64_t* living;           ///< per chunk: objects it got (added when it is full) minus objects freed
        uint32_t chunk_shift;       ///< log2 of the granules of a chunk
        bool is_stopped;
        uint8_t refusals;       ///< by the system in a row, of memory for another chunk
        uint64_t fresh_chunks;  ///< chunks that were ever taken from the span
        uint64_t kept_chunks;   ///< empty chunks that keep their pages
        uint64_t check_at;      ///< fresh chunks at which the share of live memory is looked at again
        structures::IndexStack kept;
        structures::IndexStack discarded;
        uint32_t* links;  ///< per chunk: of the two stacks
    };

    // What a group has of memory, as far as its fresh chunks reach.
    struct Memory {
        structures::GrowingRange objects;
        structures::GrowingRange bits;  ///< of the objects' occupancy
        structures::GrowingRange living;
        structures::GrowingRange links;
        uint64_t huge_from;  ///< bytes from which on what the group fills is to be huge pages; none: its span
    };

    // Granules of a chunk before which it is not begun again: to begin costs more than a few more lines, as
    // the next request then waits until what this one stores is in the cache.
    static constexpr uint64_t worth_beginning_again = 4096 / structures::granule_bytes - 1;

    static constexpr unsigned cursor_granule_bits = 36;
    static constexpr uint64_t cursor_granule_mask = (uint64_t{1} << cursor_granule_bits) - 1;
    static constexpr uint64_t one_object = uint64_t{1} << cursor_granule_bits;

    /// Whether the address lies in a chunk that was taken once. Of others nothing is mapped, not even what
    /// tells an object from none.
    [[gnu::always_inline]] bool is_reached(const void* object) const {
        if (!occupancy_.owns(object)) [[unlikely]] {
            return false;
        }
        const uint64_t granule = occupancy_.granule_of(object);
        const Group& group = groups_[granule >> span_shift_];
        return (granule - group.first_granule) >> group.chunk_shift < structures::load(group.fresh_chunks);
    }
    /// As of Occupancy, for any address.
    uint64_t extent(const void* object) const;

    // Null where the granules are taken, which should not be.
    [[gnu::always_inline]] void* claim(bool is_alone, const Group& group, uint64_t place, uint64_t last) {
        const uint64_t first = group.first_granule + place;
        return occupancy_.claim(is_alone, first, last) ? occupancy_.address(first) : nullptr;
    }
    [[gnu::always_inline]] void count_gone(bool is_alone, const void* object) {
        const uint64_t granule = occupancy_.granule_of(object);
        Group& group = groups_[granule >> span_shift_];
        const uint64_t chunk = (granule - group.first_granule) >> group.chunk_shift;
        const uint64_t gone = 1 - structures::fetch_add(is_alone, group.living[chunk], ~uint64_t{0});
        // Fewer than none live in a chunk that is being filled.
        const uint64_t cursor = structures::load(group.cursor);
        const bool is_all = gone == cursor >> cursor_granule_bits;
        if ((is_all && (cursor & group.chunk_mask) >= worth_beginning_again) || gone == 0) [[unlikely]] {
            empty_chunk(group, static_cast<uint32_t>(chunk), gone);
        }
    }
    [[gnu::noinline]] void deallocate_any(void* object);
    [[gnu::noinline]] void empty_chunk(Group& group, uint32_t chunk, uint64_t gone);
    [[gnu::noinline]] void* allocate_in(Group& group, const Request& request);
    bool start_chunk(Group& group, uint64_t cursor);
    void finish_chunk(Group& group, uint32_t chunk, uint64_t objects);
    void put_back(Group& group, uint32_t chunk);
    uint32_t take_chunk(Group& group);
    bool may_grow(Group& group);
    bool open_spans(uint64_t count);
    bool open_memory(uint64_t count);
    void describe(Group& group, const formats::plan::PlanGroup& plan) const;
    /// Where huge pages begin, in bytes of the group's span.
    uint64_t huge_from(const formats::plan::PlanGroup& plan) const;
    bool reach(Group& group, uint64_t chunks);
    Memory& memory_of(const Group& group) { return memory_[&group - groups_]; }
    static uint64_t chunk_of(const Group& group, uint64_t cursor) {
        return (cursor & cursor_granule_mask) >> group.chunk_shift;
    }
    /// Whether the group fills a chunk of its own span that was taken from there, and its shifts and masks
    /// agree. A few comparisons. Thread-safe.
    bool is_valid(const Group& group) const noexcept;
    uint64_t chunks_in_span(const Group& group) const {
        return uint64_t{1} << (span_shift_ - group.chunk_shift);
    }

    structures::Occupancy occupancy_;
    platform::AddressSpan span_;
    Group* groups_ = nullptr;
    Memory* memory_ = nullptr;
    uint32_t count_ = 0;
    uint32_t span_shift_ = 0;  ///< log2 of the granules of a group's span
    size_t table_bytes_ = 0;   ///< of groups_ and memory_
};

static_assert(ClaimingHeap<GroupHeap>);

}  // namespace malloom::heaps
