#include "compiler/analysis/legality.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>
#include <llvm/Support/MathExtras.h>

#include <algorithm>
#include <map>

#include "compiler/analysis/library_functions.h"
#include "compiler/analysis/rules.h"
#include "compiler/analysis/thread_code.h"

namespace malloom::compiler {

namespace {

llvm::StringRef callee_name(const llvm::CallBase& call) {
    const auto* callee =
        llvm::dyn_cast<llvm::Function>(call.getCalledOperand()->stripPointerCastsAndAliases());
    return callee != nullptr ? callee->getName() : "";
}

/// Whether another call can take its place.
bool is_plain(const llvm::CallBase& call) {
    return llvm::isa<llvm::CallInst, llvm::InvokeInst>(call) && !call.isMustTailCall() &&
           call.getNumOperandBundles() == 0 && call.getCalledFunction() != nullptr;
}

/// Whether it is declared with sizes and pointers as the C library has them, for what takes them along.
bool has_known_types(const llvm::CallBase& call) {
    return llvm::all_of(call.args(), [](const llvm::Use& argument) {
        return argument->getType()->isPointerTy() || argument->getType()->isIntegerTy(64);
    });
}

const Field* field_of(const std::vector<Field>& fields, uint64_t offset) {
    return &*(std::ranges::upper_bound(fields, offset, {}, &Field::offset) - 1);
}

constexpr uint64_t largest_object = uint64_t{32} << 10;
constexpr uint64_t largest_alignment = 4096;
constexpr size_t most_fields = 512;

/// Whether a pointer with that offset tells which pool its object is in. Those to no field lie as far from
/// where the object's address leads as they did, which is in the first array: as the others take at least as
/// many bytes as there are objects in a pool, that is in the pool unless objects are large.
bool finds_object(const Proof& proof, int64_t offset) {
    constexpr uint64_t always_in_pool = 1024;
    if (offset < 0 || static_cast<uint64_t>(offset) > proof.object_bytes) {
        return false;
    }
    const auto at = static_cast<uint64_t>(offset);
    return offset == 0 || proof.object_bytes <= always_in_pool ||
           std::ranges::any_of(proof.fields,
                               [&](const Field& field) { return field.offset <= at && at < field.end(); });
}

/// Collects what speaks against sets, from the traits of sets and from every use of their pointers.
class Prover {
  public:
    explicit Prover(const PointsTo& points_to) : points_to_(points_to) {}

    std::vector<Proof> prove() {
        take_sets();
        take_accesses();
        take_uses();
        take_threads();
        for (Proof& proof : proofs_) {
            take_fields(proof);
            for (std::vector<Refusal>* refusals : {&proof.pool_refusals, &proof.split_refusals}) {
                std::erase_if(*refusals, [](const Refusal& refusal) { return is_left_out(refusal.why); });
            }
        }
        return std::move(proofs_);
    }

  private:
    void take_sets();
    void take_objects(Proof& proof);
    void take_accesses();
    void take_access(Proof& proof, const Access& access, Cell at);
    void take_copy_within(const Access& access);
    void take_uses();
    void take_use(const llvm::Use& use, Cell cell);
    void take_threads();
    void take_fields(Proof& proof);
    bool may_compare(const llvm::CmpInst& compare) const;

    Proof* proof_of(Cell cell) {
        const auto found = cell ? numbers_.find(cell.set) : numbers_.end();
        return found == numbers_.end() ? nullptr : &proofs_[found->second];
    }
    void refuse_split(Cell cell, const char* why, const llvm::Instruction* at) {
        if (Proof* proof = proof_of(cell)) {
            proof->split_refusals.push_back({why, at});
        }
    }

    const PointsTo& points_to_;
    std::vector<Proof> proofs_;
    llvm::DenseMap<const AliasSet*, size_t> numbers_;
    llvm::DenseMap<const AliasSet*, std::vector<Span>> spans_;
    /// Offsets that other places of objects are reached from.
    llvm::DenseMap<const AliasSet*, std::map<int64_t, const llvm::Instruction*>> bases_;
};

void Prover::take_sets() {
    for (const AliasSet* set : points_to_.sets().all()) {
        if (!set->has(Trait::heap)) {
            continue;
        }
        numbers_[set] = proofs_.size();
        take_objects(proofs_.emplace_back(Proof{.set = set}));
    }
}

void Prover::take_objects(Proof& proof) {
    const AliasSet& set = *proof.set;
    for (const auto& [why, at] : set.reasons) {
        (set.has(Trait::escaped) ? proof.pool_refusals : proof.split_refusals).push_back({why, at});
    }
    if (set.has(Trait::escaped) && proof.pool_refusals.empty()) {
        proof.pool_refusals.push_back({"other code may reach it"});
    }
    if (set.has(Trait::foreign_heap)) {
        proof.pool_refusals.push_back({"a library may release it"});
    }
    if (std::ranges::none_of(set.requests, is_served)) {
        proof.pool_refusals.push_back(
            {"is requested by no function, or in no size, that pools serve", set.requests.front().call});
    }
    for (const Request& request : set.requests) {
        const bool is_resize = heap_call(callee_name(*request.call)) == HeapCall::realloc;
        if (!is_plain(*request.call) || (is_resize && !is_served(request))) {
            proof.pool_refusals.push_back(
                {"is requested by a function that pools do not replace", request.call});
        } else if (pool_service(request) != PoolService::plain) {
            proof.split_refusals.push_back(
                {"is requested by a function that pools do not replace, or in sizes that differ",
                 request.call});
        }
        if (request.begin != 0 || request.bytes != set.requests.front().bytes) {
            proof.split_refusals.push_back(
                {"its objects differ in size, or a pointer to some leads into others", request.call});
        }
    }
    for (const llvm::CallBase* call : set.releases) {
        if (!is_plain(*call)) {
            proof.pool_refusals.push_back({"is released by a function that pools do not replace", call});
        }
    }
    proof.object_bytes = set.requests.front().bytes;
    if (set.has(Trait::stack) || set.has(Trait::global) || set.has(Trait::function)) {
        proof.split_refusals.push_back({"a pointer to it may also point to a variable"});
    }
    if (set.stride() != 0) {
        proof.split_refusals.push_back({"its bytes cannot be told apart"});
    }
}

void Prover::take_accesses() {
    for (const Access& access : points_to_.accesses()) {
        const Cell at = points_to_.sets().resolve(access.at);
        Proof* proof = proof_of(at);
        if (proof == nullptr) {
            continue;
        }
        take_copy_within(access);
        for (const int64_t place : at.set->alternatives(at.offset)) {
            take_access(*proof, access, {at.set, place});
        }
    }
    for (const LibraryAccess& access : points_to_.library_accesses()) {
        refuse_split(points_to_.at(access.call->getArgOperand(access.argument)),
                     "is given to a function of a library", access.call);
    }
}

void Prover::take_access(Proof& proof, const Access& access, Cell at) {
    const bool is_one_place = at.set->alternatives(at.offset).size() == 1 && !access.is_one_of_some;
    const auto end = static_cast<uint64_t>(at.offset) + access.bytes;
    if (access.bytes == 0) {
        proof.split_refusals.push_back(
            {"as many bytes of it are accessed as nobody knows", access.instruction});
    } else if (at.offset < 0 || end > proof.object_bytes) {
        proof.split_refusals.push_back({"is accessed outside", access.instruction});
    } else if (!is_one_place && llvm::isa<llvm::MemIntrinsic>(access.instruction)) {
        proof.split_refusals.push_back(
            {"is copied by a pointer to several places of it", access.instruction});
    } else {
        const bool is_in_array = at.set->region_of(at.offset) != nullptr;
        spans_[at.set].push_back({static_cast<uint64_t>(at.offset), access.bytes,
                                  may_be_divided(access) && !is_in_array && is_one_place});
        proof.first_leads |= at.offset == 0 && !is_one_place;
    }
}

/// What moves bytes from one place of an object to another may move them over each other.
void Prover::take_copy_within(const Access& access) {
    const auto* move = llvm::dyn_cast<llvm::MemMoveInst>(access.instruction);
    if (move == nullptr) {
        return;
    }
    const Cell to = points_to_.at(move->getDest()), from = points_to_.at(move->getSource());
    if (to.set == from.set && to.offset != from.offset) {
        refuse_split(to, "a part of it is moved to another", move);
    }
}

void Prover::take_uses() {
    for (const llvm::Function& function : points_to_.module()) {
        for (const llvm::Instruction& instruction : llvm::instructions(function)) {
            for (const llvm::Use& use : instruction.operands()) {
                if (const Cell cell = points_to_.at(use.get()); proof_of(cell) != nullptr) {
                    take_use(use, cell);
                }
            }
        }
    }
}

/// Whether equal pointers stay equal and others different: they lead to the same offset.
bool Prover::may_compare(const llvm::CmpInst& compare) const {
    const Cell one = points_to_.at(compare.getOperand(0)), other = points_to_.at(compare.getOperand(1));
    return !one || !other || one.set != other.set || one.offset == other.offset;
}

void Prover::take_use(const llvm::Use& use, Cell cell) {
    const auto& user = *llvm::cast<llvm::Instruction>(use.getUser());
    const bool is_number = !use->getType()->isPointerTy();
    if (is_fraction(*use->getType()) && !user.mayReadOrWriteMemory() && !llvm::isa<llvm::CastInst>(user)) {
        return;  // moved, or calculated with, which makes no addresses
    }
    const bool is_rounded = is_fraction(*use->getType()) && !llvm::isa<llvm::BitCastInst>(user);
    if (is_number && !is_rounded &&
        !llvm::isa<llvm::StoreInst, llvm::PHINode, llvm::SelectInst, llvm::CallBase>(user)) {
        refuse_split(cell, "a pointer to it is used as a number", &user);
        return;
    }
    const bool is_one_place = cell.set->alternatives(cell.offset).size() == 1;
    if (llvm::isa<llvm::GetElementPtrInst>(user) && !is_one_place) {
        refuse_split(cell, "a pointer to several places of it leads on", &user);
    }
    if (llvm::isa<llvm::GetElementPtrInst>(user)) {
        bases_[cell.set].try_emplace(cell.offset, &user);
    }
    if (llvm::isa<llvm::LoadInst, llvm::StoreInst, llvm::PHINode, llvm::SelectInst, llvm::ReturnInst,
                  llvm::FreezeInst, llvm::GetElementPtrInst, llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(
            user)) {
        return;
    }
    if (const auto* compare = llvm::dyn_cast<llvm::CmpInst>(&user)) {
        if (!may_compare(*compare)) {
            refuse_split(cell, "pointers to different places in it are compared", &user);
        }
        return;
    }
    if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&user)) {
        const auto* callee = llvm::dyn_cast<llvm::Function>(call->getCalledOperand());
        const std::optional<HeapCall> kind = heap_call(callee_name(*call));
        if (kind && releases(*kind) && (cell.offset != 0 || !is_one_place)) {
            refuse_split(cell, "is released by a pointer into it", &user);
        }
        const bool is_followed = callee == nullptr || !callee->isDeclaration() ||
                                 heap_call(callee->getName()) || llvm::isa<llvm::MemIntrinsic>(call) ||
                                 call->isLifetimeStartOrEnd();
        if (!is_followed && !is_fraction(*use->getType())) {
            refuse_split(cell, "is given to a function that is not followed", &user);
        }
        return;
    }
    refuse_split(cell, "a pointer to it is used by an instruction that is not followed", &user);
}

/// Parts of different objects that threads write would lie in one line.
void Prover::take_threads() {
    const llvm::DenseSet<const llvm::Function*> code = thread_code(points_to_);
    for (const Access& access : points_to_.accesses()) {
        if (access.is_write && code.contains(access.instruction->getFunction())) {
            refuse_split(points_to_.sets().resolve(access.at), "may be written by several threads",
                         access.instruction);
        }
    }
}

void Prover::take_fields(Proof& proof) {
    std::vector<Span>& spans = spans_[proof.set];
    for (const Region& region : proof.set->regions()) {
        if (region.begin <= 0 || static_cast<uint64_t>(region.end) > proof.object_bytes) {
            proof.split_refusals.push_back({"an array begins where it does, or is as long as nobody knows"});
            return;
        }
        spans.push_back(
            {static_cast<uint64_t>(region.begin), static_cast<uint64_t>(region.end - region.begin), false});
    }
    proof.fields = fields_of(spans);
    for (const Span& span : spans) {
        const Field* field = field_of(proof.fields, span.offset);
        if (!span.may_be_divided && field->offset != span.offset &&
            proof.set->region_of(static_cast<int64_t>(span.offset)) == nullptr) {
            proof.split_refusals.push_back({"accesses that cannot be divided overlap"});
            break;
        }
    }
    if (proof.fields.empty()) {
        proof.split_refusals.push_back({"is never accessed"});
    }
    if (proof.fields.size() > most_fields) {
        proof.split_refusals.push_back({"it has more fields than pools have arrays"});
    }
    for (const auto& [offset, at] : bases_[proof.set]) {
        if (!finds_object(proof, offset)) {
            proof.split_refusals.push_back({"is reached from outside of its fields", at});
        }
    }
    for (Field& field : proof.fields) {
        const auto pointer =
            proof.set->pointers().find(proof.set->normal(static_cast<int64_t>(field.offset)));
        field.is_recursive = pointer != proof.set->pointers().end() && field.bytes == 8 &&
                             points_to_.sets().resolve(pointer->second).set == proof.set;
    }
}

}  // namespace

bool is_served(const Request& request) {
    return pool_service(request) != PoolService::none;
}

uint64_t alignment_of(const Request& request) {
    const unsigned argument = heap_call(callee_name(*request.call)) == HeapCall::aligned ? 0 : 1;
    const auto* constant = argument < request.call->arg_size()
                               ? llvm::dyn_cast<llvm::ConstantInt>(request.call->getArgOperand(argument))
                               : nullptr;
    return constant != nullptr ? constant->getLimitedValue() : 0;
}

PoolService pool_service(const Request& request) {
    const std::optional<HeapCall> kind = heap_call(callee_name(*request.call));
    if (!kind || !is_plain(*request.call)) {
        return PoolService::none;
    }
    const bool is_known = request.bytes != 0, is_small = request.bytes <= largest_object;
    const bool takes_arguments = has_known_types(*request.call);
    switch (*kind) {
        case HeapCall::malloc:
        case HeapCall::calloc:
        case HeapCall::new_object:
        case HeapCall::new_or_null:
            if (is_known) {
                return is_small ? PoolService::plain : PoolService::none;
            }
            return takes_arguments ? PoolService::any_size : PoolService::none;
        case HeapCall::realloc:
        case HeapCall::duplicate:
            return takes_arguments ? PoolService::any_size : PoolService::none;
        case HeapCall::aligned:
        case HeapCall::new_aligned:
        case HeapCall::into_pointer: {
            const uint64_t alignment = alignment_of(request);
            const bool is_pools = llvm::isPowerOf2_64(alignment) && alignment <= largest_alignment;
            return is_known && is_small && is_pools && takes_arguments ? PoolService::aligned
                                                                       : PoolService::none;
        }
        default:
            return PoolService::none;
    }
}

std::vector<Proof> prove(const PointsTo& points_to) {
    return Prover(points_to).prove();
}

}  // namespace malloom::compiler
