#!/usr/bin/env bash
# Builds the wheel and installs it into .venv, so that .venv/bin/malloom is what a user would get: setup/wheel.sh [ON|OFF], with or
# without the compiler; where neither is said, with it where LLVM is installed.
set -euo pipefail
cd "$(dirname "$0")/.."

mkdir -p build
exec 9>build/wheel.lock
flock 9
DynamoRIO_DIR=$(setup/dynamorio.sh | tail -n 1)
export DynamoRIO_DIR
setup/cached.sh .venv/bin/python -m pip install --quiet --no-build-isolation --no-deps --force-reinstall \
    --config-settings=cmake.define.MALLOOM_COMPILER="${1:-AUTO}" .
