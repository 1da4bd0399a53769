# Those of bin functions as machine code, for the library and for firmware.
set(malloom_bin_functions_sources
    aarch64.cpp bin_code.cpp range_leaves.cpp range_tree.cpp riscv.cpp scale.cpp table_functions.cpp thumb2.cpp x86_64.cpp)
list(TRANSFORM malloom_bin_functions_sources PREPEND ${CMAKE_CURRENT_LIST_DIR}/)
