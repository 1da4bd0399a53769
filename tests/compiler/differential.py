"""Compares random programs as plain compilers and as malloom-cc make them:
`python -m compiler.differential COUNT SEED [csmith]` from the folder tests. Programs that differ are kept in
build/differential."""

import collections
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from compiler import compiling
from compiler.driver.driving import BUILT, NATIVE_FILES
from compiler.generator import generate

KEPT = compiling.ROOT / "build" / "differential"
POLICIES = ("maximal", "default", "pool")
POOL_BYTES = (1 << 20, 1 << 20, 1 << 16, 1 << 14)
"""Of split objects: the usual ones, and small ones, which few objects fill."""
CSMITH_INCLUDE = Path("/usr/include/csmith")
LONGEST = 5.0
"""Seconds that a plain program may take. csmith makes some that never end."""


@dataclass(frozen=True)
class Outcome:
    """What became of a program."""

    seed: int
    difference: str = ""
    ends: bool = True
    has_split: bool = False


def write_program(kind: str, seed: int, folder: Path) -> tuple[Path, list[str], list[str]]:
    """A program, options that it needs, and options that clang needs as well."""
    if kind == "csmith":
        source = folder / "program.c"
        subprocess.run(["csmith", "--seed", str(seed), "-o", str(source)], check=True, timeout=60, cwd=folder)
        return source, [f"-I{CSMITH_INCLUDE}"], []
    program = generate(seed)
    source = folder / f"program{program.suffix}"
    source.write_text(program.text)
    return source, [], [*program.options]


class Comparison:
    """Of one program, in a folder of its own; `drivers` is where malloom-cc and malloom-c++ lie. A quick one
    is of one policy alone, which the seed chooses as it does the level, and whether accesses are checked.
    `settings` are more options of links."""

    def __init__(
        self,
        drivers: Path,
        kind: str,
        seed: int,
        folder: Path,
        is_quick: bool = False,
        settings: Sequence[str] = (),
    ) -> None:
        self.folder = folder
        self.seed = seed
        self.is_quick = is_quick
        chooser = random.Random(seed)
        self.level = chooser.choice(compiling.LEVELS)
        self.reference = chooser.choice(("gcc", "clang"))
        self.verified = chooser.choice(POLICIES)
        self.only = (chooser.choice(POLICIES), chooser.choice(((), ("-fmalloom-verify",))))
        self.settings = [f"-Wl,-mllvm=-malloom-pool-bytes={chooser.choice(POOL_BYTES)}", *settings]
        self.has_split = False  # a set of it, under any policy
        self.source, self.options, self.clang_options = write_program(kind, seed, folder)
        is_cpp = self.source.suffix == ".cpp"
        self.driver = str(drivers / ("malloom-c++" if is_cpp else "malloom-cc"))
        self.clang = "clang++-19" if is_cpp else "clang-19"
        self.gcc = "g++" if is_cpp else "gcc"

    def make(self, name: str, *command: str) -> Path:
        said = compiling.call([*command, "-lm", "-pthread", "-o", str(self.folder / name)])
        self.has_split |= "split into arrays" in said
        return self.folder / name

    def expected(self) -> compiling.Ran | None:
        """What the program does without optimisation; nothing where it does not end."""
        compiler = self.gcc if self.reference == "gcc" else self.clang
        options = self.options if self.reference == "gcc" else [*self.options, *self.clang_options]
        plain = self.make("plain", compiler, "-O0", "-w", *options, str(self.source))
        try:
            return compiling.run(plain, LONGEST)
        except subprocess.TimeoutExpired:
            return None

    def programs(self) -> Iterator[tuple[str, Path]]:
        """Made by link-time optimisation: by plain clang, and by malloom-cc in each of its ways."""
        bitcode = str(self.folder / "bitcode.o")
        options = [*self.options, *self.clang_options]
        compiling.call([self.driver, self.level, "-w", *options, "-c", str(self.source), "-o", bitcode])
        command = [self.driver, self.level, "-fmalloom-remarks", *self.settings, bitcode]
        if self.is_quick:
            policy, checks = self.only
            name = " ".join((policy, *checks, *self.settings))
            yield name, self.make("program", *command, f"-fmalloom-policy={policy}", *checks)
            return
        yield "clang -flto", self.make("lto", self.clang, self.level, "-flto=full", "-fuse-ld=lld", bitcode)
        for policy in POLICIES:
            yield policy, self.make(policy, *command, f"-fmalloom-policy={policy}")
        policy = f"-fmalloom-policy={self.verified}"
        yield f"{self.verified}, verified", self.make("verified", *command, policy, "-fmalloom-verify")

    def outcome(self) -> Outcome:
        expected = self.expected()
        for name, program in self.programs():
            try:
                ran = compiling.run(program, LONGEST if expected is None else 6 * LONGEST)
            except subprocess.TimeoutExpired:
                if expected is None and name == "clang -flto":
                    return Outcome(self.seed, ends=False)
                return Outcome(self.seed, f"{name} {self.level} does not end")
            expected = expected if expected is not None else ran
            if ran != expected:
                return Outcome(self.seed, f"{name} {self.level}: {expected} became {ran}")
        return Outcome(self.seed, has_split=self.has_split)


def keep(comparison: Comparison, kind: str, outcome: Outcome) -> None:
    KEPT.mkdir(parents=True, exist_ok=True)
    kept = KEPT / f"{kind}-{outcome.seed}{comparison.source.suffix}"
    shutil.copy(comparison.source, kept)
    print(f"{kept}: {outcome.difference[:1500]}", flush=True)


def compare(
    drivers: Path, kind: str, seed: int, is_quick: bool = False, settings: Sequence[str] = ()
) -> Outcome:
    with tempfile.TemporaryDirectory() as name:
        comparison = Comparison(drivers, kind, seed, Path(name), is_quick, settings)
        try:
            outcome = comparison.outcome()
        except compiling.CompilerFailed as failure:
            outcome = Outcome(seed, f"{comparison.level}: {failure}")
        if outcome.difference:
            keep(comparison, kind, outcome)
        return outcome


def compare_all(drivers: Path, kind: str, seeds: Iterable[int]) -> list[Outcome]:
    """On all cores."""
    with ThreadPoolExecutor(os.cpu_count()) as workers:
        return list(workers.map(lambda seed: compare(drivers, kind, seed), seeds))


def install(folder: Path) -> Path:
    """The drivers and what they need, in one folder as an installation has them."""
    for name in NATIVE_FILES:
        assert (BUILT / name).is_file(), f"{name} is missing: run 'make native'"
        shutil.copy2(BUILT / name, folder)
    return folder


def main(count: int, first: int, kind: str) -> int:
    constructs: collections.Counter[str] = collections.Counter()
    outcomes: list[Outcome] = []
    begin = time.monotonic()
    ends: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _: ends.append(number))
    with tempfile.TemporaryDirectory() as name:
        drivers = install(Path(name))
        for seed in range(first, first + count):
            if ends:
                break
            outcomes.append(compare(drivers, kind, seed))
            if kind != "csmith":
                constructs.update(generate(seed).constructs)
    for construct, programs in sorted(constructs.items(), key=lambda each: each[1]):
        print(f"{programs:6} {construct}")
    failed = sum(bool(each.difference) for each in outcomes)
    print(
        f"{len(outcomes)} programs from seed {first}: {failed} differ, "
        f"{sum(not each.ends for each in outcomes)} do not end, "
        f"{sum(each.has_split for each in outcomes)} have a split set, {time.monotonic() - begin:.0f} s"
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3] if len(sys.argv) > 3 else "generated"))
