// Pages of code, made and changed while the program runs. What the code says is another's matter: nothing
// here knows an instruction set.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace malloom::codegen {

/// Addresses that a processor does not tell apart where it predicts branches: those that are `span` bytes, or
/// several times that, from `address`, and `margin` bytes on either side. None where the margin is 0.
struct Aliases {
    uintptr_t address = 0;
    uintptr_t span = 1;
    uintptr_t margin = 0;
};

/// Where code may begin: what leads there does not reach everywhere.
struct Reach {
    uintptr_t lowest;
    uintptr_t highest;
    Aliases avoided;
};

/// Pages at addresses that were free: writable until they are sealed, executable from then on, for the life
/// of the process. Never both, which systems refuse. Not thread-safe.
class CodePages {
  public:
    /// `bytes` (at most a page's) that begin within the reach, for the caller to write; nullptr where nothing
    /// is free there. Stays away from where the heap's break and the stack grow to.
    unsigned char* place(const Reach& reach, size_t bytes);

    /// Makes all pages executable, and not writable; false where the system refuses. Later code gets pages of
    /// its own; what is sealed can be changed by write_code.
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

/// Writes `count` bytes over code, whose pages have `protection` (as mprotect has it, with reading). The
/// pages are exchanged for changed copies, each process's own, in one step: they can run at any time, other
/// threads see the old ones or the new ones, and where the system refuses (false) all is as it was. Keeps
/// errno.
bool write_code(uintptr_t address, const unsigned char* bytes, size_t count, int protection);

}  // namespace malloom::codegen
