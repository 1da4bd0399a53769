"""The programs that misuse the heap (tests/end_to_end/misuse): what each heap notices of them.

As a program, prints the table and the misses of docs/results/misuse.md.
"""

import os
import shlex
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

SOURCES = Path(__file__).parent / "misuse"
COMMAND = Path(__file__).parents[2] / ".venv/bin/malloom"
FLAGS = ["-O0", "-g", "-w", "-D_GNU_SOURCE", "-pthread", "-Wl,--build-id"]
"""Without optimisation, which leaves out what has no defined meaning, and without warnings of the faults."""

HEAPS = ("glibc", "mimalloc", "fallback", "pools", "guarded pools", "bins", "pages")
PLAN = "a plan"
"""Of pools, for each case what a run without the fault has learned."""
SURVIVED = "survived\n"
LONGEST = 10
"""Seconds for one case; they take milliseconds, unless the fault sends the heap round in circles."""

Heap = Mapping[str, str]
"""The environment that gives a program its heap."""


@dataclass(frozen=True)
class Case:
    program: Path
    name: str
    served: str
    """What serves the misused object where call sites have pools: pool, fallback, library, none."""

    @property
    def weakness(self) -> str:
        """The number of its kind in the Common Weakness Enumeration."""
        return self.program.name.split("_")[1]

    @property
    def category(self) -> tuple[str, str]:
        return self.weakness, self.served

    @property
    def full_name(self) -> str:
        return f"{self.program.name}:{self.name}"


@dataclass(frozen=True)
class Outcome:
    status: int | None
    """As subprocess gives it; None where the program did not end."""
    output: str
    errors: str

    @property
    def verdict(self) -> str:
        """stopped: by the heap, with a line, before an object was handed out again; crashed: by a signal that
        the heap did not mean to raise; late: an object was handed out again; hung; missed."""
        if self.status is None:
            return "hung"
        if "handed out again" in self.output:
            return "late"
        if self.status >= 0:
            return "missed"
        return "stopped" if self.status == -6 and self.errors else "crashed"


Outcomes = dict[Case, Outcome]


def build(folder: Path) -> list[Path]:
    """The programs, cwe_NUMBER_c and cwe_NUMBER_cpp."""

    def build_one(source: Path) -> Path:
        program = folder / source.name.replace(".", "_")
        compiler = ["gcc"] if source.suffix == ".c" else ["g++", "-std=c++20"]
        subprocess.run([*compiler, *FLAGS, source, "-o", program], check=True)
        return program

    with ThreadPoolExecutor(os.cpu_count()) as workers:
        return list(workers.map(build_one, sorted(SOURCES.glob("cwe_*"))))


def cases_of(programs: Iterable[Path]) -> list[Case]:
    found = []
    for program in programs:
        listing = subprocess.run([program, "list"], capture_output=True, text=True, check=True).stdout
        found += [Case(program, *line.split()) for line in listing.splitlines()]
    return found


def heap(name: str, *options: str) -> Heap:
    """The environment of a heap, or of a guarded one; further options are those of `malloom run --heap`."""
    plain = {key: value for key, value in os.environ.items() if key not in ("LD_PRELOAD", "MALLOOM")}
    # Else the C library writes to the terminal, if there is one.
    plain["LIBC_FATAL_STDERR_"] = "1"
    if name == "glibc":
        return plain
    if name == "mimalloc":
        return {**plain, "LD_PRELOAD": "libmimalloc.so.2"}
    if name.startswith("guarded "):
        return heap(name.removeprefix("guarded "), "--guards", *options)
    # Programs started so begin in milliseconds, without Python.
    command: list[str | Path] = [COMMAND, "run", "--heap", name, *options, "--print-environment"]
    shown = subprocess.run(command, env=plain, capture_output=True, text=True, check=True).stdout
    return {**plain, **dict(word.split("=", 1) for word in shlex.split(shown))}


def run_case(case: Case, environment: Heap, *more: str, start: Sequence[str | Path] = ()) -> Outcome:
    command: list[str | Path] = [*start, case.program, case.name, *more]
    try:
        done = subprocess.run(
            command,
            env=environment,
            capture_output=True,
            timeout=LONGEST,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired:
        return Outcome(None, "", "")
    return Outcome(
        done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")
    )


def run_all(cases: Iterable[Case], environment: Heap, *more: str) -> Outcomes:
    """Each case with its fault, or with `right` without."""
    cases = list(cases)
    with ThreadPoolExecutor(os.cpu_count()) as workers:
        return dict(
            zip(cases, workers.map(lambda case: run_case(case, environment, *more), cases), strict=True)
        )


def run_all_planned(cases: Iterable[Case], folder: Path) -> Outcomes:
    """Each with its fault, under a plan."""

    def run_planned(case: Case) -> Outcome:
        plan = folder / f"{case.full_name}.plan"
        learning = (COMMAND, "run", "--heap", "pools", "--save-plan", plan, "--")
        assert run_case(case, heap("glibc"), "right", start=learning).status == 0, case.full_name
        return run_case(case, heap("glibc"), start=(COMMAND, "run", "--plan", plan, "--"))

    with ThreadPoolExecutor(os.cpu_count()) as workers:
        return dict(zip(cases, workers.map(run_planned, cases), strict=True))


def stopped(outcomes: Outcomes) -> Counter[tuple[str, str]]:
    """How many were stopped, by category."""
    return Counter(case.category for case, outcome in outcomes.items() if outcome.verdict == "stopped")


def table(by_heap: Mapping[str, Outcomes]) -> str:
    """A row for each category, as Markdown: what each heap has stopped, in brackets what crashed besides."""
    cases = list(next(iter(by_heap.values())))
    categories = sorted({case.category for case in cases})
    lines = [f"| CWE | served by | cases | {' | '.join(by_heap)} |", f"|{'---|' * (3 + len(by_heap))}"]
    for weakness, served in [*categories, ("all", "")]:
        inside = [case for case in cases if weakness == "all" or case.category == (weakness, served)]
        cells = [cell([outcomes[case] for case in inside]) for outcomes in by_heap.values()]
        lines.append(f"| {weakness} | {served} | {len(inside)} | {' | '.join(cells)} |")
    return "\n".join(lines)


def cell(outcomes: list[Outcome]) -> str:
    counts = Counter(outcome.verdict for outcome in outcomes)
    return f"{counts['stopped']} ({counts['crashed']})" if counts["crashed"] else str(counts["stopped"])


def misses(outcomes: Outcomes) -> str:
    """The cases that were not stopped, by category, each with how it ended where it did not just go on."""
    lines = []
    for weakness, served in sorted({case.category for case in outcomes}):
        names = [
            case.full_name.removeprefix("cwe_")
            + (f" ({outcome.verdict})" if outcome.verdict != "missed" else "")
            for case, outcome in outcomes.items()
            if case.category == (weakness, served) and outcome.verdict != "stopped"
        ]
        lines.append(f"- CWE-{weakness}, {served}: {', '.join(names) or 'none'}")
    return "\n".join(lines)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        cases = cases_of(build(Path(folder)))
        by_heap = {name: run_all(cases, heap(name)) for name in HEAPS}
        by_heap[PLAN] = run_all_planned(cases, Path(folder))
    print(table(by_heap), *(misses(by_heap[name]) for name in (*HEAPS[2:], PLAN)), sep="\n\n")


if __name__ == "__main__":
    main()
