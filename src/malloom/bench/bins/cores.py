"""Task graphs on several cores, whose buffers come from a heap of each core, against one heap with a lock for
all (Lhuillier and Courousse, 3.2 and 4.1)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from malloom.bench.bins.graphs import cell_of, generator
from malloom.bench.bins.inputs import JUDGED_SEED
from malloom.bench.bins.others import WORST
from malloom.bench.bins.replays import PAIR, Spread, mean, number_row
from malloom.bench.bins.schedule import DrawnGraph, drawn_in
from malloom.bench.bins.simulator import Simulator
from malloom.bench.bins.tasks import Cores, Heaps, TaskRun, run_of
from malloom.bench.gathered import Gathered
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


class TaskRuns(Gathered[list[list[TaskRun]]]):
    """Of each graph the runs with each kind of heap, by the cores that they ran on and by which graphs they
    are."""

    kind = list[list[TaskRun]]


@dataclass(frozen=True)
class Given:
    """What the graphs run on, and the cycles of their tasks."""

    simulator: Simulator
    cores: Cores
    work: int

    @property
    def name(self) -> str:
        return f"{self.cores.name}, tasks of {self.work:,} cycles, {self.simulator.place}"

    def runs(self, number: int) -> list[TaskRun]:
        """Of that graph."""
        graph = graph_of(number)
        return [
            right(run_of(self.simulator, self.cores, graph, heaps, self.work)) for heaps in HEAPS.values()
        ]


def run_graphs(bench: Bench, given: Given, first: int, count: int, found: TaskRuns) -> list[Row | Goal]:
    """Only gathers: the rows are of all graphs together."""
    what = f"{given.name}, graphs {first + 1} to {first + count}"
    bench.say(f"running {what}")
    numbers = list(range(first, first + count))
    done = side_by_side(numbers, given.runs, lambda ended: bench.progress(f"graphs of {count}", ended))
    whole = [runs for runs in done if not any(each.failures for each in runs)]
    if len(whole) < count:
        bench.note(f"{what}: {count - len(whole)} found no room")
    found[given.name, what] = whole
    return []


def core_rows(found: TaskRuns, given: Given, judges: bool) -> list[Row | Goal]:
    """Numbers of each kind of heap in the mean of the graphs, and total cycles against those of one heap."""
    graphs = [runs for (name, _), of_part in found.items() if name == given.name for runs in of_part]
    if not graphs:
        return []
    by_name = dict(zip(HEAPS, zip(*graphs, strict=True), strict=True))
    rows: list[Row | Goal] = []
    for name, runs in by_name.items():
        rows += _numbers((given.name, f"{len(graphs)} graphs"), name, runs)
    for name in (*OWN, GENERATED):
        is_judged = judges and name in OWN and given.cores.count > 1
        rows += _against_one((given.name, name), by_name[name], by_name[ONE], is_judged)
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
    goals = spread.goals(place, ONE, TOTAL, len(mine), {"mean": NO_SLOWER}) if judges else []
    return [*spread.rows(place, ONE, TOTAL, len(mine)), *goals]
