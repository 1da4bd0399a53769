#!/usr/bin/env bash
# Ensures the C source of newlib's malloc, which the bin heap is compared with, and prints the folder that it is in. It comes
# from Debian's package newlib-source.
set -euo pipefail
cd "$(dirname "$0")/.."

package=/usr/src/newlib/newlib-3.3.0.tar.xz
folder=$PWD/build/peers/newlib
[ -f "$package" ] || { echo "malloom: there is no $package; install newlib-source 3.3.0" >&2; exit 1; }
if [ ! "$folder/mallocr.c" -nt "$package" ]; then
    mkdir -p "$folder"
    tar -C "$folder" -xJf "$package" --touch --strip-components=4 newlib-salsa/newlib/libc/stdlib/mallocr.c
fi
echo "$folder"
