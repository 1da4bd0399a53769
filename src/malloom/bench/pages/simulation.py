"""Workloads on the simulated core with the page heap behind malloc: cycles, and which manage memory."""

import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from malloom.bench.cases import Case
from malloom.errors import CommandError

LINEAR, HARDWARE, BETTER, COUNTED = "linear", "hardware", "better", "counted"
IN_SOFTWARE = (LINEAR, "kamp", "ctz", "ctz_instruction")
VARIANTS = (*IN_SOFTWARE, HARDWARE, BETTER)
"""Ways to search a page's bitmap, by the names of firmware/page_heap."""
LONGEST_FIRST = (HARDWARE, "kamp", LINEAR, "ctz", "ctz_instruction", BETTER)
"""By the time that their simulations take, so that side by side they end at about the same time."""
CORES = {HARDWARE: "chunk_core", BETTER: "window_core"}
"""Those with a unit, each of which takes time of a simulation: software goes without."""
MANAGEMENT, SET_UP, TRANSFER = "malloom_management", "malloom_page_set_up", "malloom_bitmap_transfer"
TABLE_2 = ("--latency", "18", "--second-level", "256K", "--second-level-latency", "6")
"""The memory of the paper's table 2."""
LINE_CYCLES = 13
"""That a line of the second level takes: 6 to its first word, and one for each of seven more."""
PAIRS = Case("pairs", ("2000",), "")
"""A program of firmware/benchmarks/pages, and how many pairs it makes."""
MEMORY = "64M"
MOST_CYCLES = 100_000_000_000
LONGEST = 3600.0
"""Seconds that a program may take."""

Ranges = Mapping[str, range]


@dataclass(frozen=True)
class Cycles:
    """Of a run. Each cycle belongs to the instruction that is done next, and so does each line that a cache
    reads."""

    all: int
    management: int
    """In the allocator's code, what follows included; not what calloc clears with and realloc copies with."""
    set_up: int
    """Of pages: made, given back, larger objects."""
    transfer: int
    """Of bitmaps, to and from the unit."""
    code_lines: int = 0
    """That the cache of instructions read for what is not management, and that of data."""
    data_lines: int = 0

    @property
    def others(self) -> int:
        return self.all - self.management


@dataclass(frozen=True)
class Requests:
    """What a program asks for."""

    count: int
    bytes: int
    releases: int


@dataclass(frozen=True)
class SimulatedCore:
    """What setup/firmware.sh has built: the core, those with a unit, and their programs."""

    folder: Path

    def run(self, case: Case, variant: str) -> tuple[str, Cycles]:
        """What the program prints, and its cycles. Raises CommandError where it fails."""
        return _run(self, case, variant)

    def measure(self, case: Case, variant: str) -> tuple[str, Cycles]:
        """The same anew."""
        with tempfile.TemporaryDirectory(prefix="malloom-pages-") as folder:
            profile = Path(folder) / "profile"
            printed = self._printed(case, variant, Path(folder), ["--profile", str(profile)])
            return printed, cycles_of(profile, ranges_of(self._program(case.workload, variant)))

    def printed(self, case: Case, variant: str) -> str:
        """What the program prints. Raises CommandError where it fails."""
        with tempfile.TemporaryDirectory(prefix="malloom-pages-") as folder:
            return self._printed(case, variant, Path(folder))

    def requests(self, case: Case) -> Requests:
        """Raises CommandError where the program fails."""
        last = self.run(case, COUNTED)[0].splitlines()[-1].split()
        counts = dict(zip(last[::2], map(int, last[1::2]), strict=True))
        return Requests(counts["requests"], counts["requested"], counts["releases"])

    def cycles_of_pairs(self, variant: str) -> dict[str, float]:
        """Of a malloc and its free, by how many objects live at once."""
        words = self.printed(PAIRS, variant).split()
        return {name: int(hundredths) / 100 for name, hundredths in zip(words[::2], words[1::2], strict=True)}

    def _printed(self, case: Case, variant: str, folder: Path, options: Sequence[str] = ()) -> str:
        arguments = folder / "arguments"
        arguments.write_text("".join(f"{word}\n" for word in case.arguments))
        limits = ("--memory", MEMORY, "--limit", str(MOST_CYCLES), "--data", str(arguments))
        core, program = self._core(variant), self._program(case.workload, variant)
        command = [str(core), *TABLE_2, *limits, *options, str(program)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=LONGEST)
        except subprocess.TimeoutExpired:
            raise CommandError(f"{case} ({variant}) did not end within {LONGEST:.0f} s") from None
        except OSError as error:
            raise CommandError(f"cannot run {core}: {error.strerror}", remedy="run 'make firmware'") from None
        if done.returncode != 0:
            said = done.stderr.strip() or done.stdout.strip().rpartition("\n")[2]
            raise CommandError(f"{case} ({variant}) ended with status {done.returncode}: {said}")
        return done.stdout

    def _core(self, variant: str) -> Path:
        return self.folder / CORES.get(variant, "simulated_core") / "malloom-core"

    def _program(self, workload: str, variant: str) -> Path:
        return self.folder / "riscv_core/programs" / f"{workload}_{variant}"


@cache
def _run(core: SimulatedCore, case: Case, variant: str) -> tuple[str, Cycles]:
    """Once: every run is the same, and two tables are of the same ones."""
    return core.measure(case, variant)


def cycles_of(profile: Path, ranges: Ranges) -> Cycles:
    """Of the lines that the core writes: address, how often, cycles, lines of code and of data."""
    sums = dict.fromkeys(ranges, 0)
    total = code_lines = data_lines = 0
    for line in profile.read_text().splitlines():
        words = line.split()
        address, cycles = int(words[0], 16), int(words[2])
        total += cycles
        for name, addresses in ranges.items():
            sums[name] += cycles if address in addresses else 0
        if address not in ranges[MANAGEMENT]:
            code_lines += int(words[3])
            data_lines += int(words[4])
    return Cycles(total, sums[MANAGEMENT], sums[SET_UP], sums[TRANSFER], code_lines, data_lines)


def ranges_of(program: Path) -> Ranges:
    """The addresses of memory management, and of its parts. Raises CommandError where they are not told."""
    with program.open("rb") as file:
        table = ELFFile(file).get_section_by_name(".symtab")
        if not isinstance(table, SymbolTableSection):
            raise CommandError(f"{program} has no symbols")
        values = {symbol.name: int(symbol["st_value"]) for symbol in table.iter_symbols()}
    try:
        names = (MANAGEMENT, SET_UP, TRANSFER)
        return {name: range(values[f"{name}_begin"], values[f"{name}_end"]) for name in names}
    except KeyError as error:
        raise CommandError(f"{program} does not say where memory management lies: {error}") from None
