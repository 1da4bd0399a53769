# mimalloc, which serves what no other heap takes: its own source, as one object in libmalloom.so. Included by the root, so that
# its target is known everywhere.
set(MALLOOM_MIMALLOC "" CACHE PATH "folder of mimalloc's source; empty: setup/mimalloc_source.sh fetches it")
if(MALLOOM_MIMALLOC)
    set(mimalloc_source ${MALLOOM_MIMALLOC})
else()
    execute_process(COMMAND ${PROJECT_SOURCE_DIR}/setup/mimalloc_source.sh
        OUTPUT_VARIABLE mimalloc_source OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE problem)
    if(problem)
        message(FATAL_ERROR "the source of mimalloc is missing; what is wrong stands above")
    endif()
    string(REGEX REPLACE "^.*\n" "" mimalloc_source "${mimalloc_source}")
endif()

# Hidden, beside a mimalloc of the program's own, and without a malloc, a constructor or settings. Its thread-local variables are
# where the loader puts those of libraries that are there from the start, so that no access to them asks for memory. Neither our
# warnings nor our checks are for it, but ThreadSanitizer has to see how its threads hand memory on.
add_library(malloom_mimalloc STATIC
    ${PROJECT_SOURCE_DIR}/runtime/heaps/fallback/mimalloc_port.c ${PROJECT_SOURCE_DIR}/runtime/heaps/fallback/fork_gate.c)
target_include_directories(malloom_mimalloc PRIVATE ${PROJECT_SOURCE_DIR})
target_include_directories(malloom_mimalloc SYSTEM PRIVATE ${mimalloc_source}/include ${mimalloc_source}/src)
target_compile_definitions(malloom_mimalloc PRIVATE MI_BUILD_RELEASE)
target_compile_options(malloom_mimalloc PRIVATE
    -O3 -fvisibility=hidden -ftls-model=initial-exec -fno-builtin-malloc -fno-semantic-interposition -fno-plt)
if(MALLOOM_SANITIZE MATCHES thread)
    target_compile_definitions(malloom_mimalloc PRIVATE MI_TSAN=1)
    malloom_sanitize(malloom_mimalloc)
endif()
install(FILES ${mimalloc_source}/LICENSE DESTINATION malloom/native RENAME LICENSE.mimalloc)
