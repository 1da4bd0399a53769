#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>

#include "compiler/analysis/report.h"

namespace {

class ReportPass : public llvm::PassInfoMixin<ReportPass> {
  public:
    llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses) {
        auto& functions = analyses.getResult<llvm::FunctionAnalysisManagerModuleProxy>(module).getManager();
        const malloom::compiler::PointsTo points_to(
            module, [&](llvm::Value& index, llvm::Function& function) {
                auto& evolution = functions.getResult<llvm::ScalarEvolutionAnalysis>(function);
                return evolution.getSignedRange(evolution.getSCEV(&index));
            });
        malloom::compiler::print(llvm::errs(), malloom::compiler::prove(points_to));
        return llvm::PreservedAnalyses::all();
    }
};

}  // namespace

extern "C" LLVM_ATTRIBUTE_WEAK llvm::PassPluginLibraryInfo llvmGetPassPluginInfo() {
    return {LLVM_PLUGIN_API_VERSION, "malloom", "0.1", [](llvm::PassBuilder& builder) {
                builder.registerFullLinkTimeOptimizationEarlyEPCallback(
                    [](llvm::ModulePassManager& passes, llvm::OptimizationLevel) {
                        passes.addPass(ReportPass());
                    });
            }};
}
