#include "compiler/policy/links.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/IR/InstrTypes.h>

namespace malloom::compiler {

namespace {

/// Where a pointer goes on from one value to others. False where it goes where it is not followed: into
/// memory, or to a function that is not known.
class Flow {
  public:
    explicit Flow(const llvm::Value* begin) { reached_.insert(begin); }

    bool follow() {
        for (size_t i = 0; i < reached_.size(); ++i) {
            for (const llvm::Use& use : reached_[i]->uses()) {
                if (!follow(use)) {
                    return false;
                }
            }
        }
        return true;
    }
    llvm::ArrayRef<const llvm::Value*> reached() const { return reached_.getArrayRef(); }

  private:
    bool follow(const llvm::Use& use) {
        const llvm::User* user = use.getUser();
        if (const auto* call = llvm::dyn_cast<llvm::CallBase>(user)) {
            return follow_call(*call, use);
        }
        if (const auto* given = llvm::dyn_cast<llvm::ReturnInst>(user)) {
            return follow_return(*given->getFunction());
        }
        if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(user)) {
            return store->getPointerOperand() == use.get();
        }
        if (llvm::isa<llvm::PHINode, llvm::SelectInst, llvm::FreezeInst, llvm::GetElementPtrInst,
                      llvm::CastInst>(user)) {
            reached_.insert(user);
        }
        return true;
    }

    bool follow_call(const llvm::CallBase& call, const llvm::Use& use) {
        const llvm::Function* callee = call.getCalledFunction();
        if (callee == nullptr || callee->isDeclaration()) {
            return callee != nullptr;
        }
        if (call.isArgOperand(&use) && call.getArgOperandNo(&use) < callee->arg_size()) {
            reached_.insert(callee->getArg(call.getArgOperandNo(&use)));
        }
        return true;
    }

    bool follow_return(const llvm::Function& function) {
        for (const llvm::User* user : function.users()) {
            const auto* call = llvm::dyn_cast<llvm::CallBase>(user);
            if (call == nullptr || call->getCalledFunction() != &function) {
                return false;
            }
            reached_.insert(call);
        }
        return true;
    }

    llvm::SetVector<const llvm::Value*> reached_;
};

}  // namespace

void Links::take(const llvm::Instruction& load, const llvm::Value* object, unsigned field) {
    if (llvm::isa<llvm::LoadInst>(load)) {
        loads_.push_back({&load, field});
        objects_.insert(object);
    }
}

bool Links::leads_on(const llvm::Value* loaded) const {
    Flow flow(loaded);
    return !flow.follow() ||
           llvm::any_of(flow.reached(), [&](const llvm::Value* value) { return objects_.contains(value); });
}

uint64_t Links::fields() const {
    uint64_t found = 0;
    for (const Load& load : loads_) {
        const uint64_t field = uint64_t{1} << load.field;
        if ((found & field) == 0 && leads_on(load.loaded)) {
            found |= field;
        }
    }
    return found;
}

}  // namespace malloom::compiler
