// What include/malloom/bins.h promises, looked at on the machine that this runs on.
#pragma once

#include "tests/runtime/heaps/bins/on_boards/heap_in_use.h"

namespace malloom::tests::on_boards {

class Conformance {
  public:
    Conformance(const Surroundings& here, Expectations& expectations)
        : here_(here), expectations_(expectations) {}

    void run() {
        constexpr unsigned checked = MALLOOM_BINS_CLEAR_ON_FREE | MALLOOM_BINS_CHECKED_LINKS;
        constexpr unsigned option_sets[] = {0, MALLOOM_BINS_BOUNDED, checked | MALLOOM_BINS_THOROUGH,
                                            MALLOOM_BINS_BOUNDED | checked};
        for (const unsigned options : option_sets) {
            align(options);
            resize(options);
            clear(options);
            exhaust(options);
            prefer_fast_memory(options);
            let_regions_come_and_go(options);
            free_later(options);
            rehash(options);
            count_one_in_some(options);
            rehash_by_what_is_there(options);
        }
        tell_owners();
        count_insertions_and_extractions();
        count_steps();
    }

    size_t objects() const { return objects_; }

  private:
    static constexpr size_t guard_bytes = 64;

    void begin(const char* part) { expectations_.begin(part); }

    void align(unsigned options) {
        begin("alignment");
        for (size_t alignment = sizeof(void*); alignment <= 256; alignment *= 2) {
            HeapInUse use(here_, expectations_, {.alignment = alignment, .options = options});
            use.add(3, 64U << 10);
            for (size_t bytes = 0; bytes < 400; bytes += 13) {
                use.expect(use.allocate(bytes) != nullptr, "there is room", bytes);
            }
            for (size_t asked = 1; asked <= 2048; asked *= 2) {
                use.expect(use.allocate_aligned(asked, 40) != nullptr, "there is room", asked);
            }
            release_some_apart(use);
            use.expect_whole();
            release_all(use, 1);
        }
    }

    void resize(unsigned options) {
        begin("realloc");
        HeapInUse use(here_, expectations_, {.options = options});
        use.add(0, 64U << 10);
        constexpr size_t sizes[] = {100, 5'000, 50, 3'000, 0, 777, 778, 20'000, 1};
        use.allocate(10);
        use.allocate(11);
        for (const size_t bytes : sizes) {
            // They take turns.
            use.expect(use.resize(0, bytes) != nullptr, "there is room", bytes);
            use.expect_whole();
        }
        use.expect(use.resize(0, 1U << 20) == nullptr, "what is larger than the heap gets nothing");
        use.expect_whole();
        release_all(use, 1);
    }

    void clear(unsigned options) {
        begin("calloc");
        HeapInUse use(here_, expectations_, {.options = options});
        use.add(0, 16U << 10);
        for (int round = 0; round < 3; ++round) {
            for (size_t bytes = 0; bytes < 300; bytes += 37) {
                use.expect(use.allocate_zeroed(3, bytes) != nullptr, "there is room", bytes);
            }
            release_all(use, 1);
        }
        use.expect(malloom_bins_calloc(&use.heap, SIZE_MAX / 2, 3) == nullptr, "products overflow");
        use.expect(use.has_heard(MALLOOM_BINS_NO_MEMORY), "the owner hears of it");
    }

    void exhaust(unsigned options) {
        begin("exhaustion");
        constexpr size_t region_bytes = 8U << 10;
        fill(here_.memory, region_bytes + 2 * guard_bytes, 0xa5);
        HeapInUse use(here_, expectations_, {.options = options});
        use.add(guard_bytes, region_bytes);
        const size_t largest = use.statistics().largest_bytes;
        for (int round = 0; round < 2; ++round) {
            while (use.allocate(100) != nullptr) {
            }
            const unsigned most = use.count();
            use.expect(most >= region_bytes * 7 / 8 / 112, "little is lost", most);
            use.expect(use.has_heard(MALLOOM_BINS_NO_MEMORY), "the owner hears of it");
            use.expect_whole();
            release_some_apart(use);
            use.expect(use.allocate(2'000) == nullptr, "what lies apart does not join");
            while (use.allocate(100) != nullptr) {
            }
            use.expect(use.count() == most, "what was freed serves again", use.count());
            release_all(use, 1);
            use.expect(use.statistics().largest_bytes == largest, "all of it is free again", largest);
        }
        use.expect(use.allocate(largest) != nullptr, "all of it is an object", largest);
        use.expect(use.statistics().free_bytes == 0, "nothing is left");
        use.expect(use.statistics().least_free_bytes == 0, "nothing was left");
        release_all(use, 1);
        const unsigned char* const behind = here_.memory + guard_bytes + region_bytes;
        use.expect(is_filled(here_.memory, guard_bytes, 0xa5) && is_filled(behind, guard_bytes, 0xa5),
                   "nothing beyond the region is written");
    }

    struct Piece {
        size_t from, bytes;
        unsigned level;
    };
    /// Not in the order of their levels, and not all aligned.
    static constexpr Piece pieces[] = {{0, 2'048, 2}, {4'096, 512, 0}, {6'003, 1'024, 1}, {9'001, 300, 0}};

    unsigned level_of(const void* object) const {
        for (const Piece& piece : pieces) {
            if (object >= here_.memory + piece.from && object < here_.memory + piece.from + piece.bytes) {
                return piece.level;
            }
        }
        return UINT32_MAX;
    }

    void prefer_fast_memory(unsigned options) {
        begin("levels");
        HeapInUse use(here_, expectations_, {.options = options, .levels = 3});
        for (const Piece& piece : pieces) {
            use.add(piece.from, piece.bytes, piece.level);
        }
        unsigned level = 0;
        for (void* object = use.allocate(40); object != nullptr; object = use.allocate(40)) {
            const unsigned found = level_of(object);
            use.expect(found == level || found == level + 1, "faster memory comes first", found);
            level = found;
        }
        use.expect(level == 2, "the slowest memory serves last", level);
        use.expect_whole();
        unsigned which = 0;
        while (which + 1 < use.count() && level_of(use.living(which).begin) != 0) {
            ++which;
        }
        use.release(which);
        use.expect(level_of(use.allocate(40)) == 0, "faster memory serves again");
        release_all(use, 4);
    }

    void let_regions_come_and_go(unsigned options) {
        begin("regions");
        HeapInUse use(here_, expectations_, {.options = options, .levels = 3});
        use.expect(use.allocate(1) == nullptr, "a heap over nothing serves nothing");
        for (int round = 0; round < 2; ++round) {
            for (const Piece& piece : pieces) {
                use.add(piece.from, piece.bytes, piece.level);
                const malloom_bins_result said =
                    malloom_bins_add_region(&use.heap, here_.memory + piece.from, piece.bytes, 0);
                use.expect(said == MALLOOM_BINS_OVERLAP, "a region is taken once", said);
            }
            use.expect(use.allocate(1'500) != nullptr, "the largest one serves");
            use.expect(removed(use, pieces[0]) == MALLOOM_BINS_IN_USE, "a region with an object stays");
            release_all(use, 4);
            for (const Piece& piece : pieces) {
                use.expect(removed(use, piece) == MALLOOM_BINS_OK, "an empty region goes", piece.bytes);
            }
            use.expect(use.statistics().region_bytes == 0, "all of them have gone");
            use.expect(use.allocate(1) == nullptr, "a heap over nothing serves nothing");
        }
    }

    malloom_bins_result removed(HeapInUse& use, const Piece& piece) const {
        return malloom_bins_remove_region(&use.heap, here_.memory + piece.from);
    }

    void free_later(unsigned options) {
        begin("free_later");
        HeapInUse use(here_, expectations_, {.options = options});
        use.add(0, 4U << 10);
        for (int object = 0; object < 5; ++object) {
            use.allocate(100);
        }
        while (use.count() != 0) {
            use.release_later(0);
        }
        use.expect(use.statistics().living_objects == 5, "what is freed later lives on");
        use.allocate(8);
        use.release(0);
        const size_t left = use.statistics().living_objects;
        const bool is_bounded = (options & MALLOOM_BINS_BOUNDED) != 0;
        use.expect(left == (is_bounded ? 3 : 0), "two calls free all, or one each", left);
        for (size_t call = 0; call < left; ++call) {
            use.allocate(8);
        }
        release_all(use, 1);
    }

    void rehash(unsigned options) {
        begin("rehash");
        constexpr malloom_bins_ranges kinds[] = {MALLOOM_BINS_AS_THEY_ARE, MALLOOM_BINS_LINEAR,
                                                 MALLOOM_BINS_SMOOTH};
        for (const malloom_bins_ranges ranges : kinds) {
            HeapInUse use(here_, expectations_,
                          {.options = options | MALLOOM_BINS_COUNT_INSERTIONS, .levels = 2});
            use.add(0, 48U << 10, 0);
            use.add(64U << 10, 48U << 10, 1);
            for (unsigned round = 0; round < 3; ++round) {
                make_and_free(use, round);
                generate_once(use, ranges);
            }
            make_and_free(use, 3);
            use.expect(malloom_bins_rehash(&use.heap, ranges, nullptr) == MALLOOM_BINS_OK,
                       "bins are laid out without code", ranges);
            use.expect_whole();
            use.expect(ranges == MALLOOM_BINS_AS_THEY_ARE || use.heap.function == malloom_bins_variable,
                       "without code bins are searched", ranges);
            release_all(use, 2);
        }
    }

    void count_one_in_some(unsigned options) {
        begin("one released in four");
        HeapInUse use(here_, expectations_, {.options = options});
        use.add(0, 48U << 10);
        use.expect(malloom_bins_count_one_in(&use.heap, 4) == MALLOOM_BINS_OK, "it is counted", 4);
        make_and_free(use, 1);
        const uint32_t before = sum_of_counts(use);
        for (int pair = 0; pair < 40; ++pair) {
            use.expect(use.allocate(300) != nullptr, "there is room", 300);
            use.release(use.count() - 1);
        }
        use.expect(sum_of_counts(use) - before == 10, "one in four is counted", sum_of_counts(use));
        generate_once(use, MALLOOM_BINS_LINEAR);
        make_and_free(use, 2);
        use.expect(sum_of_counts(use) != 0, "it goes on being counted", 0);
        release_all(use, 1);
    }

    void rehash_by_what_is_there(unsigned options) {
        begin("rehash by chunks");
        HeapInUse use(here_, expectations_, {.options = options});
        use.add(0, 48U << 10);
        make_and_free(use, 1);
        use.expect(sum_of_counts(use) == 0, "nothing is counted", sum_of_counts(use));
        use.expect(malloom_bins_count_chunks(&use.heap) == MALLOOM_BINS_OK, "chunks are counted", 0);
        use.expect(sum_of_counts(use) >= use.count(), "all of them", sum_of_counts(use));
        const malloom_bin_function function = use.heap.function;
        if ((options & MALLOOM_BINS_BOUNDED) == 0) {
            use.expect(malloom_bins_rehash_if_worth(&use.heap, 1, 0, MALLOOM_BINS_LINEAR, nullptr) ==
                           MALLOOM_BINS_OK,
                       "a rehash may be left", options);
        }
        use.expect(use.heap.function == function, "it does not pay for one object", options);
        generate_once(use, MALLOOM_BINS_LINEAR);
        release_all(use, 1);
    }

    static uint32_t sum_of_counts(const HeapInUse& use) {
        uint32_t sum = 0;
        for (unsigned bin = 0; bin < use.heap.bins; ++bin) {
            sum += use.heap.counts[bin];
        }
        return sum;
    }

    /// Objects of few sizes come and go.
    void make_and_free(HeapInUse& use, unsigned seed) {
        Numbers numbers(seed);
        for (int step = 0; step < 200; ++step) {
            if (use.count() > 60 || (use.count() != 0 && numbers.below(2) == 0)) {
                use.release(numbers.below(use.count()));
            } else {
                const size_t bytes = 500 + numbers.below(8) * 40;
                use.expect(use.allocate(bytes) != nullptr, "there is room", bytes);
            }
        }
        use.expect_whole();
    }

    void generate_once(HeapInUse& use, malloom_bins_ranges ranges) {
        CodeMemory& memory = here_.code_memory;
        const malloom_bin_function before = use.heap.function;
        const unsigned begun = memory.begun;
        const malloom_bins_result said = malloom_bins_rehash(&use.heap, ranges, &memory.code);
        use.expect(said == MALLOOM_BINS_OK, "bins are laid out anew", said);
        use.expect(memory.has(use.heap.function), "the function is generated", ranges);
        use.expect(use.heap.function != before, "it is another one than before", ranges);
        use.expect(memory.begun == begun + 1 && memory.ended == memory.begun && memory.waited == memory.begun,
                   "its memory is opened and closed, and others are waited for", begun);
        expect_bins_of_the_table(use);
        use.expect_whole();
    }

    void expect_bins_of_the_table(HeapInUse& use) {
        for (size_t bytes = 0; bytes < 1U << 21; bytes += bytes < 2'048 ? 8 : bytes / 32 & ~size_t{7}) {
            const unsigned generated = use.heap.function(bytes, &use.heap);
            use.expect(generated == malloom_bins_variable(bytes, &use.heap),
                       "generated code has the table's bins", bytes);
        }
    }

    void tell_owners() {
        begin("hooks");
        HeapInUse use(here_, expectations_, {});
        use.add(0, 4U << 10);
        for (int object = 0; object < 4; ++object) {
            use.allocate(10);
        }
        use.release_later(1);
        use.release(0);
        use.release(0);
        use.expect(use.made == 4, "owners hear of objects that are made", use.made);
        use.expect(use.freed == 3, "owners hear of objects that are freed", use.freed);
        use.expect(use.locks >= 7, "each call locks", use.locks);
        release_all(use, 1);
    }

    static constexpr unsigned counted = 8;

    /// One that counts has objects between which others lie; all have the same bytes.
    unsigned lay_out_apart(HeapInUse& use, void* (&objects)[counted]) {
        use.add(0, 16U << 10);
        for (void*& object : objects) {
            object = malloom_bins_alloc(&use.heap, 100);
            malloom_bins_alloc(&use.heap, 16);
            use.expect(object != nullptr, "there is room");
        }
        const size_t bytes = malloom_bins_usable_size(&use.heap, objects[0]) + sizeof(size_t);
        return use.heap.function(bytes, &use.heap);
    }

    void count_insertions_and_extractions() {
        begin("counting");
        HeapInUse inserting(here_, expectations_, {.options = MALLOOM_BINS_COUNT_INSERTIONS});
        void* objects[counted];
        unsigned bin = lay_out_apart(inserting, objects);
        const uint32_t inserted = inserting.heap.counts[bin];
        for (void* object : objects) {
            malloom_bins_free(&inserting.heap, object);
        }
        inserting.expect(inserting.heap.counts[bin] == inserted + counted, "each insertion counts");
        malloom_bins_alloc(&inserting.heap, 100);
        inserting.expect(inserting.heap.counts[bin] == inserted + counted, "extractions do not count");

        HeapInUse extracting(here_, expectations_, {.options = MALLOOM_BINS_COUNT_EXTRACTIONS});
        bin = lay_out_apart(extracting, objects);
        const uint32_t extracted = extracting.heap.counts[bin];
        for (void* object : objects) {
            malloom_bins_free(&extracting.heap, object);
        }
        extracting.expect(extracting.heap.counts[bin] == extracted, "insertions do not count");
        for (unsigned object = 0; object < counted; ++object) {
            malloom_bins_alloc(&extracting.heap, 100);
        }
        extracting.expect(extracting.heap.counts[bin] == extracted + counted, "each extraction counts");
    }

    /// Three chunks of one bin, from the smallest on: each passes those before it.
    void count_steps() {
        begin("counting of steps");
        HeapInUse use(here_, expectations_, {.options = MALLOOM_BINS_COUNT_STEPS});
        use.add(0, 16U << 10);
        void* objects[3];
        for (size_t object = 0; object < 3; ++object) {
            objects[object] = malloom_bins_alloc(&use.heap, 1'024 + 16 * object - sizeof(size_t));
            malloom_bins_alloc(&use.heap, 16);
        }
        const unsigned bin = use.heap.function(1'024, &use.heap);
        const uint32_t before = use.heap.counts[bin];
        for (void* object : objects) {
            malloom_bins_free(&use.heap, object);
        }
        const uint32_t steps = use.heap.counts[bin] - before;
        use.expect(steps == 0 + 1 + 2, "each step in a list counts", steps);
    }

    /// A third of them. The last one takes the place of one that goes.
    void release_some_apart(HeapInUse& use) {
        for (unsigned which = 0; which < use.count(); which += 2) {
            use.release(which);
        }
    }

    void release_all(HeapInUse& use, size_t regions) {
        objects_ += use.made;
        use.release_all();
        use.expect_empty(regions);
    }

    const Surroundings& here_;
    Expectations& expectations_;
    size_t objects_ = 0;
};

}  // namespace malloom::tests::on_boards
