#include "compiler/analysis/alias_set.h"

#include <llvm/ADT/STLExtras.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace malloom::compiler {

namespace {

constexpr int64_t pointer_bytes = 8;

/// The offset within an element: never negative.
int64_t within(int64_t offset, uint64_t stride) {
    if (stride == 0) {
        return offset;
    }
    const auto length = static_cast<int64_t>(stride);
    return (offset % length + length) % length;
}

uint64_t distance(int64_t first, int64_t second) {
    return static_cast<uint64_t>(first < second ? second - first : first - second);
}

template <typename List>
void append(List& to, List& from) {
    to.append(from.begin(), from.end());
    from.clear();
}

}  // namespace

const Region* AliasSet::region_of(int64_t offset) const {
    for (const Region& region : regions_) {
        if (region.begin <= offset && offset < region.end) {
            return &region;
        }
    }
    return nullptr;
}

int64_t AliasSet::normal(int64_t offset) const {
    offset = within(offset, stride_);
    const Region* region = region_of(offset);
    return region == nullptr ? offset : region->begin + within(offset - region->begin, region->stride);
}

Cell AliasSets::add() {
    return {&sets_.emplace_back(), 0};
}

Cell AliasSets::add_object(Trait trait) {
    const Cell made = add();
    made.set->is_anchored_ = true;
    made.set->traits_ = static_cast<uint16_t>(trait);
    return made;
}

Cell AliasSets::resolve(Cell cell) const {
    if (!cell) {
        return cell;
    }
    while (cell.set->merged_into_) {
        AliasSet& gone = *cell.set;
        // Half of the way is taken out of it, so that later ones are short.
        if (const Cell next = gone.merged_into_.set->merged_into_) {
            gone.merged_into_ = next.plus(gone.merged_into_.offset);
        }
        cell = gone.merged_into_.plus(cell.offset);
    }
    return {cell.set, cell.set->normal(cell.offset)};
}

void AliasSets::unify(Cell first, Cell second) {
    waiting_.emplace_back(first, second);
    unify_waiting();
}

void AliasSets::unify_waiting() {
    while (!waiting_.empty()) {
        const auto [first, second] = waiting_.pop_back_val();
        unify_now(resolve(first), resolve(second));
    }
}

void AliasSets::unify_now(Cell first, Cell second) {
    if (!first || !second) {
        return;
    }
    if (first.set == second.set) {
        set_stride(*first.set, distance(first.offset, second.offset));
        return;
    }
    // The one whose offsets mean something keeps them.
    const bool keeps_second = second.set->is_anchored_ && !first.set->is_anchored_;
    merge(keeps_second ? second : first, keeps_second ? first : second);
}

void AliasSets::merge(Cell kept, Cell gone) {
    AliasSet &to = *kept.set, &from = *gone.set;
    const int64_t shift = kept.offset - gone.offset;
    // Objects that begin at different offsets have nothing told apart beyond the difference.
    const uint64_t misfit = to.is_anchored_ && from.is_anchored_ ? distance(shift, 0) : 0;
    ++changes_;
    from.merged_into_ = {&to, shift};
    to.traits_ |= from.traits_;
    to.is_anchored_ |= from.is_anchored_;
    append(to.allocations, from.allocations);
    append(to.releases, from.releases);
    append(to.functions, from.functions);
    append(to.sizes, from.sizes);
    append(to.reasons, from.reasons);
    set_stride(to, std::gcd(from.stride_, misfit));
    for (const Region& region : from.regions_) {
        put_region(to, {region.begin + shift, region.end + shift, region.stride});
    }
    for (const auto& [offset, pointee] : std::exchange(from.pointers_, {})) {
        put_pointer(to, offset + shift, pointee);
    }
}

void AliasSets::set_stride(AliasSet& set, uint64_t stride) {
    stride = std::gcd(set.stride_, stride);
    if (stride == set.stride_) {
        return;
    }
    ++changes_;
    set.stride_ = stride;
    // Elements of an array of objects lie in one another's place, and so do the arrays within.
    for (const Region& region : std::exchange(set.regions_, {})) {
        set.stride_ = std::gcd(set.stride_, region.stride);
    }
    renumber(set);
}

void AliasSets::put_region(AliasSet& set, Region region) {
    if (set.stride_ != 0) {
        set_stride(set, region.stride);
        return;
    }
    llvm::SmallVector<Region, 0> kept;
    for (const Region& other : set.regions_) {
        if (other.end <= region.begin || region.end <= other.begin) {
            kept.push_back(other);
            continue;
        }
        region.stride = std::gcd(std::gcd(region.stride, other.stride), distance(region.begin, other.begin));
        region.begin = std::min(region.begin, other.begin);
        region.end = std::max(region.end, other.end);
    }
    kept.push_back(region);
    llvm::sort(kept, [](const Region& one, const Region& other) { return one.begin < other.begin; });
    const auto same = [](const Region& one, const Region& other) {
        return one.begin == other.begin && one.end == other.end && one.stride == other.stride;
    };
    if (llvm::equal(kept, set.regions_, same)) {
        return;
    }
    ++changes_;
    set.regions_ = std::move(kept);
    renumber(set);
}

void AliasSets::renumber(AliasSet& set) {
    for (const auto& [offset, pointee] : std::exchange(set.pointers_, {})) {
        put_pointer(set, offset, pointee);
    }
}

/// Pointers that overlap are read as each other, so they point to the same.
void AliasSets::put_pointer(AliasSet& set, int64_t offset, Cell to) {
    offset = set.normal(offset);
    // The elements before and behind are the same ones.
    const auto length = static_cast<int64_t>(set.stride_);
    for (const int64_t at : {offset - length, offset, offset + length}) {
        const auto end = set.pointers_.lower_bound(at + pointer_bytes);
        for (auto each = set.pointers_.lower_bound(at - pointer_bytes + 1); each != end; ++each) {
            waiting_.emplace_back(each->second, to);
        }
    }
    set.pointers_.try_emplace(offset, to);
}

Cell AliasSets::pointee(Cell cell) {
    cell = resolve(cell);
    if (!cell) {
        return {};
    }
    if (const auto found = cell.set->pointers_.find(cell.offset); found != cell.set->pointers_.end()) {
        return resolve(found->second);
    }
    ++changes_;
    const Cell made = add();
    put_pointer(*cell.set, cell.offset, made);
    unify_waiting();
    return resolve(made);
}

void AliasSets::add_stride(Cell cell, uint64_t bytes) {
    if (cell = resolve(cell); cell) {
        set_stride(*cell.set, bytes);
        unify_waiting();
    }
}

void AliasSets::add_region(Cell cell, uint64_t bytes, uint64_t stride) {
    if (cell = resolve(cell); cell) {
        put_region(*cell.set, {cell.offset, cell.offset + static_cast<int64_t>(bytes), stride});
        unify_waiting();
    }
}

void AliasSets::add_trait(Cell cell, Trait trait, const char* reason, const llvm::Instruction* at) {
    cell = resolve(cell);
    if (!cell || cell.set->has(trait)) {
        return;
    }
    ++changes_;
    cell.set->traits_ |= static_cast<uint16_t>(trait);
    if (reason != nullptr) {
        cell.set->reasons.emplace_back(reason, at);
    }
}

llvm::SmallVector<AliasSet*> AliasSets::all() {
    llvm::SmallVector<AliasSet*> found;
    for (AliasSet& set : sets_) {
        if (!set.merged_into_) {
            found.push_back(&set);
        }
    }
    return found;
}

}  // namespace malloom::compiler
