#include "compiler/transform/debug_places.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/DebugInfoMetadata.h>

#include <set>

namespace malloom::compiler {

namespace {

namespace dwarf = llvm::dwarf;

void add_once(DebugPlaces& places, const DebugPiece& piece) {
    if (llvm::none_of(places, [&](const DebugPiece& other) { return other.key() == piece.key(); })) {
        places.push_back(piece);
    }
}

/// Whether a member's bytes all lie as far from each other as they always did.
bool lies_together(const SplitLayout& layout, uint64_t offset, uint64_t bytes) {
    if (layout.field_at(offset) == nullptr) {
        return false;
    }
    const Place first = layout.place_of(offset);
    for (uint64_t at = offset; at < offset + bytes;) {
        const Field* field = layout.field_at(at);
        if (field == nullptr || layout.place_of(at) != Place{first.part, first.within + (at - offset)}) {
            return false;
        }
        at = field->end();
    }
    return true;
}

std::optional<MemberPlace> place_in(const SplitLayout& layout, int64_t address, int64_t at, uint64_t bytes) {
    if (layout.structure_of(address) != layout.structure_of(at)) {
        return std::nullopt;
    }
    at = layout.within(at);
    if (at < 0 || !lies_together(layout, static_cast<uint64_t>(at), bytes)) {
        return std::nullopt;
    }
    const Place from = layout.place_of_pointer(layout.within(address)),
                to = layout.place_of(static_cast<uint64_t>(at));
    if (!has_way(layout, from, to)) {
        return std::nullopt;
    }
    const auto distance = static_cast<int64_t>(to.within - from.within);
    const bool is_beside = from.part == to.part && distance >= 0;
    return MemberPlace{is_beside, is_beside ? distance : 0, way(layout, from, to)};
}

MemberPlace place_at(int64_t distance) {
    MemberPlace place = {distance >= 0, distance, {}};
    llvm::DIExpression::appendOffset(place.way, distance);
    return place;
}

}  // namespace

DebugPlaces shifted(const DebugPlaces& places, int64_t bytes) {
    DebugPlaces found;
    for (DebugPiece piece : places) {
        const int64_t end = piece.begin + static_cast<int64_t>(piece.bytes);
        if (end <= bytes) {
            continue;
        }
        if (!piece.is_pointer && piece.begin <= bytes) {
            piece.at = piece.at.plus(bytes - piece.begin);
            piece.bytes = piece.bytes == DebugPiece::all ? piece.bytes : static_cast<uint64_t>(end - bytes);
            piece.begin = 0;
        } else {
            piece.begin -= bytes;
        }
        add_once(found, piece);
    }
    return found;
}

DebugPlaces elements(const DebugPlaces& places, uint64_t element_bytes, uint64_t array_bytes) {
    constexpr size_t most_elements = 64;
    const auto length = static_cast<int64_t>(element_bytes);
    const auto end = static_cast<int64_t>(array_bytes != 0 ? array_bytes : DebugPiece::all);
    std::set<int64_t> starts = {0};
    const auto add = [&](int64_t offset) {
        if (length != 0 && offset >= 0 && offset < end && starts.size() < most_elements) {
            starts.insert(offset / length * length);
        }
    };
    for (const DebugPiece& piece : places) {
        add(piece.begin);
        for (const auto& [offset, pointer] : piece.at.set->pointers()) {
            if (!piece.is_pointer) {
                add(offset - piece.at.offset + piece.begin);
            }
        }
    }
    DebugPlaces found;
    for (const int64_t start : starts) {
        for (DebugPiece& piece : at_own_address(shifted(places, start))) {
            piece.is_together = !piece.is_pointer;
            add_once(found, piece);
        }
    }
    return found;
}

DebugPlaces at_own_address(DebugPlaces places) {
    for (DebugPiece& piece : places) {
        piece.address = piece.at.offset;
    }
    return places;
}

void add_pointer(DebugPlaces& places, Cell to, int64_t begin, int64_t further) {
    if (!to) {
        return;
    }
    for (const int64_t offset : to.set->alternatives(to.offset)) {
        add_once(places, {{to.set, offset + further}, true, begin, pointer_bytes});
    }
}

DebugPlaces pointees(const DebugPlaces& places, const AliasSets& sets) {
    DebugPlaces found;
    const auto add = [&](Cell cell) { add_once(found, {.at = cell, .address = cell.offset}); };
    for (const DebugPiece& piece : places) {
        if (piece.begin != 0 || piece.bytes < pointer_bytes) {
            continue;
        }
        if (piece.is_pointer) {
            add(piece.at);
            continue;
        }
        const auto& pointers = piece.at.set->pointers();
        const auto pointer = pointers.find(piece.at.set->normal(piece.at.offset));
        const Cell to = pointer != pointers.end() ? sets.resolve(pointer->second) : Cell{};
        for (const int64_t offset : to ? to.set->alternatives(to.offset) : llvm::SmallVector<int64_t, 2>{}) {
            add({to.set, offset});
        }
    }
    return found;
}

bool has_way(const SplitLayout& layout, Place from, Place to) {
    return !layout.is_of_arrays() || from.part == to.part;
}

llvm::SmallVector<uint64_t, 16> way(const SplitLayout& layout, Place from, Place to) {
    llvm::SmallVector<uint64_t, 16> steps;
    const uint64_t here = layout.begin(from.part) + from.within, there = layout.begin(to.part) + to.within;
    const uint64_t from_bytes = layout.element_bytes(from.part), to_bytes = layout.element_bytes(to.part);
    if (from_bytes == to_bytes) {  // as in one array
        llvm::DIExpression::appendOffset(steps, static_cast<int64_t>(there - here));
        return steps;
    }
    // Where the pool begins, and then the object's number in it.
    steps = {dwarf::DW_OP_dup,  dwarf::DW_OP_constu, ~(layout.pool_bytes() - 1), dwarf::DW_OP_and,
             dwarf::DW_OP_swap, dwarf::DW_OP_constu, layout.pool_bytes() - 1,    dwarf::DW_OP_and};
    if (here != 0) {
        steps.append({dwarf::DW_OP_constu, here, dwarf::DW_OP_minus});
    }
    steps.append({dwarf::DW_OP_constu, from_bytes, dwarf::DW_OP_div, dwarf::DW_OP_constu, to_bytes,
                  dwarf::DW_OP_mul, dwarf::DW_OP_plus});
    llvm::DIExpression::appendOffset(steps, static_cast<int64_t>(there));
    return steps;
}

std::optional<MemberPlace> place_of_member(const DebugPlaces& places, const SplitLayouts& layouts,
                                           uint64_t offset, uint64_t bytes) {
    std::optional<MemberPlace> found;
    for (const DebugPiece& piece : places) {
        if (piece.is_pointer || piece.begin > 0) {
            continue;
        }
        const int64_t at = piece.at.offset + static_cast<int64_t>(offset);
        const auto layout = piece.is_together ? layouts.end() : layouts.find(piece.at.set);
        const std::optional<MemberPlace> place = layout != layouts.end()
                                                     ? place_in(layout->second, piece.address, at, bytes)
                                                     : place_at(at - piece.address);
        if (!place || (found && *found != *place)) {
            return std::nullopt;
        }
        found = place;
    }
    return found;
}

}  // namespace malloom::compiler
