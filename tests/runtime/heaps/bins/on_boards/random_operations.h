// Calls of a bin heap by chance, on the machine that this runs on.
#pragma once

#include "tests/runtime/heaps/bins/on_boards/heap_in_use.h"

namespace malloom::tests::on_boards {

/// A heap whose shape and calls a seed decides.
class RandomOperations {
  public:
    RandomOperations(const Surroundings& here, Expectations& expectations, uint32_t seed)
        : RandomOperations(here, expectations, Numbers(seed)) {}

    void run(unsigned steps) {
        expectations_.begin("random operations");
        for (unsigned step = 0; step < steps && expectations_.hold(); ++step) {
            operate();
            if (step % 16 == 0) {
                use_.expect_whole();
            }
        }
        if (expectations_.hold()) {
            end();
        }
    }

    size_t made() const { return made_; }
    unsigned rehashes() const { return rehashes_; }

  private:
    static constexpr unsigned most_regions = 6;
    static constexpr size_t most_bytes = 32U << 10, region_distance = 40U << 10;
    static constexpr unsigned every_option = 2 * MALLOOM_BINS_COUNT_STEPS - 1;

    RandomOperations(const Surroundings& here, Expectations& expectations, Numbers numbers)
        : here_(here),
          expectations_(expectations),
          numbers_(numbers),
          use_(here, expectations, shape_by(numbers_)) {
        for (Region& region : regions_) {
            region.memory = nullptr;
        }
        add_region();
    }

    static Shape shape_by(Numbers& numbers) {
        constexpr static uint32_t begins[] = {0, 32, 48, 64, 100, 250, 256, 1'000, 4'096, 4'097};
        Shape shape = {.alignment = sizeof(void*) << numbers.below(5),
                       .options = numbers.below(every_option + 1),
                       .levels = numbers.below(HeapInUse::most_levels) + 1,
                       .most_steps = numbers.below(5),
                       .is_quiet = numbers.below(2) != 0};
        if (shape.is_quiet && numbers.below(2) != 0) {
            shape.options &= MALLOOM_BINS_BOUNDED | MALLOOM_BINS_COUNT_STEPS;  // its calls are not general
        }
        if ((shape.options & MALLOOM_BINS_BOUNDED) != 0) {
            shape.options &= ~unsigned{MALLOOM_BINS_THOROUGH};  // which looks at all chunks
        }
        if (numbers.below(2) != 0) {
            shape.bins = sizeof begins / sizeof begins[0];
            shape.begins = begins;
        }
        return shape;
    }

    void operate() {
        const unsigned choice = numbers_.below(16);
        if (choice == 0) {
            change_the_heap();
        } else if (choice < 8 || use_.count() == 0) {
            make();
        } else if (choice < 10) {
            use_.resize(any(), numbers_.below(3'000));
        } else if (choice == 10) {
            use_.release_later(any());
        } else {
            use_.release(any());
        }
    }

    void change_the_heap() {
        switch (numbers_.below(3)) {
            case 0:
                return add_region();
            case 1:
                return remove_region(numbers_.below(most_regions));
            default:
                return rehash();
        }
    }

    void make() {
        if (use_.is_full()) {
            return;
        }
        made_ += make_one(numbers_.below(8)) != nullptr;
    }
    void* make_one(unsigned choice) {
        if (choice == 0) {
            return use_.allocate_zeroed(3, numbers_.below(200));
        }
        if (choice == 1) {
            const size_t alignment = size_t{1} << numbers_.below(13);
            return use_.allocate_aligned(alignment, numbers_.below(600));
        }
        return use_.allocate(numbers_.below(choice == 2 ? 12'000 : 400));
    }

    void add_region() {
        for (size_t place = 0; place < most_regions; ++place) {
            Region& region = regions_[place];
            if (region.memory == nullptr) {
                region.memory = here_.memory + place * region_distance + numbers_.below(16);
                region.bytes = numbers_.below(most_bytes);
                const malloom_bins_result said = malloom_bins_add_region(
                    &use_.heap, region.memory, region.bytes, numbers_.below(use_.heap.levels));
                if (said != MALLOOM_BINS_OK) {
                    use_.expect(said == MALLOOM_BINS_TOO_SMALL && region.bytes < 1'000, "a region is taken",
                                region.bytes);
                    region.memory = nullptr;
                }
                return;
            }
        }
    }

    void remove_region(unsigned place) {
        Region& region = regions_[place];
        if (region.memory == nullptr) {
            return;
        }
        const malloom_bins_result said = malloom_bins_remove_region(&use_.heap, region.memory);
        use_.expect(
            said == (has_object(region) ? MALLOOM_BINS_IN_USE : MALLOOM_BINS_OK) || use_.heap.deferred != 0,
            "a region goes if it is empty", place);
        if (said == MALLOOM_BINS_OK) {
            use_.expect(!has_object(region), "a region with objects stays", place);
            region.memory = nullptr;
        }
    }

    struct Region {
        unsigned char* memory;
        size_t bytes;
    };
    bool has_object(const Region& region) const {
        for (unsigned which = 0; which < use_.count(); ++which) {
            const unsigned char* const begin = use_.living(which).begin;
            if (begin >= region.memory && begin < region.memory + region.bytes) {
                return true;
            }
        }
        return false;
    }

    void rehash() {
        const auto ranges = static_cast<malloom_bins_ranges>(numbers_.below(MALLOOM_BINS_SMOOTH + 1));
        const malloom_bins_code* const code = numbers_.below(4) == 0 ? nullptr : &here_.code_memory.code;
        const malloom_bins_result said = malloom_bins_rehash(&use_.heap, ranges, code);
        use_.expect(said == MALLOOM_BINS_OK || said == MALLOOM_BINS_NO_MEMORY, "bins are laid out anew",
                    said);
        use_.expect_whole();
        rehashes_ += said == MALLOOM_BINS_OK;
    }

    unsigned any() { return numbers_.below(use_.count()); }

    /// What is freed later goes with the calls that come.
    void end() {
        use_.release_all();
        while (use_.heap.deferred != 0) {
            malloom_bins_free(&use_.heap, malloom_bins_alloc(&use_.heap, 1));
        }
        size_t regions = 0;
        for (const Region& region : regions_) {
            regions += region.memory != nullptr;
        }
        use_.expect_empty(regions);
        for (unsigned place = 0; place < most_regions; ++place) {
            remove_region(place);
        }
        use_.expect(use_.statistics().region_bytes == 0, "all regions have gone");
    }

    const Surroundings& here_;
    Expectations& expectations_;
    Numbers numbers_;
    HeapInUse use_;
    Region regions_[most_regions];
    unsigned rehashes_ = 0;
    size_t made_ = 0;
};

}  // namespace malloom::tests::on_boards
