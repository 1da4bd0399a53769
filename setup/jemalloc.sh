#!/usr/bin/env bash
# Ensures jemalloc 5.3.1, which `malloom optimize` tries beside Debian's 5.3.0, and prints, as its last line, the path of its
# library for preloading: setup/jemalloc.sh [COPY], where COPY is a path that gets a copy of it.
# It is built from the source that a Rust crate carries (setup/crate.sh).
set -euo pipefail

crate=tikv-jemalloc-sys
version=0.7.1+5.3.1-0-g81034ce1f1373e37dc865038e1bc8eeecf559ce8
checksum=1a2825c78386b4ae0314074867860ba9577875de945f05992c38815cbec327f0
replaced="cc=1.0.13 libc=0.2.8"
otherwise=
# shellcheck source=setup/crate.sh
. "$(dirname "$0")/crate.sh"

# As jemalloc builds its own shared library; the crate keeps the generated configure script beside the sources. The library
# says what it was built from: malloom_jemalloc_build, which its build takes for a name of its own and would rename.
build() {
    cp -r "$1/jemalloc" source
    cp "$1/configure/configure" source/configure
    chmod +x source/configure
    cat >>source/src/jemalloc.c <<SOURCE
#undef malloom_jemalloc_build
JEMALLOC_EXPORT const char malloom_jemalloc_build[] = "$crate ${version%%+*} with gcc " __VERSION__;
SOURCE
    (
        cd source
        ./configure --with-version="${version#*+}" --disable-doc CC=gcc
        make -j2 build_lib_shared
    )
    mkdir -p "$2"
    cp -L source/lib/libjemalloc.so "$2/libjemalloc.so"
}

copy=${1:+$(realpath -m "$1")}
build_once jemalloc "a minute"
if [ -n "$copy" ]; then install -D "$home/libjemalloc.so" "$copy"; fi
echo "$home/libjemalloc.so"
