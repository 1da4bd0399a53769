"""Programs on the simulated core: what they are given, what they print, several of them side by side."""

import os
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from elftools.elf.elffile import ELFFile

from malloom.bench.bins.operations import OperationList, Replay, to_file
from malloom.errors import CommandError

DEFAULT_FOLDER = Path("build/firmware")
MOST_CYCLES = 100_000_000_000
LONGEST = 3600.0
"""Seconds that a program may take."""
BESIDE_HEAP = 8 << 20
"""Bytes of the core's memory that a heap leaves for the program and its tables."""
BESIDE_CORE = 8 << 20
"""Bytes that the simulator takes beside the memory of the core that it simulates: 6 MB were measured."""
PROGRAMS = ("replay", "bin_calls", "tasks")
"""That the suite runs."""
MOST_DATA = 1 << 20
"""Bytes of the file that a program is given, at most: 100,000 sizes take 0.4 MB."""

Fields = dict[str, int]
Profile = Mapping[int, tuple[int, ...]]
"""By address: how often the instruction was done, its cycles, lines of instructions and of data."""


@dataclass(frozen=True)
class Run:
    """One time through a list of operations. Cycles are those of the calls alone."""

    cycles: int
    worst_allocation: int
    worst_release: int
    pairs: int
    failures: int
    held: int
    """Bytes from the heap's begin to the end of the object that reached furthest."""
    rehash: int
    """Cycles of the rehash before the run; 0 where there was none."""
    tables: int
    """Bytes of the instance, its bins, and generated code."""
    bins: int
    steps: int
    """In lists; 0 where they were not asked for."""
    automatic_rehashes: int = 0
    """So far, also of runs before."""
    use: tuple[tuple[int, int], ...] = ()
    """Begin and count of each bin, where they were asked for."""

    @property
    def pair_cycles(self) -> float:
        return self.cycles / self.pairs

    @property
    def worst(self) -> int:
        return max(self.worst_allocation, self.worst_release)


@dataclass(frozen=True)
class Simulator:
    """The core with a memory of some latency, and the programs that `make firmware` has built for it."""

    folder: Path
    latency: int

    @property
    def place(self) -> str:
        return f"latency {self.latency}"

    def check(self) -> None:
        """Raises CommandError where something has not been built."""
        for file in (self._core, *map(self._program, PROGRAMS)):
            if not file.is_file():
                raise CommandError(
                    f"there is no {file}", remedy="run 'make firmware' in malloom's source tree"
                )

    def replay(
        self, replay: Replay, judged: OperationList, learned: OperationList | None = None
    ) -> list[Run]:
        """Raises CommandError where the program fails."""
        memory = replay.heap_bytes + BESIDE_HEAP
        return runs_of(self.printed("replay", to_file(replay, judged, learned), memory))

    @property
    def replay_program(self) -> tuple[str, int]:
        """The program of replays, and the address where what it is made of ends."""
        path = self._program("replay")
        with path.open("rb") as file:
            ends = [each["p_vaddr"] + each["p_memsz"] for each in ELFFile(file).iter_segments("PT_LOAD")]
        return str(path), max(ends)

    def profiled(
        self, replay: Replay, judged: OperationList, learned: OperationList | None = None
    ) -> Profile:
        """What each instruction of a replay took. Raises CommandError where the program fails, or a request
        found no room."""
        with tempfile.NamedTemporaryFile(prefix="malloom-profile-") as profile:
            content, memory = to_file(replay, judged, learned), replay.heap_bytes + BESIDE_HEAP
            runs = runs_of(self.printed("replay", content, memory, "--profile", profile.name))
            if any(run.failures for run in runs):
                raise CommandError(f"{runs[0].failures} requests found no room")
            lines = (line.split() for line in profile.read().decode().splitlines())
            return {int(words[0], 16): tuple(map(int, words[1:])) for words in lines}

    def printed(self, program: str, content: bytes, memory: int = BESIDE_HEAP, *more: str) -> list[Fields]:
        """The lines of a program that was given a file, each with its names and numbers."""
        with _written(content) as data:
            options = [
                "--latency",
                self.latency,
                "--memory",
                memory,
                "--limit",
                MOST_CYCLES,
                "--data",
                data,
                *more,
            ]
            command = [str(each) for each in (self._core, *options, self._program(program))]
            try:
                done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=LONGEST)
            except subprocess.TimeoutExpired:
                raise CommandError(f"{program} did not end within {LONGEST:.0f} s") from None
        if done.returncode != 0:
            said = done.stderr.strip() or done.stdout.strip().rpartition("\n")[2]
            raise CommandError(f"{program} ended with status {done.returncode} on the simulated core: {said}")
        return [fields_of(line) for line in done.stdout.splitlines()]

    @property
    def _core(self) -> Path:
        return self.folder / "simulated_core/malloom-core"

    def _program(self, name: str) -> Path:
        return self.folder / "riscv_core/programs" / name


@contextmanager
def _written(content: bytes) -> Iterator[Path]:
    with tempfile.NamedTemporaryFile(prefix="malloom-bins-") as file:
        file.write(content)
        file.flush()
        yield Path(file.name)


def fields_of(line: str) -> Fields:
    """`run 0 cycles 12` as names and numbers."""
    words = line.split()
    return dict(zip(words[::2], map(int, words[1::2]), strict=True))


def runs_of(lines: Sequence[Fields]) -> list[Run]:
    """What `replay` prints: a line a run, and a line a bin of it."""
    use: dict[int, list[tuple[int, int]]] = {}
    for line in lines:
        if "bin_of_run" in line:
            use.setdefault(line["bin_of_run"], []).append((line["begin"], line["count"]))
    return [
        Run(
            cycles=line["cycles"],
            worst_allocation=line["worst_allocation"],
            worst_release=line["worst_release"],
            pairs=line["pairs"],
            failures=line["failures"],
            held=line["held"],
            rehash=line.get("rehash", 0),
            tables=line.get("tables", 0),
            bins=line.get("bins", 0),
            steps=line.get("steps", 0),
            automatic_rehashes=line.get("automatic_rehashes", 0),
            use=tuple(use.get(line["run"], ())),
        )
        for line in lines
        if "run" in line
    ]


def memory_of(heap_bytes: int) -> int:
    """Bytes that programs with heaps of so many take together when they run side by side."""
    return (os.cpu_count() or 1) * (heap_bytes + BESIDE_HEAP + BESIDE_CORE)


def disk_of_data() -> int:
    """Bytes of the files that they are given."""
    return (os.cpu_count() or 1) * MOST_DATA
