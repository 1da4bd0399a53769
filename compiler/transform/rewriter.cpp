#include "compiler/transform/rewriter.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

#include "checks/check.h"
#include "compiler/analysis/arrays.h"
#include "compiler/analysis/library_functions.h"
#include "compiler/transform/accessed_bytes.h"
#include "compiler/transform/addresses.h"
#include "compiler/transform/array_variables.h"
#include "compiler/transform/array_walks.h"
#include "compiler/transform/expected_links.h"
#include "compiler/transform/layout_claims.h"
#include "compiler/transform/self_checks.h"
#include "compiler/transform/targets.h"
#include "compiler/transform/transfers.h"

namespace malloom::compiler {

namespace {

constexpr uint64_t most_alignment = 16;  // of what malloc gives

/// First everything is found that must be rewritten, with what the analysis knows of it, which is void as
/// soon as the first instruction changes.
class Rewriter {
  public:
    Rewriter(llvm::Module& module, const PointsTo& points_to, const std::vector<Decision>& decisions)
        : module_(module), points_to_(points_to), targets_(module, decisions) {}

    void run(bool verifies);

  private:
    /// A pointer to so many bytes from the beginning of a split object.
    struct Pointer {
        const SplitObjects* layout = nullptr;  ///< null: to nothing that is split
        int64_t offset = 0;
        llvm::SmallVector<int64_t, 2> alternatives = {};  ///< of the offset, all that it may be
        uint64_t most_aligned = most_alignment;           ///< whichever element of an inner array it leads to

        explicit operator bool() const { return layout != nullptr; }
        bool is_one_place() const { return alternatives.size() == 1; }
        Place place() const { return layout->place_of_pointer(offset); }
        uint64_t alignment_of(Place place) const {
            return std::min(layout->alignment_of(place), most_aligned);
        }
    };
    struct Address {
        llvm::GetElementPtrInst* instruction;
        const Way* way;
        Pointer base;
        const Region* from;  ///< the array that the base leads into, or null
        const Region* to;    ///< that the result leads into
    };
    /// Between two pointers to the same place of structures.
    struct Distance {
        llvm::Instruction* instruction;
        Pointer to;
    };
    struct MemoryAccess {
        llvm::Instruction* instruction;
        Pointer at, from;  ///< `from` of transfers alone
        StructuresAccess of_structures = StructuresAccess::none;
    };
    /// What the address that is an instruction's operand leads to.
    struct Watched {
        llvm::Instruction* instruction;
        unsigned operand;
        const Target* target;            ///< null: nothing of pools
        std::optional<uint64_t> offset;  ///< in its objects, where they are split and it is one
    };
    struct HeapUse {
        llvm::CallBase* call;
        const Target* target;
        const Request* request;  ///< null: a release
    };

    void find(llvm::Instruction& instruction);
    void find_call(llvm::CallBase& call);
    void note_if_link(llvm::Instruction& instruction, const Pointer& at) const;
    Pointer pointer_of(const llvm::Value* value) const {
        return value->getType()->isPointerTy() ? place_of(value) : Pointer{};
    }
    Pointer place_of(const llvm::Value* value) const;
    const Target* target_of(const llvm::Value* value) const;

    void rewrite(const Address& address);
    llvm::Value* choose(llvm::IRBuilder<>& code, const Address& address);
    void rewrite(const MemoryAccess& access);
    static void rewrite(const Distance& distance);
    static void rewrite(const HeapUse& use);
    void watch(llvm::Instruction& instruction, unsigned operand);
    void check_all_found() const;
    bool is_split(const llvm::Value* value) const { return static_cast<bool>(pointer_of(value)); }

    llvm::Module& module_;
    const PointsTo& points_to_;
    const Targets targets_;
    ArrayWalks walks_;
    std::vector<Address> addresses_;
    std::vector<Distance> distances_;
    std::vector<MemoryAccess> accesses_;
    std::vector<HeapUse> heap_uses_;
    std::vector<Watched> watched_;
};

const Target* Rewriter::target_of(const llvm::Value* value) const {
    const Cell cell = points_to_.at(value);
    return cell ? targets_.of(cell.set) : nullptr;
}

/// Of a pointer, or one that has become a number.
Rewriter::Pointer Rewriter::place_of(const llvm::Value* value) const {
    const Target* target = target_of(value);
    if (target == nullptr || target->layout == nullptr) {
        return {};
    }
    const Cell cell = points_to_.at(value);
    Pointer pointer = {target->layout, target->layout->within(cell.offset)};
    for (const int64_t offset : cell.set->alternatives(cell.offset)) {
        if (const Region* region = cell.set->region_of(offset); region != nullptr && region->stride != 0) {
            pointer.most_aligned = std::min(pointer.most_aligned, region->stride & -region->stride);
        }
        if (const int64_t within = target->layout->within(offset);
            !llvm::is_contained(pointer.alternatives, within)) {
            pointer.alternatives.push_back(within);
        }
    }
    return pointer;
}

void Rewriter::run(bool verifies) {
    for (llvm::Function& function : module_) {
        forget_claims(function, [this](const llvm::Value* value) { return is_split(value); });
        for (llvm::Instruction& instruction : llvm::instructions(function)) {
            find(instruction);
        }
    }
    check_all_found();
    for (const Address& address : addresses_) {
        rewrite(address);
    }
    for (const Distance& distance : distances_) {
        rewrite(distance);
    }
    for (const MemoryAccess& access : accesses_) {
        rewrite(access);
    }
    for (const HeapUse& use : heap_uses_) {
        rewrite(use);
    }
    for (const Watched& watched : watched_) {
        if (verifies) {
            verify_access(*watched.instruction, watched.operand, watched.target, watched.offset);
        }
    }
    if (targets_.begins_scope() != nullptr) {
        keep_begins_apart(module_, targets_.begins_scope());
    }
    if (verifies) {
        check_module(module_);
    }
}

void Rewriter::watch(llvm::Instruction& instruction, unsigned operand) {
    llvm::Value* address = instruction.getOperand(operand);
    const Way* choice = points_to_.ways().of_fields(*address);
    const Pointer at = choice != nullptr ? Pointer{} : pointer_of(address);
    watched_.push_back({&instruction, operand, target_of(choice != nullptr ? choice->root : address),
                        at.is_one_place() ? std::optional(static_cast<uint64_t>(at.offset)) : std::nullopt});
}

/// Before the first instruction is changed.
void Rewriter::check_all_found() const {
    llvm::DenseSet<const llvm::Instruction*> found;
    for (const MemoryAccess& access : accesses_) {
        found.insert(access.instruction);
    }
    for (const HeapUse& use : heap_uses_) {
        found.insert(use.call);
    }
    check_found(points_to_, targets_, found);
}

void Rewriter::find(llvm::Instruction& instruction) {
    forget_claims(instruction, [this](const llvm::Value* value) { return is_split(value); });
    if (auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction)) {
        if (const Pointer base = pointer_of(address->getPointerOperand())) {
            const Cell from = points_to_.at(address->getPointerOperand()), to = points_to_.at(address);
            addresses_.push_back({address, &points_to_.ways().of(llvm::cast<llvm::GEPOperator>(*address)),
                                  base, from.set->region_of(from.offset),
                                  to ? to.set->region_of(to.offset) : nullptr});
        }
    } else if (is_distance(instruction)) {
        if (const Pointer to = place_of(instruction.getOperand(0))) {
            distances_.push_back({&instruction, to});
        }
    } else if (auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
        find_call(*call);
    } else if (llvm::isa<llvm::LoadInst, llvm::StoreInst, llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(
                   instruction)) {
        watch(instruction, address_operand(instruction));
        if (const Pointer at = pointer_of(instruction.getOperand(address_operand(instruction)))) {
            accesses_.push_back({&instruction, at, {}});
            note_if_link(instruction, at);
        }
    }
}

/// Whether another object of the same set is reached by it.
void Rewriter::note_if_link(llvm::Instruction& instruction, const Pointer& at) const {
    auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
    const Pointer to = load != nullptr ? pointer_of(load) : Pointer{};
    if (to && to.layout == at.layout && to.offset == 0 && to.is_one_place()) {
        note_link(*load, to.layout->element_bytes(0));
    }
}

void Rewriter::find_call(llvm::CallBase& call) {
    if (auto* intrinsic = llvm::dyn_cast<llvm::MemIntrinsic>(&call)) {
        auto* transfer = llvm::dyn_cast<llvm::MemTransferInst>(intrinsic);
        const Pointer to = pointer_of(intrinsic->getDest());
        const Pointer from = transfer != nullptr ? pointer_of(transfer->getSource()) : Pointer{};
        if (to || from) {
            const uint64_t structure_bytes = to ? to.layout->structure_bytes() : 0;
            accesses_.push_back({intrinsic, to, from, structures_access(call, structure_bytes, points_to_)});
        } else if (llvm::isa<llvm::ConstantInt>(intrinsic->getLength())) {
            watch(*intrinsic, 0);
            if (transfer != nullptr) {
                watch(*intrinsic, 1);
            }
        }
        return;
    }
    const llvm::Function* callee = call.getCalledFunction();
    const std::optional<HeapCall> kind = callee != nullptr && callee->isDeclaration() && !call.arg_empty()
                                             ? heap_call(callee->getName())
                                             : std::nullopt;
    if (!kind) {
        return;
    }
    const Target* target = target_of(call.getArgOperand(0));
    if (!releases(*kind)) {
        if (const auto [asked, request] = targets_.of(call); asked != nullptr) {
            heap_uses_.push_back({&call, asked, request});
        }
    } else if (target != nullptr) {
        heap_uses_.push_back({&call, target, nullptr});
    }
}

void Rewriter::rewrite(const HeapUse& use) {
    if (use.request == nullptr) {
        rewrite_release(*use.call, use.target->layout);
    } else {
        rewrite_request(*use.call, use.target->pools_of(*use.request));
    }
}

/// As many bytes as there would be between the structures. Between one of them and null there is no whole
/// number of elements: some number, then, and nothing that the optimiser may take for impossible.
void Rewriter::rewrite(const Distance& distance) {
    const SplitObjects& objects = *distance.to.layout;
    llvm::IRBuilder<> code(distance.instruction->getNextNode());
    llvm::Value* count =
        code.CreateSDiv(distance.instruction, code.getInt64(objects.element_bytes(distance.to.place().part)));
    llvm::Value* bytes = code.CreateMul(count, code.getInt64(objects.structure_bytes()));
    distance.instruction->replaceUsesWithIf(bytes,
                                            [count](const llvm::Use& use) { return use.getUser() != count; });
}

/// The place of an index that is one of few constants, each of another field.
llvm::Value* Rewriter::choose(llvm::IRBuilder<>& code, const Address& address) {
    llvm::Value& index = *address.way->indices.front().first;
    llvm::Value* chosen = nullptr;
    for (const int64_t choice : address.way->choices) {
        const int64_t bytes = address.way->bytes_of(choice), offset = address.base.offset + bytes;
        const SplitObjects& layout = *address.base.layout;
        llvm::Value* pointer = address.instruction->getPointerOperand();
        llvm::Value* place =
            layout.is_of_arrays()
                ? walks_.walk(code, layout, pointer, address.base.offset, {bytes, {}})
                : move(code, layout, pointer, address.base.place(), layout.place_of_pointer(offset));
        llvm::Value* number = llvm::ConstantInt::getSigned(index.getType(), choice);
        chosen =
            chosen == nullptr ? place : code.CreateSelect(code.CreateICmpEQ(&index, number), place, chosen);
    }
    return chosen;
}

void Rewriter::rewrite(const Address& address) {
    llvm::IRBuilder<> code(address.instruction);
    const SplitObjects& layout = *address.base.layout;
    llvm::Value* pointer = address.instruction->getPointerOperand();
    int64_t further = address.way->first;
    VariableOffsets variable = address.way->indices;
    const bool is_among_structures = layout.is_of_arrays();
    if ((is_among_structures || address.from == nullptr) && !address.way->choices.empty()) {
        pointer = choose(code, address);
        further = 0;
        variable.clear();
        for (llvm::User* user : address.instruction->users()) {
            // An atomic field is never divided, and lies as it must wherever it is.
            auto* access = llvm::cast<llvm::Instruction>(user);
            if (!access->isAtomic() && llvm::getPointerOperand(access) == address.instruction) {
                lower_alignment(*access, llvm::Align(1));
            }
        }
    } else if (is_among_structures) {
        pointer = walks_.walk(code, layout, pointer, address.base.offset, {further, variable});
        further = 0;
        variable.clear();
    } else if (address.from == nullptr) {
        // Into an array by way of where it begins, which the index may lead away from and back to.
        const int64_t offset = address.base.offset + further;
        MALLOOM_CHECK(variable.empty() || address.to != nullptr);
        const int64_t way = variable.empty() ? offset : address.to->begin;
        pointer = move(code, layout, pointer, address.base.place(), layout.place_of_pointer(way));
        further = offset - way;
    }
    if (further != 0) {
        pointer = code.CreateGEP(code.getInt8Ty(), pointer, code.getInt64(static_cast<uint64_t>(further)));
    }
    for (const auto& [index, scale] : variable) {
        llvm::Value* wide = code.CreateSExtOrTrunc(index, code.getInt64Ty());
        pointer = code.CreateGEP(code.getInt8Ty(), pointer,
                                 code.CreateMul(wide, code.getInt64(scale.getZExtValue())));
    }
    address.instruction->replaceAllUsesWith(pointer);
    address.instruction->eraseFromParent();
}

void Rewriter::rewrite(const MemoryAccess& access) {
    const auto side = [](const Pointer& pointer, llvm::Value* address, llvm::MaybeAlign alignment) {
        return Side{address, pointer.layout, static_cast<uint64_t>(pointer.offset), alignment.valueOrOne(),
                    pointer.most_aligned};
    };
    llvm::Instruction& instruction = *access.instruction;
    if (access.of_structures != StructuresAccess::none) {
        const bool has_rest = access.of_structures == StructuresAccess::with_rest;
        rewrite_of_structures(llvm::cast<llvm::MemIntrinsic>(instruction), *access.at.layout, has_rest);
        return;
    }
    if (auto* transfer = llvm::dyn_cast<llvm::MemTransferInst>(&instruction)) {
        rewrite_transfer(*transfer, side(access.at, transfer->getDest(), transfer->getDestAlign()),
                         side(access.from, transfer->getSource(), transfer->getSourceAlign()),
                         bytes_accessed(instruction, module_.getDataLayout()));
        return;
    }
    if (auto* fill = llvm::dyn_cast<llvm::MemSetInst>(&instruction)) {
        rewrite_fill(*fill, side(access.at, fill->getDest(), fill->getDestAlign()),
                     bytes_accessed(instruction, module_.getDataLayout()));
        return;
    }
    const unsigned operand = address_operand(instruction);
    const SplitObjects& layout = *access.at.layout;
    const auto offset = static_cast<uint64_t>(access.at.offset);
    const bool is_plain = llvm::isa<llvm::LoadInst, llvm::StoreInst>(instruction);
    if (is_plain) {
        const uint64_t bytes = bytes_accessed(instruction, module_.getDataLayout());
        if (offset + bytes > layout.field_at(offset)->end()) {
            rewrite_divided(instruction, side(access.at, instruction.getOperand(operand), {}), bytes);
            return;
        }
    }
    llvm::IRBuilder<> code(&instruction);
    if (!access.at.is_one_place()) {
        // Wherever the pointer came from, it leads to where the field lies.
        uint64_t alignment = most_alignment;
        for (const int64_t place : access.at.alternatives) {
            alignment =
                std::min(alignment, access.at.alignment_of(layout.place_of(static_cast<uint64_t>(place))));
        }
        lower_alignment(instruction, llvm::Align(alignment));
        return;
    }
    const Place place = layout.place_of(offset);
    llvm::Value* address = instruction.getOperand(operand);
    instruction.setOperand(operand, layout.is_of_arrays()
                                        ? walks_.move(code, layout, address, access.at.place(), place)
                                        : move(code, layout, address, access.at.place(), place));
    lower_alignment(instruction, llvm::Align(access.at.alignment_of(place)));
}

}  // namespace

void rewrite(llvm::Module& module, const PointsTo& points_to, const std::vector<Decision>& decisions,
             bool verifies) {
    Rewriter(module, points_to, decisions).run(verifies);
}

}  // namespace malloom::compiler
