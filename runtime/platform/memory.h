// Pages from the operating system. Nothing here allocates, locks or throws; errno stays. A thread that may
// make no system calls (system_calls.h) is refused everything.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace malloom::platform {

/// Size of a page of this machine, read at run time (4 KiB, 16 KiB or 64 KiB), in bytes.
size_t page_bytes();

/// What a transparent huge page of x86-64 spans, in bytes; arenas are aligned to it.
constexpr size_t huge_page_bytes = size_t{2} << 20;

constexpr bool is_power_of_two(size_t value) {
    return value != 0 && (value & (value - 1)) == 0;
}

/// `value` rounded to a multiple of `step`, a power of two. round_up wraps where the result has no room in
/// size_t.
constexpr size_t round_down(size_t value, size_t step) {
    return value & ~(step - 1);
}
constexpr size_t round_up(size_t value, size_t step) {
    return round_down(value + step - 1, step);
}

/// `bytes` (rounded up to pages) of zeroed memory that the caller owns, or nullptr.
void* map_pages(size_t bytes);

/// Address space of `bytes` at a multiple of `alignment` (a power of two, at least a page): zeroed, readable
/// and writable, but it counts against memory only page by page as it is touched. nullptr where the system
/// refuses.
void* reserve_pages(size_t bytes, size_t alignment);

/// The same, but neither readable nor writable until the owner asks the system for it (mprotect): then it
/// counts nowhere, not where the system counts what is promised, and not for mlockall.
void* reserve_addresses(size_t bytes, size_t alignment);

/// Makes whole pages readable, and no more.
void protect_pages(void* start, size_t bytes);

/// Makes whole pages of reserved addresses readable and writable; they read as zero. False where the system
/// has promised too much memory already.
bool open_pages(void* start, size_t bytes);

/// Maps pages of such addresses where nothing is mapped yet, and of no others; `protection` as of mmap. False
/// where there is something, or no memory.
bool map_pages_at(void* start, size_t bytes, int protection);

/// As open_pages, of addresses that are reserved or claimed (AddressSpan), all of one kind, and open or not.
bool open_any_pages(void* start, size_t bytes);

/// Bytes of address space that this process may have (RLIMIT_AS); SIZE_MAX where nothing limits it.
size_t address_space_limit();

/// How much of it may be writable (RLIMIT_DATA); SIZE_MAX where nothing limits it. Beyond it open_pages
/// fails.
size_t data_limit();

/// Gives back what these gave, or whole pages of it. False where the system does not take it: it takes a part
/// out of a mapping only where the process may have one mapping more.
bool unmap_pages(void* start, size_t bytes);

/// Gives the memory of whole pages back but keeps their addresses: they read as zero when touched again.
/// False where the system does not take it, as of locked pages: they hold what they did.
bool discard_pages(void* start, size_t bytes);

/// Makes the pages resident with as few faults as the system knows; false where it cannot (they then fault
/// one by one).
bool populate_pages(void* start, size_t bytes);

/// Whether the system makes huge pages where it is asked to. Reads a file of the kernel's.
bool huge_pages_are_allowed();

/// From now on pages of the range are small, but for those that the next two make; advice only.
void refuse_huge_pages(void* start, size_t bytes);

/// Makes 2 MiB at a multiple of that, untouched and of a range with refuse_huge_pages, resident as one huge
/// page. Small pages where the system has no huge one; false where they are not resident after it.
bool make_huge_page(void* start);

/// Makes one huge page of such 2 MiB with what they hold; false where the system cannot.
bool gather_huge_page(void* start);

/// Since some moment, in nanoseconds; 0 for a thread that may make no system calls, though most systems offer
/// their clock without one.
uint64_t monotonic_nanoseconds();

/// Asks for huge pages in whole 2 MiB parts of the range; advice only.
void prefer_huge_pages(void* start, size_t bytes);

/// Resident memory of this process in bytes, 0 where that cannot be known. Three system calls; for signal
/// handlers too, no cancellation point, and errno stays.
size_t resident_bytes();

/// Peak resident memory of this process, in bytes.
size_t peak_resident_bytes();

}  // namespace malloom::platform
