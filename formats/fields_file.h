// A reader of tables of fields, for compilers: checks a table whole, so that whoever asks it afterwards may
// trust every index. Needs no library and no exceptions.
#pragma once

#include <stddef.h>

#include "formats/fields.h"
#include "formats/sites_file.h"

namespace malloom::formats {

class FieldsFile {
  public:
    /// The limits of fields.def come to less; whoever reads a file may refuse a longer one beforehand.
    static constexpr size_t most_bytes = size_t{1} << 30;
    static constexpr const char* too_long = "is too long for a table of fields";

    /// Reads `bytes` bytes, 8-byte aligned, which stay the caller's. On failure says false, and `problem()`
    /// why.
    bool open(const unsigned char* start, size_t bytes) {
        *this = FieldsFile();
        return check_header(start, bytes) && find_tables(start) && check_kinds();
    }

    const char* problem() const { return problem_; }
    const fields::FieldsHeader& header() const { return *header_; }
    const SitesFile& sites() const { return sites_; }
    const TableView<fields::Kind>& kinds() const { return kinds_; }

    TableView<fields::Field> fields_of(const fields::Kind& kind) const {
        return {fields_.first + kind.first_field, kind.fields};
    }
    TableView<fields::Pair> pairs_of(const fields::Kind& kind) const {
        return {pairs_.first + kind.first_pair, kind.pairs};
    }

  private:
    bool refuse(const char* problem) {
        problem_ = problem;
        return false;
    }

    bool check_header(const unsigned char* start, size_t bytes) {
        if (bytes < sizeof(fields::FieldsHeader)) return refuse("is too short for a table of fields");
        header_ = reinterpret_cast<const fields::FieldsHeader*>(start);
        if (header_->magic != fields::file_magic) return refuse("is no table of fields");
        if (header_->version != fields::version_current) {
            return refuse("has a version that this malloom does not read");
        }
        if (header_->header_bytes != sizeof *header_ || header_->file_bytes != bytes || bytes % 8 != 0) {
            return refuse("is not as long as it says: it was cut or is still being written");
        }
        if (word_checksum(start, bytes, offsetof(fields::FieldsHeader, checksum)) != header_->checksum) {
            return refuse("is damaged: its checksum is wrong");
        }
        return true;
    }

    bool find_tables(const unsigned char* start) {
        TableFinder finder(start, header_->file_bytes);
        kinds_ = finder.find<fields::Kind>(header_->kinds_offset, header_->kinds_count);
        fields_ = finder.find<fields::Field>(header_->fields_offset, header_->fields_count);
        pairs_ = finder.find<fields::Pair>(header_->pairs_offset, header_->pairs_count);
        const auto keys = finder.find<unsigned char>(header_->sites_offset, header_->sites_bytes);
        if (!finder.all_found()) return refuse("is damaged: a table lies outside the file");
        return sites_.open(keys.first, keys.count) || refuse(sites_.problem());
    }

    /// What several kinds named together could be gone through for ever.
    bool check_kinds() {
        uint64_t all_fields = 0, all_pairs = 0;
        for (const fields::Kind& kind : kinds_) {
            all_fields += kind.fields;
            all_pairs += kind.pairs;
            if (all_fields > fields_.count || all_pairs > pairs_.count) {
                return refuse("is damaged: its kinds of objects share fields");
            }
            if (kind.context >= sites_.contexts().count ||
                !has_range(fields_, kind.first_field, kind.fields) ||
                !has_range(pairs_, kind.first_pair, kind.pairs)) {
                return refuse("is damaged: a kind of objects names what is not there");
            }
            for (const fields::Pair& pair : pairs_of(kind)) {
                if (pair.first >= pair.second || pair.second >= kind.fields) {
                    return refuse("is damaged: a pair names a field that is not there");
                }
            }
        }
        return true;
    }

    const char* problem_ = "is no table of fields";
    const fields::FieldsHeader* header_ = nullptr;
    SitesFile sites_;
    TableView<fields::Kind> kinds_;
    TableView<fields::Field> fields_;
    TableView<fields::Pair> pairs_;
};

}  // namespace malloom::formats
