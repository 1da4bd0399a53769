#!/usr/bin/env bash
# Ensures snmalloc, which `malloom optimize` tries, and prints, as its last line, the path of its library for preloading:
# setup/snmalloc.sh [COPY], where COPY is a path that gets a copy of it.
# It is built from the source that a Rust crate carries (setup/crate.sh).
set -euo pipefail

crate=snmalloc-sys
version=0.7.6
checksum=f09c93c55f9a2b8dab75738a83c771231c5f408af65b8657433fe5bc93cc76cb
replaced="cmake=0.1.0"
otherwise=
# shellcheck source=setup/crate.sh
. "$(dirname "$0")/crate.sh"

# As snmalloc's own CMake builds the library for preloading, but for any x86-64 with cmpxchg16b. The library says what it is:
# malloom_snmalloc_version, and malloom_snmalloc_build.
build() {
    mkdir -p "$2"
    g++ -x c++ - -std=c++20 -O3 -DNDEBUG -DSNMALLOC_USE_WAIT_ON_ADDRESS=1 -mcx16 -fPIC -fvisibility=hidden \
        -ftls-model=initial-exec -fomit-frame-pointer -fno-builtin-malloc -I"$1/upstream/src" -shared \
        -o "$2/libsnmalloc.so" -lpthread -latomic <<SOURCE
#define SNMALLOC_EXPORT __attribute__((visibility("default")))
#include "snmalloc/override/malloc.cc"
#include "snmalloc/override/new.cc"
extern "C" SNMALLOC_EXPORT const char malloom_snmalloc_version[] = "$version";
extern "C" SNMALLOC_EXPORT const char malloom_snmalloc_build[] = "$crate $version with gcc " __VERSION__;
SOURCE
}

copy=${1:+$(realpath -m "$1")}
build_once snmalloc "half a minute"
if [ -n "$copy" ]; then install -D "$home/libsnmalloc.so" "$copy"; fi
echo "$home/libsnmalloc.so"
