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
    to.splice(to.end(), from);
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

int64_t AliasSet::without_alternatives(int64_t offset) const {
    offset = within(offset, stride_);
    const Region* region = region_of(offset);
    return region == nullptr ? offset : region->begin + within(offset - region->begin, region->stride);
}

const llvm::SmallVector<int64_t, 2>* AliasSet::class_of(int64_t offset) const {
    const auto found = ambiguous_.empty() ? classes_.end() : classes_.find(offset);
    return found == classes_.end() ? nullptr : &ambiguous_[found->second];
}

void AliasSet::number_classes() {
    classes_.clear();
    for (unsigned i = 0; i < ambiguous_.size(); ++i) {
        for (const int64_t offset : ambiguous_[i]) {
            classes_.try_emplace(offset, i);
        }
    }
}

llvm::SmallVector<int64_t, 2> AliasSet::alternatives(int64_t offset) const {
    offset = without_alternatives(offset);
    const auto* offsets = class_of(offset);
    return offsets != nullptr ? *offsets : llvm::SmallVector<int64_t, 2>{offset};
}

int64_t AliasSet::normal(int64_t offset) const {
    offset = without_alternatives(offset);
    const auto* offsets = class_of(offset);
    return offsets != nullptr ? offsets->front() : offset;
}

Cell AliasSets::add() {
    all_.push_back(&sets_.emplace_back());
    return {all_.back(), 0};
}

Cell AliasSets::add_object(Trait trait) {
    const Cell made = add();
    made.set->is_anchored_ = true;
    made.set->traits_ = static_cast<uint16_t>(trait);
    return made;
}

Cell AliasSets::find(Cell cell) {
    while (cell && cell.set->merged_into_) {
        AliasSet& gone = *cell.set;
        // Half of the way is taken out of it, so that later ones are short.
        if (const Cell next = gone.merged_into_.set->merged_into_) {
            gone.merged_into_ = next.plus(gone.merged_into_.offset);
        }
        cell = gone.merged_into_.plus(cell.offset);
    }
    return cell;
}

Cell AliasSets::resolve(Cell cell) const {
    cell = find(cell);
    return cell ? Cell{cell.set, cell.set->normal(cell.offset)} : cell;
}

void AliasSets::unify(Cell first, Cell second) {
    waiting_.emplace_back(first, second);
    unify_waiting();
}

void AliasSets::unify_waiting() {
    while (!waiting_.empty()) {
        const auto [first, second] = waiting_.pop_back_val();
        ++steps_;
        unify_now(resolve(first), resolve(second));
        if (steps_ > most_steps_) {
            tell_less_apart();
        } else if (const Cell made = is_coarse() ? find(first) : Cell(); made) {
            make_coarse(*made.set);
        }
    }
}

void AliasSets::count(uint64_t steps) {
    steps_ += steps;
    if (steps_ > most_steps_) {
        tell_less_apart();
        unify_waiting();
    }
}

/// First where most of the work is: what has few places may still be told apart.
void AliasSets::tell_less_apart() {
    constexpr size_t few = 16;
    most_places_ = is_coarse() ? 1 : few;
    most_steps_ = most_places_ == few ? 2 * most_steps_ : UINT64_MAX;
    for (AliasSet* set : all_) {
        if (!set->merged_into_) {
            make_coarse(*set);
        }
    }
}

void AliasSets::make_coarse(AliasSet& set) {
    if (set.places() > most_places_) {
        set_stride(set, 1);
    }
}

void AliasSets::unify_now(Cell first, Cell second) {
    if (!first || !second) {
        return;
    }
    if (first.set == second.set) {
        join(*first.set, first.offset, second.offset);
        return;
    }
    // The one whose offsets mean something keeps them.
    const bool keeps_second = second.set->is_anchored_ && !first.set->is_anchored_;
    merge(keeps_second ? second : first, keeps_second ? first : second);
}

void AliasSets::merge(Cell kept, Cell gone) {
    AliasSet &to = *kept.set, &from = *gone.set;
    const int64_t shift = kept.offset - gone.offset;
    mark_changed(to);
    from.merged_into_ = {&to, shift};
    to.traits_ |= from.traits_;
    to.is_anchored_ |= from.is_anchored_;
    append(to.requests, from.requests);
    append(to.releases, from.releases);
    append(to.functions, from.functions);
    append(to.reasons, from.reasons);
    set_stride(to, from.stride_);
    for (const Region& region : from.regions_) {
        put_region(to, {region.begin + shift, region.end + shift, region.stride});
    }
    for (auto& offsets : std::exchange(from.ambiguous_, {})) {
        for (int64_t& offset : offsets) {
            offset += shift;
        }
        join_all(to, offsets);
    }
    for (const auto& [offset, pointee] : std::exchange(from.pointers_, {})) {
        put_pointer(to, offset + shift, pointee);
    }
}

/// One pointer may lead to both. A pointer that goes on and on may lead to so many that they make an array of
/// the whole object, and so do many pointers, each to some places of a large one: every further one goes over
/// all of them.
void AliasSets::join(AliasSet& set, int64_t first, int64_t second) {
    constexpr size_t most_alternatives = 16, most_ambiguous = 64;
    llvm::SmallVector<int64_t, 2> both = set.alternatives(first);
    const llvm::SmallVector<int64_t, 2> others = set.alternatives(second);
    if (both.front() == others.front()) {
        return;
    }
    both.append(others.begin(), others.end());
    llvm::sort(both);
    const bool is_too_much = both.size() > most_alternatives || set.ambiguous_.size() >= most_ambiguous;
    if (set.stride_ != 0 || is_too_much) {
        uint64_t stride = 0;
        for (const int64_t offset : both) {
            stride = std::gcd(stride, distance(offset, both.front()));
        }
        set_stride(set, stride);
        return;
    }
    mark_changed(set);
    steps_ += set.ambiguous_.size();
    std::erase_if(set.ambiguous_,
                  [&](const auto& offsets) { return llvm::is_contained(both, offsets.front()); });
    set.ambiguous_.push_back(both);
    set.number_classes();
    renumber(set);
}

void AliasSets::join_all(AliasSet& set, llvm::ArrayRef<int64_t> offsets) {
    for (const int64_t offset : offsets.drop_front()) {
        join(set, offsets.front(), offset);
    }
}

void AliasSets::set_stride(AliasSet& set, uint64_t stride) {
    stride = std::gcd(set.stride_, stride);
    if (stride == set.stride_) {
        return;
    }
    mark_changed(set);
    set.stride_ = stride;
    // Elements of an array of objects lie in one another's place, and so do the arrays within.
    for (const Region& region : std::exchange(set.regions_, {})) {
        set.stride_ = std::gcd(set.stride_, region.stride);
    }
    for (const auto& offsets : std::exchange(set.ambiguous_, {})) {
        for (const int64_t offset : offsets) {
            set.stride_ = std::gcd(set.stride_, distance(offset, offsets.front()));
        }
    }
    renumber(set);
}

void AliasSets::put_region(AliasSet& set, Region region) {
    if (set.stride_ != 0) {
        set_stride(set, region.stride);
        return;
    }
    steps_ += set.regions_.size();
    llvm::SmallVector<Region, 0> kept;
    for (const Region& other : set.regions_) {
        if (other.end <= region.begin || region.end <= other.begin) {
            kept.push_back(other);
            continue;
        }
        region.stride = std::gcd(region.stride, other.stride);
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
    mark_changed(set);
    set.regions_ = std::move(kept);
    for (const auto& offsets : std::exchange(set.ambiguous_, {})) {
        join_all(set, offsets);
    }
    renumber(set);
}

void AliasSets::renumber(AliasSet& set) {
    for (const auto& [offset, pointee] : std::exchange(set.pointers_, {})) {
        put_pointer(set, offset, pointee);
    }
}

/// Pointers that overlap are read as each other, so they point to the same.
void AliasSets::put_pointer(AliasSet& set, int64_t offset, Cell to) {
    steps_ += 1 + set.regions_.size() + set.ambiguous_.size();
    offset = set.normal(offset);
    wait_for_overlaps(set, offset, to);
    set.pointers_.try_emplace(offset, to);
}

void AliasSets::wait_for_overlaps(AliasSet& set, int64_t offset, Cell to) {
    // The elements before and behind are the same ones.
    const auto length = static_cast<int64_t>(set.stride_);
    llvm::SmallVector<int64_t, 4> places = set.alternatives(offset);
    if (length != 0) {
        places.append({offset - length, offset + length});
    }
    for (const int64_t at : places) {
        const auto end = set.pointers_.lower_bound(at + pointer_bytes);
        for (auto each = set.pointers_.lower_bound(at - pointer_bytes + 1); each != end; ++each) {
            waiting_.emplace_back(each->second, to);
        }
        // Those that may lead near to it lie in the map by the lowest of their offsets.
        for (const auto& offsets : set.ambiguous_) {
            const auto other = set.pointers_.find(offsets.front());
            const auto is_near = [at](int64_t one) { return distance(one, at) < pointer_bytes; };
            if (other != set.pointers_.end() && llvm::any_of(offsets, is_near)) {
                waiting_.emplace_back(other->second, to);
            }
        }
    }
}

Cell AliasSets::pointee(Cell cell) {
    cell = resolve(cell);
    if (!cell) {
        return {};
    }
    if (const auto found = cell.set->pointers_.find(cell.offset); found != cell.set->pointers_.end()) {
        return resolve(found->second);
    }
    mark_changed(*cell.set);
    const Cell made = add();
    put_pointer(*cell.set, cell.offset, made);
    make_coarse(*cell.set);
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
    if (cell = find(cell); cell) {
        put_region(*cell.set, {cell.offset, cell.offset + static_cast<int64_t>(bytes), stride});
        make_coarse(*cell.set);
        unify_waiting();
    }
}

void AliasSets::make_endless(AliasSet& set, Region region, uint64_t stride) {
    put_region(set, {region.begin, std::max(region.end, region.begin + endless_array), stride});
    unify_waiting();
}

void AliasSets::add_trait(Cell cell, Trait trait, Rule rule, const llvm::Instruction* at) {
    cell = resolve(cell);
    if (cell && !cell.set->has(trait) && !is_left_out(rule)) {
        add_trait(cell, trait);
        cell.set->reasons.emplace_back(rule, at);
    }
}

void AliasSets::add_trait(Cell cell, Trait trait) {
    cell = resolve(cell);
    if (cell && !cell.set->has(trait)) {
        ++changes_;
        cell.set->traits_ |= static_cast<uint16_t>(trait);
    }
}

const std::vector<AliasSet*>& AliasSets::all() {
    std::erase_if(all_, [](const AliasSet* set) { return static_cast<bool>(set->merged_into_); });
    return all_;
}

}  // namespace malloom::compiler
