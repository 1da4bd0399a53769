#!/usr/bin/env bash
# Ensures a DynamoRIO and prints, as its last line, the folder of its DynamoRIOConfig.cmake.
#
# An installed one wins: DynamoRIO_DIR, or wherever CMake's find_package looks. Otherwise the source that the Rust crate
# dynamorio-sys carries is fetched with cargo (nothing of it is compiled as Rust), built once and kept in the user's cache.
set -euo pipefail

version=11.90.1
# SHA-256 of the crate as the registry publishes it.
checksum=047b2f9b14d1899521cfce314636562a73d9a4027a424876b0f2bb0f8e0edfa7
# Direct dependencies of the crate, which only its Rust side needs: replaced by empty packages, so that nothing else is
# fetched, and so that an old cargo need not understand newer packages.
replaced="bindgen=0.71.1 cc=1.2.0 cmake=0.1.50 regex=1.10.0 windows-kits=0.1.0"

fail() {
    echo "malloom: $1" >&2
    exit 1
}

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

make_manifest() {
    mkdir -p source
    : >source/lib.rs
    {
        printf '[package]\nname = "fetch"\nversion = "0.0.0"\n[lib]\npath = "lib.rs"\n'
        printf '[dependencies]\ndynamorio-sys = "=%s"\n[patch.crates-io]\n' "$version"
        for stub in $replaced; do printf '%s = { path = "%s" }\n' "${stub%=*}" "${stub%=*}"; done
    } >source/Cargo.toml
    for stub in $replaced; do
        mkdir -p "source/${stub%=*}"
        printf '[package]\nname = "%s"\nversion = "%s"\n[lib]\npath = "../lib.rs"\n' "${stub%=*}" "${stub#*=}" \
            >"source/${stub%=*}/Cargo.toml"
    done
}

fetch_source() {
    local cargo_version manifest
    command -v cargo >/dev/null || fail "no cargo to fetch DynamoRIO's source with; install the package cargo, or set DynamoRIO_DIR"
    make_manifest
    cargo_version=$(cargo --version | sed -E 's/^cargo 1\.([0-9]+).*/\1/')
    # Before 1.68 cargo downloads the index of all crates unless asked for the sparse protocol, which it has behind a gate.
    if [ "$cargo_version" -lt 68 ]; then export RUSTC_BOOTSTRAP=1 CARGO_UNSTABLE_SPARSE_REGISTRY=true; fi
    # Not cargo vendor: the old one leaves out files that the crate excludes and includes again.
    manifest=$(cd source && cargo metadata --quiet --format-version 1 --filter-platform x86_64-unknown-linux-gnu |
        grep -oE '"manifest_path":"[^"]*/dynamorio-sys-[^"]*"' | cut -d'"' -f4) || manifest=
    [ -f "$manifest" ] ||
        fail "cannot fetch dynamorio-sys $version; check the network, or set DynamoRIO_DIR to an installed DynamoRIO"
    grep -q "checksum = \"$checksum\"" source/Cargo.lock ||
        fail "dynamorio-sys $version is not the published one; remove cargo's cache and try again"
    cp -R "${manifest%/*}/dynamorio" dynamorio
}

# Builds only what malloom links, and leaves it where it was built: CMake takes a build tree for a package too, but an
# install step would have everything else built as well.
build() {
    cmake -S dynamorio -B "$1" -G Ninja -DCMAKE_BUILD_TYPE=Release \
        -DBUILD_CLIENTS=NO -DBUILD_DOCS=NO -DBUILD_SAMPLES=NO -DBUILD_TESTS=NO -DBUILD_TOOLS=NO &&
        cmake --build "$1" --parallel "$(nproc)" --target \
            dynamorio drcontainers drmgr_static drreg_static drutil_static drx_static &&
        find "$1" -name '*.o' -delete
}

installed=$(find_installed || true)
if [ -n "$installed" ]; then
    echo "$installed"
    exit 0
fi

recipe=$(sha256sum <"$0" | cut -c1-12)
cache=${XDG_CACHE_HOME:-${HOME:+$HOME/.cache}}/malloom
# A service may have no home folder, or one that is not its own.
if [ "$cache" = /malloom ] || ! mkdir -p "$cache" 2>/dev/null || [ ! -w "$cache" ]; then
    cache=$(cd "$(dirname "$0")/.." && pwd)/build/cache
    mkdir -p "$cache"
    export CARGO_HOME=$cache/cargo
fi
home=$cache/dynamorio-$version-$recipe
exec 8>"$cache/dynamorio.lock"
flock 8
if [ ! -f "$home/complete" ]; then
    echo "Building DynamoRIO (once; about a minute)" >&2
    scratch=$(mktemp -d "$cache/building-XXXXXX")
    trap 'rm -rf "$scratch"' EXIT
    cd "$scratch"
    fetch_source >&2
    rm -rf "$home"
    build "$home" >log 2>&1 || { tail -n 30 log >&2; fail "building DynamoRIO failed (its last lines are above)"; }
    touch "$home/complete"
fi
echo "$home/cmake"
