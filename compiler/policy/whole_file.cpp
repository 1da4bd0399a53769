#include "compiler/policy/whole_file.h"

#include <llvm/Support/Alignment.h>
#include <llvm/Support/FileSystem.h>

namespace malloom::compiler {

std::unique_ptr<llvm::MemoryBuffer> whole_file(llvm::StringRef path, uint64_t most_bytes,
                                               const char* too_long, std::string& problem) {
    llvm::sys::fs::file_status status;
    if (const std::error_code error = llvm::sys::fs::status(path, status)) {
        problem = "cannot be read: " + error.message();
        return nullptr;
    }
    // A pipe would be waited for.
    if (!llvm::sys::fs::is_regular_file(status)) {
        problem = "is no file";
        return nullptr;
    }
    if (status.getSize() > most_bytes) {
        problem = too_long;
        return nullptr;
    }
    // Read, not mapped: who writes it anew meanwhile must not change what was checked.
    auto bytes = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false,
                                             /*IsVolatile=*/true, llvm::Align(8));
    if (!bytes) {
        problem = "cannot be read: " + bytes.getError().message();
        return nullptr;
    }
    return std::move(*bytes);
}

}  // namespace malloom::compiler
