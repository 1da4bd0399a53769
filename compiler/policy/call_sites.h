// Call sites by what they are called in the source, which a rebuild does not change as it changes addresses:
// those of a program that request objects, and recorded ones; which of both are the same, and how surely.
// docs/decisions/site-keys.md has the levels.
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Module.h>

#include <array>
#include <cstdint>
#include <vector>

#include "formats/sites_file.h"

namespace malloom::compiler {

/// One call of the source. A number of 0 is not known.
struct SourceCall {
    llvm::StringRef function;   ///< that it stands in, as the linker knows it
    llvm::StringRef file_name;  ///< without its folders: builds are made in different places
    unsigned line, column;
    unsigned function_line;  ///< where the function is declared
};

/// A call of an allocator. Without calls, nothing tells where in the source it stands.
struct CallSite {
    llvm::StringRef callee;
    /// Innermost first: those of the function that it stands in and of what is inlined there, then those of
    /// callers, as far as they are known.
    std::vector<SourceCall> calls = {};
    size_t inlined_calls = 0;  ///< the first ones: without callers
    unsigned ordinal = 0;      ///< its number among the call sites of the same functions and callee
    unsigned alike = 0;        ///< how many those are
    unsigned copies = 0;       ///< call sites of that callee at the innermost call's place
};

/// A request of the program, by one of its keys.
struct ProgramSite {
    const llvm::CallBase* call;
    CallSite key;
};

/// All calls of the module that request objects of an allocator outside of it. The texts are the module's.
std::vector<ProgramSite> request_sites(const llvm::Module& module);

/// Those of a table's contexts, in their order. The texts are the table's.
std::vector<CallSite> recorded_sites(const formats::SitesFile& table);

/// How much of two keys agrees, from all to least.
enum class Level : uint8_t { exact, moved, inlined, counted, renamed };
constexpr std::array<llvm::StringRef, 5> level_names = {"exact", "moved", "inlined", "counted", "renamed"};

struct Match {
    size_t site, recorded;  ///< their numbers
    Level level;
};

/// What is the same in both. Copies of one call share what is recorded of any of them; so a site may have
/// several recorded ones, and these may have several sites. Each level takes what those before it left over.
std::vector<Match> match(llvm::ArrayRef<ProgramSite> sites, llvm::ArrayRef<CallSite> recorded);

}  // namespace malloom::compiler
