#!/usr/bin/env bash
# Ensures picolibc's malloc and free, which the bin heap is compared with, as objects for RV32IM, and prints the folder that they
# are in. They come from Debian's package picolibc-riscv64-unknown-elf, which has them compiled at -O2. All their names begin
# with picolibc_ here, so that nothing else is linked with them by chance.
set -euo pipefail
cd "$(dirname "$0")/.."

package=/usr/lib/picolibc/riscv64-unknown-elf/lib/release/rv32im/ilp32/libc.a
folder=$PWD/build/peers/picolibc
[ -f "$package" ] || { echo "malloom: there is no $package; install picolibc-riscv64-unknown-elf" >&2; exit 1; }
mkdir -p "$folder"
for part in malloc free; do
    object=$folder/$part.o
    if [ ! "$object" -nt "$package" ]; then
        riscv64-unknown-elf-ar p "$package" "nano-malloc-$part.c.o" >"$object.taken"
        riscv64-unknown-elf-objcopy --prefix-symbols=picolibc_ "$object.taken" "$object"
    fi
done
echo "$folder"
