// What must be gone over again until nothing changes any more: copies, calls by pointers, numbers, steps from
// pointers that lead to several places, parts of pointers, and what other code reaches.
#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Support/MathExtras.h>

#include <numeric>

#include "compiler/analysis/constraints.h"
#include "compiler/analysis/points_to.h"

namespace malloom::compiler {

namespace {

constexpr uint64_t everything = UINT64_MAX;

/// What divides the distances between all places that two pointers into one set may lead to; 0: it is one.
uint64_t distance_of_places(Cell one, Cell other) {
    llvm::SmallVector<int64_t, 2> places = one.set->alternatives(one.offset);
    llvm::append_range(places, other.set->alternatives(other.offset));
    uint64_t apart = 0;
    for (const int64_t place : places) {
        apart = std::gcd(apart, static_cast<uint64_t>(std::abs(place - places.front())));
    }
    return apart;
}

/// How far elements are apart among which a place is one; 0 where it is told apart from all others.
uint64_t distance_at(const AliasSet& set, int64_t offset, bool is_in_element) {
    const Region* region = set.region_of(offset);
    return region != nullptr ? region->stride : is_in_element ? 0 : set.stride();
}

/// Whether so many bytes from a place on are all of one element.
bool is_in_element(Cell at, uint64_t bytes) {
    const uint64_t stride = at.set->stride();
    return bytes != 0 &&
           (stride == 0 || llvm::mod(at.offset, static_cast<int64_t>(stride)) + static_cast<int64_t>(bytes) <=
                               static_cast<int64_t>(stride));
}

}  // namespace

void PointsTo::solve() {
    // What steps on and on, or is copied to and fro, may lead further and further: after so many rounds
    // nothing is told apart there. Steps first, as they know their distance.
    constexpr unsigned patience = 16;
    unsigned rounds = 0;
    for (uint64_t before = UINT64_MAX; before != sets_.changes();) {
        before = sets_.changes();
        widens_ = ++rounds > patience || sets_.is_coarse();
        const bool had_widened = widens_copies_;
        widens_copies_ = rounds > 2 * patience || sets_.is_coarse();
        if (widens_copies_ && !had_widened) {
            followed_copies_.clear();
        }
        follow_copies();
        follow_indirect_calls();
        follow_callbacks();
        follow_tags();
        follow_numbers();
        follow_differences();
        follow_gathered();
        follow_steps();
        for (const StepByDistance& step : steps_by_distance_) {
            follow_by_distance(step);
        }
        follow_outside();
        follow_letters();
        follow_exposed();
        follow_partial_accesses();
        spread_escapes();
        if (before == sets_.changes()) {
            follow_distances();
        }
    }
}

/// Pointers that are copied with the bytes around them are the same in both objects.
void PointsTo::follow_copies() {
    // Values that are followed later may bring further ones.
    for (size_t i = 0; i < copies_.size(); ++i) {
        const Copy copy = copies_[i];
        followed_copies_.resize(copies_.size());
        sets_.count(1);
        const auto now = Followed::of(sets_.resolve(copy.from), sets_.resolve(copy.to));
        if (followed_copies_[i] == now) {
            continue;
        }
        const uint64_t before = sets_.changes();
        follow_copy(copy);
        follow_copy({copy.from, copy.to, copy.bytes, copy.is_of_value});
        followed_copies_[i] = before == sets_.changes() ? now : Followed();
    }
}

PointsTo::Followed PointsTo::Followed::of(Cell one, Cell other) {
    return {one.set, other.set, one ? one.set->version() : 0, other ? other.set->version() : 0};
}

void PointsTo::follow_copy(const Copy& copy) {
    const Cell from = sets_.resolve(copy.from), to = sets_.resolve(copy.to);
    if (!from || !to) {
        return;
    }
    if (widens_copies_ && !copy.is_of_value && (from.set->stride() == 0 || to.set->stride() == 0)) {
        sets_.add_stride(from, pointer_bytes);
        sets_.add_stride(to, pointer_bytes);
        return;
    }
    const bool is_endless = copy.bytes == 0 || copy.bytes >= AliasSets::endless_array;
    if (const uint64_t apart = is_endless && from.set == to.set ? distance_of_places(from, to) : 0) {
        return sets_.add_stride(from, apart);  // each place has what is so far behind it, and so on
    }
    const bool has_all = copy.bytes == 0 || from.set->stride() != 0;
    const bool is_one_each = is_in_element(from, copy.bytes) && is_in_element(to, copy.bytes);
    llvm::SmallVector<std::pair<Cell, Cell>> same, of_other_elements;
    uint64_t steps = 0;
    for (const int64_t key : pointers_near(*from.set, from.offset, has_all ? everything : copy.bytes)) {
        steps += 1 + from.set->ambiguous().size();
        for (const int64_t pointer : from.set->alternatives(key)) {
            for (const int64_t begin : from.set->alternatives(from.offset)) {
                const int64_t part = pointer - begin;
                if (!has_all && (part < 0 || static_cast<uint64_t>(part) >= copy.bytes)) {
                    continue;
                }
                for (const int64_t target : to.set->alternatives(to.offset)) {
                    same.push_back({Cell{from.set, pointer}, Cell{to.set, target + part}});
                    const uint64_t one = distance_at(*from.set, pointer, is_one_each),
                                   other = distance_at(*to.set, target + part, is_one_each);
                    if (one != 0 && other != 0 && one != other) {
                        of_other_elements.push_back(same.back());
                    }
                }
            }
        }
    }
    sets_.count(steps + same.size());
    for (const auto& [one, other] : same) {
        sets_.unify(sets_.pointee(one), sets_.pointee(other));
    }
    for (const auto& [one, other] : of_other_elements) {
        make_elements_alike(one, other);
    }
}

/// What is one place in every element of the one array is several in those of the other.
void PointsTo::make_elements_alike(Cell one, Cell other) {
    one = sets_.resolve(one);
    other = sets_.resolve(other);
    const uint64_t apart =
        std::gcd(distance_at(*one.set, one.offset, false), distance_at(*other.set, other.offset, false));
    for (const Cell& each : {one, other}) {
        const Cell at = sets_.resolve(each);
        if (const Region* region = at.set->region_of(at.offset)) {
            const auto length = static_cast<uint64_t>(region->end - region->begin);
            sets_.add_region({at.set, region->begin}, length, apart);
        } else if (at.set->stride() != 0) {
            sets_.add_stride(at, apart);
        }
    }
}

void PointsTo::follow_callbacks() {
    for (const Callback& callback : callbacks_) {
        const Cell code = cell_of(callback.code);
        if (!code) {
            continue;
        }
        const llvm::SmallVector<llvm::Function*, 4> functions(code.set->functions.begin(),
                                                              code.set->functions.end());
        for (llvm::Function* function : functions) {
            call_back(callback, *function);
        }
        if (sets_.resolve(code).set->has(Trait::escaped)) {
            for (llvm::Value* given : callback.given) {
                escape(given, Rule::given_to_unseen_code, callback.call);
            }
        }
    }
}

void PointsTo::call_back(const Callback& callback, llvm::Function& function) {
    if (function.isDeclaration() || function.isVarArg() || is_assembly(function) || !is_looked_at(function)) {
        sets_.add_trait(object_of(&function), Trait::escaped, Rule::maybe_unseen_code, callback.call);
        return;
    }
    for (unsigned i = 0; i < function.arg_size() && !callback.given.empty(); ++i) {
        const size_t which = std::min<size_t>(i, callback.given.size() - 1);
        sets_.unify(cell_of(callback.given[which]), cell_of(function.getArg(i)));
    }
    if (const auto result = results_.find(&function); result != results_.end()) {
        sets_.add_trait(result->second, Trait::escaped, Rule::returned_to_library, callback.call);
    }
}

/// What memory points to that a library writes to a file, or fills from one.
void PointsTo::follow_outside() {
    for (const auto& [place, instruction] : carried_outside_) {
        llvm::SmallVector<Cell> reached;
        for (const auto& [offset, pointee] : sets_.resolve(place).set->pointers()) {
            reached.push_back(pointee);
        }
        for (const Cell pointee : reached) {
            sets_.add_trait(pointee, Trait::escaped, Rule::goes_outside, instruction);
            sets_.add_trait(pointee, Trait::gathered);
        }
    }
}

/// What is reached from something that escaped has escaped, and functions among it are called from there.
void PointsTo::spread_escapes() {
    std::vector<AliasSet*> waiting;
    llvm::copy_if(sets_.all(), std::back_inserter(waiting),
                  [](const AliasSet* set) { return set->has(Trait::escaped); });
    while (!waiting.empty()) {
        const AliasSet* set = waiting.back();
        waiting.pop_back();
        llvm::SmallVector<Cell> reached;
        for (const auto& [offset, pointee] : set->pointers()) {
            reached.push_back(pointee);
        }
        for (llvm::Function* function : set->functions) {
            for (llvm::Argument& argument : function->args()) {
                reached.push_back(is_command_line(argument) ? Cell() : cell_of(&argument));
            }
            if (const auto result = results_.find(function); result != results_.end()) {
                reached.push_back(result->second);
            }
        }
        for (const Cell cell : reached) {
            const Cell now = sets_.resolve(cell);
            if (now && !now.set->has(Trait::escaped)) {
                sets_.add_trait(now, Trait::escaped, Rule::reached_from_escaped);
                if (now.set->has(Trait::escaped)) {
                    waiting.push_back(now.set);
                }
            }
        }
    }
}

}  // namespace malloom::compiler
