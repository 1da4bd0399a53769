#!/usr/bin/env bash
# Proves a property of a page of 256 chunks, an output of page_proof.v, by induction over cycles: prove.sh PROPERTY [FILE...],
# where files are taken instead of those of hardware/rtl. The exit status is 1 where it does not hold; the log shows how.
set -euo pipefail

here=$(dirname "$0")
property=$1
shift
[ $# -gt 0 ] || set -- "$here"/../rtl/*.v
# An induction over more than a few cycles would take hours: all that is proven here holds from one cycle to the next.
most_cycles=3
yosys -p "read_verilog $* $here/page_proof.v; hierarchy -top page_proof; proc; flatten; opt_clean
    sat -tempinduct -verify -maxsteps $most_cycles -prove $property 1 -show-inputs page_proof"
