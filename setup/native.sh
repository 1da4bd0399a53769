#!/usr/bin/env bash
# Builds the C++ tests and the workloads of a CMake preset: setup/native.sh release|checked|threads|fuzz
set -euo pipefail
cd "$(dirname "$0")/.."

mkdir -p build
exec 9>"build/$1.lock"
flock 9
DynamoRIO_DIR=$(setup/dynamorio.sh | tail -n 1)
export DynamoRIO_DIR
options=()
# ThreadSanitizer finds its place taken where the kernel randomises addresses by more than 28 bits.
if [ "$1" = threads ] && setarch -R true 2>/dev/null; then
    options=("-DCMAKE_CROSSCOMPILING_EMULATOR=$(command -v setarch);-R")
fi
setup/cached.sh cmake --preset "$1" "${options[@]}" >"build/$1-configure.log" 2>&1 || { cat "build/$1-configure.log"; exit 1; }
setup/cached.sh cmake --build --preset "$1"
