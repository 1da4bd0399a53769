#include "compiler/plugin/warnings.h"

#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/InstrTypes.h>

namespace malloom::compiler {

namespace {

class Warning : public llvm::DiagnosticInfo {
  public:
    explicit Warning(std::string text)
        : DiagnosticInfo(llvm::getNextAvailablePluginDiagnosticKind(), llvm::DS_Warning),
          text_(std::move(text)) {}

    void print(llvm::DiagnosticPrinter& printer) const override { printer << text_; }

  private:
    std::string text_;
};

}  // namespace

void warn(llvm::Module& module, const std::string& text) {
    module.getContext().diagnose(Warning("malloom: " + text));
}

llvm::Function* place_of_program(llvm::Module& module, const std::vector<Proof>& proofs) {
    llvm::Function* main = module.getFunction("main");
    if (main != nullptr && !main->isDeclaration()) {
        return main;
    }
    return proofs.empty()
               ? nullptr
               : const_cast<llvm::Function*>(proofs.front().set->requests.front().call->getFunction());
}

}  // namespace malloom::compiler
