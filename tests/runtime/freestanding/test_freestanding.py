"""What needs no operating system is compiled and linked without one, and without a C or C++ library."""

import subprocess
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from structure.source_tree import ROOT, files_with, text_of

SOURCE = "tests/runtime/freestanding/freestanding.cpp"
FREESTANDING = "runtime/structures/freestanding/"
FREESTANDING_HEADERS = [name for name in files_with(".h") if name.startswith(FREESTANDING)]
COMPILE = [
    "clang++-19", "-std=c++20", "-O2", "-Wall", "-Wextra", "-Werror", "-ffreestanding", "-nostdlibinc",
    "-fno-exceptions", "-fno-rtti", "-fno-stack-protector", "-fno-pic", f"-I{ROOT}",
]  # fmt: skip
"""No header but the compiler's own and the tree's is found, so none of an operating system can come in."""

TARGETS = {
    "x86-64": ["--target=x86_64-unknown-linux-gnu"],
    "RV32IM": ["--target=riscv32-unknown-elf", "-march=rv32im", "-mabi=ilp32"],
    "RV32IMA": ["--target=riscv32-unknown-elf", "-march=rv32ima", "-mabi=ilp32"],
}
MACHINES = {"x86-64": "EM_X86_64", "RV32IM": "EM_RISCV", "RV32IMA": "EM_RISCV"}


def run(*command: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, check=False)


def compiled(target: str, source: Path, folder: Path) -> Path:
    """The object file of a source for that target."""
    made = folder / "freestanding.o"
    done = run(*COMPILE, *TARGETS[target], "-c", source, "-o", made)
    assert done.returncode == 0, done.stderr
    return made


def undefined_symbols(path: Path) -> list[str]:
    with path.open("rb") as stream:
        tables = [part for part in ELFFile(stream).iter_sections() if isinstance(part, SymbolTableSection)]
        symbols = [symbol for table in tables for symbol in table.iter_symbols()]
        return [found.name for found in symbols if found.name and found["st_shndx"] == "SHN_UNDEF"]


@pytest.mark.parametrize("target", TARGETS)
def test_nothing_is_left_undefined(target: str, tmp_path: Path) -> None:
    made = compiled(target, ROOT / SOURCE, tmp_path)
    assert undefined_symbols(made) == []
    program = tmp_path / "freestanding"
    done = run("ld.lld-19", "--no-undefined", "-static", made, "-o", program)
    assert done.returncode == 0, done.stderr
    with program.open("rb") as stream:
        assert ELFFile(stream)["e_machine"] == MACHINES[target]


def test_it_works_without_a_library(tmp_path: Path) -> None:
    made = compiled("x86-64", ROOT / SOURCE, tmp_path)
    program = tmp_path / "freestanding"
    assert run("ld.lld-19", "-static", made, "-o", program).returncode == 0
    assert run(program).returncode == 0


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("header", ["runtime/heaps/heap.h", *FREESTANDING_HEADERS])
def test_header_stands_alone(target: str, header: str, tmp_path: Path) -> None:
    """Each by itself, so that none leans on what another includes."""
    source = tmp_path / "alone.cpp"
    source.write_text(f'#include "{header}"\n')
    compiled(target, source, tmp_path)


def test_every_header_is_used() -> None:
    """Inline functions that nobody calls are not compiled, and would not be missed."""
    assert FREESTANDING_HEADERS
    assert [name for name in FREESTANDING_HEADERS if f'#include "{name}"' not in text_of(SOURCE)] == []


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("#include <sched.h>", "'sched.h' file not found"),
        ("#include <atomic>", "'atomic' file not found"),
        ('#include "runtime/structures/alone.h"', "'sys/single_threaded.h' file not found"),
    ],
)
def test_header_of_an_operating_system_is_found_out(text: str, missing: str, tmp_path: Path) -> None:
    source = tmp_path / "hosted.cpp"
    source.write_text(text + "\n")
    done = run(*COMPILE, *TARGETS["RV32IM"], "-c", source, "-o", tmp_path / "hosted.o")
    assert done.returncode != 0
    assert missing in done.stderr


def test_call_of_a_missing_library_is_found_out(tmp_path: Path) -> None:
    source = tmp_path / "wide.cpp"
    source.write_text(
        "unsigned long long word;\n"
        "unsigned long long read() { return __atomic_load_n(&word, __ATOMIC_RELAXED); }\n"
    )
    without_warning = [word for word in COMPILE if word != "-Werror"]
    made = tmp_path / "wide.o"
    assert run(*without_warning, *TARGETS["RV32IMA"], "-c", source, "-o", made).returncode == 0
    assert undefined_symbols(made) == ["__atomic_load_8"]
