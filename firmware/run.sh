#!/usr/bin/env bash
# Runs a program on its target, the simulated core or an emulator: firmware/run.sh TARGET [OPTION...] PROGRAM
#   TARGET              riscv_core, mps2_an385, linux_aarch64, linux_riscv64 or host, as the program was made for
#   --data FILE         what board_data() is
#   --seconds N         how long it may run (600); the simulated core has --limit instead
# The simulated core has further options: build/firmware/simulated_core/malloom-core --help
# The exit status is the program's; 124 where it took too long, 125 where the processor or the memory refused what it did.
set -euo pipefail

fail() {
    echo "malloom: $1" >&2
    exit 2
}

[ $# -ge 2 ] || fail "which program, on which target? (firmware/run.sh TARGET [OPTION...] PROGRAM)"
target=$1
shift
if [ "$target" = riscv_core ]; then
    exec "$(dirname "$0")/../build/firmware/simulated_core/malloom-core" "$@"
fi

seconds=600
data=
while [ $# -gt 1 ]; do
    case $1 in
        --data) data=$2 ;;
        --seconds) seconds=$2 ;;
        *) fail "there is no option $1 for $target" ;;
    esac
    shift 2
done
[ $# = 1 ] || fail "which program? (firmware/run.sh TARGET [OPTION...] PROGRAM)"
[ -z "$data" ] || [ -f "$data" ] || fail "there is no file $data"

# Each instruction takes the same time, so that every run is the same.
on_cortex_m3() {
    local memory=()
    if [ -n "$data" ]; then
        memory=(-device "loader,addr=0x21000000,data=$(stat -Lc %s "$data"),data-len=4"
            -device "loader,addr=0x21000010,file=$data,force-raw=on")
    fi
    exec timeout "$seconds" qemu-system-arm -M mps2-an385 -display none -monitor none -serial stdio -icount shift=0 \
        -semihosting-config enable=on,target=native "${memory[@]}" -kernel "$1" </dev/null
}

on_linux() {
    if [ -n "$data" ]; then export BOARD_DATA=$data; fi
    exec timeout "$seconds" "$@" </dev/null
}

status=0
case $target in
    mps2_an385) (on_cortex_m3 "$1") || status=$? ;;
    linux_aarch64) (on_linux qemu-aarch64 "$1") || status=$? ;;
    linux_riscv64) (on_linux qemu-riscv64 "$1") || status=$? ;;
    host) (on_linux "$1") || status=$? ;;
    *) fail "there is no target $target" ;;
esac
if [ "$status" = 124 ]; then
    echo "malloom: the program was ended after $seconds seconds (--seconds)" >&2
fi
exit "$status"
