#!/usr/bin/env bash
# Sourced by scripts that need mimalloc's source: the crate that carries it, for setup/crate.sh.
set -euo pipefail

# shellcheck disable=SC2034
crate=libmimalloc-sys
version=0.1.49
checksum=6a45a52f43e1c16f667ccfe4dd8c85b7f7c204fd5e3bf46c5b0db9a5c3c0b8e9
replaced="cc=1.2.0"
otherwise=
