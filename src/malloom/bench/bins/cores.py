"""Task graphs on several cores, whose buffers come from a heap of each core, against one heap with a lock for
all (Lhuillier and Courousse, 3.2 and 4.1)."""

from collections.abc import Mapping, Sequence

from malloom.bench.bins.graphs import cell_of, generator
from malloom.bench.bins.inputs import JUDGED_SEED
from malloom.bench.bins.others import WORST
from malloom.bench.bins.replays import PAIR, Spread, mean, number_row
from malloom.bench.bins.schedule import DrawnGraph, drawn_in
from malloom.bench.bins.simulator import Simulator
from malloom.bench.bins.tasks import Cores, Heaps, TaskRun, run_of
from malloom.bench.goals import Goal
from malloom.bench.simulations import side_by_side
from malloom.bench.steps import Bench
from malloom.errors import CommandError
from malloom.measure.rows import Place, Row

TOTAL = "total_cycles"
FOREIGN, OVERFLOWS, ELSEWHERE = (
    "per_cent_of_another_core",
    "per_cent_without_room",
    "per_cent_by_anothers_code",
)
HEAPS: Mapping[str, Heaps] = {
    "one locked heap": Heaps.ONE,
    "a heap a core": Heaps.EACH,
    "a heap a core, collected": Heaps.COLLECTED,
    "one locked heap, generated": Heaps.GENERATED,
}
ONE, EACH, COLLECTED, GENERATED = HEAPS
OWN = (EACH, COLLECTED)
NO_SLOWER = 1.0


def graph_of(number: int) -> DrawnGraph:
    """Of the workload, on as many workers as there are cores."""
    return drawn_in(cell_of(number), generator(JUDGED_SEED, number))


def core_rows(
    bench: Bench, simulator: Simulator, cores: Cores, work: int, graphs: int, judges: bool
) -> list[Row | Goal]:
    """Numbers of each kind of heap in the mean of the graphs, and total cycles against those of one heap."""
    what = f"{cores.name}, tasks of {work:,} cycles, {simulator.place}"
    bench.say(f"running {graphs} graphs: {what}")

    def run(number: int) -> list[TaskRun]:
        graph = graph_of(number)
        return [right(run_of(simulator, cores, graph, heaps, work)) for heaps in HEAPS.values()]

    done = side_by_side(list(range(graphs)), run, lambda count: bench.progress(f"graphs of {graphs}", count))
    found = [runs for runs in done if not any(each.failures for each in runs)]
    if len(found) < graphs:
        bench.note(f"{what}: {graphs - len(found)} of {graphs} graphs found no room")
    if not found:
        raise CommandError(f"{what}: no graph found room")
    by_name = dict(zip(HEAPS, zip(*found, strict=True), strict=True))
    rows: list[Row | Goal] = []
    for name, runs in by_name.items():
        rows += _numbers((what, ""), name, runs)
    for name in (*OWN, GENERATED):
        is_judged = judges and name in OWN and cores.count > 1
        rows += _against_one((what, name), by_name[name], by_name[ONE], is_judged)
    return rows


def right(run: TaskRun) -> TaskRun:
    """Raises CommandError where an object was overwritten or lost."""
    if not run.is_right:
        raise CommandError(f"a graph's objects are not as they should be: {run}")
    return run


def _numbers(place: Place, name: str, runs: Sequence[TaskRun]) -> list[Row]:
    numbers = {
        TOTAL: mean([run.cycles for run in runs]),
        PAIR: mean([run.pair_cycles for run in runs]),
        WORST: max(run.worst for run in runs),
        FOREIGN: 100 * mean([run.foreign / run.pairs for run in runs]),
        OVERFLOWS: 100 * mean([run.overflows / run.pairs for run in runs]),
        ELSEWHERE: 100 * mean([run.elsewhere / run.pairs for run in runs]),
    }
    return [number_row(place, name, metric, number, len(runs)) for metric, number in numbers.items()]


def _against_one(
    place: Place, mine: Sequence[TaskRun], theirs: Sequence[TaskRun], judges: bool
) -> list[Row | Goal]:
    """Heaps of their own are to be no slower where there are several cores."""
    spread = Spread.of([each.cycles / one.cycles for each, one in zip(mine, theirs, strict=True)])
    worst, middle, best = spread.rows(place, ONE, TOTAL, len(mine))
    return [worst, Goal(middle, NO_SLOWER) if judges else middle, best]
