#include "compiler/driver/chosen.h"

#include "compiler/driver/files.h"
#include "formats/choice_file.h"

namespace malloom::driver {

Chosen chosen_by(const std::string& path) {
    const std::optional<std::string> text = path.empty() ? std::nullopt : text_of(path.c_str());
    formats::ChoiceFile file;
    if (!text || text->size() > formats::ChoiceFile::most_bytes || !file.open(*text)) return {};
    return {std::string(file.fallback()), std::string(file.huge())};
}

}  // namespace malloom::driver
