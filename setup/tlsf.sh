#!/usr/bin/env bash
# Ensures the C source of TLSF (Conte's 3.1, as LVGL has it), which the bin heap is compared with, and prints the folder that
# it is in. It comes from a Rust crate (setup/crate.sh).
set -euo pipefail

crate=lvgl-sys
version=0.6.2
checksum=d697d889a2fd6bdfd350843cb9c9d8dc5b6a33f4eb8962a42f205e147a4643c2
replaced="cty=0.2.2 bindgen=0.64.0 cc=1.0.79"
otherwise=
# shellcheck source=setup/crate.sh
. "$(dirname "$0")/crate.sh"

build() {
    mkdir -p "$2"
    cp "$1/vendor/lvgl/src/misc/lv_tlsf.c" "$1/vendor/lvgl/src/misc/lv_tlsf.h" "$2"
}

build_once tlsf "a second"
echo "$home"
