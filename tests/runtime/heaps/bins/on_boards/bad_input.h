// Wrong calls are answered, and leave the heap and its objects whole, on the machine that this runs on.
#pragma once

#include "tests/runtime/heaps/bins/on_boards/heap_in_use.h"

namespace malloom::tests::on_boards {

class BadInput {
  public:
    BadInput(const Surroundings& here, Expectations& expectations)
        : here_(here), expectations_(expectations) {}

    void run() {
        refuse_settings();
        refuse_regions();
        refuse_what_is_free(0);
        refuse_what_is_free(MALLOOM_BINS_THOROUGH);
        refuse_foreign_addresses(0);
        refuse_foreign_addresses(MALLOOM_BINS_THOROUGH);
        refuse_objects_within_objects();
        forget_what_is_freed_later_twice();
        refuse_sizes();
        refuse_code_memory();
        refuse_rehash();
    }

    unsigned refused() const { return refused_; }

  private:
    static constexpr size_t region_bytes = 8U << 10;

    void begin(const char* part) { expectations_.begin(part); }

    /// The answer to a wrong call.
    void expect_refused(malloom_bins_result said, malloom_bins_result why, const char* what, size_t about) {
        ++refused_;
        expectations_.expect(said == why, what, about);
    }
    void expect_nothing(HeapInUse& use, const void* object, malloom_bins_result why, const char* what,
                        size_t about) {
        ++refused_;
        expectations_.expect(use.has_heard(why) && object == nullptr, what, about);
    }

    static constexpr size_t table_bytes = MALLOOM_BINS_STORAGE(MALLOOM_BINS_ORIGINAL_COUNT, 1);

    void refuse(const Shape& shape, void* storage, malloom_bins_result why, const char* what,
                size_t about = 0, size_t storage_bytes = table_bytes) {
        malloom_bins heap;
        const malloom_bins_settings settings = settings_of(shape, storage, storage_bytes, nullptr);
        expect_refused(malloom_bins_open(&heap, &settings), why, what, about);
    }

    void refuse_settings() {
        begin("settings");
        constexpr auto why = MALLOOM_BINS_BAD_ARGUMENT;
        void* const storage = here_.memory;
        constexpr size_t wrong_alignments[] = {1, sizeof(void*) / 2, 3, 24, SIZE_MAX};
        for (const size_t alignment : wrong_alignments) {
            refuse({.alignment = alignment}, storage, why, "an alignment is refused", alignment);
        }
        refuse({.options = UINT32_MAX}, storage, why, "options are known");
        refuse({.levels = MALLOOM_BINS_MOST_LEVELS + 1}, storage, why, "there may be so many levels");
        refuse({}, nullptr, why, "storage has to be there");
        refuse({}, here_.memory + 1, why, "storage is aligned");
        constexpr size_t lists = MALLOOM_BINS_LISTS(MALLOOM_BINS_ORIGINAL_COUNT, 1);
        refuse({}, storage, MALLOOM_BINS_TOO_SMALL, "storage has room for lists", lists, lists - 1);
        refuse({.options = MALLOOM_BINS_COUNT_STEPS}, storage, MALLOOM_BINS_TOO_SMALL,
               "storage has room for what is counted", lists, lists);
        refuse_bins();
    }

    void refuse_bins() {
        constexpr auto why = MALLOOM_BINS_BAD_ARGUMENT;
        constexpr static uint32_t mixed[] = {0, 64, 48}, late[] = {8, 16, 32}, twice[] = {0, 16, 16};
        auto* const many = reinterpret_cast<uint32_t*>(here_.memory);
        void* const storage = here_.memory + (16U << 10);
        refuse({.bins = 3, .begins = mixed}, storage, why, "begins ascend");
        refuse({.bins = 3, .begins = late}, storage, why, "the first one begins at 0");
        refuse({.bins = 3, .begins = twice}, storage, why, "begins ascend");
        refuse({.bins = 126}, storage, why, "bins need begins");
        for (uint32_t bin = 0; bin <= MALLOOM_BINS_MOST; ++bin) {
            many[bin] = 16 * bin;
        }
        refuse({.bins = MALLOOM_BINS_MOST + 1, .begins = many}, storage, why, "there are not so many bins",
               MALLOOM_BINS_MOST + 1, 64U << 10);
        const malloom_bins_settings most =
            settings_of({.bins = MALLOOM_BINS_MOST, .begins = many}, storage, 64U << 10, nullptr);
        malloom_bins heap;
        expectations_.expect(malloom_bins_open(&heap, &most) == MALLOOM_BINS_OK, "there may be so many bins");
    }

    void refuse_regions() {
        begin("regions");
        HeapInUse use(here_, expectations_, {});
        const auto refuse_region = [&](uintptr_t memory, size_t bytes, malloom_bins_result why,
                                       const char* what, unsigned level = 0) {
            const malloom_bins_result said =
                malloom_bins_add_region(&use.heap, reinterpret_cast<void*>(memory), bytes, level);
            expect_refused(said, why, what, bytes);
        };
        const auto memory = reinterpret_cast<uintptr_t>(here_.memory);
        // What describes a region, its end, and the least chunk have so many words.
        for (size_t bytes = 0; bytes < (5 + 2 + 4) * sizeof(size_t); ++bytes) {
            refuse_region(memory, bytes, MALLOOM_BINS_TOO_SMALL, "so few bytes are no region");
        }
        refuse_region(memory, SIZE_MAX, MALLOOM_BINS_TOO_SMALL, "there are not so many bytes");
        refuse_region(memory, SIZE_MAX / 2, MALLOOM_BINS_TOO_SMALL, "there are not so many bytes");
        for (size_t bytes = 17; bytes < 300; ++bytes) {
            refuse_region(UINTPTR_MAX - bytes, 16, MALLOOM_BINS_TOO_SMALL, "addresses end behind it");
        }
        refuse_region(0, 1'000, MALLOOM_BINS_BAD_ARGUMENT, "a region is somewhere");
        refuse_region(memory, 1'000, MALLOOM_BINS_BAD_ARGUMENT, "there is one level", 1);
        use.add(1'000, 1'000);
        constexpr size_t overlapping[] = {500, 1'000, 1'500, 1'900};
        for (const size_t from : overlapping) {
            refuse_region(memory + from, 1'000, MALLOOM_BINS_OVERLAP, "regions do not overlap");
        }
        use.add(3, 997);
        expect_refused(malloom_bins_remove_region(&use.heap, here_.memory), MALLOOM_BINS_BAD_ARGUMENT,
                       "a region begins where it was given", 0);
        use.allocate(700);
        const size_t from = use.living(0).begin < here_.memory + 1'000 ? 3 : 1'000;
        expect_refused(malloom_bins_remove_region(&use.heap, here_.memory + from), MALLOOM_BINS_IN_USE,
                       "a region with an object stays", from);
        use.expect_whole();
    }

    void refuse_what_is_free(unsigned options) {
        begin("double free");
        HeapInUse use(here_, expectations_, {.options = options});
        use.add(0, region_bytes);
        void* objects[6];
        for (void*& object : objects) {
            object = malloom_bins_alloc(&use.heap, 100);
        }
        // Alone, after one that is free, before one, and between two.
        constexpr unsigned order[] = {0, 1, 4, 3, 2};
        for (const unsigned chosen : order) {
            void* const object = objects[chosen];
            use.expect(malloom_bins_free(&use.heap, object) == MALLOOM_BINS_OK, "it is freed", chosen);
            ++refused_;
            use.expect(malloom_bins_free(&use.heap, object) != MALLOOM_BINS_OK, "it is freed once", chosen);
            use.expect(malloom_bins_realloc(&use.heap, object, 7) == nullptr, "it is free", chosen);
            use.expect(malloom_bins_usable_size(&use.heap, object) == 0, "it is free", chosen);
            use.expect_whole();
        }
    }

    void refuse_foreign_addresses(unsigned options) {
        begin("foreign addresses");
        HeapInUse use(here_, expectations_, {.options = options});
        use.add(0, region_bytes);
        auto* const object = static_cast<unsigned char*>(malloom_bins_alloc(&use.heap, 100));
        fill(object, 100, 0);
        uintptr_t elsewhere = 0;
        void* const foreign[] = {&elsewhere, object + 1, object + sizeof(void*) / 2, here_.memory,
                                 here_.memory + region_bytes};
        for (void* const address : foreign) {
            const auto about = reinterpret_cast<uintptr_t>(address);
            expect_refused(malloom_bins_free(&use.heap, address), MALLOOM_BINS_FOREIGN, "it is foreign",
                           about);
            expect_nothing(use, malloom_bins_realloc(&use.heap, address, 10), MALLOOM_BINS_FOREIGN,
                           "it is foreign", about);
            use.expect(malloom_bins_usable_size(&use.heap, address) == 0, "it is foreign", about);
        }
        ++refused_;
        use.expect(malloom_bins_free(&use.heap, object + 16) != MALLOOM_BINS_OK, "it lies within an object");
        use.has_heard(MALLOOM_BINS_FOREIGN);
        malloom_bins_free_later(&use.heap, &elsewhere);
        use.allocate(10);
        use.expect(use.has_heard(MALLOOM_BINS_FOREIGN), "what is freed later is judged then");
        use.expect(malloom_bins_free(&use.heap, nullptr) == MALLOOM_BINS_OK, "nothing is freed");
        use.expect(malloom_bins_free(&use.heap, object) == MALLOOM_BINS_OK, "the object is freed");
        use.expect_whole();
    }

    /// What looks like a chunk within an object, with a neighbour that agrees.
    void refuse_objects_within_objects() {
        begin("objects within objects");
        HeapInUse use(here_, expectations_, {.options = MALLOOM_BINS_THOROUGH});
        use.add(0, region_bytes);
        auto* const object = static_cast<size_t*>(malloom_bins_alloc(&use.heap, 320));
        object[1] = 64 | 3;
        object[1 + 64 / sizeof(size_t)] = 64 | 3;
        expect_refused(malloom_bins_free(&use.heap, object + 2), MALLOOM_BINS_FOREIGN, "it is no chunk", 0);
        use.expect_whole();
    }

    void forget_what_is_freed_later_twice() {
        begin("double free_later");
        HeapInUse use(here_, expectations_, {});
        use.add(0, region_bytes);
        void* const object = malloom_bins_alloc(&use.heap, 100);
        void* const other = malloom_bins_alloc(&use.heap, 100);
        malloom_bins_free_later(&use.heap, object);
        malloom_bins_free_later(&use.heap, object);
        use.expect(malloom_bins_free(&use.heap, other) == MALLOOM_BINS_OK, "another one is freed");
        ++refused_;
        use.expect(use.failures == 1, "the second time is noticed", use.failures);
        use.expect_empty(1);
    }

    void refuse_sizes() {
        begin("sizes");
        HeapInUse use(here_, expectations_, {});
        use.add(0, region_bytes);
        use.allocate(10);
        void* const object = use.living(0).begin;
        constexpr size_t sizes[] = {SIZE_MAX,         SIZE_MAX - 8,     SIZE_MAX / 2 + 1, SIZE_MAX / 4,
                                    SIZE_MAX / 4 + 1, SIZE_MAX / 4 - 7, size_t{1} << 31,  9'000};
        for (const size_t bytes : sizes) {
            const auto why = MALLOOM_BINS_NO_MEMORY;
            expect_nothing(use, malloom_bins_alloc(&use.heap, bytes), why, "alloc has a limit", bytes);
            expect_nothing(use, malloom_bins_calloc(&use.heap, bytes, 3), why, "calloc has a limit", bytes);
            expect_nothing(use, malloom_bins_calloc(&use.heap, 1, bytes), why, "calloc has a limit", bytes);
            expect_nothing(use, malloom_bins_aligned(&use.heap, 64, bytes), why, "aligned has a limit",
                           bytes);
            expect_nothing(use, malloom_bins_realloc(&use.heap, object, bytes), why, "realloc has a limit",
                           bytes);
            use.expect_whole();
        }
        constexpr size_t wrong_alignments[] = {0, 3, 24, SIZE_MAX};
        for (const size_t alignment : wrong_alignments) {
            expect_nothing(use, malloom_bins_aligned(&use.heap, alignment, 10), MALLOOM_BINS_BAD_ARGUMENT,
                           "an alignment is a power of two", alignment);
        }
        for (size_t alignment = SIZE_MAX / 2 + 1; alignment > region_bytes; alignment /= 2) {
            expect_nothing(use, malloom_bins_aligned(&use.heap, alignment, 10), MALLOOM_BINS_NO_MEMORY,
                           "there is no such address", alignment);
        }
        use.expect_whole();
    }

    /// Insertions into many bins, so that their function is no short one.
    void count_some(HeapInUse& use) {
        void* objects[40];
        size_t bytes = 16;
        for (void*& object : objects) {
            object = malloom_bins_alloc(&use.heap, bytes);
            malloom_bins_alloc(&use.heap, 16);
            bytes += 40;
        }
        for (void* const object : objects) {
            use.expect(malloom_bins_free(&use.heap, object) == MALLOOM_BINS_OK, "it is freed");
        }
    }

    void refuse_code_memory() {
        begin("code memory");
        constexpr size_t too_few[] = {0, 1, 7, 8, 16, 64};
        for (const size_t bytes : too_few) {
            HeapInUse use(here_, expectations_, {.options = MALLOOM_BINS_COUNT_INSERTIONS});
            use.add(0, 64U << 10);
            count_some(use);
            malloom_bins_code little = here_.code_memory.code;
            little.bytes = bytes;
            expect_refused(malloom_bins_rehash(&use.heap, MALLOOM_BINS_LINEAR, &little),
                           MALLOOM_BINS_TOO_SMALL, "so few bytes are too little for code", bytes);
            use.expect(use.heap.function == malloom_bins_variable, "bins are searched then", bytes);
            use.expect_whole();
            const malloom_bins_result said =
                malloom_bins_rehash(&use.heap, MALLOOM_BINS_AS_THEY_ARE, &here_.code_memory.code);
            use.expect(said == MALLOOM_BINS_OK, "there is enough memory for code", said);
            const malloom_bin_function before = use.heap.function;
            expect_refused(malloom_bins_rehash(&use.heap, MALLOOM_BINS_AS_THEY_ARE, &little),
                           MALLOOM_BINS_TOO_SMALL, "so few bytes are too little for code", bytes);
            use.expect(use.heap.function == before, "the function that was generated serves on", bytes);
            use.expect_whole();
        }
    }

    void refuse_rehash() {
        begin("rehash");
        const malloom_bins_code& code = here_.code_memory.code;
        HeapInUse full(here_, expectations_, {.options = MALLOOM_BINS_COUNT_INSERTIONS});
        full.add(0, 5U << 10);
        while (full.allocate(40) != nullptr) {
        }
        expect_refused(malloom_bins_rehash(&full.heap, MALLOOM_BINS_LINEAR, &code), MALLOOM_BINS_NO_MEMORY,
                       "a full heap has no room to lay out bins", full.count());
        full.expect_whole();

        malloom_bins heap;
        const malloom_bins_settings settings =
            settings_of({}, here_.memory, MALLOOM_BINS_LISTS(MALLOOM_BINS_ORIGINAL_COUNT, 1), nullptr);
        expectations_.expect(malloom_bins_open(&heap, &settings) == MALLOOM_BINS_OK, "a heap opens");
        expect_refused(malloom_bins_rehash(&heap, MALLOOM_BINS_LINEAR, &code), MALLOOM_BINS_BAD_ARGUMENT,
                       "bins without a table stay", 0);
    }

    const Surroundings& here_;
    Expectations& expectations_;
    unsigned refused_ = 0;
};

}  // namespace malloom::tests::on_boards
