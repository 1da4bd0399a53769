// What a test of the bin heap needs of the machine that it runs on.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "include/malloom/bins.h"

namespace malloom::tests::on_boards {

/// Memory that code can be written to and run in, and how often that was done. Its hooks have its address.
class CodeMemory {
  public:
    using MakeVisible = void (*)(void* begin, size_t bytes);

    /// `make_visible` is called after something was written, and lets it run.
    CodeMemory(unsigned char* memory, size_t bytes, MakeVisible make_visible)
        : code{memory, bytes, 0, this, begin_write, end_write, wait_for_others},
          make_visible_(make_visible) {}
    CodeMemory(const CodeMemory&) = delete;
    CodeMemory& operator=(const CodeMemory&) = delete;

    /// Whether a function lies in it.
    bool has(malloom_bin_function function) const {
        return reinterpret_cast<uintptr_t>(function) - reinterpret_cast<uintptr_t>(code.memory) < code.bytes;
    }

    malloom_bins_code code;
    unsigned begun = 0, ended = 0, waited = 0;

  private:
    static CodeMemory& of(void* context) { return *static_cast<CodeMemory*>(context); }
    static void begin_write(void* context, unsigned char*, size_t) { ++of(context).begun; }
    static void end_write(void* context, unsigned char* written, size_t bytes) {
        ++of(context).ended;
        of(context).make_visible_(written, bytes);
    }
    static void wait_for_others(void* context) { ++of(context).waited; }

    MakeVisible make_visible_;
};

/// Memory for heaps, aligned to 64, and memory for code.
struct Surroundings {
    static constexpr size_t least_bytes = 512U << 10, least_code_bytes = 16U << 10;

    unsigned char* memory;
    size_t bytes;
    CodeMemory& code_memory;
};

}  // namespace malloom::tests::on_boards
