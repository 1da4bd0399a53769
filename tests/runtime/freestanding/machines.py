"""Sources compiled for machines that have no operating system and no library."""

import subprocess
from pathlib import Path

from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from structure.source_tree import ROOT

COMPILE = [
    "-std=c++20", "-Os", "-Wall", "-Wextra", "-Wshadow", "-Wconversion", "-Wno-sign-conversion",
    "-Werror", "-ffreestanding", "-fno-exceptions", "-fno-rtti", "-fno-stack-protector",
    "-fno-pic", f"-I{ROOT}",
]  # fmt: skip
CLANG = ["clang++-19", "-nostdlibinc"]
TARGETS = {
    "x86-64": ["--target=x86_64-unknown-linux-gnu"],
    "AArch64": ["--target=aarch64-unknown-elf"],
    "Thumb-2": ["--target=thumbv7m-unknown-eabi", "-mcpu=cortex-m3"],
    "RV32IM": ["--target=riscv32-unknown-elf", "-march=rv32im", "-mabi=ilp32"],
    "RV64IM": ["--target=riscv64-unknown-elf", "-march=rv64im", "-mabi=lp64"],
}
RISCV_GCC = ["riscv64-unknown-elf-g++", "-fno-threadsafe-statics", "-fno-tree-loop-distribute-patterns"]
MACHINES = {
    **{name: [*CLANG, *options] for name, options in TARGETS.items()},
    "RV32IM with GCC": [*RISCV_GCC, "-march=rv32im", "-mabi=ilp32"],
    "RV64IM with GCC": [*RISCV_GCC, "-march=rv64im", "-mabi=lp64"],
}
"""Compilers differ in what they call a library for where code is to be small."""


def compiled(machine: str, source: str | Path, folder: Path) -> ELFFile:
    """The object file of a source for that machine."""
    made = folder / f"{Path(source).stem}.o"
    command = [*MACHINES[machine], *COMPILE, "-c", ROOT / source, "-o", made]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return ELFFile(made.open("rb"))


def undefined_symbols(file: ELFFile) -> list[str]:
    tables = [part for part in file.iter_sections() if isinstance(part, SymbolTableSection)]
    symbols = [symbol for table in tables for symbol in table.iter_symbols()]
    return [found.name for found in symbols if found.name and found["st_shndx"] == "SHN_UNDEF"]


def variables_of(file: ELFFile) -> set[str]:
    """The sections of what would have to be initialised, or changes."""
    sections = {part.name for part in file.iter_sections() if part["sh_size"]}
    return sections & {".init_array", ".ctors", ".data", ".bss"}
