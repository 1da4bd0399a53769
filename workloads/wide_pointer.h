// Pointers that take eight bytes in a structure on machines of 32 bits too, so that a request has the same
// size everywhere: that of the machines of 64 bits that the papers measured on.
#ifndef WORKLOADS_WIDE_POINTER_H
#define WORKLOADS_WIDE_POINTER_H

/// Before a member that is a pointer. A structure with one has a size of whole words of eight bytes. An
/// array's elements are not parted by it.
#define WIDE_POINTER _Alignas(8)

#endif
