#include "compiler/analysis/arrays.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/MathExtras.h>

#include <numeric>

#include "compiler/analysis/constraints.h"
#include "compiler/analysis/fields.h"
#include "compiler/analysis/requests.h"

namespace malloom::compiler {

namespace {

/// The array that begins in the first structure, if offsets behind the first have no other meaning; or null.
const Region* array_of(const AliasSet& set) {
    const auto& regions = set.regions();
    const bool is_first = set.stride() == 0 && regions.size() == 1 && regions.front().begin >= 0 &&
                          static_cast<uint64_t>(regions.front().begin) < regions.front().stride;
    return is_first ? &regions.front() : nullptr;
}

/// The distance of what is not told apart; 0 where there is none.
uint64_t distance_of_elements(const AliasSet& set) {
    const Region* array = array_of(set);
    return array != nullptr ? array->stride : set.stride();
}

/// Whether an offset is one of a structure: without a stride, what lies behind the array is no element of it.
bool is_in_structure(const AliasSet& set, int64_t offset) {
    const Region* array = array_of(set);
    return set.stride() != 0 || (array != nullptr && offset >= 0 && offset < array->end);
}

/// By its steps and its requests; 0 where it is no array of structures.
uint64_t structure_bytes(const AliasSet& set) {
    constexpr uint64_t most_bytes = uint64_t{32} << 10;
    uint64_t bytes = distance_of_elements(set);
    for (const Request& request : set.requests) {
        if (bytes == 0 || !may_be_array(request)) {
            return 0;
        }
        bytes = std::gcd(bytes, multiple_of(request));
    }
    const bool all_begin_with_one = llvm::all_of(set.requests, [&](const Request& request) {
        return bytes != 0 && request.begin() % static_cast<int64_t>(bytes) == 0;
    });
    return all_begin_with_one && bytes <= most_bytes ? bytes : 0;
}

/// Whether a product, made wider or not, may be another number than that of its factors.
bool may_wrap(const llvm::OverflowingBinaryOperator& product, const llvm::CastInst* widened) {
    if (widened == nullptr) {
        return !product.hasNoSignedWrap() && !product.hasNoUnsignedWrap();
    }
    return !(llvm::isa<llvm::SExtInst>(widened) && product.hasNoSignedWrap()) &&
           !(llvm::isa<llvm::ZExtInst>(widened) && product.hasNoUnsignedWrap());
}

/// Whether an intrinsic's length is that between two pointers to the same offset of structures of its set.
bool is_distance_of_structures(const llvm::MemIntrinsic& intrinsic, uint64_t structure_bytes,
                               const PointsTo& points_to) {
    const auto* length = llvm::dyn_cast<llvm::Instruction>(intrinsic.getLength());
    if (length == nullptr || !is_distance(*length)) {
        return false;
    }
    const Cell one = points_to.at(length->getOperand(0)), other = points_to.at(length->getOperand(1));
    return one && one.set == other.set && one.set == points_to.at(intrinsic.getDest()).set &&
           (one.offset - other.offset) % static_cast<int64_t>(structure_bytes) == 0;
}

/// What is accessed of a structure.
class Candidate {
  public:
    explicit Candidate(uint64_t bytes) : bytes_(bytes) {}

    void take(const Access& access, Cell at, const PointsTo& points_to) {
        const bool is_of_several =
            structures_access(*access.instruction, bytes_, points_to) != StructuresAccess::none;
        for (const int64_t place : at.set->alternatives(at.offset)) {
            const auto within = static_cast<uint64_t>(llvm::mod(place, static_cast<int64_t>(bytes_)));
            const uint64_t length = is_of_several ? bytes_ : access.bytes;
            fits_ = fits_ && is_in_structure(*at.set, place) && length != 0 && within + length <= bytes_;
            spans_.push_back({within, length, may_be_divided(access)});
        }
    }

    uint64_t bytes() const { return bytes_; }
    bool is_array() const { return fits_ && fields_of(spans_).size() > 1; }

  private:
    uint64_t bytes_;
    bool fits_ = true;
    std::vector<Span> spans_ = {};
};

}  // namespace

bool is_multiple(const llvm::Value& number, uint64_t of) {
    if (const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(&number)) {
        return constant->getZExtValue() % of == 0;
    }
    const auto* widened = llvm::dyn_cast<llvm::CastInst>(&number);
    const llvm::Value* narrow = widened != nullptr ? widened->getOperand(0) : &number;
    const auto* product = llvm::dyn_cast<llvm::OverflowingBinaryOperator>(narrow);
    const auto* factor =
        product != nullptr ? llvm::dyn_cast<llvm::ConstantInt>(product->getOperand(1)) : nullptr;
    if (factor == nullptr || factor->getBitWidth() > 64 || factor->isNegative()) {
        return false;
    }
    const uint64_t bits = factor->getZExtValue();
    const bool is_shift = product->getOpcode() == llvm::Instruction::Shl && bits < 32;
    const bool is_product = is_shift || product->getOpcode() == llvm::Instruction::Mul;
    const uint64_t times = is_shift ? uint64_t{1} << bits : bits;
    return is_product && times % of == 0 && (!may_wrap(*product, widened) || llvm::isPowerOf2_64(of));
}

StructuresAccess structures_access(const llvm::Instruction& instruction, uint64_t structure_bytes,
                                   const PointsTo& points_to) {
    const auto* intrinsic = llvm::dyn_cast<llvm::MemIntrinsic>(&instruction);
    const auto* length =
        intrinsic != nullptr ? llvm::dyn_cast<llvm::ConstantInt>(intrinsic->getLength()) : nullptr;
    if (intrinsic == nullptr || structure_bytes == 0 ||
        (length != nullptr && length->getValue().ule(structure_bytes))) {
        return StructuresAccess::none;
    }
    const auto* transfer = llvm::dyn_cast<llvm::MemTransferInst>(intrinsic);
    if (transfer != nullptr &&
        points_to.at(transfer->getDest()).set != points_to.at(transfer->getSource()).set) {
        return StructuresAccess::none;
    }
    if (is_multiple(*intrinsic->getLength(), structure_bytes) ||
        is_distance_of_structures(*intrinsic, structure_bytes, points_to)) {
        return StructuresAccess::whole;
    }
    // What is moved over itself would have to be moved in its order.
    return llvm::isa<llvm::MemMoveInst>(intrinsic) ? StructuresAccess::none : StructuresAccess::with_rest;
}

llvm::DenseMap<const AliasSet*, uint64_t> find_arrays(const PointsTo& points_to) {
    llvm::DenseMap<const AliasSet*, Candidate> candidates;
    for (const AliasSet* set : points_to.sets().all()) {
        const uint64_t bytes = set->has(Trait::heap) ? structure_bytes(*set) : 0;
        if (bytes > 1) {
            candidates.try_emplace(set, bytes);
        }
    }
    for (const Access& access : points_to.accesses()) {
        const Cell at = points_to.sets().resolve(access.at);
        const auto found = at ? candidates.find(at.set) : candidates.end();
        if (found != candidates.end()) {
            found->second.take(access, at, points_to);
        }
    }
    llvm::DenseMap<const AliasSet*, uint64_t> arrays;
    for (const auto& [set, candidate] : candidates) {
        if (candidate.is_array()) {
            arrays[set] = candidate.bytes();
        }
    }
    return arrays;
}

}  // namespace malloom::compiler
