// Runs of pages in the memories of a heap, and objects that have some of their own.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "checks/check.h"
#include "runtime/heaps/pages/page.h"

namespace malloom::heaps::pages {

/// Free runs join their free neighbours. The one that became free last serves first.
template <uint32_t page_shift>
class PageRuns {
  public:
    static constexpr size_t page_bytes = size_t{1} << page_shift;

    /// Begins at a page, and outlives this. Null where it has no room for a page beside the directory and
    /// those bytes a page, which say nothing yet.
    Region* add(void* memory, size_t bytes, size_t beside_page);
    /// Of one that is empty.
    void remove(Region& region);

    struct Taken {
        Region* region;  ///< null where there is no such run
        size_t page;
    };
    /// Some pages in a row, at a multiple of `alignment` pages, a power of two. Their entries are 0.
    Taken take(size_t pages, size_t alignment);
    /// Their entries may be anything.
    void give_back(Region& region, size_t page, size_t pages);

    /// An object with pages of its own, also one of no bytes; null where there is no memory. `alignment` is 0
    /// or a power of two, in bytes.
    [[gnu::noinline]] void* allocate(size_t bytes, size_t alignment);
    /// Takes it back. Where none begins in that region, nothing changes, and on_wrong(Wrong, object) is told.
    /// It is rare beside the release of a chunk, for which whoever calls it keeps the registers.
    template <class OnWrong>
    [[gnu::noinline, gnu::cold]] void release(Region& region, void* object, OnWrong on_wrong);
    /// Whether one begins there; where none does, on_wrong is told the same.
    template <class OnWrong>
    [[gnu::always_inline]] static bool is_living(const Region& region, const void* object, OnWrong on_wrong);
    /// Its bytes, by the directory's entry of its first page; 0 of another entry.
    static constexpr size_t usable_size(uintptr_t entry) {
        return (entry & kind_of_entry) == living_run ? pages_of(entry) << page_shift : 0;
    }

    /// The region of an address; by going through all regions.
    Region* region_of(const void* address) const;
    Region* regions() const { return regions_; }
    /// The directories and lists of free runs agree. It goes through both.
    bool is_valid() const noexcept;

  private:
    static FreeRun& run_at(Region& region, size_t page) {
        return *reinterpret_cast<FreeRun*>(region.base() + (page << page_shift));
    }
    static size_t page_of(const FreeRun& run) {
        return (reinterpret_cast<uintptr_t>(&run) - run.region->base()) >> page_shift;
    }
    [[gnu::noinline, gnu::cold]] static Wrong wrong_at(const Region& region, size_t page);
    void make_free(Region& region, size_t page, size_t pages);
    void unlink(FreeRun& run);

    Region* regions_ = nullptr;
    FreeRun* free_ = nullptr;
};

template <uint32_t page_shift>
Region* PageRuns<page_shift>::add(void* memory, size_t bytes, size_t beside_page) {
    const size_t pages = bytes >> page_shift;
    const size_t own = (Region::begin_beside(pages) + pages * beside_page + page_bytes - 1) >> page_shift;
    if (pages <= own || pages > UINT32_MAX || (reinterpret_cast<uintptr_t>(memory) & (page_bytes - 1)) != 0) {
        return nullptr;
    }
    auto& region = *static_cast<Region*>(memory);
    region = {regions_, static_cast<uint32_t>(own), static_cast<uint32_t>(pages), 0};
    for (size_t page = 0; page < pages; ++page) {
        region.directory()[page] = 0;
    }
    regions_ = &region;
    make_free(region, own, pages - own);
    return &region;
}

template <uint32_t page_shift>
void PageRuns<page_shift>::remove(Region& region) {
    unlink(run_at(region, region.first));
    Region** link = &regions_;
    while (*link != &region) {
        link = &(*link)->next;
    }
    *link = region.next;
}

template <uint32_t page_shift>
typename PageRuns<page_shift>::Taken PageRuns<page_shift>::take(size_t pages, size_t alignment) {
    MALLOOM_CHECK_FULL(is_valid());
    for (FreeRun* run = free_; run != nullptr; run = run->next) {
        Region& region = *run->region;
        const size_t page = page_of(*run);
        const uintptr_t entry = region.directory()[page];
        const size_t has = pages_of(entry);
        const size_t address = reinterpret_cast<uintptr_t>(run) >> page_shift;
        const size_t before = (0 - address) & (alignment - 1);
        if (has < pages || has - pages < before) {
            continue;
        }
        MALLOOM_CHECK((entry & kind_of_entry) == free_run && region.directory()[page + has - 1] == entry);
        unlink(*run);
        region.directory()[page] = 0;
        region.directory()[page + has - 1] = 0;
        if (before != 0) {
            make_free(region, page, before);
        }
        if (has - pages != before) {
            make_free(region, page + before + pages, has - pages - before);
        }
        region.taken += static_cast<uint32_t>(pages);
        return {&region, page + before};
    }
    return {nullptr, 0};
}

template <uint32_t page_shift>
void PageRuns<page_shift>::give_back(Region& region, size_t page, size_t pages) {
    MALLOOM_CHECK_FULL(is_valid());
    uintptr_t* const directory = region.directory();
    region.taken -= static_cast<uint32_t>(pages);
    directory[page] = 0;
    const uintptr_t former = directory[page - 1];
    if ((former & kind_of_entry) == free_run) {
        directory[page - 1] = 0;
        page -= pages_of(former);
        pages += pages_of(former);
        unlink(run_at(region, page));
    }
    const size_t end = page + pages;
    const uintptr_t next = end < region.pages ? directory[end] : 0;
    if ((next & kind_of_entry) == free_run) {
        directory[end] = 0;
        pages += pages_of(next);
        unlink(run_at(region, end));
    }
    make_free(region, page, pages);
}

template <uint32_t page_shift>
void* PageRuns<page_shift>::allocate(size_t bytes, size_t alignment) {
    if (bytes > SIZE_MAX / 2) {
        return nullptr;
    }
    const size_t pages = bytes == 0 ? 1 : (bytes + page_bytes - 1) >> page_shift;
    const Taken taken = take(pages, alignment > page_bytes ? alignment >> page_shift : 1);
    if (taken.region == nullptr) {
        return nullptr;
    }
    taken.region->directory()[taken.page] = entry_of_run(pages, living_run);
    return reinterpret_cast<void*>(taken.region->base() + (taken.page << page_shift));
}

template <uint32_t page_shift>
template <class OnWrong>
void PageRuns<page_shift>::release(Region& region, void* object, OnWrong on_wrong) {
    if (is_living(region, object, on_wrong)) {
        const size_t page = (reinterpret_cast<uintptr_t>(object) - region.base()) >> page_shift;
        give_back(region, page, pages_of(region.directory()[page]));
    }
}

template <uint32_t page_shift>
template <class OnWrong>
inline bool PageRuns<page_shift>::is_living(const Region& region, const void* object, OnWrong on_wrong) {
    const uintptr_t offset = reinterpret_cast<uintptr_t>(object) - region.base();
    const size_t page = offset >> page_shift;
    if ((region.directory()[page] & kind_of_entry) == living_run && (offset & (page_bytes - 1)) == 0) {
        return true;
    }
    on_wrong(wrong_at(region, page), object);
    return false;
}

// Where something lived that was freed, the pages may have joined those before: only the first one of a run
// has an entry then.
template <uint32_t page_shift>
Wrong PageRuns<page_shift>::wrong_at(const Region& region, size_t page) {
    while (region.directory()[page] == 0 && page > region.first) {
        --page;
    }
    return (region.directory()[page] & kind_of_entry) == free_run ? Wrong::freed_before : Wrong::foreign;
}

template <uint32_t page_shift>
void PageRuns<page_shift>::make_free(Region& region, size_t page, size_t pages) {
    region.directory()[page] = entry_of_run(pages, free_run);
    region.directory()[page + pages - 1] = entry_of_run(pages, free_run);
    FreeRun& run = run_at(region, page);
    run = {free_, nullptr, &region};
    if (free_ != nullptr) {
        free_->previous = &run;
    }
    free_ = &run;
}

template <uint32_t page_shift>
void PageRuns<page_shift>::unlink(FreeRun& run) {
    (run.previous != nullptr ? run.previous->next : free_) = run.next;
    if (run.next != nullptr) {
        run.next->previous = run.previous;
    }
}

template <uint32_t page_shift>
Region* PageRuns<page_shift>::region_of(const void* address) const {
    Region* region = regions_;
    while (region != nullptr &&
           (reinterpret_cast<uintptr_t>(address) - region->base()) >> page_shift >= region->pages) {
        region = region->next;
    }
    return region;
}

template <uint32_t page_shift>
bool PageRuns<page_shift>::is_valid() const noexcept {
    size_t listed = 0;
    for (const FreeRun* run = free_; run != nullptr; run = run->next) {
        const size_t page = page_of(*run);
        const uintptr_t entry = run->region->directory()[page];
        const size_t pages = pages_of(entry);
        if ((entry & kind_of_entry) != free_run || page + pages > run->region->pages ||
            run->region->directory()[page + pages - 1] != entry ||
            (run->next != nullptr && run->next->previous != run)) {
            return false;
        }
        listed += pages;
    }
    for (const Region* region = regions_; region != nullptr; region = region->next) {
        listed -= region->pages - region->first - region->taken;
    }
    return listed == 0;
}

}  // namespace malloom::heaps::pages
