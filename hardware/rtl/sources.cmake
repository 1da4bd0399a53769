# The units, without their adapter for the simulated core.
set(malloom_unit_sources
    ${CMAKE_CURRENT_LIST_DIR}/and_tree.v
    ${CMAKE_CURRENT_LIST_DIR}/bit_flipper.v
    ${CMAKE_CURRENT_LIST_DIR}/bitmap_register.v
    ${CMAKE_CURRENT_LIST_DIR}/chunk_unit.v
    ${CMAKE_CURRENT_LIST_DIR}/demultiplexer.v
    ${CMAKE_CURRENT_LIST_DIR}/multiplexer.v
    ${CMAKE_CURRENT_LIST_DIR}/or_tree.v
    ${CMAKE_CURRENT_LIST_DIR}/page_unit.v
    ${CMAKE_CURRENT_LIST_DIR}/size_class.v
    ${CMAKE_CURRENT_LIST_DIR}/window.v
    ${CMAKE_CURRENT_LIST_DIR}/window_unit.v)
