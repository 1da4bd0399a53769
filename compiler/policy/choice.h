// A policy for each structure of a program, as measured runs of its builds chose it: read for a link, and
// written by one, so that what was chosen can be said. docs/formats.md has the file.
#pragma once

#include <llvm/ADT/StringRef.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/MemoryBuffer.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "compiler/policy/decision.h"
#include "formats/choice_file.h"

namespace malloom::compiler {

class Choice {
  public:
    /// The file, checked whole; null where it cannot be read or is not good, and `problem` then says why.
    static std::unique_ptr<Choice> open(llvm::StringRef path, std::string& problem);

    const formats::ChoiceFile& file() const { return file_; }
    /// The path of the table of fields that it goes by; empty: none.
    std::string profile() const;

  private:
    Choice() = default;

    std::string path_;
    std::unique_ptr<llvm::MemoryBuffer> bytes_;
    formats::ChoiceFile file_;
};

/// What a choice has done with structures that it does not tell of.
Policy others(const formats::ChoiceFile& choice);

/// What a choice says of a program.
struct ChosenPolicies {
    std::vector<Policy> of_proofs;  ///< in the order of the proofs
    size_t found = 0;               ///< structures of the choice that are in the program
};

/// A structure has the policy of that one in the choice which most of its requests are of, and of those alike
/// the first; where none is, the policy that the choice has for others.
ChosenPolicies chosen_policies(const formats::ChoiceFile& choice, const llvm::Module& module,
                               const std::vector<Proof>& proofs);

/// The choice that has each structure treated as it is now, before the module is rewritten, and others by
/// `others`; `linked` has lines of what else is linked; `describe` tells people of a set's objects.
std::string written_choice(const llvm::Module& module, const std::vector<Decision>& decisions, Policy others,
                           llvm::StringRef linked, const std::function<std::string(const Proof&)>& describe);

}  // namespace malloom::compiler
