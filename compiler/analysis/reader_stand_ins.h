// Functions of libraries that only read, and that the program calls through pointers: strstr beside a
// function of its own, say. While a program is analysed a function of its own stands for each, which calls
// it, so that what is known of the library's function holds for calls through pointers too.
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/ValueHandle.h>

namespace malloom::compiler {

/// Takes the place of each such function wherever its address is taken, and gives it back when it is
/// destroyed: what is compiled calls the library's own. Both ends are those of one module, which may lose
/// functions in between.
class ReaderStandIns {
  public:
    explicit ReaderStandIns(llvm::Module& module);
    ~ReaderStandIns();
    ReaderStandIns(const ReaderStandIns&) = delete;
    ReaderStandIns& operator=(const ReaderStandIns&) = delete;
    ReaderStandIns(ReaderStandIns&&) = delete;
    ReaderStandIns& operator=(ReaderStandIns&&) = delete;

  private:
    struct StandIn {
        llvm::WeakVH function, reader;
    };

    llvm::SmallVector<StandIn, 4> stand_ins_;
};

}  // namespace malloom::compiler
