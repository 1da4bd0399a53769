"""Heaps with exact bins, as `malloom plan --for bins --language` writes them: compiled without a C library,
and called on the host, on the simulated core and as RV64 under qemu-user."""

import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from malloom.bench.bins.rust import Rust, bare_metal_rust, this_machines_rust
from malloom.layout.bin_layout import TARGETS
from malloom.layout.exact_bins import ExactBins, choose
from malloom.layout.exact_bins_source import c_source, manifest, rust_source
from malloom.profile.requests import requests_from_arrays
from structure.source_tree import ROOT

BOARDS = ROOT / "firmware/boards"
RV32 = ("-march=rv32im", "-misa-spec=2.2", "-mabi=ilp32")
STRICT = ("-std=c11", "-pedantic", "-Wall", "-Wextra", "-Wconversion", "-Wno-sign-conversion", "-Werror")


@dataclass(frozen=True)
class Machine:
    """A target, and how a program for it is made and run."""

    target: str
    runs_as: str
    compiler: tuple[str, ...]
    board: tuple[str, ...]
    rounds: int
    """Of calls by chance: the simulated core is a thousand times slower."""
    rust: str | None = None
    """What Rust calls the target; this machine where it is left out."""


LINUX = (str(BOARDS / "linux/board.c"), "-std=gnu11", "-static")
CORE = Machine(
    "riscv32",
    "riscv_core",
    ("riscv64-unknown-elf-gcc", *RV32, "-O2", "-ffreestanding", "-fno-tree-loop-distribute-patterns"),
    (
        *(str(BOARDS / "riscv_core" / name) for name in ("board.c", "start.S")),
        *("-nostdlib", "-static", "-Wl,--gc-sections", "-T", str(BOARDS / "riscv_core/memory.ld")),
        *("-L", str(BOARDS / "riscv_core"), "-lgcc"),
    ),
    150,
    "riscv32im-unknown-none-elf",
)
UNDEFINED = ("-O1", "-fsanitize=undefined", "-fno-sanitize-recover")
RV64 = Machine(
    "riscv64",
    "linux_riscv64",
    ("riscv64-linux-gnu-gcc", "-O2"),
    LINUX,
    6000,
    "riscv64gc-unknown-none-elf",
)
HOST = Machine("x86_64", "host", ("gcc", *UNDEFINED), LINUX[:2], 6000)
MACHINES = [
    HOST,
    Machine("x86_64", "host", ("clang-19", "-O3"), LINUX, 6000),
    CORE,
    pytest.param(RV64, marks=pytest.mark.long),
]


def bins_for(target: str) -> ExactBins:
    """By sizes of which some are frequent, some are rare, and bins of some are joined."""
    random = np.random.default_rng(3)
    sizes = random.choice([8, 20, 24, 24, 24, 40, 48, 96, 100, 150, 700, 5000], 3000)
    birth = 2 * np.arange(1, 3001)
    requests = requests_from_arrays(sizes, birth=birth, death=birth + 1 + 2 * random.integers(0, 90, 3000))
    return choose(requests, TARGETS[target])


def run(*command: str | Path) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def built(machine: Machine, folder: Path, program: str, *options: str) -> Path:
    """The program of tests/firmware/exact_bins with a heap for the machine."""
    (folder / "heap.c").write_text(c_source(bins_for(machine.target), "heap", "x.profile"))
    source = ROOT / "tests/firmware/exact_bins" / program
    sources = (source, folder / "heap.c", BOARDS / "numbers.c")
    made = folder / "program"
    run(*machine.compiler, f"-I{ROOT}", f"-I{folder}", *options, *sources, *machine.board, "-o", made)
    return made


@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: f"{machine.target}-{machine.compiler[0]}")
def test_calls_by_chance(machine: Machine, tmp_path: Path) -> None:
    program = built(machine, tmp_path, "operations.c", f"-DROUNDS={machine.rounds}")
    assert run(ROOT / "firmware/run.sh", machine.runs_as, program) == "all held\n"


COMPILERS = [
    pytest.param("riscv32", ("riscv64-unknown-elf-gcc", *RV32), id="gcc-rv32im"),
    pytest.param("riscv32", ("clang-19", "--target=riscv32", "-march=rv32im"), id="clang-rv32im"),
    pytest.param(
        "riscv64",
        ("riscv64-unknown-elf-gcc", "-march=rv64im", "-mabi=lp64", "-mcmodel=medany"),
        id="gcc-rv64im",
    ),
    pytest.param("x86_64", ("gcc",), id="gcc-x86_64"),
]


@pytest.mark.parametrize("level", ["-O0", "-O2", "-O3", "-Os"])
@pytest.mark.parametrize(("target", "compiler"), COMPILERS)
def test_it_needs_no_library(tmp_path: Path, target: str, compiler: tuple[str, ...], level: str) -> None:
    """Nor the compiler's own, nor functions that compilers make of loops (memcpy, memset)."""
    source, made = tmp_path / "guest.c", tmp_path / "guest.o"
    source.write_text(c_source(bins_for(target), "guest", "x.profile"))
    run(*compiler, *STRICT, level, "-ffreestanding", "-fno-stack-protector", "-c", source, "-o", made)
    assert run("nm", "--undefined-only", made) == ""
    defined = re.findall(r" [TDB] (\w+)", run("nm", "--extern-only", made))
    calls = "aligned alloc calloc free held open realloc usable"
    assert sorted(defined) == [f"guest_{each}" for each in calls.split()]


def test_it_can_be_the_programs_malloc(tmp_path: Path) -> None:
    source, made = tmp_path / "guest.c", tmp_path / "guest.o"
    source.write_text(c_source(bins_for("riscv32"), "guest", "x.profile"))
    run("riscv64-unknown-elf-gcc", *RV32, *STRICT, "-O2", "-ffreestanding", "-Dguest_AS_MALLOC", "-c", source,
        "-o", made)  # fmt: skip
    defined = set(re.findall(r" T (\w+)", run("nm", "--extern-only", made)))
    assert {"malloc", "calloc", "realloc", "free", "aligned_alloc", "memalign"} <= defined


def test_calls_of_a_constant_size_are_a_few_instructions(tmp_path: Path) -> None:
    """Where the file is included its table is folded into addresses: no size is looked up."""
    (tmp_path / "guest.c").write_text(c_source(bins_for("riscv32"), "guest", "x.profile"))
    source, made = tmp_path / "user.c", tmp_path / "user.o"
    source.write_text(
        '#define guest_API static inline __attribute__((unused))\n#include "guest.c"\n'
        "void* make(void) { return guest_alloc(24); }\n"
        "void drop(void* object) { guest_free(object); }\n"
    )
    run("riscv64-unknown-elf-gcc", *RV32, "-O2", "-ffreestanding", "-c", source, "-o", made)
    text = run("riscv64-unknown-elf-objdump", "--disassemble=make", made)
    body = re.findall(r"^\s+[0-9a-f]+:\s+[0-9a-f]{8}\s+(\S+)", text, re.MULTILINE)
    assert body.index("ret") <= 8
    assert not {"sll", "srl", "and"} & set(body[: body.index("ret")])


def crate_for(target: str, folder: Path) -> None:
    """Writes the crate `heap` into the folder."""
    (folder / "src").mkdir(parents=True)
    (folder / "Cargo.toml").write_text(manifest("heap"))
    (folder / "src/lib.rs").write_text(rust_source(bins_for(target), "x.profile"))


def assert_guest_holds(machine: Machine, rust: Rust, folder: Path) -> None:
    """A program in Rust with the crate as its allocator, linked with the machine's board."""
    guest = folder / "guest"
    shutil.copytree(ROOT / "tests/firmware/exact_bins/guest", guest)
    crate_for(machine.target, guest / "heap")
    library = rust.build(guest, machine.rust, folder / "made") / "libguest.a"
    program = folder / "program"
    run(*machine.compiler, f"-I{ROOT}", BOARDS / "numbers.c", library, *machine.board, library, "-o", program)
    assert run(ROOT / "firmware/run.sh", machine.runs_as, program) == "all held\n"


def test_the_crate_is_a_programs_allocator(tmp_path: Path) -> None:
    assert_guest_holds(HOST, this_machines_rust(), tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("machine", [CORE, RV64], ids=lambda machine: machine.target)
def test_the_crate_is_an_allocator_on_risc_v(machine: Machine, tmp_path: Path) -> None:
    assert_guest_holds(machine, bare_metal_rust(), tmp_path)


def test_the_crates_tables_are_the_bins() -> None:
    bins = bins_for("riscv32")
    text = rust_source(bins, "x.profile")
    for mark in ("CONSTANTS", "/* HOMES */", "/* BATCHES */"):
        assert mark not in text
    tables = dict(re.findall(r"static (HOMES|BATCHES): \[u8; SMALL_BINS\] = \[([^\]]*)\]", text))
    assert tuple(map(int, tables["HOMES"].replace(" ", "").split(",")[:-1])) == bins.homes
    assert tuple(map(int, tables["BATCHES"].replace(" ", "").split(",")[:-1])) == bins.batches
