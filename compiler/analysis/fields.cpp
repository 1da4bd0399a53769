#include "compiler/analysis/fields.h"

#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>

namespace malloom::compiler {

namespace {

/// A pointer or a number with a fraction is one thing, whatever else its bytes are used as.
bool has_parts(const llvm::Type& type) {
    return !type.isPointerTy() && !type.isFloatingPointTy() && !llvm::isa<llvm::ScalableVectorType>(type);
}

bool overlap(const Field& field, const Span& span) {
    return field.offset < span.offset + span.bytes && span.offset < field.end();
}

bool is_within(const Field& field, const Span& span) {
    return span.offset <= field.offset && field.end() <= span.offset + span.bytes;
}

/// Makes one field of a span and all that it overlaps, which are next to each other.
void join(std::vector<Field>& fields, size_t first, size_t last, const Span& span) {
    Field joined = {span.offset, span.bytes};
    for (size_t i = first; i < last; ++i) {
        const uint64_t end = std::max(joined.end(), fields[i].end());
        joined.offset = std::min(joined.offset, fields[i].offset);
        joined.bytes = end - joined.offset;
    }
    fields.erase(fields.begin() + static_cast<ptrdiff_t>(first),
                 fields.begin() + static_cast<ptrdiff_t>(last));
    fields.insert(fields.begin() + static_cast<ptrdiff_t>(first), joined);
}

/// Makes fields of what a span has beside those that it overlaps, which lie within it.
void fill_gaps(std::vector<Field>& fields, size_t first, size_t last, const Span& span) {
    std::vector<Field> gaps;
    uint64_t at = span.offset;
    for (size_t i = first; i < last; ++i) {
        if (at < fields[i].offset) {
            gaps.push_back({at, fields[i].offset - at});
        }
        at = fields[i].end();
    }
    if (at < span.offset + span.bytes) {
        gaps.push_back({at, span.offset + span.bytes - at});
    }
    fields.insert(fields.end(), gaps.begin(), gaps.end());
    std::ranges::sort(fields, {}, &Field::offset);
}

void take(std::vector<Field>& fields, const Span& span) {
    const auto overlaps = [&](const Field& field) { return overlap(field, span); };
    const auto begin = std::ranges::find_if(fields, overlaps);
    const auto end = std::find_if_not(begin, fields.end(), overlaps);
    const auto first = static_cast<size_t>(begin - fields.begin()),
               last = static_cast<size_t>(end - fields.begin());
    const bool has_whole_ones =
        std::all_of(begin, end, [&](const Field& field) { return is_within(field, span); });
    const bool is_in_one =
        last - first == 1 && begin->offset <= span.offset && span.offset + span.bytes <= begin->end();
    if (is_in_one) {
        return;
    }
    if ((has_whole_ones && span.may_be_divided) || first == last) {
        fill_gaps(fields, first, last, span);
    } else {
        join(fields, first, last, span);
    }
}

}  // namespace

std::vector<Field> fields_of(std::vector<Span> spans) {
    // The smallest first, as larger ones may be divided into them; those that may not, before all.
    std::ranges::stable_sort(spans, [](const Span& one, const Span& other) {
        return one.may_be_divided != other.may_be_divided ? !one.may_be_divided : one.bytes < other.bytes;
    });
    std::vector<Field> fields;
    for (const Span& span : spans) {
        take(fields, span);
    }
    return fields;
}

bool may_be_divided(const Access& access) {
    if (llvm::isa<llvm::MemIntrinsic>(access.instruction)) {
        return !llvm::cast<llvm::MemIntrinsic>(access.instruction)->isVolatile();
    }
    if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(access.instruction)) {
        return load->isSimple() && has_parts(*load->getType());
    }
    if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(access.instruction)) {
        return store->isSimple() && has_parts(*store->getValueOperand()->getType());
    }
    return false;
}

}  // namespace malloom::compiler
