// Objects that somebody writes beyond, or into after they were freed: the heap notices it, on the machine
// that this runs on.
#pragma once

#include "tests/runtime/heaps/bins/on_boards/heap_in_use.h"

namespace malloom::tests::on_boards {

class OverwrittenTags {
  public:
    OverwrittenTags(const Surroundings& here, Expectations& expectations)
        : here_(here), expectations_(expectations) {}

    void run() {
        notice_sizes();
        notice_sizes_before();
        notice_links();
        notice_links_into_the_heap();
    }

    unsigned noticed() const { return noticed_; }

  private:
    static constexpr size_t region_bytes = 8U << 10;

    /// Three objects in a row, and no other.
    struct Row {
        size_t* first;
        size_t* second;
        size_t* third;
        size_t words;  ///< of each

        explicit Row(HeapInUse& use) : first(made(use)), second(made(use)), third(made(use)) {
            words = malloom_bins_usable_size(&use.heap, first) / sizeof(size_t);
        }
        static size_t* made(HeapInUse& use) {
            void* const object = malloom_bins_alloc(&use.heap, 104);
            fill(static_cast<unsigned char*>(object), 104, 0x55);
            return static_cast<size_t*>(object);
        }
    };

    /// None is a size that a chunk could have, nor an address in a heap.
    static constexpr size_t wrong_words[] = {
        0, SIZE_MAX, SIZE_MAX / 2 + 1, SIZE_MAX / 255 * 0x41, size_t{1} << 30, 1, 6, 32, 34, 38};

    /// Nobody frees it, and a look at all notices it.
    void expect_damage(HeapInUse& use, void* object, size_t written) {
        ++noticed_;
        use.expect(malloom_bins_free(&use.heap, object) != MALLOOM_BINS_OK, "it is refused", written);
        use.expect(malloom_bins_realloc(&use.heap, object, 300) == nullptr, "it is refused", written);
        use.expect(malloom_bins_usable_size(&use.heap, object) == 0, "it is refused", written);
        use.expect(malloom_bins_check(&use.heap) == MALLOOM_BINS_DAMAGED, "it is noticed", written);
    }

    /// The first object's chunk, which would serve, does not.
    void expect_nothing(HeapInUse& use, size_t about) {
        const void* const object = malloom_bins_alloc(&use.heap, 104);
        use.expect(object == nullptr && use.has_heard(MALLOOM_BINS_DAMAGED),
                   "what is not linked serves nothing", about);
    }

    /// Somebody writes beyond the end of an object.
    void notice_sizes() {
        expectations_.begin("overwritten sizes");
        for (const size_t written : wrong_words) {
            for (int is_next_free = 0; is_next_free < 2; ++is_next_free) {
                HeapInUse use(here_, expectations_, {.options = MALLOOM_BINS_CHECKED_LINKS});
                use.add(0, region_bytes);
                const Row row(use);
                if (is_next_free != 0) {
                    malloom_bins_free(&use.heap, row.second);
                }
                size_t& head = row.first[row.words];
                const size_t before = head;
                head = written;
                expect_damage(use, row.first, written);
                expect_damage(use, row.second, written);
                head = before;
                use.expect_whole();
                use.expect(malloom_bins_free(&use.heap, row.first) == MALLOOM_BINS_OK, "it is freed");
                use.expect_whole();
            }
        }
    }

    /// Somebody writes to the end of an object that was freed, where its size stands for the next one.
    void notice_sizes_before() {
        expectations_.begin("overwritten sizes of the chunk before");
        for (const size_t written : wrong_words) {
            HeapInUse use(here_, expectations_, {.options = MALLOOM_BINS_CHECKED_LINKS});
            use.add(0, region_bytes);
            const Row row(use);
            malloom_bins_free(&use.heap, row.first);
            size_t& bytes_before = row.first[row.words - 1];
            const size_t before = bytes_before;
            bytes_before = written;
            expect_damage(use, row.second, written);
            bytes_before = before;
            use.expect(malloom_bins_free(&use.heap, row.second) == MALLOOM_BINS_OK, "it is freed");
            use.expect_whole();
        }
    }

    /// Somebody writes to the begin of an object that was freed.
    void notice_links() {
        expectations_.begin("overwritten links");
        for (const size_t written : wrong_words) {
            for (size_t link = 0; link < 2; ++link) {
                HeapInUse use(here_, expectations_, {.options = MALLOOM_BINS_CHECKED_LINKS});
                use.add(0, region_bytes);
                const Row row(use);
                malloom_bins_free(&use.heap, row.first);
                const size_t before = row.first[link];
                row.first[link] = written;
                expect_nothing(use, written);
                expect_damage(use, row.second, written);
                row.first[link] = before;
                use.expect_whole();
            }
        }
    }

    /// To places in the region, where no chunk can be.
    void notice_links_into_the_heap() {
        expectations_.begin("overwritten links into the heap");
        for (size_t place = 1; place < 300; ++place) {
            HeapInUse use(here_, expectations_, {.options = MALLOOM_BINS_CHECKED_LINKS});
            use.add(0, region_bytes);
            const Row row(use);
            malloom_bins_free(&use.heap, row.first);
            const size_t before = row.first[place / 8 % 2];
            row.first[place / 8 % 2] = reinterpret_cast<uintptr_t>(here_.memory) + region_bytes - place;
            expect_nothing(use, place);
            expect_damage(use, row.second, place);
            row.first[place / 8 % 2] = before;
            use.expect_whole();
        }
    }

    const Surroundings& here_;
    Expectations& expectations_;
    unsigned noticed_ = 0;
};

}  // namespace malloom::tests::on_boards
