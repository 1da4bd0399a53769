#!/usr/bin/env bash
# Draws the paper's figures 1, 2, 4 and 5 of the unit as it is: hardware/pictures/draw.sh FOLDER. Needs Yosys, Icarus Verilog and
# Node with npm; what draws is fetched, with its version, into build/pictures.
set -euo pipefail
folder=$(realpath -m "$1")
cd "$(dirname "$0")/../.."
mkdir -p "$folder" build/pictures
ulimit -s unlimited

[ -d build/pictures/node_modules ] ||
    npm install --silent --no-audit --no-fund --prefix build/pictures netlistsvg@1.0.2 wavedrom-cli@3.2.0
tools=build/pictures/node_modules/.bin

# The schematic of a module: schematic FIGURE MODULE COMMAND..., where commands are Yosys's. Modules lose their parameters'
# values from their names.
schematic() {
    local netlist=build/pictures/$1.json
    yosys -q -p "read_verilog hardware/rtl/*.v; $3; write_json $netlist"
    sed -E -i 's/"\$paramod(\$[0-9a-f]+)?\\\\([a-z_]+)[^"]*"/"\2"/g' "$netlist"
    # It splits wide buses by recursion, deeper than its stack is.
    node --stack-size=60000 "$tools/netlistsvg" "$netlist" -o "$folder/pages-$1.svg"
}

schematic figure1 page_unit "hierarchy -top page_unit; proc; opt_clean"
schematic figure2 chunk_unit "hierarchy -top chunk_unit; proc; opt_clean"
schematic figure4 page_unit "chparam -set CHUNKS 4 page_unit; hierarchy -top page_unit; proc; flatten; simplemap; opt_clean"

iverilog -g2005 -o build/pictures/waves -s waves hardware/pictures/waves.v hardware/rtl/*.v
vvp -n build/pictures/waves | python3 hardware/pictures/waves.py >build/pictures/waves.json
"$tools/wavedrom-cli" -i build/pictures/waves.json -s "$folder/pages-figure5.svg"
