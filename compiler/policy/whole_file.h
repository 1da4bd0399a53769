// A file that a user names to the compiler, and that anybody may have made.
#pragma once

#include <llvm/ADT/StringRef.h>
#include <llvm/Support/MemoryBuffer.h>

#include <cstdint>
#include <memory>
#include <string>

namespace malloom::compiler {

/// All of it, aligned to 8 bytes; null where it cannot be read, and `problem` then says why. `too_long` is
/// said of a file of more than so many bytes.
std::unique_ptr<llvm::MemoryBuffer> whole_file(llvm::StringRef path, uint64_t most_bytes,
                                               const char* too_long, std::string& problem);

}  // namespace malloom::compiler
