#!/usr/bin/env bash
# Builds libmalloom.so, pairs and pool_pairs as of a commit, once, and prints as its last line the folder of the build:
# setup/build_at.sh COMMIT [OPTION[=VALUE]], where OPTION is one of CMake's that the commit's sources know, like
# MALLOOM_UNCHECKED, which is ON without a value.
set -euo pipefail
cd "$(dirname "$0")/.."

fail() {
    echo "malloom: $1" >&2
    exit 1
}

commit=$(git rev-parse --verify --quiet "$1^{commit}") ||
    fail "there is no commit $1 in this history; fetch the whole of it (git fetch --unshallow), or name another with --against"
option=${2:-}
name=${option%%=*}
[ "$option" = "$name" ] && value=ON || value=${option#*=}
folder=build/commits/$commit${option:+-$option}

mkdir -p build/commits
exec 9>build/commits/lock
flock 9
if [ ! -f "$folder/complete" ]; then
    rm -rf "$folder"
    mkdir -p "$folder/source"
    git archive "$commit" | tar -x -C "$folder/source"
    [ -z "$option" ] || grep -REqs "(option|set)\($name\b" "$folder/source/CMakeLists.txt" "$folder/source/cmake" "$folder/source/runtime" ||
        fail "the sources of commit $1 know no build option $name; measure a commit that has it"
    { setup/cached.sh cmake -G Ninja -S "$folder/source" -B "$folder/build" -DCMAKE_BUILD_TYPE=Release ${option:+-D"$name=$value"} \
        -DMALLOOM_PYTHON=OFF -DMALLOOM_DYNAMORIO=OFF -DMALLOOM_TESTS=OFF -DMALLOOM_WORKLOADS=ON &&
        setup/cached.sh cmake --build "$folder/build" --target malloom pairs pool_pairs; } >"$folder/log" 2>&1 ||
        { tail -n 30 "$folder/log" >&2; fail "building commit $1 failed (its last lines are above; all are in $folder/log)"; }
    touch "$folder/complete"
fi
echo "$PWD/$folder/build"
