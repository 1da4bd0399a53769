// A field of a set's objects. Without LLVM's headers, so that layouts are tested without them.
#pragma once

#include <cstdint>

namespace malloom::compiler {

/// Bytes of an object that stay together.
struct Field {
    uint64_t offset, bytes;
    bool is_recursive = false;  ///< a pointer to an object of the same set

    uint64_t end() const { return offset + bytes; }
};

}  // namespace malloom::compiler
