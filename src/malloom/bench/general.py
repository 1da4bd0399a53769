"""The general allocators that everything is held against, as variants: glibc, mimalloc, jemalloc and
tcmalloc, with huge pages and without."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from malloom.bench.steps import Bench
from malloom.errors import CommandError
from malloom.measure.allocators import Setting, every_setting, huge_pages_remark, system_huge_pages
from malloom.measure.interleaved import Rounds
from malloom.measure.rows import Place, Row, measured_row
from malloom.measure.variants import GLIBC, Variant, native, with_environment

BEST = "best"
"""The baseline that is, for each program, the fastest of the general allocators' settings."""
PEERS = "peers"
"""The folder beside the workloads' that has the allocators which the source tree builds."""


def allocator_settings(bench: Bench) -> dict[str, Setting]:
    """Every setting, by name. Raises CommandError where an allocator is missing."""
    return every_setting(bench.workloads.parent / PEERS)


def described(workloads: Path) -> dict[str, str]:
    """What the allocators of the settings are, and to whom the kernel gives huge pages, for a suite's
    head."""
    try:
        found = every_setting(workloads.parent / PEERS).values()
        told = {"general allocators": "; ".join(dict.fromkeys(each.described for each in found))}
    except CommandError as missing:
        told = {"general allocators": str(missing)}
    remark = huge_pages_remark(system_huge_pages())
    return {**told, "settings with huge pages": remark} if remark else told


def general_variants(bench: Bench) -> list[Variant]:
    """All settings as variants; the C library's allocator, as it is, first."""
    others = [each for name, each in allocator_settings(bench).items() if name != GLIBC]
    return [native(), *(with_environment(each.name, each.environment) for each in others)]


def best_of(rounds: Rounds, names: Iterable[str], metric: str = "cpu_time") -> str:
    """The one with the smallest median of those that were measured. Raises CommandError where none was."""
    wanted = list(names)
    there = [name for name in wanted if rounds.runs.get(name)]
    if not there:
        raise CommandError(f"none of {', '.join(wanted)} was measured")
    return min(there, key=lambda name: float(np.median(rounds.values(name, metric))))


def finalists(rounds: Rounds, names: Iterable[str], metric: str, most: int) -> list[str]:
    """The fastest by medians of few runs, so many of them however far behind: huge pages make runs of one
    setting differ, as they are there or not, so the first may have been lucky."""
    there = [name for name in names if rounds.runs.get(name)]
    return sorted(there, key=lambda name: float(np.median(rounds.values(name, metric))))[:most]


def row_against_best(
    place: Place,
    rounds: Rounds,
    variant: str,
    names: Sequence[str],
    metric: str = "cpu_time",
    called: str = BEST,
) -> Row:
    """Against the fastest of the names, which the row calls by another."""
    against = measured_row(place, rounds, variant, best_of(rounds, names, metric), metric)
    return replace(against, baseline=called)
