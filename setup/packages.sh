#!/usr/bin/env bash
# Installs the Debian packages of setup/debian-packages.txt that this machine lacks, and cargo where there is none:
# setup/packages.sh [GOAL], where `demo` has only what malloom is built with, and a program to optimize; `test` all for the
# tests of `make test`; `firmware` what boards need as well, `bench` all that is measured too, `soak` everything. Without a goal
# all but for the simulated core, for the chunk unit, for firmware, for measuring and for long runs.
# Quick, and without network or root, where nothing is missing.
set -euo pipefail
cd "$(dirname "$0")/.."

fail() {
    echo "malloom: $1" >&2
    exit 1
}

# The lists of the file without those that the goal does not need, by the first words of their comments.
wanted() {
    local without
    case ${1:-} in
        demo) without='LLVM|the newest LLVM|another system|the simulated core|the chunk unit|timing|firmware|Rust for RISC-V|tests and checks|allocators|real programs|more real programs' ;;
        test) without='the newest LLVM|another system|timing|firmware|Rust for RISC-V|more real programs' ;;
        firmware) without='the newest LLVM|another system|more real programs' ;;
        bench) without='the newest LLVM|another system' ;;
        soak) without='nothing' ;;
        *) without='the newest LLVM|another system|the simulated core|the chunk unit|timing|firmware|Rust for RISC-V|more real programs' ;;
    esac
    sed -E -e "/^# ($without)/,/^\$/d" -e 's/#.*//' setup/debian-packages.txt
    case ${1:-} in firmware | bench | soak) return ;; esac # their list for RISC-V has both of these
    command -v cargo >/dev/null || echo cargo # it fetches the sources of DynamoRIO and mimalloc
    if [ "${1:-}" != demo ] && ! command -v rustc >/dev/null; then echo rustc; fi # tests compile a program with it
}

installed() { [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

# A new machine may still be updating itself: wait for its lock.
apt_get() { "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -y -qq -o DPkg::Lock::Timeout=300 "$@"; }

install() { apt_get install --no-install-recommends "${missing[@]}"; }

# A fresh machine has no package lists, an old one stale lists: an update repairs both.
install_or_update() {
    if apt-cache show "${missing[@]}" >/dev/null && install; then return; fi
    apt_get update && install
}

command -v dpkg-query >/dev/null ||
    fail "this is no Debian system; install what setup/debian-packages.txt lists under its own names"
missing=()
for package in $(wanted "$@"); do
    installed "$package" || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

as_root=(sudo)
if [ "$(id -u)" = 0 ]; then as_root=(); fi
[ ${#as_root[@]} = 0 ] || command -v sudo >/dev/null ||
    fail "these Debian packages are missing: ${missing[*]}; run as root, or install sudo"

echo "Installing Debian packages: ${missing[*]}"
mkdir -p build
install_or_update >build/packages.log 2>&1 ||
    { tail -n 30 build/packages.log >&2; fail "installing Debian packages failed (its last lines are above)"; }
