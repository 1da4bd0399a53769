#!/usr/bin/env bash
# Ensures the newest mimalloc, which results are compared with beside Debian's older one, and prints, as its last line,
# the path of its library for preloading: setup/mimalloc.sh [COPY], where COPY is a path that gets a copy of it.
# It is built from the source that a Rust crate carries (setup/crate.sh).
set -euo pipefail

crate=libmimalloc-sys
version=0.1.49
checksum=6a45a52f43e1c16f667ccfe4dd8c85b7f7c204fd5e3bf46c5b0db9a5c3c0b8e9
replaced="cc=1.2.0"
otherwise=
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
}

copy=${1:+$(realpath -m "$1")}
build_once mimalloc "a few seconds"
if [ -n "$copy" ]; then install -D "$home/libmimalloc.so" "$copy"; fi
echo "$home/libmimalloc.so"
