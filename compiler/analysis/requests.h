// The calls that request objects: which of them pools or arrays can serve, and how.
#pragma once

#include <llvm/ADT/StringRef.h>

#include "compiler/analysis/alias_set.h"

namespace malloom::compiler {

/// Of the function that is called, where that is known; else empty.
llvm::StringRef callee_name(const llvm::CallBase& call);
/// Whether another call can take its place.
bool is_plain(const llvm::CallBase& call);

/// How pools serve a request.
enum class PoolService : uint8_t {
    none,     ///< they do not
    plain,    ///< with objects of its one size
    aligned,  ///< the same, aligned to more than malloc's: `alignment_of`
    any_size  ///< with objects of whatever size it asks for; the largest are malloc's all the same
};
PoolService pool_service(const Request& request);
bool is_served(const Request& request);
/// What an object of an aligned request is aligned to: a power of two.
uint64_t alignment_of(const Request& request);

/// Whether arrays of structures can: malloc, calloc or operator new, with arguments as the C library has
/// them.
bool may_be_array(const Request& request);
/// What the bytes that it asks for are a multiple of, as the program calculates them; 0 where it only asks
/// for none, or for more than there is. A calculation that wraps around may give any other number.
uint64_t multiple_of(const Request& request);

}  // namespace malloom::compiler
