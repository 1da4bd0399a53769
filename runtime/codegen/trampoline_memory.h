// Memory for code that jumps of limited reach lead to.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace malloom::codegen {

/// Where code may begin that a jump leads to.
struct Reach {
    uintptr_t lowest;
    uintptr_t highest;
    uintptr_t source;  ///< of the jump
};

/// Pages at addresses that were free, writable until they are sealed and executable from then on, for the
/// life of the process. Not thread-safe.
class TrampolineMemory {
  public:
    /// `bytes` (at most a page's) that begin within the reach; nullptr where nothing is free there. Stays
    /// away from where the heap's break and the stack grow to, and from addresses that processors take for
    /// the source's.
    unsigned char* place(const Reach& reach, size_t bytes);

    /// Makes all pages executable, and not writable; false where the system refuses.
    bool seal();

    /// Gives all pages back.
    void release();

    size_t pages() const { return pages_; }

  private:
    struct Chunk {
        uintptr_t start;
        uintptr_t end;
        uintptr_t free;
    };

    static unsigned char* place_in(Chunk& chunk, const Reach& reach, size_t bytes);
    Chunk* map(const Reach& reach, size_t bytes);
    Chunk* map_at(uintptr_t start, size_t bytes);

    // A page for every jump of short reach: this bounds the memory at 1 MiB.
    static constexpr size_t capacity = 256;
    Chunk chunks_[capacity];
    size_t count_ = 0;
    size_t pages_ = 0;
};

}  // namespace malloom::codegen
