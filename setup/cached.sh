#!/usr/bin/env bash
# Runs a command that builds: setup/cached.sh COMMAND... With ccache, where it is installed, each source that is compiled alike in
# the wheel, in the release build or in another clone is compiled once: objects are kept in the user's cache folder.
set -euo pipefail
cd "$(dirname "$0")/.."

if command -v ccache >/dev/null; then
    cache=${XDG_CACHE_HOME:-${HOME:+$HOME/.cache}}/malloom
    [ "$cache" != /malloom ] && mkdir -p "$cache" 2>/dev/null && [ -w "$cache" ] || cache=$PWD/build/cache
    export CCACHE_DIR=$cache/ccache CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache
    # Another clone has the same sources under another path.
    export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
    # What a source includes is read from the compiler's own notes; to preprocess it beforehand takes a sixth of the time.
    export CCACHE_DEPEND=1
    # Precompiled headers, and what is compiled with them, are not kept otherwise. No source asks for the time of day.
    export CCACHE_SLOPPINESS=pch_defines,time_macros
fi
exec "$@"
