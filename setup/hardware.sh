#!/usr/bin/env bash
# Builds the simulation of the chunk unit, and its tests, into build/hardware. Quick where nothing has changed.
set -euo pipefail
cd "$(dirname "$0")/.."

mkdir -p build/hardware
exec 9>build/hardware/lock
flock 9
log=build/hardware.log
{ setup/cached.sh cmake -G Ninja -S hardware -B build/hardware && setup/cached.sh cmake --build build/hardware; } >"$log" 2>&1 ||
    { tail -n 30 "$log" >&2; echo "malloom: building the chunk unit failed (its last lines are above)" >&2; exit 1; }
