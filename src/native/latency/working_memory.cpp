#include "src/native/latency/working_memory.h"

#include <sys/mman.h>

#include <new>
#include <stdexcept>

namespace malloom::native {

namespace {

constexpr uint64_t huge_page_bytes = 2 << 20;
constexpr uint64_t least_page_bytes = 4096;

}  // namespace

WorkingMemory::WorkingMemory(uint64_t bytes, Pages pages)
    : bytes_(bytes),
      mapped_bytes_(bytes + huge_page_bytes),
      mapping_(mmap(nullptr, mapped_bytes_, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {
    if (mapping_ == MAP_FAILED) {
        throw std::bad_alloc();
    }
    const auto address = reinterpret_cast<uintptr_t>(mapping_);
    begin_ = static_cast<std::byte*>(mapping_) + (-address & (huge_page_bytes - 1));
    // A kernel without huge pages refuses either wish, and has small ones.
    madvise(mapping_, mapped_bytes_, pages == Pages::huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
}

WorkingMemory::~WorkingMemory() {
    munmap(mapping_, mapped_bytes_);
}

std::span<std::byte> WorkingMemory::resident(uint64_t bytes) {
    if (bytes > bytes_) {
        throw std::out_of_range("a working set larger than its memory");
    }
    for (; resident_bytes_ < bytes; resident_bytes_ += least_page_bytes) {
        begin_[resident_bytes_] =
            std::byte{1};  // a page that is only read would be the kernel's page of zeros
    }
    return {begin_, bytes};
}

}  // namespace malloom::native
