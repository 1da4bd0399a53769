// Requests of contexts that are used together, one after the other in chunks of their group's own.
//
// All groups share one reserved range, an equal span each, so an address gives its group and its chunk by
// shifts. A group fills one chunk at a time. A chunk counts the objects that it got (when it is full) and the
// objects that were freed; when both are equal it is empty, and is filled again or gives its pages back.
// Lock-free.
#pragma once

#include "runtime/heaps/heap.h"
#include "runtime/heaps/plan_file.h"
#include "runtime/structures/index_stack.h"
#include "runtime/structures/occupancy.h"

namespace malloom::heaps {

class GroupHeap {
  public:
    /// Reserves address space for the plan's groups. False where there are none or address space is short;
    /// the heap then claims nothing. Called once.
    bool open(const PlanFile& plan);
    void close();

    void* allocate(const Request& request) {
        const uint32_t number = request.requester->group;
        return number < count_ ? allocate_in(groups_[number], request)
                               : nullptr;  // no_group is beyond any count
    }
    void deallocate(void* object);
    bool owns(const void* object) const { return occupancy_.owns(object); }
    size_t usable_size(const void* object) const {
        return occupancy_.extent(object) * structures::granule_bytes;
    }

    uint32_t count() const { return count_; }
    /// Groups that held too much memory for what lived in them, and stopped.
    uint32_t stopped() const;

    bool resize(void* object, const Request& request) const {
        return fits_room(structures::last_granule(request.bytes) + 1, occupancy_.extent(object));
    }

  private:
    // `cursor` says where the next object goes and how many objects the chunk got, in one word: the granule
    // within the group's span (low 36 bits) and the objects (high 28 bits). 0: no chunk to fill yet.
    struct alignas(64) Group {
        uint64_t cursor;
        uint64_t maximum_granules;  ///< larger requests are not claimed
        uint32_t chunk_shift;       ///< log2 of the granules of a chunk
        bool is_stopped;
        uint64_t fresh_chunks;  ///< chunks that were ever taken from the span
        uint64_t kept_chunks;   ///< empty chunks that keep their pages
        uint64_t check_at;      ///< fresh chunks at which the share of live memory is looked at again
        structures::IndexStack kept;
        structures::IndexStack discarded;
        uint64_t* living;  ///< per chunk: objects it got (added when it is full) minus objects freed
        uint32_t* links;   ///< per chunk: of the two stacks
    };

    void* allocate_in(Group& group, const Request& request);
    bool start_chunk(Group& group, uint64_t cursor);
    void finish_chunk(Group& group, uint32_t chunk, uint64_t objects);
    void put_back(Group& group, uint32_t chunk);
    uint32_t take_chunk(Group& group);
    bool may_grow(Group& group);
    void describe(Group& group, const formats::plan::PlanGroup& plan) const;
    static uint64_t chunk_of(const Group& group, uint64_t cursor);
    static uint64_t chunk_end(const Group& group, uint64_t cursor);
    uint64_t chunks_in_span(const Group& group) const {
        return uint64_t{1} << (span_shift_ - group.chunk_shift);
    }
    uint64_t span_start(const Group& group) const {
        return static_cast<uint64_t>(&group - groups_) << span_shift_;
    }

    structures::Occupancy occupancy_;
    Group* groups_ = nullptr;
    uint32_t count_ = 0;
    uint32_t span_shift_ = 0;  ///< log2 of the granules of a group's span
    size_t table_bytes_ = 0;
};

static_assert(ClaimingHeap<GroupHeap>);

}  // namespace malloom::heaps
