#!/usr/bin/env bash
# Runs a command that builds: setup/cached.sh COMMAND... The wheel and the release build compile many sources alike, and with
# ccache, where it is installed, each of these is compiled once.
set -euo pipefail
cd "$(dirname "$0")/.."

if command -v ccache >/dev/null; then
    export CCACHE_DIR=$PWD/build/ccache CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache
fi
exec "$@"
