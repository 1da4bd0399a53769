// Memory for generated code, for tests.
#pragma once

#include <gtest/gtest.h>
#include <sys/mman.h>

#include "include/malloom/bins.h"

namespace malloom::tests {

/// Pages that are written or run, and never both at once.
class CodePages {
  public:
    CodePages()
        : code{static_cast<unsigned char*>(
                   mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)),
               bytes,
               0,
               this,
               begin_write,
               end_write,
               nullptr} {}
    ~CodePages() { munmap(code.memory, bytes); }
    CodePages(const CodePages&) = delete;
    CodePages& operator=(const CodePages&) = delete;

    malloom_bins_code code;
    int writes = 0;

  private:
    static constexpr size_t page = 4'096, bytes = 4 * page;
    static void begin_write(void* context, unsigned char* half, size_t half_bytes) {
        ++static_cast<CodePages*>(context)->writes;
        EXPECT_EQ(mprotect(half, half_bytes, PROT_READ | PROT_WRITE), 0);
    }
    static void end_write(void*, unsigned char* half, size_t half_bytes) {
        EXPECT_EQ(mprotect(half, half_bytes, PROT_READ | PROT_EXEC), 0);
    }
};

}  // namespace malloom::tests
