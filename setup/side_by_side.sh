#!/usr/bin/env bash
# Runs commands at the same time, and fails where one of them does: setup/side_by_side.sh COMMAND..., each as one argument.
set -euo pipefail
cd "$(dirname "$0")/.."

started=()
for command in "$@"; do
    bash -euo pipefail -c "$command" &
    started+=($!)
done
status=0
for each in "${started[@]}"; do wait "$each" || status=1; done
exit $status
