#!/usr/bin/env bash
# Ensures the C source of o1heap, which the bin heap is compared with, and prints the folder that it is in. It comes from a
# Rust crate (setup/crate.sh).
set -euo pipefail

crate=o1heap
version=0.0.2
checksum=7e5641e4199d83332e5ee5bc4b71cd417ba1d554224875fde707bc3b0d1532a1
replaced="bindgen=0.72.0 cc=1.2.0"
otherwise=
# shellcheck source=setup/crate.sh
. "$(dirname "$0")/crate.sh"

build() {
    mkdir -p "$2"
    cp "$1"/o1heap/o1heap/o1heap.[ch] "$2"
}

build_once o1heap "a second"
echo "$home"
