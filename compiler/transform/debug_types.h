// Types of debug information that say where the members of split objects lie, and that they are split.
//
// A debugger reads members at constant distances from where a structure lies, which holds within one array.
// Those in other arrays become arrays of one element that are found by an expression (DW_AT_data_location),
// as LLVM 19 has no expressions for members; debuggers that know no such arrays see them empty. What lies in
// no place, or not together, has no member. Types that lead to such types are made anew as well, and all that
// do not stay as they are.
#pragma once

#include <deque>
#include <map>
#include <string>

#include "compiler/transform/debug_places.h"

namespace llvm {
class DICompositeType;
class DIDerivedType;
class DINode;
class DIType;
}  // namespace llvm

namespace malloom::compiler {

class DebugTypes {
  public:
    /// Both must outlive this.
    DebugTypes(const AliasSets& sets, const SplitLayouts& layouts) : sets_(sets), layouts_(layouts) {}

    /// The type of something that lies at these places: the same where nothing that it leads to is split.
    llvm::DIType* at(llvm::DIType* type, const DebugPlaces& places);

  private:
    /// A type of what lies somewhere, and those that it is made of or leads to.
    struct Node {
        llvm::DIType* type;
        DebugPlaces places;
        std::vector<size_t> parts = {}, users = {};
        bool changes = false;
        llvm::DIType* made = nullptr;
    };
    using Key = std::pair<const llvm::DIType*, std::vector<decltype(DebugPiece().key())>>;

    size_t number_of(llvm::DIType* type, DebugPlaces places);
    void expand(size_t number);
    void add_part(size_t number, llvm::DIType* type, DebugPlaces places);
    void mark(size_t number);
    bool is_split(const Node& node) const;
    bool is_in_split(const DebugPlaces& places) const;

    llvm::DIType* make(size_t number);
    llvm::DIType* make_pointee(const Node& pointee, llvm::DIType* made) const;
    llvm::DIType* make_structure(Node& node);
    void fill(const Node& node);
    llvm::DINode* make_member(const Node& node, llvm::DIDerivedType& member, size_t part,
                              llvm::DICompositeType& structure);
    std::string name_of(const Node& node) const;

    const AliasSets& sets_;
    const SplitLayouts& layouts_;
    std::deque<Node> nodes_;
    std::map<Key, size_t> numbers_;
    std::vector<size_t> waiting_;   ///< to be expanded
    std::vector<size_t> unfilled_;  ///< structures without their members
};

}  // namespace malloom::compiler
