#include "compiler/transform/debug_types.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/IR/DebugInfoMetadata.h>

#include "compiler/analysis/field_names.h"

// Composite types of later versions say what kind an enumeration is.
#if LLVM_VERSION_MAJOR >= 20
#define MALLOOM_NO_KIND std::nullopt,
#else
#define MALLOOM_NO_KIND
#endif

namespace malloom::compiler {

namespace {

bool is_pointer(const llvm::DIType& type) {
    return type.getTag() == llvm::dwarf::DW_TAG_pointer_type ||
           type.getTag() == llvm::dwarf::DW_TAG_reference_type ||
           type.getTag() == llvm::dwarf::DW_TAG_rvalue_reference_type;
}

bool is_array(const llvm::DIType& type) {
    return type.getTag() == llvm::dwarf::DW_TAG_array_type;
}

llvm::DIDerivedType* derived(const llvm::DIDerivedType& like, llvm::DIType* base, uint64_t offset_in_bits,
                             llvm::DIScope* scope, llvm::DINode::DIFlags flags) {
    return llvm::DIDerivedType::get(like.getContext(), like.getTag(), like.getName(), like.getFile(),
                                    like.getLine(), scope, base, like.getSizeInBits(), like.getAlignInBits(),
                                    offset_in_bits, like.getDWARFAddressSpace(), like.getPtrAuthData(), flags,
                                    like.getExtraData(), like.getAnnotations());
}

llvm::DIType* array(const llvm::DICompositeType& like, llvm::DIType* element) {
    return llvm::DICompositeType::get(
        like.getContext(), like.getTag(), like.getName(), like.getFile(), like.getLine(), like.getScope(),
        element, like.getSizeInBits(), like.getAlignInBits(), like.getOffsetInBits(), like.getFlags(),
        like.getElements(), like.getRuntimeLang(), MALLOOM_NO_KIND like.getVTableHolder(),
        like.getTemplateParams(), "", nullptr, like.getRawDataLocation(), like.getRawAssociated(),
        like.getRawAllocated(), like.getRawRank(), like.getAnnotations());
}

/// From 0 to 0, as expressions. A debugger that does not evaluate these takes their lengths for the bounds,
/// and so the array for an empty one: it would not find the place either, and show other bytes.
llvm::Metadata* bounds_of_one(llvm::LLVMContext& context) {
    namespace dwarf = llvm::dwarf;
    llvm::Metadata* first =
        llvm::DIExpression::get(context, {dwarf::DW_OP_lit0, dwarf::DW_OP_plus_uconst, 0});
    llvm::Metadata* last = llvm::DIExpression::get(context, {dwarf::DW_OP_lit0});
    return llvm::DISubrange::get(context, nullptr, first, last, nullptr);
}

/// The type of something that lies where a way leads to: an array of one.
llvm::DIType* elsewhere(llvm::DIType* type, const llvm::SmallVector<uint64_t, 16>& way) {
    llvm::LLVMContext& context = type->getContext();
    llvm::SmallVector<uint64_t, 16> steps = {llvm::dwarf::DW_OP_push_object_address};
    steps.append(way.begin(), way.end());
    return llvm::DICompositeType::get(
        context, llvm::dwarf::DW_TAG_array_type, "", nullptr, 0, nullptr, type, bytes_of(type) * 8, 0, 0,
        llvm::DINode::FlagZero, llvm::MDTuple::get(context, {bounds_of_one(context)}), 0,
        MALLOOM_NO_KIND nullptr, nullptr, "", nullptr, llvm::DIExpression::get(context, steps));
}

/// The declaration of a function of a class, of another one.
llvm::DINode* function_of(const llvm::DISubprogram& like, llvm::DICompositeType& structure) {
    return llvm::DISubprogram::get(
        like.getContext(), &structure, like.getName(), like.getLinkageName(), like.getFile(), like.getLine(),
        like.getType(), like.getScopeLine(), like.getContainingType(), like.getVirtualIndex(),
        like.getThisAdjustment(), like.getFlags(), like.getSPFlags(), nullptr, like.getTemplateParams(),
        nullptr, nullptr, like.getThrownTypes(), like.getAnnotations(), like.getTargetFuncName());
}

/// The arrays that a structure's bytes lie in, as its members are called.
std::string arrays_of(const llvm::DICompositeType& structure, const SplitLayout& layout, int64_t begin) {
    constexpr size_t most_letters = 120;
    std::vector<std::string> parts(layout.parts());
    const uint64_t bytes = structure.getSizeInBits() / 8;
    for (const Field& field : layout.fields()) {
        const int64_t offset = static_cast<int64_t>(field.offset) - begin;
        if (offset >= 0 && static_cast<uint64_t>(offset) < bytes) {
            std::string& part = parts[layout.place_of(field.offset).part];
            part += (part.empty() ? "" : ", ") +
                    field_name(&structure, static_cast<uint64_t>(offset), field.bytes);
        }
    }
    std::string text;
    for (const std::string& part : parts) {
        text += (text.empty() || part.empty() ? "" : " | ") + part;
    }
    return text.size() <= most_letters ? text : text.substr(0, most_letters) + "...";
}

}  // namespace

llvm::DIType* DebugTypes::at(llvm::DIType* type, const DebugPlaces& places) {
    if (type == nullptr || places.empty()) {
        return type;
    }
    const size_t number = number_of(type, places);
    while (!waiting_.empty()) {
        const size_t next = waiting_.back();
        waiting_.pop_back();
        expand(next);
    }
    llvm::DIType* made = make(number);
    while (!unfilled_.empty()) {
        const size_t next = unfilled_.back();
        unfilled_.pop_back();
        fill(nodes_[next]);
    }
    return made;
}

size_t DebugTypes::number_of(llvm::DIType* type, DebugPlaces places) {
    Key key = {type, {}};
    for (const DebugPiece& piece : places) {
        key.second.push_back(piece.key());
    }
    const auto [found, is_new] = numbers_.try_emplace(std::move(key), nodes_.size());
    if (is_new) {
        waiting_.push_back(nodes_.size());
        nodes_.push_back({type, std::move(places)});
    }
    return found->second;
}

void DebugTypes::add_part(size_t number, llvm::DIType* type, DebugPlaces places) {
    const size_t part = number_of(type, std::move(places));
    nodes_[number].parts.push_back(part);
    nodes_[part].users.push_back(number);
    if (nodes_[part].changes) {
        mark(number);
    }
}

/// All that leads to it changes too.
void DebugTypes::mark(size_t number) {
    std::vector<size_t> marked = {number};
    while (!marked.empty()) {
        Node& node = nodes_[marked.back()];
        marked.pop_back();
        if (!node.changes) {
            node.changes = true;
            marked.insert(marked.end(), node.users.begin(), node.users.end());
        }
    }
}

bool DebugTypes::is_in_split(const DebugPlaces& places) const {
    return llvm::any_of(places, [&](const DebugPiece& piece) {
        return !piece.is_pointer && !piece.is_together && layouts_.contains(piece.at.set);
    });
}

bool DebugTypes::is_split(const Node& node) const {
    return as_structure(node.type) == node.type && is_in_split(node.places);
}

void DebugTypes::expand(size_t number) {
    llvm::DIType& type = *nodes_[number].type;
    const DebugPlaces places = nodes_[number].places;
    if (is_split(nodes_[number])) {
        mark(number);
    }
    if (const auto* structure = llvm::dyn_cast<llvm::DICompositeType>(&type)) {
        if (as_structure(&type) != nullptr) {
            const bool is_one = !is_split(nodes_[number]);
            for (const llvm::DIDerivedType* member : data_members(*structure)) {
                const DebugPlaces next = shifted(places, static_cast<int64_t>(member->getOffsetInBits() / 8));
                add_part(number, member->getBaseType(), is_one ? at_own_address(next) : next);
            }
        } else if (is_array(type)) {
            add_part(number, structure->getBaseType(),
                     elements(places, bytes_of(structure->getBaseType()), structure->getSizeInBits() / 8));
        }
    } else if (const auto* with_base = llvm::dyn_cast<llvm::DIDerivedType>(&type)) {
        if (with_base->getBaseType() != nullptr && type.getTag() != llvm::dwarf::DW_TAG_ptr_to_member_type) {
            const DebugPlaces next = is_pointer(type) ? pointees(places, sets_) : places;
            add_part(number, with_base->getBaseType(), next);
            if (is_pointer(type) && is_in_split(next)) {
                mark(number);
            }
        }
    }
}

llvm::DIType* DebugTypes::make(size_t number) {
    Node& node = nodes_[number];
    if (!node.changes) {
        return node.type;
    }
    if (node.made != nullptr) {
        return node.made;
    }
    if (as_structure(node.type) == node.type) {
        unfilled_.push_back(number);
        return make_structure(node);
    }
    llvm::DIType* base = make(node.parts.front());
    if (is_pointer(*node.type)) {
        base = make_pointee(nodes_[node.parts.front()], base);
    }
    if (auto* whole = llvm::dyn_cast<llvm::DICompositeType>(node.type)) {
        node.made = array(*whole, base);
    } else {
        auto& like = llvm::cast<llvm::DIDerivedType>(*node.type);
        node.made = derived(like, base, like.getOffsetInBits(), like.getScope(), like.getFlags());
    }
    return node.made;
}

/// What a pointer to the beginning of a split object leads to is in another array, if it is no structure.
llvm::DIType* DebugTypes::make_pointee(const Node& pointee, llvm::DIType* made) const {
    if (!is_in_split(pointee.places) || as_structure(pointee.type) != nullptr) {
        return made;
    }
    const auto place = place_of_member(pointee.places, layouts_, 0, bytes_of(pointee.type));
    if (!place) {
        return nullptr;  // as of a pointer to void
    }
    return place->is_beside ? made : elsewhere(made, place->way);
}

/// A node of its own, without members yet, as these may lead to it again.
llvm::DIType* DebugTypes::make_structure(Node& node) {
    const auto& like = llvm::cast<llvm::DICompositeType>(*node.type);
    node.made = llvm::DICompositeType::getDistinct(
        like.getContext(), like.getTag(), is_split(node) ? name_of(node) : like.getName().str(),
        like.getFile(), like.getLine(), like.getScope(), like.getBaseType(), like.getSizeInBits(),
        like.getAlignInBits(), like.getOffsetInBits(), like.getFlags(), nullptr, like.getRuntimeLang(),
        MALLOOM_NO_KIND like.getVTableHolder(), like.getTemplateParams());
    return node.made;
}

void DebugTypes::fill(const Node& node) {
    auto& structure = llvm::cast<llvm::DICompositeType>(*node.made);
    const auto& like = llvm::cast<llvm::DICompositeType>(*node.type);
    const std::vector<llvm::DIDerivedType*> members = data_members(like);
    llvm::SmallVector<llvm::Metadata*, 16> elements;
    for (llvm::DINode* element : like.getElements()) {
        const auto* member = std::find(members.data(), members.data() + members.size(), element);
        const auto number = static_cast<size_t>(member - members.data());
        const auto* function = llvm::dyn_cast_or_null<llvm::DISubprogram>(element);
        if (number < members.size()) {
            if (llvm::DINode* made = make_member(node, *members[number], node.parts[number], structure)) {
                elements.push_back(made);
            }
        } else if (function != nullptr && !function->isDefinition() && !is_split(node)) {
            elements.push_back(function_of(*function, structure));
        }
    }
    structure.replaceElements(llvm::MDTuple::get(structure.getContext(), elements));
}

/// None where it lies in no place.
llvm::DINode* DebugTypes::make_member(const Node& node, llvm::DIDerivedType& member, size_t part,
                                      llvm::DICompositeType& structure) {
    llvm::DIType* type = make(part);
    if (!is_split(node)) {
        return derived(member, type, member.getOffsetInBits(), &structure, member.getFlags());
    }
    if (as_structure(member.getBaseType()) != nullptr) {
        // Its members are seen from the same address.
        return derived(member, type, 0, &structure, member.getFlags());
    }
    const uint64_t begin = member.getOffsetInBits() / 8, in_byte = member.getOffsetInBits() % 8;
    const uint64_t bytes = (in_byte + member.getSizeInBits() + 7) / 8;
    const auto place = place_of_member(node.places, layouts_, begin, bytes);
    if (!place) {
        return nullptr;
    }
    const auto distance = static_cast<uint64_t>(place->distance);
    if (place->is_beside && (distance + bytes) * 8 <= structure.getSizeInBits()) {
        return derived(member, type, distance * 8 + in_byte, &structure, member.getFlags());
    }
    if (member.isBitField()) {
        return nullptr;
    }
    return derived(member, elsewhere(type, place->way), 0, &structure, member.getFlags());
}

std::string DebugTypes::name_of(const Node& node) const {
    const auto& structure = llvm::cast<llvm::DICompositeType>(*node.type);
    std::string arrays;
    for (const DebugPiece& piece : node.places) {
        const auto layout = layouts_.find(piece.at.set);
        const std::string of_this =
            layout != layouts_.end() ? arrays_of(structure, layout->second, piece.at.offset) : "whole";
        if (!arrays.empty() && arrays != of_this) {
            arrays = "in more than one way";
            break;
        }
        arrays = of_this;
    }
    return structure.getName().str() + " [split by malloom: " + arrays + "]";
}

}  // namespace malloom::compiler
