"""Bin heaps and their generators need no operating system and no library, on any of their machines."""

import subprocess
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from structure.source_tree import ROOT, files_with

FOLDERS = ("runtime/codegen/bins/", "runtime/heaps/bins/")
FILES = [name for name in files_with(".cpp", ".h") if name.startswith(FOLDERS) and "/adapter/" not in name]
SOURCES = [name for name in FILES if name.endswith(".cpp")]
HEADERS = [name for name in FILES if name.endswith(".h")]
COMPILE = [
    "clang++-19", "-std=c++20", "-Os", "-Wall", "-Wextra", "-Wshadow", "-Wconversion", "-Wno-sign-conversion",
    "-Werror", "-ffreestanding", "-nostdlibinc", "-fno-exceptions", "-fno-rtti", "-fno-stack-protector",
    "-fno-pic", f"-I{ROOT}",
]  # fmt: skip
TARGETS = {
    "x86-64": ["--target=x86_64-unknown-linux-gnu"],
    "AArch64": ["--target=aarch64-unknown-elf"],
    "Thumb-2": ["--target=thumbv7m-unknown-eabi", "-mcpu=cortex-m3"],
    "RV32IM": ["--target=riscv32-unknown-elf", "-march=rv32im", "-mabi=ilp32"],
    "RV64IM": ["--target=riscv64-unknown-elf", "-march=rv64im", "-mabi=lp64"],
}


def compiled(target: str, source: str | Path, folder: Path) -> ELFFile:
    """The object file of a source for that target."""
    made = folder / f"{Path(source).stem}.o"
    command = [*COMPILE, *TARGETS[target], "-c", ROOT / source, "-o", made]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return ELFFile(made.open("rb"))


def undefined_symbols(file: ELFFile) -> list[str]:
    tables = [part for part in file.iter_sections() if isinstance(part, SymbolTableSection)]
    symbols = [symbol for table in tables for symbol in table.iter_symbols()]
    return [found.name for found in symbols if found.name and found["st_shndx"] == "SHN_UNDEF"]


@pytest.mark.parametrize("target", TARGETS)
def test_only_its_own_functions_are_called(target: str, tmp_path: Path) -> None:
    assert SOURCES
    for source in SOURCES:
        called = undefined_symbols(compiled(target, source, tmp_path))
        assert [name for name in called if "malloom" not in name] == [], source


@pytest.mark.parametrize("target", TARGETS)
def test_nothing_is_there_to_be_initialised(target: str, tmp_path: Path) -> None:
    """No static constructors, and no variables."""
    for source in SOURCES:
        parts = compiled(target, source, tmp_path).iter_sections()
        sections = {part.name for part in parts if part["sh_size"]}
        assert sections & {".init_array", ".ctors", ".data", ".bss"} == set(), source


@pytest.mark.parametrize("header", HEADERS)
def test_header_stands_alone(header: str, tmp_path: Path) -> None:
    source = tmp_path / "alone.cpp"
    source.write_text(f'#include "{header}"\n')
    compiled("RV32IM", source, tmp_path)
