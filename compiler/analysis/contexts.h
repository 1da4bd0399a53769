// In which contexts functions run: which of their calls give them other objects than their other calls do. A
// function that is cloned for its contexts lets the points-to analysis, which knows no contexts, tell apart
// what is requested and used in each, as data structure analysis does by the copies that it makes of the
// functions' graphs (Lattner and Adve, Automatic pool allocation, PLDI 2005, and Making context-sensitive
// points-to analysis with heap cloning practical, PLDI 2007): local graphs, those of callees copied into
// their callers', and then, from the callers on, what each call gives.
//
// Nothing is proven here: of a program with clones, the points-to analysis proves it anew. So what is not
// followed (calls by pointers, global variables, what is reached from them) is merely not told apart.
#pragma once

#include <vector>

#include "compiler/analysis/points_to.h"

namespace malloom::compiler {

struct ContextCall {
    llvm::CallBase* call;
    llvm::Function* callee;  ///< as the program has it, whatever the context
    unsigned context;        ///< the callee's, a place in Contexts::contexts
};

/// Functions that call each other, most often one alone, as they run in one context.
struct Context {
    unsigned group;
    std::vector<ContextCall> calls = {};  ///< all direct calls in the functions
    /// Arguments that are always the same number here, which says how many bytes are requested.
    std::vector<std::pair<llvm::Argument*, uint64_t>> sizes = {};
};

struct Contexts {
    /// Functions that call each other, callees before their callers.
    std::vector<std::vector<llvm::Function*>> groups;
    /// The contexts that are worth telling apart: those of a group one behind the other, and callers before
    /// their callees. Each group's first one is for its functions as they are.
    std::vector<Context> contexts;
    /// The program's graphs became too large: no context is told apart.
    bool is_too_large = false;
    /// What finding them took: steps of the analysis, and nodes of graphs.
    uint64_t steps = 0, nodes = 0;
};

/// Of a module that is the whole program as the linker sees it. Clones for all contexts have at most as many
/// instructions as a quarter of the program, or some thousands where that is more. With so many steps of the
/// analysis for each instruction.
Contexts find_contexts(llvm::Module& module, const RangeOf& range_of, uint64_t patience);

}  // namespace malloom::compiler
