"""What links and clean builds by malloom's compiler cost, of many programs: beside those that clang makes
with link-time optimisation."""

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from malloom.bench.gathered import Gathered
from malloom.bench.goals import Goal, against_limit
from malloom.bench.numbers import number_rows
from malloom.bench.splitting.builds import toolchain_of
from malloom.bench.splitting.compilers import DEFAULT, LTO
from malloom.bench.splitting.debian import BUILD, BUILD_TIME, BUILT, FACTS, SAME_DATE, build_rows
from malloom.bench.splitting.debian_builds import Tree, clean_builds, configured, lines_of, link_alone, within
from malloom.bench.splitting.linked_program import LinkedProgram
from malloom.bench.steps import Bench
from malloom.errors import CommandError
from malloom.measure.interleaved import Budget, Rounds, describe_status
from malloom.measure.process import Run, run_measured
from malloom.measure.rows import Place, Row, rows_of

LINK_ALONE = "link_cpu_time"
LINK_TIMES = 2.0
"""Of the CPU time of the link with link-time optimisation alone."""
WANTED, WANTED_LARGE = 40, 10
"""So many programs are measured, and so many in C++ that have at least so many lines:"""
LARGE = 20_000
SECONDS_OF_ARGUMENTS = 60.0


@dataclass(frozen=True)
class LinkAmount:
    """How often each is built and linked: builds in rounds, of which none begins after so many seconds."""

    builds: int
    build_seconds: float
    links: Budget


class Lines(Gathered[int]):
    """How long the programs are whose links were measured so far, by name and language."""

    kind = int


def linked_rows(bench: Bench, program: LinkedProgram, amount: LinkAmount, sizes: Lines) -> list[Row | Goal]:
    """Everything of one program, of which nothing stays. Raises CommandError where a build fails, or where
    the programs that they make differ in what they do."""
    try:
        return _rows(bench, program, amount, sizes)
    finally:
        shutil.rmtree(bench.scratch / "debian" / program.name, ignore_errors=True)


def _rows(bench: Bench, program: LinkedProgram, amount: LinkAmount, sizes: Lines) -> list[Row | Goal]:
    place, trees = program.place, configured(bench, program, toolchain_of(bench.workloads), BUILT)
    lines = lines_of(trees[LTO], program.folders)
    builds = clean_builds(bench, trees, amount.builds, amount.build_seconds)
    demand_same(program, {name: used(tree, program) for name, tree in trees.items()})
    commands = {name: link_alone(tree) for name, tree in trees.items()}
    links = bench.race_of(" ".join(place), commands, LTO, amount.links)
    found = [
        *fact_rows(place, lines, links),
        *held(place, link_rows(place, links), links, "cpu_time", LINK_ALONE, LINK_TIMES),
        *held(place, _rows_alone(build_rows(place, builds)), builds, "cpu_time", BUILD, BUILD_TIME),
    ]
    sizes[place] = lines
    return found


def used(tree: Tree, program: LinkedProgram) -> Run:
    """By its path from the folder of its sources, so that all builds say the same name."""
    words = ["sh", "-c", f"./{program.binary} {program.arguments}"]
    return run_measured(within(tree.folder, words, SECONDS_OF_ARGUMENTS).with_environment(SAME_DATE))


def demand_same(program: LinkedProgram, runs: Mapping[str, Run]) -> None:
    """Raises CommandError where a build fails, or does not do what the others do."""
    first = runs[LTO]
    for name, run in runs.items():
        if run.status != 0:
            raise CommandError(f"{program.name}, {name}, ended with {describe_status(run.status)}")
        if (run.output_digest, run.errors) != (first.output_digest, first.errors):
            raise CommandError(f"{program.name}, {name}, does not say what it says as {LTO}")


def fact_rows(place: Place, lines: int, links: Rounds) -> list[Row]:
    """How long it is, and what each link takes."""
    facts: dict[str, float] = {"lines": lines}
    for name in BUILT:
        seconds = sorted(links.values(name, "cpu_time"))
        facts[f"{name}: seconds"] = seconds[len(seconds) // 2]
        facts[f"{name}: MB"] = links.peak_memory(name) / 1e6
    return number_rows(place, FACTS, facts)


def link_rows(place: Place, links: Rounds) -> list[Row]:
    return [replace(each, metric=LINK_ALONE) for each in rows_of(place, links, LTO, ("cpu_time",))]


def _rows_alone(found: Sequence[Row | Goal]) -> list[Row]:
    return [each for each in found if isinstance(each, Row)]


def held(
    place: Place, rows: Sequence[Row], rounds: Rounds, measured: str, metric: str, limit: float
) -> list[Row | Goal]:
    """The rows, and the one of malloom's compiler held to a limit. Where it takes too long for as many pairs
    as an interval needs, the median of those that there are is held, as an absolute number."""
    (ours,) = (row for row in rows if (row.variant, row.metric) == (DEFAULT, metric))
    if ours.low is not None:
        return [*rows, Goal(ours, limit)]
    ratios = rounds.pair_ratios(DEFAULT, LTO, measured)
    return [*rows, against_limit(place, DEFAULT, metric, ratios, limit)]


def size_goals(sizes: Mapping[Place, int]) -> list[Goal]:
    """Whether enough programs were measured, and enough large ones in C++."""
    large = [lines for (_, language), lines in sizes.items() if language == "C++" and lines >= LARGE]
    counts = {"programs": (len(sizes), WANTED), f"C++ of {LARGE:,} lines": (len(large), WANTED_LARGE)}
    return [
        against_limit(("number of links", what), DEFAULT, "wanted_programs", [wanted], max(count, 1))
        for what, (count, wanted) in counts.items()
    ]


def seconds_of(program: LinkedProgram, amount: LinkAmount) -> float:
    """What a step is thought to take: to configure it twice, and then for each round two builds with
    link-time optimisation and one of malloom's, and links, which take half as long."""
    builds = min(amount.builds, 1 + int(amount.build_seconds / (3 * program.build_seconds)))
    links = max(amount.links.fewest * 1.5 * program.build_seconds, amount.links.seconds)
    return 30.0 + 3 * program.build_seconds * builds + links
