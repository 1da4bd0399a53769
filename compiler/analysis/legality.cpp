#include "compiler/analysis/legality.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>
#include <llvm/Support/MathExtras.h>

#include <algorithm>
#include <map>

#include "compiler/analysis/arrays.h"
#include "compiler/analysis/library_functions.h"
#include "compiler/analysis/thread_code.h"
#include "include/malloom/pools.h"

namespace malloom::compiler {

namespace {

const Field* field_of(const std::vector<Field>& fields, uint64_t offset) {
    return &*(std::ranges::upper_bound(fields, offset, {}, &Field::offset) - 1);
}

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
    explicit Prover(const PointsTo& points_to) : points_to_(points_to), arrays_(find_arrays(points_to)) {}

    std::vector<Proof> prove() {
        take_sets();
        take_accesses();
        take_uses();
        take_threads();
        for (Proof& proof : proofs_) {
            take_fields(proof);
            for (std::vector<Refusal>* refusals : {&proof.pool_refusals, &proof.split_refusals}) {
                std::erase_if(*refusals, [](const Refusal& refusal) { return is_left_out(refusal.rule); });
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
    bool may_compare(const llvm::CmpInst& compare);
    bool stay_different(const llvm::CmpInst& compare);
    bool may_count(const llvm::Instruction& user);
    bool leads_by_structures(const llvm::GetElementPtrInst& address, Cell base);

    Proof* proof_of(Cell cell) {
        const auto found = cell ? numbers_.find(cell.set) : numbers_.end();
        return found == numbers_.end() ? nullptr : &proofs_[found->second];
    }
    void refuse_split(Cell cell, Rule rule, const llvm::Instruction* at) {
        if (Proof* proof = proof_of(cell)) {
            proof->split_refusals.push_back({rule, at});
        }
    }

    const PointsTo& points_to_;
    const llvm::DenseMap<const AliasSet*, uint64_t> arrays_;  ///< bytes of their structures
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
        Proof& proof = proofs_.emplace_back(Proof{.set = set});
        proof.is_arrays = arrays_.contains(set);
        proof.object_bytes = proof.is_arrays ? arrays_.lookup(set) : set->requests.front().bytes;
        take_objects(proof);
    }
}

/// Why a set's objects are what they are, as far as that speaks against pools: that other code may reach
/// them. That their addresses are calculated with does where one that is calculated may lead to them.
bool speaks_against_pools(Rule rule, const AliasSet& set) {
    const auto is_led_to = [](const auto& reason) { return reason.first == Rule::calculated_address_leads; };
    return set.has(Trait::escaped) && rule != Rule::resized &&
           (rule != Rule::address_calculated || llvm::any_of(set.reasons, is_led_to));
}

void Prover::take_objects(Proof& proof) {
    const AliasSet& set = *proof.set;
    for (const auto& [rule, at] : set.reasons) {
        (speaks_against_pools(rule, set) ? proof.pool_refusals : proof.split_refusals).push_back({rule, at});
    }
    if (set.has(Trait::escaped) && proof.pool_refusals.empty()) {
        proof.pool_refusals.push_back({Rule::other_code_reaches});
    }
    if (set.has(Trait::foreign_heap)) {
        proof.pool_refusals.push_back({Rule::library_releases});
    }
    if (!proof.is_arrays && std::ranges::none_of(set.requests, is_served)) {
        proof.pool_refusals.push_back({Rule::requested_by_none, set.requests.front().call});
    }
    for (const Request& request : set.requests) {
        const bool is_resize = heap_call(callee_name(*request.call)) == HeapCall::realloc;
        if (!is_plain(*request.call) || (is_resize && !is_served(request))) {
            proof.pool_refusals.push_back({Rule::requested_otherwise, request.call});
        } else if (!proof.is_arrays && pool_service(request) != PoolService::plain) {
            proof.split_refusals.push_back({Rule::requested_in_sizes, request.call});
        }
        if (!proof.is_arrays && (request.begin() != 0 || request.bytes != set.requests.front().bytes)) {
            proof.split_refusals.push_back({Rule::sizes_differ, request.call});
        }
    }
    for (const llvm::CallBase* call : set.releases) {
        if (!is_plain(*call)) {
            proof.pool_refusals.push_back({Rule::released_otherwise, call});
        }
    }
    if (set.has(Trait::stack) || set.has(Trait::global) || set.has(Trait::function)) {
        proof.split_refusals.push_back({Rule::maybe_variable});
    }
    if (set.stride() != 0 && !proof.is_arrays) {
        proof.split_refusals.push_back({Rule::not_told_apart});
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
                     Rule::given_to_library_function, access.call);
    }
}

void Prover::take_access(Proof& proof, const Access& access, Cell at) {
    const bool is_one_place = at.set->alternatives(at.offset).size() == 1 && !access.is_one_of_some;
    const int64_t offset = proof.within(at.offset);
    const bool is_of_several = proof.is_arrays && structures_access(*access.instruction, proof.object_bytes,
                                                                    points_to_) != StructuresAccess::none;
    const uint64_t bytes = is_of_several ? proof.object_bytes : access.bytes;
    const auto end = static_cast<uint64_t>(offset) + bytes;
    if (bytes == 0) {
        proof.split_refusals.push_back({Rule::accessed_unknown_length, access.instruction});
    } else if (offset < 0 || end > proof.object_bytes) {
        proof.split_refusals.push_back({Rule::accessed_outside, access.instruction});
    } else if (!is_one_place && llvm::isa<llvm::MemIntrinsic>(access.instruction)) {
        proof.split_refusals.push_back({Rule::copied_from_several, access.instruction});
    } else {
        const bool is_in_array = !proof.is_arrays && at.set->region_of(at.offset) != nullptr;
        spans_[at.set].push_back(
            {static_cast<uint64_t>(offset), bytes, may_be_divided(access) && !is_in_array && is_one_place});
        proof.first_leads |= offset == 0 && !is_one_place;
    }
}

/// What moves bytes from one place of an object to another may move them over each other.
void Prover::take_copy_within(const Access& access) {
    const auto* move = llvm::dyn_cast<llvm::MemMoveInst>(access.instruction);
    if (move == nullptr) {
        return;
    }
    const Cell to = points_to_.at(move->getDest()), from = points_to_.at(move->getSource());
    const Proof* proof = to.set == from.set ? proof_of(to) : nullptr;
    if (proof != nullptr && proof->within(to.offset) != proof->within(from.offset)) {
        refuse_split(to, Rule::moved_within, move);
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

/// Whether equal pointers stay equal and others different, and in their order: they lead to the same offset.
bool Prover::may_compare(const llvm::CmpInst& compare) {
    const Cell one = points_to_.at(compare.getOperand(0)), other = points_to_.at(compare.getOperand(1));
    const Proof* proof = one.set == other.set ? proof_of(one) : nullptr;
    const bool is_one_place = proof == nullptr || one.set->alternatives(one.offset).size() == 1;
    return proof == nullptr || (proof->within(one.offset) == proof->within(other.offset) &&
                                (is_one_place || compare.isEquality()));
}

/// Whether pointers that may lead to several offsets differ where those do: each offset gets bytes of its
/// own, also where nothing is ever accessed.
bool Prover::stay_different(const llvm::CmpInst& compare) {
    const Cell one = points_to_.at(compare.getOperand(0)), other = points_to_.at(compare.getOperand(1));
    Proof* const proof = one.set == other.set ? proof_of(one) : nullptr;
    if (proof == nullptr || one.set->alternatives(one.offset).size() == 1) {
        return true;
    }
    for (const int64_t place : one.set->alternatives(one.offset)) {
        const int64_t offset = proof->within(place);
        if (offset < 0 || static_cast<uint64_t>(offset) >= proof->object_bytes) {
            return false;
        }
        spans_[one.set].push_back({static_cast<uint64_t>(offset), 1, false});
        proof->first_leads |= offset == 0;
    }
    return true;
}

/// Whether only the number of structures between two pointers becomes known: they lead to the same offset.
bool Prover::may_count(const llvm::Instruction& user) {
    if (llvm::isa<llvm::PtrToIntInst>(user)) {
        return llvm::all_of(user.users(), [&](const llvm::User* each) {
            return llvm::isa<llvm::PHINode>(each) ||
                   (!llvm::isa<llvm::PtrToIntInst>(each) && may_count(*llvm::cast<llvm::Instruction>(each)));
        });
    }
    if (!is_distance(user)) {
        return false;
    }
    const Cell one = points_to_.at(user.getOperand(0)), other = points_to_.at(user.getOperand(1));
    const Proof* proof = one && one.set == other.set ? proof_of(one) : nullptr;
    return proof != nullptr && proof->is_arrays && proof->within(one.offset) == proof->within(other.offset) &&
           one.set->alternatives(one.offset).size() == 1;
}

/// Whether an address in arrays is as far from another one as some structures and its constant bytes: a
/// distance of elements may be that of others.
bool Prover::leads_by_structures(const llvm::GetElementPtrInst& address, Cell base) {
    const Proof& proof = *proof_of(base);
    const Cell to = points_to_.at(&address);
    const Way& way = points_to_.ways().of(llvm::cast<llvm::GEPOperator>(address));
    if (!proof.is_arrays || !to || !way.choices.empty()) {
        return true;
    }
    const int64_t expected = proof.within(base.offset + way.first);
    return to.set == base.set && llvm::any_of(to.set->alternatives(to.offset), [&](int64_t offset) {
               return proof.within(offset) == expected;
           });
}

void Prover::take_use(const llvm::Use& use, Cell cell) {
    const auto& user = *llvm::cast<llvm::Instruction>(use.getUser());
    if (may_count(user)) {
        return;
    }
    const bool is_number = !use->getType()->isPointerTy();
    if (is_fraction(*use->getType()) && !user.mayReadOrWriteMemory() && !llvm::isa<llvm::CastInst>(user)) {
        return;  // moved, or calculated with, which makes no addresses
    }
    const bool is_rounded = is_fraction(*use->getType()) && !llvm::isa<llvm::BitCastInst>(user);
    if (is_number && !is_rounded &&
        !llvm::isa<llvm::StoreInst, llvm::PHINode, llvm::SelectInst, llvm::CallBase>(user)) {
        refuse_split(cell, Rule::used_as_number, &user);
        return;
    }
    const bool is_one_place = cell.set->alternatives(cell.offset).size() == 1;
    if (llvm::isa<llvm::GetElementPtrInst>(user) && !is_one_place) {
        refuse_split(cell, Rule::leads_on_from_several, &user);
    }
    if (const auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(&user)) {
        bases_[cell.set].try_emplace(cell.offset, &user);
        if (!leads_by_structures(*address, cell)) {
            refuse_split(cell, Rule::steps_by_other_distance, &user);
        }
    }
    if (llvm::isa<llvm::LoadInst, llvm::StoreInst, llvm::PHINode, llvm::SelectInst, llvm::ReturnInst,
                  llvm::FreezeInst, llvm::GetElementPtrInst, llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(
            user)) {
        return;
    }
    if (const auto* compare = llvm::dyn_cast<llvm::CmpInst>(&user)) {
        if (!may_compare(*compare) || !stay_different(*compare)) {
            refuse_split(cell, Rule::places_compared, &user);
        }
        return;
    }
    if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&user)) {
        const auto* callee = llvm::dyn_cast<llvm::Function>(call->getCalledOperand());
        const std::optional<HeapCall> kind = heap_call(callee_name(*call));
        if (kind && releases(*kind) && (proof_of(cell)->within(cell.offset) != 0 || !is_one_place)) {
            refuse_split(cell, Rule::released_within, &user);
        }
        const bool is_followed = callee == nullptr || !callee->isDeclaration() ||
                                 heap_call(callee->getName()) || llvm::isa<llvm::MemIntrinsic>(call) ||
                                 call->isLifetimeStartOrEnd();
        if (!is_followed && !is_fraction(*use->getType())) {
            refuse_split(cell, Rule::given_to_unknown_function, &user);
        }
        return;
    }
    refuse_split(cell, Rule::used_by_other_instruction, &user);
}

/// Parts of different objects that threads write would lie in one line.
void Prover::take_threads() {
    const llvm::DenseSet<const llvm::Function*> code = thread_code(points_to_);
    for (const Access& access : points_to_.accesses()) {
        if (access.is_write && code.contains(access.instruction->getFunction())) {
            refuse_split(points_to_.sets().resolve(access.at), Rule::written_by_threads, access.instruction);
        }
    }
}

void Prover::take_fields(Proof& proof) {
    std::vector<Span>& spans = spans_[proof.set];
    for (const Region& region : proof.is_arrays ? llvm::ArrayRef<Region>() : proof.set->regions()) {
        if (region.begin <= 0 || static_cast<uint64_t>(region.end) > proof.object_bytes) {
            proof.split_refusals.push_back({Rule::array_without_end});
            return;
        }
        spans.push_back(
            {static_cast<uint64_t>(region.begin), static_cast<uint64_t>(region.end - region.begin), false});
    }
    proof.fields = fields_of(spans);
    for (const Span& span : spans) {
        const Field* field = field_of(proof.fields, span.offset);
        if (!span.may_be_divided && field->offset != span.offset &&
            (proof.is_arrays || proof.set->region_of(static_cast<int64_t>(span.offset)) == nullptr)) {
            proof.split_refusals.push_back({Rule::accesses_overlap});
            break;
        }
    }
    if (proof.fields.empty()) {
        proof.split_refusals.push_back({Rule::never_accessed});
    }
    if (proof.fields.size() > MALLOOM_MOST_PARTS) {
        proof.split_refusals.push_back({Rule::too_many_fields});
    }
    for (const auto& [offset, at] : bases_[proof.set]) {
        if (!proof.is_arrays && !finds_object(proof, offset)) {
            proof.split_refusals.push_back({Rule::reached_from_outside, at});
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

std::vector<Proof> prove(const PointsTo& points_to) {
    return Prover(points_to).prove();
}

}  // namespace malloom::compiler
