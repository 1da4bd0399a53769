#!/usr/bin/env bash
# Builds what firmware runs on and is measured with, and its programs for every board, into build/firmware:
# setup/firmware.sh [PART...], where PART is simulated_core or a preset of firmware/CMakePresets.json; all without.
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

# Verilator's C++ is quicker by a tenth as Clang compiles it. The simulated core's programs have other allocators in them, to
# compare with.
configure() {
    local verilog
    if [ "$1" = riscv_core ]; then
        local tlsf o1heap
        tlsf=$(setup/tlsf.sh) && o1heap=$(setup/o1heap.sh) &&
            setup/cached.sh cmake -S firmware --preset "$1" -DMALLOOM_TLSF="$tlsf" -DMALLOOM_O1HEAP="$o1heap"
    elif [ "$1" != simulated_core ]; then
        setup/cached.sh cmake -S firmware --preset "$1"
    else
        verilog=$(processor) &&
            setup/cached.sh cmake -G Ninja -S firmware/simulated_core -B build/firmware/simulated_core \
                -DCMAKE_C_COMPILER=clang-19 -DCMAKE_CXX_COMPILER=clang++-19 -DMALLOOM_VEXRISCV="$verilog"
    fi
}

mkdir -p build/firmware
exec 9>build/firmware/lock
flock 9
[ $# -gt 0 ] || set -- simulated_core riscv_core mps2_an385 linux_aarch64 linux_riscv64
for part in "$@"; do
    log=build/firmware/$part.log
    { configure "$part" && setup/cached.sh cmake --build "build/firmware/$part"; } >"$log" 2>&1 ||
        { tail -n 30 "$log" >&2; echo "malloom: building $part failed (its last lines are above)" >&2; exit 1; }
done
