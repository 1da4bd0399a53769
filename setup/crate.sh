#!/usr/bin/env bash
# Sourced by scripts that build a C or C++ library whose source a Rust crate carries: fetches the crate with cargo
# (nothing of it is compiled as Rust), builds once, and keeps what was built in the user's cache. They set before:
#   crate, version, checksum    the crate, and its SHA-256 as the registry publishes it
#   replaced                    the crates that it directly depends on, as NAME=VERSION with blanks between: replaced by
#                               empty packages, so that nothing else is fetched, and so that an old cargo need not
#                               understand newer packages
#   otherwise                   what else a user can do where the crate cannot be fetched; may be empty
#   own                         an array of the tree's files that the build takes too; may be unset
set -euo pipefail

fail() {
    echo "malloom: $1" >&2
    exit 1
}

make_manifest() {
    local stub
    mkdir -p manifest
    : >manifest/lib.rs
    {
        printf '[package]\nname = "fetch"\nversion = "0.0.0"\n[lib]\npath = "lib.rs"\n'
        printf '[dependencies]\n%s = "=%s"\n[patch.crates-io]\n' "$crate" "$version"
        for stub in $replaced; do printf '%s = { path = "%s" }\n' "${stub%=*}" "${stub%=*}"; done
    } >manifest/Cargo.toml
    for stub in $replaced; do
        mkdir -p "manifest/${stub%=*}"
        printf '[package]\nname = "%s"\nversion = "%s"\n[lib]\npath = "../lib.rs"\n' "${stub%=*}" "${stub#*=}" \
            >"manifest/${stub%=*}/Cargo.toml"
    done
}

# Prints the folder in which cargo keeps the crate's source.
fetch() {
    local cargo_version manifest folder
    command -v cargo >/dev/null || fail "no cargo to fetch $crate with; install the package cargo${otherwise:+, or $otherwise}"
    make_manifest
    cargo_version=$(cargo --version | sed -E 's/^cargo 1\.([0-9]+).*/\1/')
    # Before 1.68 cargo downloads the index of all crates unless asked for the sparse protocol, which it has behind a gate.
    if [ "$cargo_version" -lt 68 ]; then export RUSTC_BOOTSTRAP=1 CARGO_UNSTABLE_SPARSE_REGISTRY=true; fi
    # Not cargo vendor: the old one leaves out files that the crate excludes and includes again.
    # What is in the version after a plus (a commit) no pattern may take for one.
    folder=$(printf '%s' "$crate-$version" | sed 's/[.+]/\\&/g')
    manifest=$(cd manifest && cargo metadata --quiet --format-version 1 --filter-platform x86_64-unknown-linux-gnu |
        grep -oE '"manifest_path":"[^"]*/'"$folder"'/Cargo.toml"' | cut -d'"' -f4) || manifest=
    [ -f "$manifest" ] || fail "cannot fetch $crate $version; check the network${otherwise:+, or $otherwise}"
    grep -q "checksum = \"$checksum\"" manifest/Cargo.lock ||
        fail "$crate $version is not the published one; remove cargo's cache and try again"
    echo "${manifest%/*}"
}

# The user's cache, or the source tree's: a service may have no home folder, or one that is not its own.
find_cache() {
    cache=${XDG_CACHE_HOME:-${HOME:+$HOME/.cache}}/malloom
    if [ "$cache" = /malloom ] || ! mkdir -p "$cache" 2>/dev/null || [ ! -w "$cache" ]; then
        cache=$(cd "$(dirname "$0")/.." && pwd)/build/cache
        mkdir -p "$cache"
        export CARGO_HOME=$cache/cargo
    fi
}

# build_once NAME DURATION: sets `home` to the folder of NAME as this very script builds it. Where it is not there yet,
# calls the script's `build SOURCE FOLDER`, in an empty folder, with the crate's source and the folder to fill.
build_once() {
    local source
    find_cache
    home=$cache/$1-$version-$(cat "$0" ${own[@]+"${own[@]}"} | sha256sum | cut -c1-12)
    exec 8>"$cache/$1.lock"
    flock 8
    if [ -f "$home/complete" ]; then return; fi
    echo "Building $1 (once; $2)" >&2
    scratch=$(mktemp -d "$cache/building-XXXXXX")
    trap 'rm -rf "$scratch"' EXIT
    cd "$scratch"
    source=$(fetch)
    rm -rf "$home"
    build "$source" "$home" >log 2>&1 || { tail -n 30 log >&2; fail "building $1 failed (its last lines are above)"; }
    touch "$home/complete"
}
