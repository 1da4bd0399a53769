#!/usr/bin/env bash
# Builds what firmware runs on and is measured with, and its programs for every board, into build/firmware:
# setup/firmware.sh [PART...], where PART is simulated_core, chunk_core or window_core (that with a unit of hardware/), a
# preset of firmware/CMakePresets.json, or peers, which adds other allocators to the simulated core's programs; all without.
set -euo pipefail
cd "$(dirname "$0")/.."

requirement() {
    .venv/bin/python - <<'LIST'
import pathlib, tomllib
print(*tomllib.loads(pathlib.Path("pyproject.toml").read_text())["project"]["optional-dependencies"]["firmware"])
LIST
}

# The processor comes in a Python package of its own, which only this needs. Prints where its Verilog is.
processor() {
    .venv/bin/python -m pip install --quiet --no-deps "$(requirement)" >&2 &&
        .venv/bin/python -c 'from pythondata_cpu_vexriscv import data_file; print(data_file("VexRiscv_FullCfu.v"))'
}

# The allocators that the bin heap is compared with: the options that say where each one is.
peers() {
    local name folder
    for name in tlsf o1heap newlib picolibc; do
        folder=$("setup/$name.sh") && echo "-DMALLOOM_${name^^}=$folder" || return
    done
}

# The simulator of the core: core FOLDER OPTION...
core() {
    verilog=${verilog:-$(processor)} &&
        setup/cached.sh cmake -G Ninja -S firmware/simulated_core -B "build/firmware/$1" -DCMAKE_C_COMPILER=clang-19 \
            -DCMAKE_CXX_COMPILER=clang++-19 -DMALLOOM_VEXRISCV="$verilog" "${@:2}"
}

# The same with a module of hardware/ behind its custom instructions: core_with FOLDER MODULE.
core_with() {
    core "$1" -DMALLOOM_FUNCTION_UNIT="$(printf '%s;' "$PWD"/hardware/rtl/*.v)" -DMALLOOM_FUNCTION_MODULE="$2" -DMALLOOM_UNIT_RESTS=1
}

configure() {
    local options
    case $1 in
        simulated_core) core simulated_core ;;
        chunk_core) core_with chunk_core function_unit ;;
        window_core) core_with window_core window_function_unit ;;
        peers)
            options=$(peers) && readarray -t options <<<"$options" &&
                setup/cached.sh cmake -S firmware --preset riscv_core "${options[@]}"
            ;;
        *) setup/cached.sh cmake -S firmware --preset "$1" ;;
    esac
}

folder_of() {
    if [ "$1" = peers ]; then echo build/firmware/riscv_core; else echo "build/firmware/$1"; fi
}

verilog= # where the processor is, once it was asked for
mkdir -p build/firmware
exec 9>build/firmware/lock
flock 9
[ $# -gt 0 ] || set -- simulated_core chunk_core window_core peers mps2_an385 linux_aarch64 linux_riscv64
for part in "$@"; do
    log=build/firmware/$part.log
    # A cache of a failed start has no flags of any build type, and later runs would keep it.
    { { configure "$part" || { rm -f "$(folder_of "$part")/CMakeCache.txt"; false; }; } &&
        setup/cached.sh cmake --build "$(folder_of "$part")"; } >"$log" 2>&1 ||
        { tail -n 30 "$log" >&2; echo "malloom: building $part failed (its last lines are above)" >&2; exit 1; }
done
