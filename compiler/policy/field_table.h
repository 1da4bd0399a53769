// A table of fields (formats/fields.def), as a compiler reads one: a file that anybody may have made.
#pragma once

#include <llvm/ADT/StringRef.h>
#include <llvm/Support/MemoryBuffer.h>

#include <memory>
#include <string>

#include "formats/fields_file.h"

namespace malloom::compiler {

class FieldTable {
  public:
    /// The file, checked whole; null where it cannot be read or is not good, and `problem` then says why.
    static std::unique_ptr<FieldTable> open(llvm::StringRef path, std::string& problem);

    const formats::FieldsFile& file() const { return file_; }

  private:
    FieldTable() = default;

    std::unique_ptr<llvm::MemoryBuffer> bytes_;
    formats::FieldsFile file_;
};

}  // namespace malloom::compiler
