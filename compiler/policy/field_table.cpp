#include "compiler/policy/field_table.h"

#include "compiler/policy/whole_file.h"

namespace malloom::compiler {

std::unique_ptr<FieldTable> FieldTable::open(llvm::StringRef path, std::string& problem) {
    std::unique_ptr<FieldTable> table(new FieldTable);
    table->bytes_ = whole_file(path, formats::FieldsFile::most_bytes, formats::FieldsFile::too_long, problem);
    if (table->bytes_ == nullptr) {
        return nullptr;
    }
    const auto* start = reinterpret_cast<const unsigned char*>(table->bytes_->getBufferStart());
    if (!table->file_.open(start, table->bytes_->getBufferSize())) {
        problem = table->file_.problem();
        return nullptr;
    }
    return table;
}

}  // namespace malloom::compiler
