// Changes code of the running process.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace malloom::codegen {

/// Writes `count` bytes over code, whose pages have `protection` (as mprotect has it, with reading). The
/// pages are exchanged for changed copies, each process's own, in one step: they can run at any time, other
/// threads see the old ones or the new ones, and where the system refuses (false) all is as it was. Keeps
/// errno.
bool write_code(uintptr_t address, const unsigned char* bytes, size_t count, int protection);

}  // namespace malloom::codegen
