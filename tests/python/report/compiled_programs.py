"""Programs whose calls are inlined, by several compilers, and what other tools say of their frames."""

from __future__ import annotations

import itertools
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from elftools.elf.elffile import ELFFile

from malloom.report.source_calls import SourceCall

C_SOURCE = """
#include <stdlib.h>
#include <stdio.h>
struct node { struct node* next; int value; };
static struct node* head;
static void* xmalloc(size_t bytes) {
    void* object = malloc(bytes);
    if (!object) abort();
    return object;
}
static void push(int value) {
    struct node* made = xmalloc(sizeof *made);
    made->value = value;
    made->next = head;
    head = made;
}
static char* look(int value) {
    char* text = xmalloc(100 + value);
    text[0] = (char)value;
    return text;
}
int main(int count, char** arguments) {
    for (int i = 0; i < 10; i++) {
        push(i);
        puts(look(i));
    }
    return count == 0 || arguments == 0 || head == 0;
}
"""
CPP_SOURCE = """
#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>
namespace shapes {
struct Shape { virtual ~Shape() = default; virtual std::string name() const = 0; };
template <typename T> struct Named : Shape {
    T value;
    explicit Named(T of) : value(of) {}
    std::string name() const override { return "shape number " + std::to_string(value); }
};
static std::unique_ptr<Shape> make(int n) {
    if (n % 2) return std::make_unique<Named<int>>(n);
    return std::make_unique<Named<double>>(n);
}
static void fill(std::vector<std::unique_ptr<Shape>>& all, int n) {
    for (int i = 0; i < n; ++i) all.push_back(make(i));
}
}
int main(int count, char**) {
    std::vector<std::unique_ptr<shapes::Shape>> all;
    shapes::fill(all, 100 * count);
    std::map<std::string, int> counts;
    std::unordered_map<int, std::string> names;
    std::function<void(int)> add = [&](int i) { names[i] = all[i]->name(); counts[names[i]]++; };
    try { for (int i = 0; i < 100; ++i) add(i); } catch (...) { return 1; }
    std::vector<std::string> sorted;
    for (auto& [name, number] : counts) sorted.emplace_back(name);
    std::sort(sorted.begin(), sorted.end());
    std::puts(sorted[0].c_str());
}
"""
RUST_SOURCE = """
use std::collections::HashMap;
#[inline(always)]
fn boxed(n: usize) -> Box<[u8]> { vec![n as u8; n].into_boxed_slice() }
fn push(all: &mut Vec<Box<[u8]>>, n: usize) { all.push(boxed(n)); }
mod inner {
    pub fn look(names: &mut std::collections::HashMap<usize, String>, n: usize) {
        names.insert(n, format!("name {}", n));
    }
}
fn main() {
    let mut all = Vec::new();
    let mut names = HashMap::new();
    for i in 1..100 { push(&mut all, i); inner::look(&mut names, i); }
    let mut sorted: Vec<_> = names.values().cloned().collect();
    sorted.sort();
    println!("{} {}", all.len(), sorted[0]);
}
"""

COMPILERS = {
    "gcc": ("c", C_SOURCE),
    "clang-19": ("c", C_SOURCE),
    "g++": ("cpp", CPP_SOURCE),
    "clang++-19": ("cpp", CPP_SOURCE),
    "rustc": ("rs", RUST_SOURCE),
}
"""The extension and the source of what each compiles."""


@dataclass(frozen=True)
class Frame:
    """A call in the source; a line of 0 is unknown."""

    file: str
    """File name."""
    line: int


def compiled(folder: Path, compiler: str, *flags: str) -> Path:
    """The program that `compiler` makes with debug information."""
    extension, text = COMPILERS[compiler]
    source, program = folder / f"source.{extension}", folder / "program"
    source.write_text(text)
    subprocess.run([compiler, "-g", *flags, "-o", program, source], check=True)
    return program


def return_addresses(program: Path) -> list[int]:
    """What the calls in a program's code push on the stack."""
    command = ["objdump", "-d", "--no-show-raw-insn", program]
    listing = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    instructions = re.findall(r"^ *([0-9a-f]+):\t(.*)$", listing, re.MULTILINE)
    following = itertools.pairwise(instructions)
    return [int(after, 16) for (_, code), (after, _) in following if re.match(r"((bnd|notrack) )?call", code)]


def function_addresses(program: Path) -> list[int]:
    """Those of every byte of a program's functions."""
    with program.open("rb") as file:
        symbols: Any = ELFFile(file).get_section_by_name(".symtab")
        spans = {
            (symbol["st_value"], symbol["st_size"])
            for symbol in symbols.iter_symbols()
            if symbol["st_info"]["type"] == "STT_FUNC"
        }
    return sorted({at for start, size in spans for at in range(start, start + size)})


def unit_names(program: Path) -> set[str]:
    """What the linker knows of whole files; Rust names its code generation units so."""
    with program.open("rb") as file:
        symbols: Any = ELFFile(file).get_section_by_name(".symtab")
        found = symbols.iter_symbols()
        return {symbol.name for symbol in found if symbol["st_info"]["type"] == "STT_FILE"}


def calls_of_llvm(program: Path, addresses: list[int]) -> dict[int, list[SourceCall]]:
    """The function, path and line of each frame at each address, innermost first."""
    command = ["llvm-symbolizer-19", "--output-style=GNU", "--no-demangle", "-a", "-i", "-f", "-e"]
    said = _lines([*command, str(program)], addresses)
    return {
        address: [_source_call(*frame) for frame in zip(lines[::2], lines[1::2], strict=True)]
        for address, lines in said.items()
    }


def frames_of_addr2line(program: Path, addresses: list[int]) -> dict[int, list[Frame]]:
    """The frames at each address, innermost first."""
    return _frames(["addr2line", "-a", "-i", "-f", "-e", str(program)], addresses)


def frames_of_llvm(program: Path, addresses: list[int]) -> dict[int, list[Frame]]:
    """The same from LLVM's tool."""
    command = ["llvm-symbolizer-19", "--output-style=GNU", "-a", "-i", "-f", "-e", str(program)]
    return _frames(command, addresses)


def functions_of_addr2line(program: Path, addresses: list[int]) -> dict[int, list[str]]:
    """The demangled functions at each address, innermost first."""
    said = _lines(["addr2line", "-a", "-i", "-f", "-C", "-e", str(program)], addresses)
    return {address: lines[::2] for address, lines in said.items()}


def _frames(command: list[str], addresses: list[int]) -> dict[int, list[Frame]]:
    said = _lines(command, addresses)
    return {address: [_frame(line) for line in lines[1::2]] for address, lines in said.items()}


def _lines(command: list[str], addresses: list[int]) -> dict[int, list[str]]:
    """What a tool says of each address: for each frame a line with the function and one with the place."""
    asked = "\n".join(map(hex, addresses))
    said = subprocess.run(command, input=asked, capture_output=True, text=True, check=True).stdout
    parts = re.split(r"^(0x[0-9a-f]+)\n", said, flags=re.MULTILINE)[1:]
    return {
        int(address, 16): text.splitlines() for address, text in zip(parts[::2], parts[1::2], strict=True)
    }


def _source_call(function: str, place: str) -> SourceCall:
    file, _, line = place.partition(" (")[0].rpartition(":")
    return SourceCall(function, file if file != "??" else "", int(line) if line.isdecimal() else 0)


def _frame(place: str) -> Frame:
    """From `/folder/file.c:12 (discriminator 3)`; `?` and 0 stand for what is not known."""
    file, _, line = place.partition(" ")[0].rpartition(":")
    number = int(line) if line.isdecimal() else 0
    return Frame(file.rpartition("/")[2] if number else "", number)
