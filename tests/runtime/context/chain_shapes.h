// Shapes of code that a walk must get through. Compiled several times, as CHAIN_SHAPES (a name space) says,
// at different optimization levels; each calls chain_probe() somewhere below it.
#pragma once

#define MALLOOM_CHAIN_SHAPES(name)               \
    namespace name {                             \
    int plain(int depth);                        \
    int recursive(int depth);                    \
    int branching(int depth);                    \
    int alternating(int depth);                  \
    int variadic(int count, ...);                \
    int variable_frame(int bytes);               \
    int large_frame(int value);                  \
    int aligned_frame(int value);                \
    int through_qsort(int count);                \
    int through_virtual_call(int value);         \
    int through_lambda(int value);               \
    int through_many_saved_registers(int value); \
    }

MALLOOM_CHAIN_SHAPES(shapes_o0)
MALLOOM_CHAIN_SHAPES(shapes_o2)
MALLOOM_CHAIN_SHAPES(shapes_o3)
MALLOOM_CHAIN_SHAPES(shapes_frame_pointer)
