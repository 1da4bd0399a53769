"""The binaries of a program, one a variant, built where the workloads lie and kept until an input changes."""

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

from malloom.bench.cases import Case
from malloom.bench.splitting.compilers import LTO, VARIANTS, Toolchain
from malloom.bench.splitting.programs import sources_of
from malloom.bench.steps import Bench
from malloom.errors import CommandError
from malloom.measure.process import Command
from malloom.native_files import native_file

FOLDER = "splitting"
"""Beside the workloads' folder."""
LONGEST = 600.0
"""Seconds that a build may take."""


def toolchain_of(workloads: Path) -> Toolchain:
    """Of the build that has the workloads."""
    build = workloads.resolve().parent
    return Toolchain(native_file("malloom-cc").parent, build, build.parents[1])


def commands(bench: Bench, case: Case, variants: Sequence[str] = VARIANTS) -> dict[str, Command]:
    """The case with each variant's binary; `bench.failed` is told of those that cannot be built."""
    found = {}
    for variant in variants:
        try:
            found[variant] = command(bench, case, variant)
        except CommandError as error:
            bench.failed(variant, error)
    return found


def command(bench: Bench, case: Case, variant: str = LTO) -> Command:
    """Raises CommandError where the variant cannot be built."""
    program = built(bench, case.workload, variant)
    return Command([str(program), *case.arguments], {"MALLOOM_PHASES": "1"})


def built(bench: Bench, program: str, variant: str) -> Path:
    """The binary, made where it is older than its sources, the plugin or the library."""
    toolchain = toolchain_of(bench.workloads)
    toolchain.require()
    binary = toolchain.build / FOLDER / program / variant
    sources = sources_of(program, toolchain.tree)
    if not _is_fresh(binary, _inputs(sources, toolchain)):
        bench.say(f"building {program}, {variant}")
        binary.parent.mkdir(parents=True, exist_ok=True)
        fresh = binary.with_name(f"{variant}.{os.getpid()}")
        _compile(toolchain.command(variant, sources, fresh))
        fresh.replace(binary)
    return binary


def _inputs(sources: Sequence[Path], toolchain: Toolchain) -> list[Path]:
    headers = [header for source in sources for header in source.parent.glob("*.h")]
    shared = list((toolchain.tree / "workloads").glob("*.h"))
    return [*sources, *headers, *shared, *toolchain.parts]


def _is_fresh(binary: Path, inputs: Sequence[Path]) -> bool:
    if not binary.is_file():
        return False
    made = binary.stat().st_mtime_ns
    return all(_changed(file) < made for file in inputs)


def _changed(file: Path) -> int:
    """When it was written, or installed, which keeps the time of writing."""
    return max(file.stat().st_mtime_ns, file.stat().st_ctime_ns)


def _compile(line: Sequence[str]) -> None:
    try:
        done = subprocess.run(line, capture_output=True, text=True, check=False, timeout=LONGEST)
    except subprocess.TimeoutExpired:
        raise CommandError(f"'{' '.join(line)}' did not end within {LONGEST:.0f} s") from None
    if done.returncode != 0:
        said = [each for each in done.stderr.splitlines() if "error" in each] or done.stderr.splitlines()
        raise CommandError(f"'{' '.join(line)}' failed: {said[0] if said else 'without a word'}")
