# The bin heap's, for the library and for firmware.
set(malloom_bins_sources
    automatic.cpp bins.cpp enough.cpp functions.cpp inspect.cpp open.cpp post.cpp quick.cpp redistribution.cpp regions.cpp
    rehash.cpp)
list(TRANSFORM malloom_bins_sources PREPEND ${CMAKE_CURRENT_LIST_DIR}/)
