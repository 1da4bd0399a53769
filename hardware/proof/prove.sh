#!/usr/bin/env bash
# Proves properties, outputs of a file beside this one, by induction over cycles: prove.sh FILE PROPERTY,... [NAME=VALUE...] [SOURCE...],
# where FILE is page_proof or window_proof, a value is of a parameter, and sources are taken instead of those of
# hardware/rtl. Several follow together from what they are all in the cycles before. The exit status is 1 where one does not
# hold; the log shows how.
set -euo pipefail

here=$(dirname "$0")
top=$1 properties=$2
shift 2
parameters=
while [[ ${1:-} = *=* ]]; do
    parameters+="chparam -set ${1%%=*} ${1#*=} $top; "
    shift
done
[ $# -gt 0 ] || set -- "$here"/../rtl/*.v

# What a unit holds is no port of it: an input of the proof is connected with the signal of that name.
connections=
if [ "$top" = window_proof ]; then
    for signal in masks addresses lowests has changed filled drained place changes fills becomes_free; do
        connections+="delete -input $top/w:${signal}_i; connect -nomap -nounset -set ${signal}_i window_unit.$signal; "
    done
fi
# An induction over more than a few cycles would take hours: what is proven of a page holds from one cycle to the next, and
# a fault of the window unit shows within two requests.
most_cycles=3
if [ "$top" = window_proof ]; then most_cycles=8; fi
yosys -p "read_verilog $* $here/$top.v; $parameters hierarchy -top $top; proc; flatten; $connections opt_clean
    sat -tempinduct -verify -maxsteps $most_cycles -prove ${properties//,/ 1 -prove } 1 -show-inputs $top"
