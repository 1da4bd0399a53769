#!/usr/bin/env bash
# Puts the general allocators that `malloom optimize` tries, and that this tree builds, beside the installed command. One that
# cannot be built here, as without a network, is left out, and a line says so.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=.venv/lib/malloom/allocators
mkdir -p build
for each in mimalloc:mimalloc-3.so jemalloc:jemalloc-5.3.1.so snmalloc:snmalloc.so; do
    name=${each%%:*}
    if setup/cached.sh setup/"$name.sh" "$folder/${each##*:}" >build/"$name.log" 2>&1; then continue; fi
    echo "malloom optimize will do without $name: $(tail -n 1 build/"$name.log")"
done
