#include "src/native/debug/entries.h"

namespace malloom::native {

namespace {

// DW_AT_*
constexpr uint64_t at_low = 0x11, at_high = 0x12, at_origin = 0x31, at_decl_line = 0x3b,
                   at_specification = 0x47, at_ranges = 0x55, at_call_column = 0x57, at_call_line = 0x59,
                   at_address_base = 0x73, at_ranges_base = 0x74;
// DW_FORM_*
constexpr uint64_t form_address = 0x01, form_block2 = 0x03, form_block4 = 0x04, form_text = 0x08,
                   form_block = 0x09, form_block1 = 0x0a, form_signed = 0x0d, form_reference_any = 0x10,
                   form_reference = 0x15, form_indirect = 0x16, form_block_expression = 0x18,
                   form_present = 0x19, form_address_index = 0x1b, form_implicit = 0x21,
                   form_ranges_index = 0x23, form_address_1 = 0x29, form_address_4 = 0x2c,
                   form_old_address_index = 0x1f01;
constexpr uint64_t variable = ~uint64_t{0}, of_offset = variable - 1, of_address = variable - 2,
                   unknown = variable - 3;

/// Bytes of a value of that form: a number, or one of the four above.
uint64_t size_of(uint64_t form) {
    switch (form) {
        case form_address:
            return of_address;
        case 0x0b:
        case 0x0c:
        case 0x11:
        case 0x25:
        case form_address_1:
            return 1;
        case 0x05:
        case 0x12:
        case 0x26:
        case 0x2a:
            return 2;
        case 0x27:
        case 0x2b:
            return 3;
        case 0x06:
        case 0x13:
        case 0x1c:
        case 0x28:
        case form_address_4:
            return 4;
        case 0x07:
        case 0x14:
        case 0x20:
        case 0x24:
            return 8;
        case 0x1e:
            return 16;
        case 0x0e:
        case form_reference_any:
        case 0x17:
        case 0x1d:
        case 0x1f:
        case 0x1f20:
        case 0x1f21:
            return of_offset;
        case 0x0f:
        case form_reference:
        case 0x1a:
        case form_address_index:
        case 0x22:
        case form_ranges_index:
        case form_old_address_index:
        case 0x1f02:
            return variable;
        default:
            return unknown;
    }
}

}  // namespace

struct Unit::Attributes {
    uint64_t tag = 0;
    Value low, high, origin, specification, decl_line, ranges, call_line, call_column, address_base,
        ranges_base;

    Value* find(uint64_t name) {
        switch (name) {
            case at_low:
                return &low;
            case at_high:
                return &high;
            case at_origin:
                return &origin;
            case at_specification:
                return &specification;
            case at_decl_line:
                return &decl_line;
            case at_ranges:
                return &ranges;
            case at_call_line:
                return &call_line;
            case at_call_column:
                return &call_column;
            case at_address_base:
                return &address_base;
            case at_ranges_base:
                return &ranges_base;
            default:
                return nullptr;
        }
    }
};

Unit::Unit(const DebugSections& sections, uint64_t start) : sections_(sections), start_(start) {
    SectionReader reader(sections.info, start);
    good_ = read_header(reader);
    if (good_) read_bases();
}

bool Unit::read_header(SectionReader& reader) {
    bool is_wide = false;
    const uint64_t length = reader.unit_length(is_wide);
    end_ = reader.at() + length;
    offset_bytes_ = is_wide ? 8 : 4;
    version_ = reader.number(2);
    if (!reader.good() || version_ < 2 || version_ > 5 || length > sections_.info.size()) return false;
    uint64_t abbreviations = 0, kind = 1;
    if (version_ == 5) {
        kind = reader.number(1);
        address_bytes_ = reader.number(1);
        abbreviations = reader.number(offset_bytes_);
    } else {
        abbreviations = reader.number(offset_bytes_);
        address_bytes_ = reader.number(1);
    }
    // Whole units and partial ones; the others describe types, or lie in other files.
    if ((kind != 1 && kind != 3) || address_bytes_ > 8) return false;
    first_entry_ = reader.at();
    read_abbreviations(sections_.abbrev, abbreviations);
    return reader.good() && end_ <= sections_.info.size();
}

void Unit::read_abbreviations(Bytes abbrev, uint64_t offset) {
    SectionReader reader(abbrev, offset);
    for (uint64_t code = reader.uleb(); code != 0 && reader.good(); code = reader.uleb()) {
        Abbreviation& entry = abbreviations_[code];
        entry.tag = reader.uleb();
        reader.skip(1);  // whether it has children: what follows an entry says so too
        while (reader.good()) {
            const uint64_t name = reader.uleb(), form = reader.uleb();
            const int64_t constant = form == form_implicit ? reader.sleb() : 0;
            if (name == 0 && form == 0) break;
            entry.attributes.push_back({name, form, constant});
        }
    }
}

/// What the unit's own entry says of addresses in the others.
void Unit::read_bases() {
    SectionReader reader(sections_.info, first_entry_);
    Attributes own;
    if (!read_attributes(reader, own)) return;
    if (own.address_base.form != 0) address_base_ = own.address_base.number;
    if (own.ranges_base.form != 0) ranges_base_ = own.ranges_base.number;
    if (own.low.form != 0) low_ = address(own.low);
}

bool Unit::read_attributes(SectionReader& reader, Attributes& attributes) const {
    const uint64_t code = reader.uleb();
    if (code == 0) return reader.good();
    const auto found = abbreviations_.find(code);
    if (found == abbreviations_.end()) {
        reader.go_to(variable);
        return false;
    }
    attributes.tag = found->second.tag;
    for (const Abbreviation::Attribute& attribute : found->second.attributes) {
        const Value read = value(reader, attribute.form, attribute.constant);
        if (Value* const wanted = attributes.find(attribute.name)) *wanted = read;
    }
    return reader.good();
}

Unit::Value Unit::value(SectionReader& reader, uint64_t form, int64_t constant) const {
    switch (form) {
        case form_implicit:
            return {form, static_cast<uint64_t>(constant)};
        case form_present:
            return {form, 1};
        case form_signed:
            return {form, static_cast<uint64_t>(reader.sleb())};
        case form_text:
            reader.skip_text();
            return {form, 0};
        case form_block1:
            reader.skip(reader.number(1));
            return {form, 0};
        case form_block2:
            reader.skip(reader.number(2));
            return {form, 0};
        case form_block4:
            reader.skip(reader.number(4));
            return {form, 0};
        case form_block:
        case form_block_expression:
            reader.skip(reader.uleb());
            return {form, 0};
        case form_indirect: {
            const uint64_t meant = reader.uleb();
            return meant == form_indirect ? Value{} : value(reader, meant, 0);
        }
        default:
            break;
    }
    switch (const uint64_t size = size_of(form)) {
        case variable:
            return {form, reader.uleb()};
        case of_offset:
            return {form, reader.number(form == form_reference_any && version_ == 2 ? address_bytes_
                                                                                    : offset_bytes_)};
        case of_address:
            return {form, reader.number(address_bytes_)};
        case 16:
            reader.skip(16);
            return {form, 0};
        case unknown:
            reader.go_to(variable);
            return {};
        default:
            return {form, reader.number(size)};
    }
}

uint64_t Unit::address_at(uint64_t index) const {
    if (index > sections_.addr.size()) return 0;
    return SectionReader(sections_.addr, address_base_ + index * address_bytes_).number(address_bytes_);
}

uint64_t Unit::address(const Value& value) const {
    const bool is_index = value.form == form_address_index || value.form == form_old_address_index ||
                          (value.form >= form_address_1 && value.form <= form_address_4);
    return is_index ? address_at(value.number) : value.number;
}

uint64_t Unit::reference(const Value& value) const {
    if (value.form == form_reference_any) return value.number;
    const bool is_local = value.form >= 0x11 && value.form <= form_reference;
    return is_local ? start_ + value.number : 0;
}

ScopeEntry Unit::read(SectionReader& reader) const {
    Attributes attributes;
    ScopeEntry entry;
    entry.offset = reader.at();
    if (!read_attributes(reader, attributes)) return entry;
    entry.tag = attributes.tag;
    if (entry.tag != tag_function && entry.tag != tag_inlined) return entry;
    entry.origin = reference(attributes.origin.form != 0 ? attributes.origin : attributes.specification);
    entry.decl_line = attributes.decl_line.number;
    entry.call_line = attributes.call_line.number;
    entry.call_column = attributes.call_column.number;
    entry.ranges = ranges(attributes);
    return entry;
}

std::vector<AddressRange> Unit::ranges(const Attributes& attributes) const {
    if (attributes.ranges.form != 0) {
        uint64_t offset = attributes.ranges.number;
        if (version_ < 5) return old_ranges(offset);
        if (attributes.ranges.form == form_ranges_index) {
            if (offset > sections_.rnglists.size()) return {};
            SectionReader table(sections_.rnglists, ranges_base_ + offset * offset_bytes_);
            offset = ranges_base_ + table.number(offset_bytes_);
        }
        return range_list(offset);
    }
    if (attributes.low.form == 0 || attributes.high.form == 0) return {};
    const uint64_t low = address(attributes.low);
    const bool is_end = attributes.high.form == form_address;
    return {{low, is_end ? attributes.high.number : low + attributes.high.number}};
}

std::vector<AddressRange> Unit::old_ranges(uint64_t offset) const {
    std::vector<AddressRange> found;
    SectionReader reader(sections_.ranges, offset);
    const uint64_t highest = address_bytes_ == 8 ? ~uint64_t{0} : 0xffffffff;
    for (uint64_t base = low_; reader.good();) {
        const uint64_t from = reader.number(address_bytes_), to = reader.number(address_bytes_);
        if (from == 0 && to == 0) break;
        if (from == highest) {
            base = to;
        } else {
            found.emplace_back(base + from, base + to);
        }
    }
    return found;
}

std::vector<AddressRange> Unit::range_list(uint64_t offset) const {
    std::vector<AddressRange> found;
    SectionReader reader(sections_.rnglists, offset);
    for (uint64_t base = low_; reader.good();) {
        const uint64_t kind = reader.number(1);
        uint64_t from = 0, to = 0;
        switch (kind) {
            case 1:
                base = address_at(reader.uleb());
                continue;
            case 2:
                from = address_at(reader.uleb());
                to = address_at(reader.uleb());
                break;
            case 3:
                from = address_at(reader.uleb());
                to = from + reader.uleb();
                break;
            case 4:
                from = base + reader.uleb();
                to = base + reader.uleb();
                break;
            case 5:
                base = reader.number(address_bytes_);
                continue;
            case 6:
                from = reader.number(address_bytes_);
                to = reader.number(address_bytes_);
                break;
            case 7:
                from = reader.number(address_bytes_);
                to = from + reader.uleb();
                break;
            default:
                return found;
        }
        found.emplace_back(from, to);
    }
    return found;
}

}  // namespace malloom::native
