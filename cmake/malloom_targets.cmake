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

# Adds the sanitizers of the preset to a target and to all that links it. A null pointer that is used ends a program
# anyway, and to look for each takes a sixth of the compilation.
function(malloom_sanitize target)
    if(MALLOOM_SANITIZE)
        target_compile_options(${target} PUBLIC -fsanitize=${MALLOOM_SANITIZE} -fno-sanitize=null,vptr -fno-omit-frame-pointer)
        target_link_options(${target} PUBLIC -fsanitize=${MALLOOM_SANITIZE})
    endif()
endfunction()
