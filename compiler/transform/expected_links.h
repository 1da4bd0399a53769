// Lists that lie in their own order are walked without waiting for their links: a walk goes on with the
// object that it expects, as far away as the last one was, and compares it with the link when that has come.
// Where the two are the same the processor has guessed a branch instead of waiting for a load.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/OptimizationRemarkEmitter.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>

namespace malloom::compiler {

/// Notes that a load gives the next object of a split set, whose addresses are so many bytes apart.
void note_link(llvm::LoadInst& load, uint64_t element_bytes);

/// Whether a function has noted loads. Where it has none, nobody needs to look for its loops.
bool has_links(const llvm::Function& function);

/// Gives each loop that does nothing but follow noted loads a twin that guesses; last of all, as other passes
/// would see through it. The loop keeps count, in variables of the module, whether its guesses pay, and goes
/// on as it was where they do not. Programs compute the same in any case. The analyses are void afterwards
/// where it returns true.
bool expect_links(llvm::Function& function, llvm::LoopInfo& loops, llvm::DominatorTree& dominators,
                  llvm::OptimizationRemarkEmitter& remarks);

}  // namespace malloom::compiler
