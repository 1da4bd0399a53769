#include "compiler/plugin/choice_use.h"

#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/FileSystem.h>

#include "compiler/plugin/warnings.h"

namespace malloom::compiler {

namespace {

void remark_found(size_t found, size_t all, const std::string& path, llvm::Module& module,
                  const std::vector<Proof>& proofs, const RemarksOf& remarks_of) {
    llvm::Function* function = place_of_program(module, proofs);
    if (function == nullptr) {
        return;
    }
    remarks_of(*function).emit([&] {
        return llvm::OptimizationRemark("malloom", "Choice",
                                        llvm::DiagnosticLocation(function->getSubprogram()),
                                        &function->getEntryBlock())
               << llvm::ore::NV("Found", found) << " of " << llvm::ore::NV("Structures", all)
               << " structures of the choice " << llvm::ore::NV("Path", path) << " are in the program";
    });
}

/// What the source calls a structure, for people who read a choice; empty where nothing says it.
std::string described(const Proof& proof, const StructureNames& names) {
    const llvm::DICompositeType* structure = names.of(*proof.set, proof.object_bytes);
    return structure == nullptr ? std::string() : written_name(*structure);
}

}  // namespace

std::unique_ptr<Choice> open_choice(const std::string& path) {
    std::string problem;
    std::unique_ptr<Choice> choice = Choice::open(path, problem);
    if (choice == nullptr) {
        llvm::report_fatal_error(llvm::Twine("malloom: the choice ") + path + " " + problem, false);
    }
    return choice;
}

std::vector<Policy> use_choice(const Choice& choice, const std::string& path, llvm::Module& module,
                               const std::vector<Proof>& proofs, const RemarksOf& remarks_of) {
    ChosenPolicies chosen = chosen_policies(choice.file(), module, proofs);
    const size_t all = choice.file().structures().size();
    if (chosen.found == 0 && all != 0) {
        warn(module, "the choice " + path +
                         " has no structure that is in the program: it is of another program, of another "
                         "version, or the program is compiled without -g; all are treated as others, by " +
                         std::string(choice.file().others()));
    } else {
        if (2 * chosen.found < all) {
            warn(module, "the choice " + path + " has " + std::to_string(all) + " structures, and only " +
                             std::to_string(chosen.found) +
                             " of them are in the program: it is of another version; all others are "
                             "treated by " +
                             std::string(choice.file().others()));
        }
        remark_found(chosen.found, all, path, module, proofs, remarks_of);
    }
    return std::move(chosen.of_proofs);
}

void write_choice(const std::string& path, llvm::Module& module, const std::vector<Decision>& decisions,
                  Policy others, llvm::StringRef linked, const StructureNames& names) {
    std::error_code error;
    llvm::raw_fd_ostream out(path, error);
    if (!error) {
        out << written_choice(module, decisions, others, linked,
                              [&](const Proof& proof) { return described(proof, names); });
        out.close();
        error = out.error();
        out.clear_error();
    }
    if (error) {
        warn(module, "the choice " + path + " cannot be written: " + error.message());
    }
}

}  // namespace malloom::compiler
