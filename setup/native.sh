#!/usr/bin/env bash
# Builds a CMake preset: setup/native.sh PRESET [TARGET...], all of it, like the C++ tests, where no target is named.
set -euo pipefail
cd "$(dirname "$0")/.."

mkdir -p build
exec 9>"build/$1.lock"
flock 9
DynamoRIO_DIR=$(setup/dynamorio.sh | tail -n 1)
export DynamoRIO_DIR
preset=$1
shift
options=()
# ThreadSanitizer finds its place taken where the kernel randomises addresses by more than 28 bits.
if [ "$preset" = threads ] && setarch -R true 2>/dev/null; then
    options=("-DCMAKE_CROSSCOMPILING_EMULATOR=$(command -v setarch);-R")
fi
log=build/$preset-configure.log
setup/cached.sh cmake --preset "$preset" "${options[@]}" >"$log" 2>&1 ||
    { cat "$log"; rm -f "build/$preset/CMakeCache.txt"; exit 1; } # one without flags would stay
setup/cached.sh cmake --build --preset "$preset" ${1:+--target "$@"}
