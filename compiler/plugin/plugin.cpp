// The passes that pool and split, as a plugin of LLVM's: at the beginning of a full link-time optimisation,
// when the whole program is one module; and one at its end, for the walks of what is split.
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/Passes/PassBuilder.h>

#include <llvm/Support/CommandLine.h>
#include <llvm/Transforms/IPO/Inliner.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#if LLVM_VERSION_MAJOR < 22
#include <llvm/Passes/PassPlugin.h>
#else
#include <llvm/Plugins/PassPlugin.h>
#endif

#include "compiler/analysis/graph_report.h"
#include "compiler/analysis/reader_stand_ins.h"
#include "compiler/analysis/report.h"
#include "compiler/plugin/choice_use.h"
#include "compiler/plugin/profile_use.h"
#include "compiler/plugin/remarks.h"
#include "compiler/plugin/warnings.h"
#include "compiler/policy/decision.h"
#include "compiler/policy/leaders.h"
#include "compiler/policy/shared_pools.h"
#include "compiler/transform/array_resizes.h"
#include "compiler/transform/chosen_offsets.h"
#include "compiler/transform/context_clones.h"
#include "compiler/transform/debug_variables.h"
#include "compiler/transform/expected_links.h"
#include "compiler/transform/kept_program.h"
#include "compiler/transform/named_requests.h"
#include "compiler/transform/rewriter.h"
#include "compiler/transform/sunk_accesses.h"
#include "include/malloom/pools.h"

namespace {

using malloom::compiler::Policy;

llvm::cl::opt<Policy> chosen_policy(
    "malloom-policy", llvm::cl::desc("What is done with the structures of which all is known"),
    llvm::cl::init(Policy::automatic),
    llvm::cl::values(clEnumValN(Policy::none, "none", "nothing"),
                     clEnumValN(Policy::overhead_only, "overhead-only",
                                "functions inlined and copied as by default, and no pools"),
                     clEnumValN(Policy::pool, "pool", "pools"),
                     clEnumValN(Policy::maximal, "maximal", "pools, and each field in an array of its own"),
                     clEnumValN(Policy::hot_cold, "hot-cold",
                                "pools, and two arrays where fields are hot or cold"),
                     clEnumValN(Policy::automatic, "default", "what promises to be fastest, for each")));
llvm::cl::opt<std::string> profile("malloom-profile", llvm::cl::value_desc("file"),
                                   llvm::cl::desc("A recorded table of fields, which the choice goes by"));
llvm::cl::opt<std::string> choice_path(
    "malloom-choice", llvm::cl::value_desc("file"),
    llvm::cl::desc("A policy for each structure, in the place of the one policy"));
llvm::cl::opt<std::string> written_choice_path(
    "malloom-write-choice", llvm::cl::value_desc("file"),
    llvm::cl::desc("Where to write the choice that decides as this link does"));
llvm::cl::opt<bool> has_mimalloc("malloom-mimalloc",
                                 llvm::cl::desc("mimalloc is linked in the place of the C library's malloc"));
llvm::cl::opt<bool> has_early_huge_pages("malloom-early-huge-pages",
                                         llvm::cl::desc("Pools that ask for huge pages early are linked in"));
llvm::cl::opt<bool> verifies("malloom-verify",
                             llvm::cl::desc("Check at run time that each access is to what was proven"));
llvm::cl::opt<bool> tells_contexts_apart(
    "malloom-contexts", llvm::cl::init(true),
    llvm::cl::desc("Clone functions for calls that give them other objects"));
llvm::cl::opt<bool> guesses_links("malloom-expect-links",
                                  llvm::cl::desc("Walk lists with guesses of where the next object lies"));
llvm::cl::opt<bool> names_requests("malloom-name-requests",
                                   llvm::cl::desc("No pools: requests go by way of functions that are named "
                                                  "for what is proven together"));
llvm::cl::opt<uint64_t> pool_bytes("malloom-pool-bytes", llvm::cl::init(MALLOOM_LARGEST_POOL),
                                   llvm::cl::desc("Bytes of a pool of split objects: a power of two from "
                                                  "4096 to the largest, which is the default"));
llvm::cl::opt<bool> prints_proofs("malloom-print-proofs",
                                  llvm::cl::desc("Print what is proven of each structure, and why not more"));
llvm::cl::opt<bool> prints_graph("malloom-print-graph",
                                 llvm::cl::desc("Print what may point to the heap's objects, and they to"));

llvm::cl::opt<uint64_t> patience("malloom-patience", llvm::cl::init(malloom::compiler::default_patience),
                                 llvm::cl::desc("Steps of the analysis for each instruction, beyond which it "
                                                "tells less apart"));
llvm::cl::opt<bool> prints_steps("malloom-print-steps",
                                 llvm::cl::desc("Print how many steps the analysis took, and for how much"));

void print_steps(llvm::raw_ostream& out, const malloom::compiler::Contexts& contexts) {
    out << "contexts: " << contexts.steps << " steps, " << contexts.nodes << " nodes"
        << (contexts.is_too_large ? ", too many" : "") << '\n';
}

void print_steps(llvm::raw_ostream& out, const malloom::compiler::PointsTo& points_to) {
    out << "analysis: " << points_to.sets().steps() << " steps for " << points_to.size()
        << " instructions and constants" << (points_to.sets().is_coarse() ? ", coarse" : "") << '\n';
}

void check_options() {
    constexpr uint64_t least = 4096;
    if (!llvm::isPowerOf2_64(pool_bytes) || pool_bytes < least || pool_bytes > MALLOOM_LARGEST_POOL) {
        llvm::report_fatal_error("malloom: -malloom-pool-bytes is not a power of two from 4096 to " +
                                     llvm::Twine(MALLOOM_LARGEST_POOL),
                                 false);
    }
}

bool is_left_alone() {
    return chosen_policy == Policy::none && choice_path.empty() && written_choice_path.empty() &&
           !prints_proofs;
}

void print_decisions(llvm::raw_ostream& out, const std::vector<malloom::compiler::Decision>& decisions) {
    for (const malloom::compiler::Decision& decision : decisions) {
        out << "decision: " << decision.proof->object_bytes << " bytes,";
        for (const std::vector<unsigned>& part : decision.parts) {
            out << " [";
            for (const unsigned field : part) {
                out << ' ' << decision.proof->fields[field].offset;
            }
            out << " ]";
        }
        for (const auto& [bytes, pool] : decision.shared) {
            out << " those of " << bytes << " bytes in shared pools " << pool.group << " of " << pool.bytes
                << " bytes";
        }
        out << (decision.treatment == malloom::compiler::Treatment::none ? "none" : "")
            << (decision.is_recorded ? " by the profile" : "")
            << (decision.why.empty() ? "" : ", as " + decision.why) << '\n';
    }
}

/// What a choice says of the link beside policies.
std::string linked_lines() {
    return std::string(has_mimalloc ? "fallback mimalloc\n" : "") +
           (has_early_huge_pages ? "huge early\n" : "");
}

bool shares(const malloom::compiler::Decision& decision) {
    return malloom::compiler::shares_pools(decision.policy);
}

bool is_treated(const malloom::compiler::Decision& decision) {
    return decision.treatment != malloom::compiler::Treatment::none;
}

malloom::compiler::TreatedPlaceOf treated_places(const malloom::compiler::PointsTo& points_to,
                                                 const std::vector<malloom::compiler::Decision>& decisions) {
    llvm::DenseSet<const malloom::compiler::AliasSet*> treated;
    llvm::DenseMap<const llvm::Value*, malloom::compiler::Cell> requested;
    for (const malloom::compiler::Decision& decision : decisions) {
        if (is_treated(decision)) {
            treated.insert(decision.proof->set);
            for (const malloom::compiler::Request& request : decision.proof->set->requests) {
                requested.try_emplace(request.call, request.at);
            }
        }
    }
    return [&points_to, treated, requested](const llvm::Value& value) {
        // posix_memalign's object is not its result.
        const auto request = requested.find(&value);
        const malloom::compiler::Cell place =
            request != requested.end() ? points_to.sets().resolve(request->second) : points_to.at(&value);
        return treated.contains(place.set) ? place : malloom::compiler::Cell();
    };
}

class KeepPass : public llvm::PassInfoMixin<KeepPass> {
  public:
    explicit KeepPass(std::shared_ptr<malloom::compiler::KeptProgram> kept) : kept_(std::move(kept)) {}

    llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
        kept_->keep(module);
        return llvm::PreservedAnalyses::none();
    }

  private:
    std::shared_ptr<malloom::compiler::KeptProgram> kept_;
};

/// A malloc that the program defines comes before mimalloc's, which its user is told of.
class OwnMallocPass : public llvm::PassInfoMixin<OwnMallocPass> {
  public:
    llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
        const llvm::Function* function = module.getFunction("malloc");
        if (function != nullptr && !function->isDeclaration()) {
            malloom::compiler::warn(module,
                                    "the program has a malloc of its own and keeps it: mimalloc is not "
                                    "linked in");
        }
        return llvm::PreservedAnalyses::all();
    }
};

class PreparePass : public llvm::PassInfoMixin<PreparePass> {
  public:
    llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
        const bool has_divided = malloom::compiler::divide_sunk_accesses(module);
        const bool has_chosen = malloom::compiler::choose_offsets(module);
        const bool has_resized = malloom::compiler::make_plain_resizes(module);
        return has_divided || has_chosen || has_resized ? llvm::PreservedAnalyses::none()
                                                        : llvm::PreservedAnalyses::all();
    }
};

class SplitPass : public llvm::PassInfoMixin<SplitPass> {
  public:
    SplitPass(std::shared_ptr<malloom::compiler::KeptProgram> kept,
              std::shared_ptr<const malloom::compiler::Choice> choice)
        : kept_(std::move(kept)), choice_(std::move(choice)) {}

    llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses) {
        auto& functions = analyses.getResult<llvm::FunctionAnalysisManagerModuleProxy>(module).getManager();
        const malloom::compiler::RangeOf range_of = [&](llvm::Value& index, llvm::Function& function) {
            auto& evolution = functions.getResult<llvm::ScalarEvolutionAnalysis>(function);
            return evolution.getSignedRange(evolution.getSCEV(&index));
        };
        const malloom::compiler::RemarksOf remarks_of =
            [&](llvm::Function& function) -> llvm::OptimizationRemarkEmitter& {
            return functions.getResult<llvm::OptimizationRemarkEmitterAnalysis>(function);
        };
        const malloom::compiler::ReaderStandIns stand_ins(module);
        malloom::compiler::ContextClones clones(contexts_of(module, range_of, remarks_of));
        const malloom::compiler::PointsTo points_to(module, range_of, patience);
        if (points_to.sets().is_coarse()) {
            malloom::compiler::remark_coarse(module, remarks_of);
        }
        if (prints_steps) {
            print_steps(llvm::errs(), points_to);
        }
        if (prints_graph) {
            malloom::compiler::print_graph(llvm::errs(), points_to);
        }
        const std::vector<malloom::compiler::Proof> proofs = malloom::compiler::prove(points_to);
        const malloom::compiler::FrequenciesOf frequencies_of =
            [&](llvm::Function& function) -> llvm::BlockFrequencyInfo& {
            return functions.getResult<llvm::BlockFrequencyAnalysis>(function);
        };
        const malloom::compiler::Weights weights(module, frequencies_of);
        auto usages = malloom::compiler::static_usage(points_to, proofs, weights);
        auto decisions = decide(module, proofs, usages, remarks_of);
        if (llvm::any_of(decisions, shares)) {
            malloom::compiler::share_pools(decisions,
                                           malloom::compiler::leaders_of(points_to, proofs, weights));
        }
        if (prints_proofs) {
            malloom::compiler::print(llvm::errs(), proofs);
            print_decisions(llvm::errs(), decisions);
        }
        const malloom::compiler::StructureNames names(points_to);
        if (!written_choice_path.empty()) {
            malloom::compiler::write_choice(written_choice_path, module, decisions, others(), linked_lines(),
                                            names);
        }
        if (!is_control()) {
            malloom::compiler::remark(decisions, names, remarks_of);
        }
        transform(module, points_to, decisions, clones);
        return llvm::PreservedAnalyses::none();
    }

  private:
    static malloom::compiler::Contexts contexts_of(llvm::Module& module,
                                                   const malloom::compiler::RangeOf& range_of,
                                                   const malloom::compiler::RemarksOf& remarks_of) {
        malloom::compiler::Contexts contexts;
        if (tells_contexts_apart) {
            contexts = malloom::compiler::find_contexts(module, range_of, patience);
        }
        if (contexts.is_too_large) {
            malloom::compiler::remark_no_contexts(module, remarks_of);
        }
        if (prints_steps) {
            print_steps(llvm::errs(), contexts);
        }
        return contexts;
    }

    /// Does what was decided; where that is nothing, the program is as it was before this pass.
    void transform(llvm::Module& module, const malloom::compiler::PointsTo& points_to,
                   std::vector<malloom::compiler::Decision>& decisions,
                   malloom::compiler::ContextClones& clones) const {
        if (names_requests && !decisions.empty()) {
            kept_->forget();
            malloom::compiler::name_requests(decisions);
            return;
        }
        if (llvm::none_of(decisions, is_treated)) {
            kept_->put_back(module);
            return;
        }
        kept_->forget();
        clones.fold(treated_places(points_to, decisions));
        if (is_control()) {
            return;
        }
        malloom::compiler::describe_split(module, points_to, decisions);
        malloom::compiler::rewrite(module, points_to, decisions, verifies);
    }

    /// Whether all is decided, and nothing done.
    bool is_control() const { return choice_ == nullptr && chosen_policy == Policy::overhead_only; }

    std::vector<malloom::compiler::Decision> decide(llvm::Module& module,
                                                    const std::vector<malloom::compiler::Proof>& proofs,
                                                    std::vector<malloom::compiler::Usage>& usages,
                                                    const malloom::compiler::RemarksOf& remarks_of) const {
        std::vector<Policy> policies(proofs.size(), chosen_policy);
        std::string table = profile;
        if (choice_ != nullptr) {
            policies = malloom::compiler::use_choice(*choice_, choice_path, module, proofs, remarks_of);
            table = table.empty() ? choice_->profile() : table;
        }
        if (!table.empty() && llvm::any_of(policies, malloom::compiler::chooses)) {
            malloom::compiler::use_profile(table, module, proofs, usages, remarks_of);
        }
        return malloom::compiler::decide(proofs, usages, policies, pool_bytes);
    }

    /// What is done with structures that this link does not have.
    Policy others() const {
        return choice_ == nullptr ? chosen_policy.getValue() : malloom::compiler::others(choice_->file());
    }

    std::shared_ptr<malloom::compiler::KeptProgram> kept_;
    std::shared_ptr<const malloom::compiler::Choice> choice_;
};

class ExpectPass : public llvm::PassInfoMixin<ExpectPass> {
  public:
    llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
        if (!malloom::compiler::has_links(function)) {
            return llvm::PreservedAnalyses::all();
        }
        const bool has_changed = malloom::compiler::expect_links(
            function, analyses.getResult<llvm::LoopAnalysis>(function),
            analyses.getResult<llvm::DominatorTreeAnalysis>(function),
            analyses.getResult<llvm::OptimizationRemarkEmitterAnalysis>(function));
        return has_changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
    }
};

/// A function that is part of each of its callers tells their objects apart. Only what addresses need is
/// simplified afterwards: all the rest is done later in any case.
void inline_functions(llvm::ModulePassManager& passes, llvm::OptimizationLevel level) {
    passes.addPass(
        llvm::ModuleInlinerWrapperPass(llvm::getInlineParams(level.getSpeedupLevel(), level.getSizeLevel())));
    llvm::FunctionPassManager functions;
    functions.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
    functions.addPass(llvm::EarlyCSEPass(true));
    functions.addPass(llvm::InstCombinePass());
    functions.addPass(llvm::SimplifyCFGPass());
    passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(functions)));
}

}  // namespace

extern "C" LLVM_ATTRIBUTE_WEAK LLVM_ATTRIBUTE_VISIBILITY_DEFAULT llvm::PassPluginLibraryInfo
llvmGetPassPluginInfo() {
    return {LLVM_PLUGIN_API_VERSION, "malloom", "0.1", [](llvm::PassBuilder& builder) {
                builder.registerFullLinkTimeOptimizationEarlyEPCallback(
                    [](llvm::ModulePassManager& passes, llvm::OptimizationLevel level) {
                        check_options();
                        if (has_mimalloc) {
                            passes.addPass(OwnMallocPass());
                        }
                        if (is_left_alone()) {
                            return;
                        }
                        std::shared_ptr<const malloom::compiler::Choice> choice;
                        if (!choice_path.empty()) {
                            choice = malloom::compiler::open_choice(choice_path);
                        }
                        auto kept = std::make_shared<malloom::compiler::KeptProgram>();
                        passes.addPass(KeepPass(kept));
                        if (level != llvm::OptimizationLevel::O0) {
                            inline_functions(passes, level);
                        }
                        passes.addPass(PreparePass());
                        passes.addPass(SplitPass(kept, choice));
                    });
                builder.registerFullLinkTimeOptimizationLastEPCallback(
                    [](llvm::ModulePassManager& passes, llvm::OptimizationLevel level) {
                        if (!is_left_alone() && guesses_links && level.getSpeedupLevel() > 1) {
                            passes.addPass(llvm::createModuleToFunctionPassAdaptor(ExpectPass()));
                        }
                    });
            }};
}
