"""Runs of real binaries, recorded once under DynamoRIO and simulated on several machines."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from malloom.bench.cases import Case
from malloom.bench.gathered import Gathered
from malloom.bench.numbers import number_rows
from malloom.bench.splitting import builds
from malloom.bench.splitting.compilers import LTO, OURS
from malloom.bench.steps import Bench
from malloom.cache.geometry import Geometry, power4, power5, zen5
from malloom.cache.whole_run import WholeRun, simulate_run
from malloom.errors import CommandError
from malloom.measure import stages
from malloom.measure.interval import exact
from malloom.measure.process import Command
from malloom.measure.rows import Place, Row, row
from malloom.profile.addresses import recorded_addresses

COUNTED = (LTO, *OURS)
EARLY_REQUEST = "libstdc++.so.6"
"""Recording begins with the first request of malloc's, and a program whose structures are all in pools makes
none before its work: this library makes one when it is loaded."""

LONGEST = 3600.0
"""Seconds that a recorded run may take."""


def machines() -> tuple[Geometry, ...]:
    """Those of table 1, and one of today."""
    return power4(), power5(), zen5()


def with_prefetchers() -> tuple[Geometry, ...]:
    return power4(), power5()


class RunsOfVariants(Gathered[Mapping[str, WholeRun]]):
    """The runs of each case, by variant."""

    kind = Mapping[str, WholeRun]


@dataclass
class WholeRuns:
    """What the runs of a suite's cases came to, each recorded once, whichever part asks first."""

    found: RunsOfVariants = field(default_factory=RunsOfVariants)

    def of(self, bench: Bench, case: Case) -> Mapping[str, WholeRun]:
        """By variant. Raises CommandError where the baseline has none."""
        if case.place not in self.found:
            commands = builds.commands(bench, case, COUNTED)

            def count(command: Command) -> WholeRun:
                return _simulated(bench, case, command)

            self.found[case.place] = bench.counted(f"accesses of {case}", commands, count)
        if LTO not in self.found[case.place]:
            raise CommandError(f"the accesses of {case} could not be counted")
        return self.found[case.place]


def _simulated(bench: Bench, case: Case, command: Command) -> WholeRun:
    profile = bench.file(case, "whole.profile")
    early = {"LD_PRELOAD": EARLY_REQUEST}
    try:
        run = stages.record(command.arguments, profile, "full", time_limit=LONGEST, environment=early)
        if run.status != 0:
            raise CommandError(f"recording failed: {stages.Recorded.by(run).words}")
        return simulate_run(recorded_addresses(profile), machines(), with_prefetchers())
    finally:
        profile.unlink(missing_ok=True)


def count_rows(place: Place, metric: str, counts: Mapping[str, int]) -> list[Row]:
    """The baseline's number, and what the others have of it; only numbers where it has none."""
    base = counts[LTO]
    if base == 0:
        return number_rows(place, metric, counts)
    others = [(name, count) for name, count in counts.items() if name != LTO]
    return [
        *number_rows(place, metric, {LTO: base}),
        *(row(place, name, LTO, metric, exact(count / base)) for name, count in others),
    ]
