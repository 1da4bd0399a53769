// The pass that pools and splits, as a plugin of LLVM's: at the beginning of a full link-time optimisation, when
// the whole program is one module.
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>
#include <llvm/Support/CommandLine.h>

#include "compiler/analysis/report.h"
#include "compiler/policy/decision.h"
#include "compiler/transform/rewriter.h"
#include "compiler/transform/sunk_accesses.h"

namespace {

using malloom::compiler::Policy;

llvm::cl::opt<Policy> chosen_policy(
    "malloom-policy", llvm::cl::desc("What is done with the structures of which all is known"),
    llvm::cl::init(Policy::automatic),
    llvm::cl::values(clEnumValN(Policy::none, "none", "nothing"), clEnumValN(Policy::pool, "pool", "pools"),
                     clEnumValN(Policy::maximal, "maximal", "pools, and each field in an array of its own"),
                     clEnumValN(Policy::automatic, "default", "what promises to be fastest, for each")));
llvm::cl::opt<bool> prints_proofs("malloom-print-proofs",
                                  llvm::cl::desc("Print what is proven of each structure, and why not more"));

class SplitPass : public llvm::PassInfoMixin<SplitPass> {
  public:
    llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses) {
        if (chosen_policy == Policy::none && !prints_proofs) {
            return llvm::PreservedAnalyses::all();
        }
        malloom::compiler::divide_sunk_accesses(module);
        auto& functions = analyses.getResult<llvm::FunctionAnalysisManagerModuleProxy>(module).getManager();
        const malloom::compiler::PointsTo points_to(
            module, [&](llvm::Value& index, llvm::Function& function) {
                auto& evolution = functions.getResult<llvm::ScalarEvolutionAnalysis>(function);
                return evolution.getSignedRange(evolution.getSCEV(&index));
            });
        const std::vector<malloom::compiler::Proof> proofs = malloom::compiler::prove(points_to);
        if (prints_proofs) {
            malloom::compiler::print(llvm::errs(), proofs);
        }
        malloom::compiler::rewrite(module, points_to,
                                   malloom::compiler::decide(points_to, proofs, chosen_policy));
        return llvm::PreservedAnalyses::none();
    }
};

}  // namespace

extern "C" LLVM_ATTRIBUTE_WEAK llvm::PassPluginLibraryInfo llvmGetPassPluginInfo() {
    return {LLVM_PLUGIN_API_VERSION, "malloom", "0.1", [](llvm::PassBuilder& builder) {
                builder.registerFullLinkTimeOptimizationEarlyEPCallback(
                    [](llvm::ModulePassManager& passes, llvm::OptimizationLevel) {
                        passes.addPass(SplitPass());
                    });
            }};
}
