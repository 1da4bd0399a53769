// The general allocators behind the planned heaps: mimalloc or the C library. They serve what no other heap
// claims, and take care of every pointer that no heap here has handed out. Of what mimalloc serves they
// notice frees of what is no object where they are asked to, as the C library does; mimalloc does not.
#pragma once

#include "runtime/heaps/fallback/mimalloc_memory.h"
#include "runtime/heaps/fallback/mimalloc_port.h"
#include "runtime/heaps/fallback/next_allocator.h"
#include "runtime/heaps/fallback/object_marks.h"
#include "runtime/heaps/heap.h"

namespace malloom::heaps {

/// Which one; chosen once at start, before the first request. The checked one is plain where there is no
/// address space for marks. Where a libmimalloc is loaded, either is as the system's: the next allocator is
/// then that one, and the program may mix its functions with malloc's.
enum class FallbackKind : uint8_t { mimalloc, checked_mimalloc, system };

/// What a free, or a realloc, of an address that is no object turns out to be.
enum class FallbackMisuse : uint8_t { freed_twice, no_object };

/// Until `choose` it is the C library's.
class FallbackHeap {
  public:
    /// `trusted_up_to` is for NextAllocator::trust_up_to, where mimalloc does not serve; 0: for ever.
    void choose(FallbackKind kind, const MimallocTuning& tuning = {}, size_t trusted_up_to = 0);

    [[gnu::always_inline]] void* allocate(const Request& request) {
        if (request.bytes < limit_ && request.alignment <= granule) [[likely]] {
            if (void* object = mi_malloc(at_least_granule(request.bytes))) [[likely]] {
                return object;
            }
        }
        return allocate_slow(request.bytes, request.alignment);
    }

    /// Requests below it are for the plain functions. Kept by the caller, so that its common case asks one
    /// question only. 0 where mimalloc does not serve, or its objects have marks.
    size_t plain_end() const { return limit_; }

    /// Whether the next allocator serves all of it. What malloc gets then is next_allocator's.
    bool is_system() const { return !has_mimalloc(); }

    /// Called at a misuse, with the address; the program ends when it returns. Before the first request.
    using OnMisuse = void (*)(FallbackMisuse, const void* object);
    void on_misuse(OnMisuse ends_program) { on_misuse_ = ends_program; }

    /// For who has nothing else to ask, while there are such: all that an entry of the malloc family has to
    /// do. The next allocator's take every object for that one's, or for the C library's: none may be of
    /// another heap.
    const malloom_entries& plain() const { return limit_ != 0 ? malloom_mimalloc_entries : *watched_; }
    bool has_plain(bool may_be_of_others) const {
        return limit_ != 0 || (next_allocator.is_watched() && !may_be_of_others);
    }
    /// Where those go on with what is rare, or none of mimalloc's, and where there is no memory. Who has
    /// copied them is told when they change, as by NextAllocator. Before the first request.
    void leave_others_to(const malloom_entries& others, NextAllocator::OnLeft told = nullptr,
                         void* argument = nullptr) {
        malloom_mimalloc_others = others;
        if (next_allocator.is_watched()) {
            watched_ = &next_allocator.entries(others, told, argument);
        }
    }
    static constexpr size_t largest_plain_alignment = malloom_mimalloc_most_alignment;

    /// Whether the object is mimalloc's beyond doubt, so that deallocate_plain may have it.
    [[gnu::always_inline]] static bool owns_plain(const void* object) {
        return mimalloc_memory.owns_plain(object);
    }
    [[gnu::always_inline]] static void deallocate_plain(void* object) { mi_free(object); }

    /// Requests below it are mimalloc's and their objects get marks, of alignments up to
    /// largest_plain_alignment too; 0 where none get any. These serve them; null where mimalloc has no
    /// memory.
    size_t marked_end() const { return checked_limit_; }
    [[gnu::always_inline]] void* allocate_marked(size_t bytes) {
        return marked(mi_malloc(at_least_granule(bytes)));
    }
    [[gnu::always_inline]] void* allocate_marked_zeroed(size_t bytes) {
        return marked(mi_zalloc(at_least_granule(bytes)));
    }
    [[gnu::always_inline]] void* allocate_marked_aligned(size_t alignment, size_t bytes) {
        return marked(mi_malloc_aligned(at_least_granule(bytes), alignment));
    }
    /// Of an address where marks may be, so that no other heap need be asked for it.
    [[gnu::always_inline]] bool may_have_mark(const void* object) const { return marks_.covers(object); }
    [[gnu::noinline]] void deallocate_marked(void* object);

    /// A heap of mimalloc's for a call site's requests of so many bytes, as malloom_mimalloc_add_heap;
    /// no_heap too where plain_end() is 0 or they are not below it.
    static constexpr uint32_t no_heap = malloom_mimalloc_no_heap;
    uint32_t add_heap(size_t bytes) const {
        return bytes < limit_ ? malloom_mimalloc_add_heap(bytes) : no_heap;
    }

    /// Whether the object lies in such a heap.
    static bool is_of_a_site(const void* object) {
        return mimalloc_memory.owns(object) && malloom_mimalloc_is_in_heap(object);
    }

    /// Whether a block of mimalloc's of `had` bytes stays where it is reallocated to so many, as in mimalloc.
    static bool stays(size_t had, size_t bytes) { return bytes <= had && bytes >= had / 2; }

    /// `request.alignment` is 0.
    void* allocate_zeroed(const Request& request);
    void* reallocate(void* object, const Request& request);

    // Not inlined: whoever frees into a heap before this one should not pay for its registers.
    [[gnu::noinline]] void deallocate(void* object);

    /// A misuse, where that shows without freeing it. For who reads an object before it frees it.
    void expect_object(const void* object) {
        if (marks_.covers(object) && !marks_.is_object(object)) [[unlikely]] {
            expect_unmarked(object);
        }
    }

    /// Whether it is an object that has a mark. Any pointer.
    bool has_mark(const void* object) const { return marks_.covers(object) && marks_.is_object(object); }

    /// As MimallocMemory::on_growth.
    static void on_growth(MimallocMemory::OnGrowth told, void* argument) {
        mimalloc_memory.on_growth(told, argument);
    }

    /// From now on mimalloc makes no call of the system that the C library does not make too.
    void ask_system_less() const;
    /// From now on mimalloc keeps the memory that it has, and it gets some in advance.
    void ask_system_no_more() const;
    /// Memory goes back again, as before the last call of ask_system_no_more.
    void ask_system_again() const;

    bool owns(const void*) const { return true; }
    size_t usable_size(const void* object) const;

  private:
    static constexpr size_t granule = ObjectMarks::granule;

    // mimalloc aligns objects of 8 bytes to 8; the C library aligns all to 16.
    static size_t at_least_granule(size_t bytes) { return bytes > 8 ? bytes : 16; }

    [[gnu::always_inline]] void* marked(void* object) {
        if (object != nullptr) [[likely]] {
            marks_.begin(object);
        }
        return object;
    }
    [[gnu::noinline]] void* allocate_slow(size_t bytes, size_t alignment);
    [[gnu::noinline]] void* allocate_checked(size_t bytes, size_t alignment);
    [[gnu::noinline]] void* allocate_unchecked(size_t bytes, size_t alignment);
    [[gnu::noinline, gnu::cold]] void expect_unmarked(const void* object) const;
    void* reallocate_checked(void* object, size_t bytes);
    [[gnu::cold]] void* reallocate_interrupted(void* object, const Request& request);

    bool has_mimalloc() const { return limit_ != 0 || checked_limit_ != 0; }

    const malloom_entries* watched_ = nullptr;  ///< of the next allocator
    size_t limit_ = 0;          ///< requests below it are mimalloc's, and nobody looks at their objects
    size_t checked_limit_ = 0;  ///< requests below it are mimalloc's, and their objects have marks
    ObjectMarks marks_;
    OnMisuse on_misuse_ = nullptr;
};

static_assert(CompleteHeap<FallbackHeap>);

}  // namespace malloom::heaps
