"""Random programs that use the heap from odd places, alone and under malloom: what differs?

    PYTHONPATH=tests .venv/bin/python -m end_to_end.torture.torture 500 0 --folder FOLDER

writes 500 programs from seed 0 on, and runs each alone, under every heap, recorded, and with a plan made from
that recording. It prints what differs and keeps those programs in FOLDER. A program takes some 3 seconds.
"""

import argparse
import os
import random
import signal
import subprocess
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from multiprocessing.pool import ThreadPool
from pathlib import Path

from end_to_end import ends
from end_to_end.conftest import COMMAND, done_well

HERE = Path(__file__).parent
SITES = 6
HEAPS = ("pools", "bins", "pages", "fallback")
STRATEGIES = ("context-groups", "sequential", "pools", "random", "size")
"""Of plans, in turns."""
SECONDS = 120
"""A program that takes longer hangs; alone it takes one at most."""


@dataclass
class Source:
    """A program as it is written: each step is a function that those after it may name."""

    chance: random.Random
    text: list[str] = field(default_factory=list)
    steps: int = 0

    def step(self, expression: str) -> str:
        """Adds one that returns what the expression says of its `seed`; returns its name."""
        name = f"step_{self.steps}"
        self.text.append(f"static digest {name}(unsigned long seed) {{\n    return {expression};\n}}")
        self.steps += 1
        return name

    def leaf(self) -> str:
        """A step that may run anywhere."""
        one, other = (f"site_{self.chance.randrange(SITES)}" for _ in "ab")
        count = self.chance.choice([10, 100, 1000])
        written = [
            f"lists(seed, {one}, {other}, {count})",
            f"reallocs(seed, {count // 5})",
            f"aligned(seed, {count})",
            f"texts(seed, {count // 10})",
            f"zeros(seed, {count // 5})",
            f"foreign(seed, {count})",
            "refused(seed)",
        ]
        return self.step(self.chance.choice(written))

    def inner(self) -> str:
        """A step that may run in any of several threads. A child of one calls only what the C library
        allows there."""
        place = self.chance.choice(["", "in_handler", "in_coroutines", "in_child", "as_thread_ends"])
        return self.step(f"{place}(seed, {self.leaf()})") if place else self.leaf()

    def outer(self, depth: int) -> str:
        """A step of the first thread, of steps that may be such again."""
        kind = self.chance.randrange(10)
        if depth == 0 or kind == 0:
            return self.inner()
        if kind < 5:
            return self.special(kind, depth)
        if kind == 5:
            return self.step(f"as_cancelled(seed, {self.inner()})")
        if kind == 6:
            return self.step(f"as_nobody(seed, {self.leaf()})")
        places = ["under_alarms", "in_child", "in_bare_child", "in_limited_child", "after_faults"]
        return self.step(f"{self.chance.choice(places)}(seed, {self.outer(depth - 1)})")

    def special(self, kind: int, depth: int) -> str:
        """A step of threads, a library, this program anew or a process that shares memory."""
        if kind == 1:
            count = self.chance.choice([2, 3, 8, 8, 40, 400])
            one, other = (self.inner() for _ in "ab") if count < 40 else (self.leaf() for _ in "ab")
            return self.step(f"threads_of(seed, {one}, {other}, {count})")
        if kind == 2:
            return self.step(f"in_library(seed, {self.chance.choice([1, 3, 30])})")
        if kind == 3:
            return self.step(f'executed(seed, "{self.outer(depth - 1)[5:]}")')
        return self.step(f"in_clone(seed, {self.leaf()})")


def source_of(seed: int) -> str:
    """The program of that seed, the same each time."""
    source = Source(random.Random(seed))
    sites = [f"SITE({i}, {source.chance.choice([24, 48, 64, 100, 400, 5000])})" for i in range(SITES)]
    calls = [f"    say({source.outer(4)}, {source.chance.randrange(1000)});" for _ in range(8)]
    names = ", ".join(f"step_{i}" for i in range(source.steps))
    last = [
        f"static const step steps[] = {{{names}}};",
        "static void say(step what, unsigned long seed) {\n"
        '    printf("%lu\\n", what(seed));\n    fflush(stdout);\n}',
        "int main(int count, char** words) {\n    program = words[0];\n    set_handlers();",
        "    if (count > 2) return (int)(steps[atol(words[1])](strtoul(words[2], NULL, 10)) % 97);",
        *calls,
        '    return puts("done") < 0;\n}',
    ]
    return "\n".join(['#include "places.h"', *sites, *source.text, *last, ""])


def build(seed: int, folder: Path) -> Path:
    """Compiles the program of that seed and its library; returns the program."""
    folder.mkdir(parents=True, exist_ok=True)
    library, program = folder / "library.so", folder / f"torture-{seed}"
    (folder / f"{program.name}.c").write_text(source_of(seed))
    if not library.exists():
        subprocess.run(
            ["gcc", *ends.FLAGS, "-shared", "-fPIC", HERE / "library.c", "-o", library], check=True
        )
    flags = [*ends.FLAGS, f"-I{HERE}", f'-DLIBRARY="{library}"']
    subprocess.run(["gcc", *flags, f"{program}.c", "-o", program], check=True)
    return program


def outcome(command: Sequence[str | Path], folder: Path) -> tuple[int | None, str, str]:
    """Status, None where it was ended for hanging, and what it printed. What it has started ends with it."""
    with subprocess.Popen(
        command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, start_new_session=True,
    ) as started:  # fmt: skip
        try:
            printed, errors = started.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(started.pid, signal.SIGKILL)
            return None, "", ""
    return started.returncode, printed, errors


def plan_of(profile: Path, seed: int) -> Path:
    plan = profile.with_suffix(".plan")
    strategy = STRATEGIES[seed % len(STRATEGIES)]
    done_well(profile.parent, "plan", profile, "-o", plan, "--strategy", strategy)
    return plan


def ways_of(program: Path, seed: int) -> Iterator[tuple[str, list[str | Path]]]:
    """What comes before the program, by the way's name; the recording comes before its plan."""
    for heap in HEAPS:
        yield heap, [COMMAND, "run", "--heap", heap, "--"]
    profile = program.with_suffix(".profile")
    yield "recorded", [COMMAND, "record", "--force", "--accesses", "none", "-o", profile, "--"]
    yield "plan", [COMMAND, "run", "--plan", plan_of(profile, seed), "--"]


def is_cut_short(errors: str) -> bool:
    """Whether malloom ends with a status of its own, as a process that is nobody's could not be recorded."""
    return "could not be written to its end" in errors


def differences(seed: int, folder: Path) -> list[str]:
    """How the program of that seed does otherwise than alone, a line for each way."""
    program = build(seed, folder)
    alone = outcome([program], folder)
    if alone[0] != 0 or not alone[1].endswith("done\n") or alone[2]:
        return [f"{seed} alone: {alone}"]
    found = []
    for way, prefix in ways_of(program, seed):
        here = outcome([*prefix, program], folder)
        if way == "recorded":
            here = (0 if is_cut_short(here[2]) else here[0], here[1], "")
        if here != alone:
            found.append(f"{seed} {way}: {here}, alone {alone}")
    return found


def forget(seed: int, folder: Path) -> None:
    for path in folder.glob(f"torture-{seed}*"):
        if path.is_file():
            path.unlink()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("count", type=int)
    parser.add_argument("first", type=int)
    parser.add_argument("--folder", type=Path, required=True)
    given = parser.parse_args()
    seeds = range(given.first, given.first + given.count)

    def judge(seed: int) -> list[str]:
        found = differences(seed, given.folder)
        if not found:
            forget(seed, given.folder)
        return found

    done, bad = 0, Counter[str]()
    with ThreadPool(2) as pool:
        for lines in pool.imap(judge, seeds):
            done += 1
            for line in lines:
                print(f"after {done} programs: {line}", flush=True)
                bad[line.split()[1]] += 1
    print(f"{given.count} programs, differences: {dict(bad) or 'none'}")


if __name__ == "__main__":
    main()
