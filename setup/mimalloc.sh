#!/usr/bin/env bash
# Ensures the newest mimalloc, which results are compared with beside Debian's older one, and prints, as its last line,
# the path of its library for preloading: setup/mimalloc.sh [COPY], where COPY is a path that gets a copy of it. Beside it
# lies an archive for programs to be linked with (malloom-cc -fmalloom-fallback=mimalloc): of COPY.so it is COPY.a.
# Both are built from the source that a Rust crate carries (setup/crate.sh).
set -euo pipefail

# shellcheck source=setup/mimalloc_crate.sh
. "$(dirname "$0")/mimalloc_crate.sh"
root=$(cd "$(dirname "$0")/.." && pwd)
entries=$root/compiler/fallback
gate=$root/runtime/heaps/fallback
own=("$root/setup/mimalloc_crate.sh" "$entries"/*.{c,h,cpp} "$gate/mimalloc_gated.h" "$gate"/fork_gate.{c,h}
    "$root/runtime/platform/system_calls.h")
# shellcheck source=setup/crate.sh
. "$(dirname "$0")/crate.sh"

# As mimalloc's own CMake builds the shared library for Linux (the crate leaves out files that it needs), but all in one
# file. The library says what it was built from: malloom_mimalloc_build.
build() {
    mkdir -p "$2"
    gcc -x c - -std=gnu11 -O3 -DNDEBUG -DMI_BUILD_RELEASE -DMI_MALLOC_OVERRIDE -DMI_SHARED_LIB -DMI_SHARED_LIB_EXPORT \
        -fPIC -fvisibility=hidden -ftls-model=initial-exec -fno-builtin-malloc \
        -I"$1/c_src/mimalloc/v3/include" -I"$1/c_src/mimalloc/v3/src" -shared -o "$2/libmimalloc.so" -lpthread <<SOURCE
#include "static.c"
mi_decl_export const char malloom_mimalloc_build[] = "$crate $version with gcc " __VERSION__;
SOURCE
    build_archive "$1/c_src/mimalloc/v3" "$2"
}

# For programs, also position-independent and static ones, by any linker: machine code. What only mimalloc calls stays
# within its object.
build_archive() {
    local flags=(-O3 -DNDEBUG -fPIE -fvisibility=hidden -fno-builtin-malloc)
    gcc "$entries/mimalloc.c" -std=gnu11 "${flags[@]}" -DMI_BUILD_RELEASE \
        "-DMALLOOM_MIMALLOC_BUILD=\"$crate $version with gcc \" __VERSION__" -I"$root" -I"$1/include" -I"$1/src" -c -o malloc.o
    printf '%s\n' malloc calloc realloc free malloom_mimalloc_aligned malloom_mimalloc_usable >names
    objcopy --keep-global-symbols=names malloc.o
    gcc "$gate/fork_gate.c" -std=gnu11 "${flags[@]}" -I"$root" -c -o fork_gate.o
    gcc -std=gnu11 -O2 -fPIE -c "$entries/aligned.c" -o aligned.o
    g++ -std=c++20 "${flags[@]}" -fvisibility=default -c "$entries/operators.cpp" -o operators.o
    ar rcs "$2/libmimalloc.a" malloc.o fork_gate.o aligned.o operators.o
}

copy=${1:+$(realpath -m "$1")}
build_once mimalloc "a few seconds"
if [ -n "$copy" ]; then
    install -D "$home/libmimalloc.so" "$copy"
    install -m 644 "$home/libmimalloc.a" "${copy%.so}.a"
fi
echo "$home/libmimalloc.so"
