#include "compiler/analysis/alias_set.h"

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
    return {cell.set, within(cell.offset, cell.set->stride_)};
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
    for (const auto& [offset, pointee] : std::exchange(set.pointers_, {})) {
        put_pointer(set, offset, pointee);
    }
}

/// Pointers that overlap are read as each other, so they point to the same.
void AliasSets::put_pointer(AliasSet& set, int64_t offset, Cell to) {
    offset = within(offset, set.stride_);
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
