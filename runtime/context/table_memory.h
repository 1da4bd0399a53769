// Memory for the tables of this room, which are never given back.
#pragma once

#include <stddef.h>

namespace malloom::context {

/// Zeroed memory, page-aligned, straight from the operating system; null where it has none. Keeps errno.
void* table_memory(size_t bytes);

}  // namespace malloom::context
