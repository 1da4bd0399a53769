#!/usr/bin/env bash
# Builds the wheel, build/wheel/malloom-*.whl, and installs it into .venv, so that .venv/bin/malloom is what a user would get:
# setup/wheel.sh [ON|OFF], with or without the compiler; where neither is said, with it where LLVM is installed.
set -euo pipefail
cd "$(dirname "$0")/.."

mkdir -p build
exec 9>build/wheel.lock
flock 9
DynamoRIO_DIR=$(setup/dynamorio.sh | tail -n 1)
export DynamoRIO_DIR
rm -rf build/wheel
setup/cached.sh .venv/bin/python -m pip wheel --quiet --no-build-isolation --no-deps --wheel-dir build/wheel \
    --config-settings=cmake.define.MALLOOM_COMPILER="${1:-AUTO}" .
# What users' systems must have for it, as auditwheel finds; only where that is installed, with what tests need.
if .venv/bin/python -c 'import auditwheel, wheel' 2>/dev/null; then
    platform=$(.venv/bin/python -m auditwheel show --json build/wheel/malloom-*.whl 2>/dev/null |
        .venv/bin/python -c 'import json, sys; print(json.load(sys.stdin)["overall_tag"])')
    .venv/bin/python -m wheel tags --remove --platform-tag "$platform" build/wheel/malloom-*.whl >/dev/null
fi
.venv/bin/python -m pip install --quiet --no-deps --force-reinstall build/wheel/malloom-*.whl
