#!/usr/bin/env bash
# Builds the C++ tests and the workloads of a CMake preset: setup/native.sh release|checked|threads|fuzz
set -euo pipefail
cd "$(dirname "$0")/.."

mkdir -p build
exec 9>"build/$1.lock"
flock 9
DynamoRIO_DIR=$(setup/dynamorio.sh | tail -n 1)
export DynamoRIO_DIR
cmake --preset "$1" >"build/$1-configure.log" 2>&1 || { cat "build/$1-configure.log"; exit 1; }
cmake --build --preset "$1"
