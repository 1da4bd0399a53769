"""What recorded guests are replayed on, RV32IM and RV64, with each allocator behind the same five functions
(firmware/benchmarks/guests): how many instructions the allocator's code takes."""

import bisect
import shutil
import subprocess
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from malloom.bench.bins.rust import bare_metal_rust, ran
from malloom.errors import CommandError
from malloom.layout.exact_bins import ExactBins
from malloom.layout.exact_bins_source import c_source, manifest, rust_source

COMPILER = "riscv64-unknown-elf-gcc"
OPTIONS = ("-O2", "-ffreestanding", "-fno-pic", "-fno-tree-loop-distribute-patterns", "-ffunction-sections")
LINKING = ("-nostdlib", "-static", "-Wl,--gc-sections")
NOT_COUNTED = ("replay_", "board_", "main", "_start")
"""What functions of the replay and of the board begin with."""
MEMORY = 64 << 20
MOST_CYCLES = 100_000_000_000
LONGEST = 1800.0
"""Seconds that a replay may take."""

BINS, BUMP, ZERO_BUMP = "exact bins", "bump", "bump, RISC Zero's"
C_BINS, C_BUMP, TLSF = "exact bins, C", "bump, C", "TLSF, C"
RLSF, TALC, EMBEDDED = "rlsf", "talc", "embedded-alloc"
INLINE = "#define heap_API static inline __attribute__((unused))\n"
IN_C = {C_BINS: "exact_bins.h", C_BUMP: "bump.c", TLSF: "tlsf.c"}
IN_RUST = {
    BINS: "bins",
    BUMP: "bump",
    ZERO_BUMP: "bump-risc-zero",
    RLSF: "rlsf",
    TALC: "talc",
    EMBEDDED: "embedded-alloc",
}
"""The features of the crate that measures them."""


@dataclass(frozen=True)
class Tree:
    """Where malloom's sources are, and what `make bench` has built of them."""

    root: Path
    built: Path
    """`build/firmware`."""

    @property
    def guests(self) -> Path:
        return self.root / "firmware/benchmarks/guests"


@dataclass(frozen=True)
class Machine(ABC):
    """One that programs are built for, and run."""

    name: str
    target: str
    """As malloom plan calls it."""
    rust: str
    options: tuple[str, ...]
    board: tuple[str, ...]
    """Sources and options of the linker, in the tree."""

    def linked(self, tree: Tree, sources: Iterable[Path], made: Path, *options: str) -> Path:
        """A program of the replay with an allocator's sources or libraries."""
        common = (tree.guests / "replay.c", tree.root / "firmware/boards/numbers.c")
        board = [word.format(root=tree.root) for word in self.board]
        parts = [*map(str, (*common, *sources)), *board, "-lgcc"]
        run_options = [*self.options, *OPTIONS, *LINKING, f"-I{tree.root}", *options]
        ran([COMPILER, *run_options, "-o", str(made), *parts])
        return made

    @abstractmethod
    def times(self, tree: Tree, program: Path, data: Path) -> tuple[str, Mapping[int, int]]:
        """What the program prints, and how often it did the instruction at each address that counts."""


class SimulatedRv32(Machine):
    """The simulated core, which tells how often each instruction was done."""

    def times(self, tree: Tree, program: Path, data: Path) -> tuple[str, Mapping[int, int]]:
        profile = data.with_suffix(".counts")
        limits = ("--memory", str(MEMORY), "--limit", str(MOST_CYCLES), "--data", str(data))
        core = tree.built / "simulated_core/malloom-core"
        printed = _printed([str(core), *limits, "--profile", str(profile), str(program)])
        lines = (line.split() for line in profile.read_text().splitlines())
        return printed, {int(words[0], 16): int(words[1]) for words in lines}


class EmulatedRv64(Machine):
    """qemu-user, which writes a line for each instruction of the addresses that it is asked for."""

    def times(self, tree: Tree, program: Path, data: Path) -> tuple[str, Mapping[int, int]]:
        log = data.with_suffix(".log")
        ranges = ",".join(f"{begin:#x}+{end - begin:#x}" for begin, end in counted_ranges(program))
        options = ("-singlestep", "-d", "exec,nochain", "-dfilter", ranges, "-D", str(log))
        try:
            with data.open("rb") as given:
                printed = _printed(["qemu-riscv64", *options, str(program)], given)
            counts: dict[int, int] = {}
            with log.open("rb") as lines:
                for line in lines:
                    address = int(line.split(b"/", 2)[1], 16)
                    counts[address] = counts.get(address, 0) + 1
        finally:
            log.unlink(missing_ok=True)
        return printed, counts


RV32 = SimulatedRv32(
    "RV32IM",
    "riscv32",
    "riscv32im-unknown-none-elf",
    ("-march=rv32im", "-misa-spec=2.2", "-mabi=ilp32"),
    (
        "{root}/firmware/boards/riscv_core/board.c",
        "{root}/firmware/boards/riscv_core/start.S",
        "-T{root}/firmware/boards/riscv_core/memory.ld",
        "-L{root}/firmware/boards/riscv_core",
    ),
)
RV64 = EmulatedRv64(
    "RV64IMAC",
    "riscv64",
    "riscv64imac-unknown-none-elf",
    ("-march=rv64imac", "-mabi=lp64", "-mcmodel=medany"),
    ("{root}/firmware/benchmarks/guests/rv64_board.c",),
)


def _printed(command: list[str], given: IO[bytes] | int = subprocess.DEVNULL) -> str:
    done = subprocess.run(
        command,
        stdin=given,
        capture_output=True,
        text=True,
        check=False,
        timeout=LONGEST,
    )
    if done.returncode != 0:
        raise CommandError(f"{command[-1]} ended with status {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def _functions(program: Path) -> list[tuple[int, str]]:
    """Begins and names of all functions, ascending; labels within them are none."""
    with program.open("rb") as file:
        elf = ELFFile(file)
        tables = [each for each in elf.iter_sections() if isinstance(each, SymbolTableSection)]
        code = {
            number for number, each in enumerate(elf.iter_sections()) if each["sh_flags"] & 4
        }  # SHF_EXECINSTR
        return sorted(
            (symbol["st_value"], symbol.name)
            for table in tables
            for symbol in table.iter_symbols()
            if symbol["st_shndx"] in code and symbol.name and symbol.name[0] not in ".$"
        )


def counted_ranges(program: Path) -> list[tuple[int, int]]:
    """Addresses of the allocator's functions, and what it calls: [begin, end) each."""
    functions = _functions(program)
    ends = [begin for begin, _ in functions[1:]] + [functions[-1][0] + (1 << 16)]
    found: list[tuple[int, int]] = []
    for (begin, name), end in zip(functions, ends, strict=True):
        if name.startswith(NOT_COUNTED) or begin == end:
            continue
        if found and found[-1][1] == begin:
            found[-1] = (found[-1][0], end)
        else:
            found.append((begin, end))
    return found


def counted(program: Path, times: Mapping[int, int]) -> int:
    """Instructions at the addresses that count."""
    ranges = counted_ranges(program)
    begins = [begin for begin, _ in ranges]

    def is_counted(address: int) -> bool:
        at = bisect.bisect_right(begins, address) - 1
        return at >= 0 and address < ranges[at][1]

    return sum(count for address, count in times.items() if is_counted(address))


@dataclass(frozen=True)
class Programs:
    """The replay with each allocator for one machine, whose bins are a guest's."""

    tree: Tree
    machine: Machine
    folder: Path
    rust: Path
    """Where cargo keeps what it has built, the library for RISC-V among it."""

    def build(self, allocator: str, bins: ExactBins) -> Path:
        """Raises CommandError where it cannot be had."""
        folder = _made(self.folder / self.machine.name / allocator)
        if allocator in IN_C:
            return self._in_c(allocator, bins, folder)
        return self._in_rust(allocator, bins, folder)

    def _in_c(self, allocator: str, bins: ExactBins, folder: Path) -> Path:
        sources, options = [self.tree.guests / IN_C[allocator]], []
        if allocator == C_BINS:
            source = f'{INLINE}{c_source(bins, "heap", "a guest")}#include "{IN_C[C_BINS]}"\n'
            (folder / "heap.c").write_text(source)
            sources, options = [folder / "heap.c"], [f"-I{self.tree.guests}"]
        if allocator == TLSF:
            sources.append(Path(ran([str(self.tree.root / "setup/tlsf.sh")])) / "lv_tlsf.c")
            options += ["-w", f"-I{self.tree.root / 'firmware/benchmarks/bins/lvgl/heap'}"]
        return self.machine.linked(self.tree, sources, folder / "program", *options)

    def _in_rust(self, allocator: str, bins: ExactBins, folder: Path) -> Path:
        crate = folder / "crate"
        shutil.copytree(self.tree.guests / "crates", crate, dirs_exist_ok=True)
        (_made(crate / "heap/src") / "lib.rs").write_text(rust_source(bins, "a guest's"))
        (crate / "heap/Cargo.toml").write_text(manifest("heap"))
        feature = f"--features={IN_RUST[allocator]}"
        made = bare_metal_rust().build(crate, self.machine.rust, self.rust, feature)
        return self.machine.linked(self.tree, [made / "libguest.a"], folder / "program")


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder
