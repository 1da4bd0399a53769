// Memory that grows as libraries' heaps ask of an operating system (sbrk): a range whose begin is in use.
#pragma once

#include <stddef.h>

namespace malloom::bench::bins {

/// The range of the one heap that grows, which has state of its own and is opened once.
void give_growing_memory(void* memory, size_t bytes);

}  // namespace malloom::bench::bins
