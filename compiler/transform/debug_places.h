// Where what debug information describes lies: which bytes of a variable lie in what, and the way from one
// place of a split object to another as DWARF expresses it.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>

#include <optional>
#include <tuple>
#include <vector>

#include "compiler/analysis/points_to.h"
#include "compiler/layout/split_layout.h"

namespace malloom::compiler {

/// Of the sets that are split.
using SplitLayouts = llvm::DenseMap<const AliasSet*, SplitLayout>;

/// Some bytes of what is described, from `begin` on: they lie in memory at a cell, or, `is_pointer`, they are
/// a pointer to it.
struct DebugPiece {
    static constexpr uint64_t all = UINT64_MAX / 4;

    Cell at;
    bool is_pointer = false;
    int64_t begin = 0;
    uint64_t bytes = all;
    int64_t address = 0;       ///< of memory: the offset that the address leads to which debuggers go from
    bool is_together = false;  ///< of memory: its bytes lie as they always did, split or not

    auto key() const { return std::tuple(at.set, at.offset, is_pointer, begin, bytes, address, is_together); }
};

/// Pieces of the same bytes are different places where they may lie.
using DebugPlaces = std::vector<DebugPiece>;

/// What lies so many bytes further, seen from the same address.
DebugPlaces shifted(const DebugPlaces& places, int64_t bytes);
/// The same, seen from where it lies.
DebugPlaces at_own_address(DebugPlaces places);
/// Where the elements of an array lie, as far as they are told apart.
DebugPlaces elements(const DebugPlaces& places, uint64_t element_bytes, uint64_t array_bytes);
/// Where the objects lie that a pointer at the beginning leads to.
DebugPlaces pointees(const DebugPlaces& places, const AliasSets& sets);
/// Adds a pointer to a cell, from so many bytes on; `further`: it leads so many bytes behind the cell.
void add_pointer(DebugPlaces& places, Cell to, int64_t begin, int64_t further = 0);

/// Whether debug information can tell the way: not where the run time alone knows where arrays begin.
bool has_way(const SplitLayout& layout, Place from, Place to);
/// From the address of one place of an object to that of another, as operations of DWARF.
llvm::SmallVector<uint64_t, 16> way(const SplitLayout& layout, Place from, Place to);

/// Where a member lies, seen from the address.
struct MemberPlace {
    bool is_beside;    ///< at a distance that is never negative, in the same array
    int64_t distance;  ///< of one that is
    llvm::SmallVector<uint64_t, 16> way;

    bool operator==(const MemberPlace&) const = default;
};

/// Of a member of so many bytes, which is no structure. None where its bytes do not lie together, or in no
/// place.
std::optional<MemberPlace> place_of_member(const DebugPlaces& places, const SplitLayouts& layouts,
                                           uint64_t offset, uint64_t bytes);

}  // namespace malloom::compiler
