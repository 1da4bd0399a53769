# Compile flags shared by the targets of the tree.

# What lives inside another program's process: no exceptions, no RTTI, no C++ library at run time, nothing exported
# by accident. The source root is the one include directory, so every include says which room it reaches into.
function(malloom_in_process target)
    target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR})
    target_compile_options(${target} PRIVATE
        -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion
        -fvisibility=hidden -fno-semantic-interposition -fno-plt
        $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions -fno-rtti -fno-threadsafe-statics -fvisibility-inlines-hidden>)
    target_link_options(${target} PRIVATE -Wl,-z,now -Wl,-z,defs)
endfunction()

# What lives in malloom's own processes: the analysis core and the tests.
function(malloom_hosted target)
    target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR})
    target_compile_options(${target} PRIVATE -Wall -Wextra -Wshadow)
endfunction()

# Adds the sanitizers of the preset to a target and to all that links it. What is found ends the program, or no test would
# fail. A null pointer that is used ends a program anyway, and to look for each takes a sixth of the compilation.
function(malloom_sanitize target)
    if(MALLOOM_SANITIZE)
        target_compile_options(${target} PUBLIC -fsanitize=${MALLOOM_SANITIZE} -fno-sanitize=null,vptr
            -fno-sanitize-recover=undefined -fno-omit-frame-pointer ${sanitized_by_clang})
        target_compile_definitions(${target} PUBLIC ${sanitizer_names})
        target_link_options(${target} PUBLIC -fsanitize=${MALLOOM_SANITIZE} ${linked_by_clang})
    endif()
endfunction()

# Where Clang's sanitizers differ from GCC's. They have no names of the preprocessor. One looks for a function's type in front of
# its code, where generated code has none. Their run time is linked statically, if nobody says otherwise: then the next malloc
# behind a program's own, which the heaps ask for, is the C library's. Clang also tells what GCC's own headers use deprecated.
set(sanitized_by_clang)
set(sanitizer_names)
set(linked_by_clang)
if(MALLOOM_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    set(sanitized_by_clang -fno-sanitize=function -Wno-deprecated-declarations)
    string(REGEX MATCH "address|thread" kind "${MALLOOM_SANITIZE}")
    string(TOUPPER "__SANITIZE_${kind}__" sanitizer_names)
    string(REGEX MATCH "^." letter "${kind}")
    execute_process(
        COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libclang_rt.${letter}san-${CMAKE_SYSTEM_PROCESSOR}.so
        OUTPUT_STRIP_TRAILING_WHITESPACE OUTPUT_VARIABLE run_time COMMAND_ERROR_IS_FATAL ANY)
    get_filename_component(run_time_folder "${run_time}" DIRECTORY)
    set(linked_by_clang -shared-libsan -Wl,-rpath,${run_time_folder})
endif()
