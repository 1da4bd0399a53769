#!/usr/bin/env bash
# Ensures the source of mimalloc and prints, as its last line, its folder: include, src and LICENSE. It is compiled into
# libmalloom.so (cmake/mimalloc.cmake).
set -euo pipefail

# shellcheck source=setup/mimalloc_crate.sh
. "$(dirname "$0")/mimalloc_crate.sh"
own=("$(dirname "$0")/mimalloc_crate.sh")
otherwise="configure with -DMALLOOM_MIMALLOC=FOLDER, where FOLDER has the include and src of mimalloc 3.3"
# shellcheck source=setup/crate.sh
. "$(dirname "$0")/crate.sh"

build() {
    mkdir -p "$2"
    cp -R "$1/c_src/mimalloc/v3/include" "$1/c_src/mimalloc/v3/src" "$1/c_src/mimalloc/v3/LICENSE" "$2"
}

build_once mimalloc-source "a download"
echo "$home"
