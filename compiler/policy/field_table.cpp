#include "compiler/policy/field_table.h"

#include <llvm/Support/Alignment.h>
#include <llvm/Support/FileSystem.h>

namespace malloom::compiler {

std::unique_ptr<FieldTable> FieldTable::open(llvm::StringRef path, std::string& problem) {
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
    if (status.getSize() > formats::FieldsFile::most_bytes) {
        problem = formats::FieldsFile::too_long;
        return nullptr;
    }
    // Read, not mapped: who writes it anew meanwhile must not change what was checked.
    auto bytes = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false,
                                             /*IsVolatile=*/true, llvm::Align(8));
    if (!bytes) {
        problem = "cannot be read: " + bytes.getError().message();
        return nullptr;
    }
    std::unique_ptr<FieldTable> table(new FieldTable);
    table->bytes_ = std::move(*bytes);
    const auto* start = reinterpret_cast<const unsigned char*>(table->bytes_->getBufferStart());
    if (!table->file_.open(start, table->bytes_->getBufferSize())) {
        problem = table->file_.problem();
        return nullptr;
    }
    return table;
}

}  // namespace malloom::compiler
