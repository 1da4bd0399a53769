// Accesses that have only a part of a pointer in them: the parts are numbers whose way is not followed.
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Support/MathExtras.h>

#include "compiler/analysis/arrays.h"
#include "compiler/analysis/points_to.h"

namespace malloom::compiler {

namespace {

/// Whether an access may have only a part of a pointer in it, or two halves.
bool cuts(const Access& access, int64_t at, int64_t pointer) {
    const auto end = at + static_cast<int64_t>(access.bytes);
    const bool overlaps = at < pointer + static_cast<int64_t>(pointer_bytes) && pointer < end;
    const bool is_as_lanes = (pointer - at) % static_cast<int64_t>(pointer_bytes) == 0 ||
                             llvm::isa<llvm::MemIntrinsic>(access.instruction);
    const bool has_all = at <= pointer && pointer + static_cast<int64_t>(pointer_bytes) <= end && is_as_lanes;
    return overlaps && !has_all;
}

/// The same of the pointer at that place in every element.
bool cuts_in_elements(const Access& access, int64_t at, int64_t pointer, uint64_t stride) {
    if (stride == 0) {
        return cuts(access, at, pointer);
    }
    const auto length = static_cast<int64_t>(stride);
    const auto element_of = [&](int64_t offset) {
        return pointer + llvm::divideFloorSigned(offset - pointer, length) * length;
    };
    const int64_t first = element_of(at), last = element_of(at + static_cast<int64_t>(access.bytes) - 1);
    return cuts(access, at, first) || cuts(access, at, first + length) || cuts(access, at, last);
}

/// All that a pointer to an offset may lead to, of one that the set knows.
llvm::ArrayRef<int64_t> places_of(const AliasSet& set, const int64_t& offset) {
    const auto* offsets = set.class_of(offset);
    return offsets != nullptr ? llvm::ArrayRef<int64_t>(*offsets) : llvm::ArrayRef<int64_t>(offset);
}

/// Without elements, whatever ends before the access is not cut.
bool may_cut(const Access& access, Cell at, int64_t pointer) {
    const uint64_t stride = at.set->stride();
    const llvm::ArrayRef<int64_t> places = places_of(*at.set, pointer);
    return llvm::any_of(places_of(*at.set, at.offset), [&](int64_t begin) {
        const auto* first = stride == 0
                                ? llvm::upper_bound(places, begin - static_cast<int64_t>(pointer_bytes))
                                : places.begin();
        return std::any_of(first, places.end(),
                           [&](int64_t place) { return cuts_in_elements(access, begin, place, stride); });
    });
}

/// Whether nothing is written between a request for memory and what fills it: there is nothing to cut in it.
bool fills_new_memory(const llvm::MemSetInst& fill) {
    const llvm::Value* object = llvm::getUnderlyingObject(fill.getDest());
    if (!llvm::isNoAliasCall(object)) {
        return false;
    }
    llvm::SmallPtrSet<const llvm::BasicBlock*, 4> seen = {fill.getParent()};
    const llvm::Instruction* now = &fill;
    do {
        const llvm::BasicBlock* block = now->getParent();
        const llvm::Instruction* before = now->getPrevNode();
        if (before == nullptr) {
            block = block->getSinglePredecessor();
            before = block != nullptr && seen.insert(block).second ? block->getTerminator() : nullptr;
        }
        now = before;
    } while (now != nullptr && now != object && !now->mayWriteToMemory());
    return now == object;
}

/// What fills memory that may have been written, nobody sees how much of it.
const llvm::MemSetInst* unknown_fill(const Access& access) {
    const auto* fill = llvm::dyn_cast<llvm::MemSetInst>(access.instruction);
    const bool is_unknown = fill != nullptr && !llvm::isa<llvm::ConstantInt>(fill->getLength());
    return is_unknown && !fills_new_memory(*fill) ? fill : nullptr;
}

/// It ends anywhere, or where a word does that lies a number of words behind its begin.
bool may_end_in(const llvm::MemSetInst& fill, Cell at, int64_t pointer) {
    constexpr auto word = static_cast<int64_t>(pointer_bytes);
    const bool is_of_words = is_multiple(*fill.getLength(), pointer_bytes) && at.set->stride() % word == 0;
    const llvm::ArrayRef<int64_t> places = places_of(*at.set, pointer);
    return llvm::any_of(places_of(*at.set, at.offset), [&](int64_t begin) {
        return llvm::any_of(places, [&](int64_t place) {
            const bool is_behind = at.set->stride() != 0 || place > begin - word;
            return is_behind && !(is_of_words && (place - begin) % word == 0);
        });
    });
}

}  // namespace

/// What begins at an element of an array that nobody knows, and is longer, ends nobody knows where.
void PointsTo::follow_elements(Cell at, uint64_t bytes) {
    const Region* region = at.set->region_of(at.offset);
    if (region == nullptr || region->stride == 0) {
        return;
    }
    const uint64_t begin = static_cast<uint64_t>(at.offset - region->begin) % region->stride;
    if (bytes == 0 || begin + bytes > region->stride) {
        sets_.add_stride(at, region->stride);
    }
}

void PointsTo::follow_partial_accesses() {
    followed_accesses_.resize(accesses_.size());
    for (size_t i = 0; i < accesses_.size(); ++i) {
        follow_partial_access(accesses_[i], false, followed_accesses_[i]);
    }
    followed_texts_.resize(texts_.size());
    for (size_t i = 0; i < texts_.size(); ++i) {
        follow_partial_access(texts_[i], true, followed_texts_[i]);
    }
}

void PointsTo::follow_partial_access(const Access& access, bool is_text, Followed& followed) {
    sets_.count(1);
    const Cell at = sets_.resolve(access.at);
    const auto now = Followed::of(at);
    if (!at || followed == now) {
        return;
    }
    if (!is_text) {
        follow_elements(at, access.bytes);
    }
    followed = follow_parts(access) || now != Followed::of(sets_.resolve(access.at)) ? Followed() : now;
}

/// Parts of pointers are numbers whose way is not followed: they may be put together again anywhere. Whether
/// there are any.
bool PointsTo::follow_parts(const Access& access) {
    const Cell at = sets_.resolve(access.at);
    const Offsets cut = pointers_cut_by(access, at);
    sets_.count(cut.size());
    for (const int64_t offset : cut) {
        take_part(sets_.pointee({at.set, offset}), access);
    }
    return !cut.empty();
}

/// In a large set looked for once: it has many accesses that are alike.
Offsets PointsTo::pointers_cut_by(const Access& access, Cell at) {
    constexpr size_t few = 16;
    if (at.set->pointers().size() <= few || unknown_fill(access) != nullptr) {
        return find_cut(access, at);
    }
    Cuts& cuts = cuts_[at.set];
    if (cuts.version != at.set->version()) {
        cuts = {at.set->version()};
    }
    const bool is_as_bytes = llvm::isa<llvm::MemIntrinsic>(access.instruction);
    const auto [found, is_new] = cuts.pointers.try_emplace({at.offset, access.bytes, is_as_bytes});
    if (is_new) {
        found->second = find_cut(access, at);
    }
    return found->second;
}

Offsets PointsTo::find_cut(const Access& access, Cell at) {
    const llvm::MemSetInst* fill = unknown_fill(access);
    Offsets near = pointers_near(*at.set, at.offset, fill != nullptr ? UINT64_MAX : access.bytes);
    sets_.note(near.size() * (1 + at.set->ambiguous().size()));
    llvm::erase_if(near, [&](int64_t pointer) {
        return fill != nullptr ? !may_end_in(*fill, at, pointer) : !may_cut(access, at, pointer);
    });
    return near;
}

void PointsTo::take_part(Cell pointee, const Access& access) {
    expose(pointee, access.instruction);
    if (access.is_write) {
        sets_.add_trait(pointee, Trait::escaped, Rule::put_together, access.instruction);
        sets_.add_trait(pointee, Trait::calculated);
    } else {
        sets_.add_trait(pointee, Trait::escaped, Rule::read_in_parts, access.instruction);
        const AliasSet& read = *sets_.resolve(pointee).set;
        takes_apart_ |= read.is_anchored() || !read.pointers().empty();
    }
}

}  // namespace malloom::compiler
