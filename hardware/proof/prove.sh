#!/usr/bin/env bash
# Proves properties, outputs of a file beside this one, by induction over cycles: prove.sh FILE PROPERTY,... [NAME=VALUE...] [SOURCE...],
# where FILE is page_proof, chunk_proof or window_proof, a value is of a parameter, and sources are taken instead of those of
# hardware/rtl. Several follow together from what they are all in the cycles before. The exit status is 1 where one does not
# hold; the log shows how.
set -euo pipefail

here=$(dirname "$0")
top=$1 properties=$2
shift 2
parameters=
page_bytes=4096
while [[ ${1:-} = *=* ]]; do
    if [ "${1%%=*}" = PAGE_BYTES ]; then page_bytes=${1#*=}; fi
    parameters+="chparam -set ${1%%=*} ${1#*=} $top; "
    shift
done
[ $# -gt 0 ] || set -- "$here"/../rtl/*.v

# What a unit holds is no port of it: an input of the proof is connected with a signal of the unit, connect INPUT SIGNAL.
connections=
connect() { connections+="delete -input $top/w:${1%[*}; connect -nomap -nounset -set $1 $2; "; }
if [ "$top" = window_proof ]; then
    for signal in masks addresses lowests has changed filled drained place changes fills becomes_free; do
        connect "${signal}_i" "window_unit.$signal"
    done
elif [ "$top" = chunk_proof ]; then
    connect waiting_i chunk_unit.waiting
    chunks=$((page_bytes / 16))
    for ((class = 0; chunks >> class > 1; class++)); do
        begin=$((class * chunks)) end=$((class * chunks + (chunks >> class)))
        connect "bitmaps_i[$((end - 1)):$begin]" "chunk_unit.classes[$class].used.size_class.bitmap"
        if [ $class -gt 0 ]; then connect "bitmaps_i[$((begin + chunks - 1)):$end]" "$((chunks - (end - begin)))'b0"; fi
    done
fi
# An induction over more than a few cycles would take hours: what is proven of a page holds from one cycle to the next, and
# a fault of a unit shows within two requests.
most_cycles=3
if [ "$top" != page_proof ]; then most_cycles=8; fi
yosys -p "read_verilog $* $here/$top.v; $parameters hierarchy -top $top; proc; flatten; $connections opt_clean
    sat -tempinduct -verify -maxsteps $most_cycles -prove ${properties//,/ 1 -prove } 1 -show-inputs $top"
