#!/usr/bin/env bash
# Ensures a DynamoRIO and prints, as its last line, the folder of its DynamoRIOConfig.cmake.
#
# An installed one wins: DynamoRIO_DIR, or wherever CMake's find_package looks. Otherwise it is built from the source
# that a Rust crate carries (setup/crate.sh).
set -euo pipefail

crate=dynamorio-sys
version=11.90.1
checksum=047b2f9b14d1899521cfce314636562a73d9a4027a424876b0f2bb0f8e0edfa7
replaced="bindgen=0.71.1 cc=1.2.0 cmake=0.1.50 regex=1.10.0 windows-kits=0.1.0"
otherwise="set DynamoRIO_DIR to an installed DynamoRIO"
# shellcheck source=setup/crate.sh
. "$(dirname "$0")/crate.sh"

find_installed() {
    local scratch
    scratch=$(mktemp -d)
    # shellcheck disable=SC2064  # the folder of now, not of then
    trap "rm -rf '$scratch'" RETURN
    cat >"$scratch/CMakeLists.txt" <<'PROJECT'
cmake_minimum_required(VERSION 3.25)
project(find LANGUAGES C CXX)
find_package(DynamoRIO QUIET)
if(DynamoRIO_FOUND)
    file(WRITE ${CMAKE_BINARY_DIR}/found ${DynamoRIO_DIR})
endif()
PROJECT
    cmake -S "$scratch" -B "$scratch/build" ${DynamoRIO_DIR:+-DDynamoRIO_DIR="$DynamoRIO_DIR"} >/dev/null 2>&1 || true
    cat "$scratch/build/found" 2>/dev/null
}

# Builds only what malloom links, and leaves it where it was built: CMake takes a build tree for a package too, but an
# install step would have everything else built as well.
build() {
    cp -R "$1/dynamorio" dynamorio &&
        cmake -S dynamorio -B "$2" -G Ninja -DCMAKE_BUILD_TYPE=Release \
            -DBUILD_CLIENTS=NO -DBUILD_DOCS=NO -DBUILD_SAMPLES=NO -DBUILD_TESTS=NO -DBUILD_TOOLS=NO &&
        cmake --build "$2" --parallel "$(nproc)" --target \
            dynamorio drcontainers drmgr_static drreg_static drutil_static drx_static &&
        find "$2" -name '*.o' -delete
}

installed=$(find_installed || true)
if [ -n "$installed" ]; then
    echo "$installed"
    exit 0
fi
build_once dynamorio "about a minute"
echo "$home/cmake"
