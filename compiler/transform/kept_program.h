// The program as it came, for the case that nothing of it is treated: what was done to see more of it would
// change how it is optimised, and nobody asked for that.
#pragma once

#include <llvm/IR/Module.h>

#include <memory>

namespace malloom::compiler {

/// Keeps a module's functions and variables while a copy of them is worked on. Not thread-safe.
class KeptProgram {
  public:
    /// From now on the module has a copy of what it had.
    void keep(llvm::Module& module);
    /// The module has what it had, and the copy is gone. Once for each keep.
    void put_back(llvm::Module& module);
    /// The copy stays, and what the module had is gone.
    void forget() { kept_.reset(); }

  private:
    std::unique_ptr<llvm::Module> kept_;
};

}  // namespace malloom::compiler
