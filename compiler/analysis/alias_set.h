// Alias sets: what pointers may point to, merged whenever one pointer may point to two of them (Steensgaard,
// Points-to analysis in almost linear time, POPL 1996), with the pointers in an object told apart by their
// byte offset. An alias set stands for all objects that a pointer of it may reach; types play no part.
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>

#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <optional>
#include <vector>

#include "compiler/analysis/rules.h"

namespace llvm {
class CallBase;
class Function;
class Instruction;
}  // namespace llvm

namespace malloom::compiler {

class AliasSet;

/// An offset within the objects of a set, in bytes from where they begin; of null and what leads nowhere, no
/// set. Offsets are modulo the set's stride, where it has one.
struct Cell {
    AliasSet* set = nullptr;
    int64_t offset = 0;

    explicit operator bool() const { return set != nullptr; }
    Cell plus(int64_t bytes) const { return {set, offset + bytes}; }
};

/// Bytes of a set's objects that an instruction reads or writes.
struct Access {
    llvm::Instruction* instruction;
    Cell at;
    uint64_t bytes;
    bool is_write;
    bool is_one_of_some = false;  ///< it accesses this place or another of the object, as an index chooses
};

/// A request of objects.
struct Request {
    llvm::CallBase* call;
    Cell at;         ///< where its objects begin
    uint64_t bytes;  ///< of an object; 0: not known

    /// Where its objects begin, as an offset of the set that they are in now.
    int64_t begin() const;
};

/// An array within objects: from `begin` to `end` elements of `stride` bytes that are not told apart.
struct Region {
    int64_t begin, end;
    uint64_t stride;
};

/// What an alias set's objects are, and what becomes of them; several may hold.
enum class Trait : uint16_t {
    heap = 1,            ///< requested by a call that is known
    stack = 2,           ///< an alloca
    global = 4,          ///< a variable
    function = 8,        ///< code
    escaped = 16,        ///< code that is not seen may have a pointer to it, or may have made it
    exposed = 32,        ///< its address has become a number whose way is not followed
    many_in_one = 64,    ///< an object may hold several elements, one stride after the other
    resized = 128,       ///< realloc
    foreign_heap = 256,  ///< a library may have made some, and may release some, of whoever made them
    calculated = 512,    ///< an address calculated from others leads to it, whatever it is
    gathered = 1024,     ///< a number leads to it that may be one which was taken apart, or written as text
    apart = 2048,        ///< a number leads to it that says how far two addresses are apart
    made_by_library = 4096  ///< a library has requested some, for the program to release
};

/// A set while it stands for itself; one that was merged into another only leads there.
class AliasSet {
  public:
    bool has(Trait trait) const { return (traits_ & static_cast<uint16_t>(trait)) != 0; }
    /// The distance in bytes of elements that are not told apart; 0: offsets are offsets. 1: nothing is told
    /// apart at all.
    uint64_t stride() const { return stride_; }
    /// The arrays within the objects, in the order of their offsets, none in another.
    const llvm::SmallVector<Region, 0>& regions() const { return regions_; }
    /// The array that an offset lies in, or null.
    const Region* region_of(int64_t offset) const;
    /// Offsets that one pointer may lead to, each time the lowest first: more than one each.
    const std::vector<llvm::SmallVector<int64_t, 2>>& ambiguous() const { return ambiguous_; }
    /// The offsets, in their order, that a pointer may lead to which may lead to this one, whatever is not
    /// told apart made one; null: to no other.
    const llvm::SmallVector<int64_t, 2>* class_of(int64_t offset) const;
    /// All that a pointer to the offset may lead to.
    llvm::SmallVector<int64_t, 2> alternatives(int64_t offset) const;
    /// An offset with whatever is not told apart made one.
    int64_t normal(int64_t offset) const;
    /// Whether offset 0 is where the objects begin. Else it is only some place in them.
    bool is_anchored() const { return is_anchored_; }
    /// The pointers in the objects: by their offset, what they point to.
    const std::map<int64_t, Cell>& pointers() const { return pointers_; }
    /// A number that grows whenever something changes of what lies where in the objects.
    uint64_t version() const { return version_; }

    // Lists, as a large set may become part of a small one again and again, and that keeps their order.
    std::list<Request> requests;
    std::list<llvm::CallBase*> releases;
    std::list<llvm::Function*> functions;
    /// Why no more can be said of it; the first for which there is a place in the source counts.
    std::list<std::pair<Rule, const llvm::Instruction*>> reasons;

  private:
    friend class AliasSets;

    int64_t without_alternatives(int64_t offset) const;
    void number_classes();
    /// How much is told apart in it.
    size_t places() const { return pointers_.size() + regions_.size() + ambiguous_.size(); }

    std::map<int64_t, Cell> pointers_;
    llvm::SmallVector<Region, 0> regions_;
    std::vector<llvm::SmallVector<int64_t, 2>> ambiguous_;
    llvm::DenseMap<int64_t, unsigned> classes_;  ///< of each offset in them, where it is there
    uint64_t stride_ = 0;
    uint64_t version_ = 0;
    uint16_t traits_ = 0;
    bool is_anchored_ = false;
    Cell merged_into_;  ///< of a set that is no more: where its offset 0 is
};

/// All sets of a program. References to sets stay good; which of them still stands for itself, resolve says.
/// Not thread-safe.
class AliasSets {
  public:
    /// A new set without objects. Its offset 0 is wherever its first pointer points.
    Cell add();
    /// A new set whose offset 0 is where its objects begin.
    Cell add_object(Trait trait);

    /// Where a cell is now, with its offset as it is: an array may begin within another one.
    static Cell find(Cell cell);
    /// Where a cell is now, with its offset brought within the stride.
    Cell resolve(Cell cell) const;
    /// A pointer may point to both: makes one set of two, so that both are the same offset of it.
    void unify(Cell first, Cell second);
    /// What a pointer that lies at the cell points to, for the first time to a new set.
    Cell pointee(Cell cell);
    /// The objects have elements of so many bytes, among which the offsets are not told apart.
    void add_stride(Cell cell, uint64_t bytes);
    /// From the cell on, so many bytes are elements of `stride` bytes each, among which the offsets are not
    /// told apart.
    void add_region(Cell cell, uint64_t bytes, uint64_t stride);
    /// What an array goes on for where that is not known: behind the end of all objects that may be split.
    static constexpr int64_t endless_array = int64_t{1} << 28;
    /// An array of a set that stands for itself goes on nobody knows how far, by elements of so many bytes.
    void make_endless(AliasSet& set, Region region, uint64_t stride);
    /// By a rule, for which there may be a place in the program: unless the rule is left out.
    void add_trait(Cell cell, Trait trait, Rule rule, const llvm::Instruction* at = nullptr);
    void add_trait(Cell cell, Trait trait);

    /// How often something has changed, so that whoever iterates sees when to stop.
    uint64_t changes() const { return changes_; }
    /// What was looked at, put and moved so far, in steps of about the same work: as many for one program
    /// wherever it is compiled.
    uint64_t steps() const { return steps_; }
    /// Steps of whoever goes over sets. Sets may change by it.
    void count(uint64_t steps);
    /// The same, and they stay as they are until more is counted.
    void note(uint64_t steps) { steps_ += steps; }
    /// Beyond so many steps nothing is told apart any more in objects that have many places, and beyond twice
    /// as many in any: one pointer in an object is as any other (Steensgaard), and every step is short.
    void limit_steps(uint64_t most) { most_steps_ = most; }
    bool is_coarse() const { return most_places_ != SIZE_MAX; }
    /// All sets that stand for themselves, in the order in which they were added.
    const std::vector<AliasSet*>& all();

  private:
    // These leave pairs waiting, which the public ones unify before they return.
    void unify_now(Cell first, Cell second);
    void merge(Cell kept, Cell gone);
    void set_stride(AliasSet& set, uint64_t stride);
    void put_region(AliasSet& set, Region region);
    void join(AliasSet& set, int64_t first, int64_t second);
    void join_all(AliasSet& set, llvm::ArrayRef<int64_t> offsets);
    void wait_for_overlaps(AliasSet& set, int64_t offset, Cell to);
    void renumber(AliasSet& set);
    void put_pointer(AliasSet& set, int64_t offset, Cell to);
    void unify_waiting();
    void mark_changed(AliasSet& set) { set.version_ = ++changes_; }
    void tell_less_apart();
    void make_coarse(AliasSet& set);

    std::deque<AliasSet> sets_;
    std::vector<AliasSet*> all_;  ///< and those that were merged since all() was last asked for
    llvm::SmallVector<std::pair<Cell, Cell>> waiting_;
    uint64_t changes_ = 0, steps_ = 0;
    uint64_t most_steps_ = UINT64_MAX;
    size_t most_places_ = SIZE_MAX;  ///< that are told apart in a set
};

inline int64_t Request::begin() const {
    return AliasSets::find(at).offset;
}

}  // namespace malloom::compiler
