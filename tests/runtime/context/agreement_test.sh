#!/bin/sh
# agreement_test.sh LIBRARY SOURCES: real programs, in every malloc of which malloom's call chain must be backtrace()'s, reduced,
# in at least 9,990 of 10,000 requests.
set -eu
library=$1
sources=$2
export LC_ALL=C.UTF-8 # how much programs ask for depends on it
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
printf '#include <map>\n#include <string>\nint f() { std::map<std::string, int> m{{"a", 1}}; return m["a"]; }\n' \
    > "$work/x.cpp"

# check NAME LEAST COMMAND...: runs it and judges; LEAST walks must have happened, so that an empty run is no success.
check() {
    name=$1 least=$2
    shift 2
    rm -f "$work/report"
    MALLOOM_AGREEMENT="$work/report" LD_PRELOAD="$library" "$@" > /dev/null
    awk -v name="$name" -v least="$least" '
        NF == 2 && $1 ~ /^[0-9]+$/ { walks += $1; agreed += $2; next }
        { print }
        END {
            printf "%s: %d of %d call chains agree\n", name, agreed, walks
            exit !(walks >= least && agreed >= 0.999 * walks)
        }' "$work/report"
}

check python 1000 /usr/bin/python3 -c 'import json, re; print(len(json.dumps([str(i) * 300 for i in range(3000)])))'
check git 100 git -C "$sources" grep --no-index --threads=1 -h include -- runtime
check gcc 100000 g++ -O2 -c "$work/x.cpp" -o "$work/x.o"
check sort 10 sort "$work/x.cpp"
