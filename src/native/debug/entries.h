// The entries of .debug_info that say where functions are declared and inlined (DWARF 2 to 5). Names are not
// read.
#pragma once

#include <stdint.h>

#include <map>
#include <utility>
#include <vector>

#include "src/native/debug/section_reader.h"

namespace malloom::native {

/// Empty where a file has no such section.
struct DebugSections {
    Bytes info, abbrev, line, addr, rnglists, ranges;
};

using AddressRange = std::pair<uint64_t, uint64_t>;  ///< from, to before

/// A function or a function in its caller, with what is of use here.
struct ScopeEntry {
    uint64_t tag = 0;
    uint64_t offset = 0;     ///< in .debug_info
    uint64_t origin = 0;     ///< offset in .debug_info of the entry that this one continues; 0: none
    uint64_t decl_line = 0;  ///< 0: not said
    uint64_t call_line = 0;
    uint64_t call_column = 0;
    std::vector<AddressRange> ranges;
};

constexpr uint64_t tag_inlined = 0x1d;
constexpr uint64_t tag_function = 0x2e;

struct Abbreviation {
    struct Attribute {
        uint64_t name;
        uint64_t form;
        int64_t constant;  ///< of an implicit constant
    };
    uint64_t tag = 0;
    std::vector<Attribute> attributes;
};

/// One unit; reads its entries one after the other.
class Unit {
  public:
    /// The unit whose header begins at `start`; good() says whether it can be read.
    Unit(const DebugSections& sections, uint64_t start);

    bool good() const { return good_; }
    uint64_t start() const { return start_; }
    uint64_t end() const { return end_; }
    uint64_t first_entry() const { return first_entry_; }

    /// The entry at `reader`, which goes on to the next one. Its tag is 0 where it is a mere end of children.
    ScopeEntry read(SectionReader& reader) const;

  private:
    /// An attribute's value before what it means is known.
    struct Value {
        uint64_t form = 0;
        uint64_t number = 0;
    };
    struct Attributes;

    bool read_header(SectionReader& reader);
    void read_abbreviations(Bytes abbrev, uint64_t offset);
    void read_bases();
    bool read_attributes(SectionReader& reader, Attributes& attributes) const;
    Value value(SectionReader& reader, uint64_t form, int64_t constant) const;
    uint64_t address(const Value& value) const;
    uint64_t address_at(uint64_t index) const;
    uint64_t reference(const Value& value) const;
    std::vector<AddressRange> ranges(const Attributes& attributes) const;
    std::vector<AddressRange> old_ranges(uint64_t offset) const;
    std::vector<AddressRange> range_list(uint64_t offset) const;

    const DebugSections& sections_;
    uint64_t start_;
    uint64_t end_ = 0;
    uint64_t first_entry_ = 0;
    bool good_ = false;
    uint64_t version_ = 0;
    uint64_t offset_bytes_ = 4;
    uint64_t address_bytes_ = 8;
    uint64_t low_ = 0;
    uint64_t address_base_ = 8;
    uint64_t ranges_base_ = 0;
    std::map<uint64_t, Abbreviation> abbreviations_;
};

}  // namespace malloom::native
