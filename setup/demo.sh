#!/usr/bin/env bash
# The main job on two unmodified programs: a tree walk, where the layout is nearly everything, and graphviz's dot.
# Needs 'make build' and the workload traverse; takes a minute and a half.
set -euo pipefail
cd "$(dirname "$0")/.."

malloom=$PWD/.venv/bin/malloom
traverse=$PWD/build/workloads/workloads/traverse/traverse
mkdir -p build/demo
.venv/bin/python - build/demo <<'INPUT'
import pathlib, sys
from malloom.bench.real_programs import dot
dot(120, 240).prepare(pathlib.Path(sys.argv[1]))
INPUT
cd build/demo

optimize() {
    printf '\n$ malloom optimize -- %s\n' "$*"
    "$malloom" optimize --seconds 30 -- "$@"
}
optimize "$traverse" 18 20
optimize dot -Tsvg graph-120.gv
