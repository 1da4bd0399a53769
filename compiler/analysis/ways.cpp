#include "compiler/analysis/ways.h"

#include <llvm/ADT/STLExtras.h>

namespace malloom::compiler {

namespace {

/// The constants that a value is chosen among, by a phi or a select; none where it is not, or among too many.
std::vector<int64_t> chosen_among(const llvm::Value& value) {
    constexpr unsigned most_choices = 8;
    std::vector<int64_t> found;
    const auto take = [&](const llvm::Value* choice) {
        const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(choice);
        if (constant != nullptr && constant->getBitWidth() <= 64) {
            found.push_back(constant->getSExtValue());
        }
        return constant != nullptr && found.size() <= most_choices;
    };
    if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(&value)) {
        return llvm::all_of(phi->incoming_values(), take) ? found : std::vector<int64_t>();
    }
    if (const auto* select = llvm::dyn_cast<llvm::SelectInst>(&value)) {
        return take(select->getTrueValue()) && take(select->getFalseValue()) ? found : std::vector<int64_t>();
    }
    return {};
}

bool is_accessed_only(const llvm::GEPOperator& address) {
    return llvm::isa<llvm::Instruction>(address) && llvm::all_of(address.uses(), [](const llvm::Use& use) {
               const auto* load = llvm::dyn_cast<llvm::LoadInst>(use.getUser());
               const auto* store = llvm::dyn_cast<llvm::StoreInst>(use.getUser());
               return (load != nullptr && load->isSimple()) ||
                      (store != nullptr && store->isSimple() && use.getOperandNo() == 1);
           });
}

Way find(const llvm::GEPOperator& address, const llvm::DataLayout& layout) {
    Way way = {.root = const_cast<llvm::Value*>(address.getPointerOperand())};
    const unsigned bits = layout.getIndexTypeSizeInBits(address.getType());
    llvm::APInt constant(bits, 0);
    way.is_known =
        !address.getType()->isVectorTy() && address.collectOffset(layout, bits, way.indices, constant);
    way.first = constant.getSExtValue();
    if (way.is_known && way.index() != nullptr) {
        way.choices = chosen_among(*way.index());
        way.is_of_fields = !way.choices.empty() && is_accessed_only(address);
    }
    return way;
}

}  // namespace

const Way& Ways::of(const llvm::GEPOperator& address) const {
    std::unique_ptr<Way>& way = known_[&address];
    if (way == nullptr) {
        way = std::make_unique<Way>(find(address, layout_));
    }
    return *way;
}

const Way* Ways::of_fields(const llvm::Value& address) const {
    const auto* instruction = llvm::dyn_cast<llvm::GetElementPtrInst>(&address);
    const Way* way = instruction != nullptr ? &of(llvm::cast<llvm::GEPOperator>(*instruction)) : nullptr;
    return way != nullptr && way->is_of_fields ? way : nullptr;
}

}  // namespace malloom::compiler
