#include "compiler/plugin/profile_use.h"

#include <llvm/Support/FormatVariadic.h>

#include <algorithm>

#include "compiler/plugin/warnings.h"
#include "compiler/policy/field_table.h"
#include "compiler/policy/recorded_visits.h"

namespace malloom::compiler {

namespace {

void warn_of(llvm::Module& module, const std::string& path, const std::string& problem) {
    warn(module, "the profile " + path + " " + problem + "; structures are chosen as without it");
}

std::string why_nothing_is_found(const FoundAgain& found) {
    if (!found.has_keys) {
        return "cannot be used, as no debug information tells where the program requests objects: compile "
               "with -g";
    }
    if (found.sites == 0) {
        return "was recorded of a program without debug information: record one that was compiled with -g";
    }
    return "has no call site that is in the program: it is of another program, or of another version";
}

/// How many call sites were found at which levels.
std::string levels_of(const FoundAgain& found) {
    std::string text;
    for (size_t level = 0; level < level_names.size(); ++level) {
        if (found.found[level] != 0) {
            text += text.empty() ? "" : ", ";
            text += std::to_string(found.found[level]) + " " + level_names[level].str();
        }
    }
    return text;
}

void remark_found(const FoundAgain& found, const std::string& path, llvm::Function& function,
                  const RemarksOf& remarks_of) {
    remarks_of(function).emit([&] {
        const double share = 100 * found.found_requests / std::max(found.requests, 1.0);
        llvm::OptimizationRemark remark("malloom", "Profile",
                                        llvm::DiagnosticLocation(function.getSubprogram()),
                                        &function.getEntryBlock());
        remark << llvm::ore::NV("Found", found.found_sites()) << " of " << llvm::ore::NV("Sites", found.sites)
               << " call sites of the profile " << llvm::ore::NV("Path", path) << " are in the program, with "
               << llvm::ore::NV("Share", llvm::formatv("{0:f1}", share).str()) << "% of their requests ("
               << llvm::ore::NV("Levels", levels_of(found)) << ")";
        return remark;
    });
}

void remark_untold(const Proof& proof, const std::string& why, const RemarksOf& remarks_of) {
    const llvm::CallBase& request = *proof.set->requests.front().call;
    remarks_of(const_cast<llvm::Function&>(*request.getFunction())).emit([&] {
        return llvm::OptimizationRemarkMissed("malloom", "Untold", &request)
               << "the profile does not tell of these objects: " << llvm::ore::NV("Reason", why);
    });
}

}  // namespace

void use_profile(const std::string& path, llvm::Module& module, const std::vector<Proof>& proofs,
                 std::vector<Usage>& usages, const RemarksOf& remarks_of) {
    std::string problem;
    const std::unique_ptr<FieldTable> table = FieldTable::open(path, problem);
    if (table == nullptr) {
        warn_of(module, path, problem);
        return;
    }
    const FoundAgain found = use_recorded(table->file(), module, proofs, usages);
    if (!found.has_requests) {
        return;
    }
    if (found.found_sites() == 0) {
        warn_of(module, path, why_nothing_is_found(found));
        return;
    }
    if (llvm::Function* function = place_of_program(module, proofs)) {
        remark_found(found, path, *function, remarks_of);
    }
    for (size_t i = 0; i < proofs.size(); ++i) {
        if (!usages[i].untold.empty()) {
            remark_untold(proofs[i], usages[i].untold, remarks_of);
        }
    }
}

}  // namespace malloom::compiler
