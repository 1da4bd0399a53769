// A page of objects of one size, and the directory that finds it.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "runtime/structures/freestanding/bit_search.h"

namespace malloom::heaps::pages {

/// What is known of a page, its head: within the page where a chunk is at most twice as long as this and the
/// bitmap, else beside the region's directory. The bitmap follows. A page with no free chunk is in no list.
struct alignas(structures::bitmap_block) Page {
    Page* next;      ///< of those of its class that have room
    Page* previous;  ///< null of the first one
    char* start;
    uint16_t free;  ///< chunks
    uint8_t size_class;
    uint8_t first;  ///< chunk; those before it are the head's

    uint32_t* bits() { return reinterpret_cast<uint32_t*>(this + 1); }
    const uint32_t* bits() const { return reinterpret_cast<const uint32_t*>(this + 1); }
};

/// Sizes of objects, in classes from `smallest` to half a page, each twice the one before.
template <size_t page_bytes_, size_t smallest_>
struct Geometry {
    static constexpr size_t page_bytes = page_bytes_;
    static constexpr size_t smallest = smallest_;
    static constexpr size_t largest = page_bytes / 2;
    static constexpr uint32_t page_shift = static_cast<uint32_t>(__builtin_ctzll(page_bytes));
    static constexpr uint32_t smallest_shift = static_cast<uint32_t>(__builtin_ctzll(smallest));
    static constexpr uint32_t classes = page_shift - smallest_shift;
    static_assert(page_bytes == size_t{1} << page_shift && smallest == size_t{1} << smallest_shift);
    static_assert(smallest >= 2 * sizeof(void*) && classes > 0 && page_bytes / smallest <= UINT16_MAX);

    static constexpr uint32_t shift_of(uint32_t size_class) { return smallest_shift + size_class; }
    static constexpr uint32_t chunks_of(uint32_t size_class) {
        return static_cast<uint32_t>(page_bytes >> shift_of(size_class));
    }
    static constexpr uint32_t words_of(uint32_t size_class) {
        const uint32_t chunks = chunks_of(size_class);
        return chunks < structures::bits_of_word ? 1 : chunks / structures::bits_of_word;
    }
    /// Of a page's head with its bitmap.
    static constexpr size_t head_bytes(uint32_t size_class) {
        const size_t bits = words_of(size_class) * sizeof(uint32_t);
        const size_t blocks = (bits + structures::bitmap_block - 1) / structures::bitmap_block;
        return sizeof(Page) + blocks * structures::bitmap_block;
    }
    static constexpr bool has_head(uint32_t size_class) {
        return (size_t{1} << shift_of(size_class)) <= 2 * head_bytes(size_class);
    }
    /// The longest of those that lie apart from their pages; 0 where all lie within them.
    static constexpr size_t longest_apart() {
        size_t longest = 0;
        for (uint32_t size_class = 0; size_class < classes; ++size_class) {
            const size_t bytes = has_head(size_class) ? 0 : head_bytes(size_class);
            longest = bytes > longest ? bytes : longest;
        }
        return longest;
    }
    /// Chunks of a page that its head takes.
    static constexpr uint32_t first_of(uint32_t size_class) {
        const size_t chunk = size_t{1} << shift_of(size_class);
        return has_head(size_class) ? static_cast<uint32_t>((head_bytes(size_class) + chunk - 1) / chunk) : 0;
    }

    /// By a table, as machines without an instruction that counts zeros would go through a loop.
    static constexpr uint32_t class_of(size_t bytes) {
        return class_table.of[(bytes + smallest - 1) >> smallest_shift];
    }

  private:
    struct Table {
        uint8_t of[largest / smallest + 1] = {};
    };
    static constexpr Table make_table() {
        Table table;
        uint8_t size_class = 0;
        for (size_t units = 1; units <= largest / smallest; ++units) {
            size_class = static_cast<uint8_t>(size_class + (units > size_t{1} << size_class));
            table.of[units] = size_class;
        }
        return table;
    }
    static constexpr Table class_table = make_table();
};

/// What the directory says of a page: a Page's address, 0 of one within a run and of what the directory takes
/// itself, or a number of pages with one of these.
constexpr uintptr_t living_run = 1;  ///< of the first page
constexpr uintptr_t free_run = 2;    ///< of the first page and the last one
constexpr uintptr_t kind_of_entry = 3;

constexpr uintptr_t entry_of_run(size_t pages, uintptr_t kind) {
    return pages << 2 | kind;
}
constexpr size_t pages_of(uintptr_t entry) {
    return entry >> 2;
}

/// A memory that the heap was given, at the begin of which this lies. Then come the directory, and some bytes
/// a page for the heap, which lie in pages that are no object's: so no address there can be given back.
struct Region {
    Region* next;
    uint32_t first;  ///< page that objects may have
    uint32_t pages;
    uint32_t taken;  ///< pages

    static constexpr size_t alignment_beside = 32;
    /// From the begin of a region of so many pages to the bytes that its heap has for them.
    static constexpr size_t begin_beside(size_t pages) {
        const size_t bytes = sizeof(Region) + pages * sizeof(uintptr_t);
        return (bytes + alignment_beside - 1) & ~(alignment_beside - 1);
    }

    uintptr_t base() const { return reinterpret_cast<uintptr_t>(this); }
    uintptr_t* directory() { return reinterpret_cast<uintptr_t*>(this + 1); }
    const uintptr_t* directory() const { return reinterpret_cast<const uintptr_t*>(this + 1); }
    /// The page's, where each has so many.
    void* beside(size_t page, size_t bytes_a_page) {
        return reinterpret_cast<void*>(base() + begin_beside(pages) + page * bytes_a_page);
    }
    bool is_empty() const { return taken == 0; }
};

/// At the begin of pages that nothing lives in.
struct FreeRun {
    FreeRun* next;
    FreeRun* previous;
    Region* region;
};

/// What is wrong with a pointer that is given back.
enum class Wrong : uint8_t { foreign, freed_before };

}  // namespace malloom::heaps::pages
