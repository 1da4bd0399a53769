"""The judgement: the program as it is, the best setting and the choice, in new pairs on the check inputs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from malloom.errors import CommandError
from malloom.measure.interleaved import Budget, Progress, Race, Rounds
from malloom.measure.interval import Interval, Verdict, fewest_pairs, median_of, together
from malloom.measure.process import Command, Run
from malloom.optimize.goal import Goal
from malloom.optimize.limit import Limit
from malloom.optimize.training import AS_IT_IS, Row, command_of

CLIENTS_TIME = {"wall_time": "time of the load"}
"""How metrics of clients are called where they have another name elsewhere."""
MOST_FIGURES = 5
"""Of clients that are known: the time of the load, and four latencies."""


@dataclass
class Judged:
    """The runs of each input, by its name: rows and the program as it is, one of each in every round.

    `left` has the rows that failed on an input, and why; `rival` is the setting that ran beside them all.
    `is_served` says that the program is a server, which clients load. `served` is that of
    reach.shares_served, of what is kept.
    """

    rounds: dict[str, Rounds] = field(default_factory=dict)
    left: dict[str, str] = field(default_factory=dict)
    rival: str | None = None
    is_served: bool = False
    served: dict[str, float | None] = field(default_factory=dict)

    def has(self, name: str) -> bool:
        """Whether it was measured on every input."""
        return bool(self.rounds) and all(self.has_on(given, name) for given in self.rounds)

    def has_on(self, given: str, name: str) -> bool:
        """Whether there are pairs of it on an input: after an interrupt there may be half of one."""
        runs = self.rounds[given].runs
        return bool(runs.get(name) and runs.get(AS_IT_IS))

    def measured(self) -> list[tuple[str, str]]:
        """Every row and input of which there are pairs, by rows."""
        names = dict.fromkeys(name for rounds in self.rounds.values() for name in rounds.runs)
        return [
            (name, given)
            for name in names
            for given in self.rounds
            if name != AS_IT_IS and self.has_on(given, name)
        ]

    def on(self, given: str, name: str, against: str, metric: str) -> Interval:
        """One row against another on one input."""
        return median_of(_pairs(self.rounds[given], name, against, metric))

    def of_all(self, name: str, against: str, metrics: Sequence[str]) -> Interval:
        """The same on all inputs, and of several metrics, which weigh alike: a mean of log ratios for each
        round."""
        return median_of(self._means(name, against, metrics))

    def _means(self, name: str, against: str, metrics: Sequence[str]) -> list[float]:
        logs = [
            np.log(_pairs(rounds, name, against, metric))
            for rounds in self.rounds.values()
            for metric in metrics
        ]
        fewest = min(map(len, logs))
        means: list[float] = np.exp(np.mean([log[:fewest] for log in logs], axis=0)).tolist()
        return means

    def corrected(self, name: str) -> dict[str, Interval]:
        """CPU time against the program as it is on each input, with Holm's correction: one input that was
        disturbed must not refuse what helps on many."""
        found = together([_pairs(each, name, AS_IT_IS, "cpu_time") for each in self.rounds.values()])
        return dict(zip(self.rounds, found, strict=True))

    def memory(self, given: str, name: str) -> float:
        """The median peak memory on one input, in bytes."""
        return self.rounds[given].peak_memory(name)

    def for_clients(self) -> tuple[str, ...]:
        """Of a server, the metrics that its clients see: the time of the whole load, and the latencies that
        every run's client printed. Of another program there are none."""
        if not self.is_served:
            return ()
        return ("wall_time", *common_figures(self._runs))

    def of_clients(self, name: str) -> dict[str, Interval]:
        """Each of them against the program as it is, on all inputs, with Holm's correction: they are many."""
        metrics = self.for_clients()
        found = together([self._means(name, AS_IT_IS, (metric,)) for metric in metrics])
        return dict(zip(metrics, found, strict=True))

    @property
    def figures_of_some(self) -> tuple[str, ...]:
        """What only some of the runs' clients printed, so that nothing can be said of it."""
        there = dict.fromkeys(name for run in self._runs for name in run.measures) if self.is_served else {}
        return tuple(name for name in there if name not in common_figures(self._runs))

    @property
    def _runs(self) -> list[Run]:
        return [run for rounds in self.rounds.values() for each in rounds.runs.values() for run in each]

    @property
    def pairs(self) -> int:
        """Rounds of the input that has fewest."""
        return min(map(len, self.rounds.values()), default=0)


def common_figures(runs: Sequence[Run]) -> tuple[str, ...]:
    """What every run reported, by name."""
    first = runs[0].measures if runs else ()
    return tuple(name for name in first if all(name in run.measures for run in runs))


def judge(
    judged: Judged,
    commands: Mapping[str, Command],
    rows: Sequence[Row],
    budget: Budget,
    progress: Progress,
    compare_output: bool,
    rivals: Sequence[Row] = (),
) -> None:
    """Measures the rows on every input until the budget says stop, and writes them into what is judged; with
    them the first of the rivals that runs on all inputs. Each input has pairs enough for an interval. Where
    the rival fails in the middle all is measured anew, beside the next one."""
    races = {}
    judged.is_served = any(command.client for command in commands.values())
    for given, command in commands.items():
        races[given] = Race({AS_IT_IS: command}, progress, compare_output=compare_output)
        races[given].warm_up(AS_IT_IS)
    for row in rows:
        _enter(judged, races, row)
    judged.rival = next((rival.name for rival in rivals if _enter(judged, races, rival)), None)
    medians = max(len(commands), MOST_FIGURES if judged.is_served else 1)
    fewest = max(budget.fewest, fewest_pairs(medians))
    seconds = budget.seconds / max(len(commands), 1)
    share = replace(budget, fewest=fewest, most=max(budget.most, fewest), seconds=seconds)
    for given, race in races.items():
        race.restart()
        judged.rounds[given] = race.rounds
        race.run_until_enough(list(race.commands), AS_IT_IS, share, "cpu_time")
        judged.left |= {name: str(error) for name, error in race.left.items()}
    others = rivals_after(judged.rival, rivals) if judged.rival in judged.left else ()
    if others and not any(row.name in judged.left for row in rows):
        judge(judged, commands, rows, budget, progress, compare_output, others)


def rivals_after(name: str | None, rivals: Sequence[Row]) -> Sequence[Row]:
    """Those that stand in for one that fails while it is judged."""
    names = [rival.name for rival in rivals]
    return rivals[names.index(name) + 1 :] if name in names else ()


def _enter(judged: Judged, races: Mapping[str, Race], row: Row) -> bool:
    """Whether a row has entered all races; if not, it is in none."""
    try:
        for race in races.values():
            race.enter(row.name, command_of(row, race.commands[AS_IT_IS]))
    except CommandError as error:
        judged.left[row.name] = str(error)
        for race in races.values():
            race.leave(row.name)
        return False
    return True


def why_refused(judged: Judged, name: str, rival: str | None, goal: Goal, limit: Limit) -> str:
    """Why a row is not kept; empty where it is. The rival is the setting that it must beat, where that is
    another row."""
    return (
        why_unfit(judged, name, limit)
        or _not_better(judged, name, AS_IT_IS, goal)
        or (_not_better(judged, name, rival, goal) if rival else "")
    )


def why_unfit(judged: Judged, name: str, limit: Limit) -> str:
    """Why nobody may have a row, however much it gains elsewhere; empty where one may."""
    if name in judged.left or not judged.has(name):
        return judged.left.get(name, "it was not measured on every input")
    return (
        _slower(judged, name)
        or _slower_for_clients(judged, name)
        or limit.why_refused(name)
        or _too_much_memory(judged, name, limit)
    )


def slower_on(judged: Judged, name: str) -> list[str]:
    """The inputs on which a row takes more CPU time than the program as it is, with Holm's correction."""
    lows = {given: interval.low for given, interval in judged.corrected(name).items()}
    return [given for given, low in lows.items() if low is not None and low > 1]


def _slower(judged: Judged, name: str) -> str:
    """On which inputs it is, or may be for all that is known."""
    if unknown := [given for given, each in judged.corrected(name).items() if each.low is None]:
        return f"there are too few pairs to say that it is not slower on {', '.join(unknown)}"
    slower = slower_on(judged, name)
    return f"it is slower on {', '.join(slower)}" if slower else ""


def _slower_for_clients(judged: Judged, name: str) -> str:
    """What a server's clients get worse, on all inputs together."""
    for metric, interval in judged.of_clients(name).items():
        said = CLIENTS_TIME.get(metric, metric)
        if interval.low is None:
            return f"there are too few pairs to say that its clients do not wait longer: {said}"
        if interval.verdict is Verdict.SLOWER:
            bounds = f"{interval.ratio:.3f} [{interval.low:.3f} {interval.high:.3f}]"
            return f"its clients wait longer: {said} {bounds}"
    return ""


def _not_better(judged: Judged, name: str, against: str, goal: Goal) -> str:
    if not judged.has(against) and against != AS_IT_IS:
        return f"{against}, which it must beat, was not measured on every input"
    if judged.of_all(name, against, goal.metrics).verdict is Verdict.FASTER:
        return ""
    other = "the program as it is" if against == AS_IT_IS else against
    return f"it is not measurably better than {other}"


def _too_much_memory(judged: Judged, name: str, limit: Limit) -> str:
    for given in judged.rounds:
        peak, own = judged.memory(given, name), judged.memory(given, AS_IT_IS)
        if not limit.is_within(peak, own):
            ratio = f"{peak / own:.2f} of the program's peak memory on {given}"
            return f"it needs {ratio}, more than {limit.most:.2f}"
    return ""


def _pairs(rounds: Rounds, name: str, against: str, metric: str) -> list[float]:
    """Ratios of the pairs. Raises CommandError where the other has 0 of what was measured."""
    values, others = rounds.values(name, metric), rounds.values(against, metric)
    if not all(others):
        raise CommandError("the program has 0 of what is measured", remedy="measure a longer run")
    # After an interrupt the last round may be half one.
    return [max(value / other, 1e-6) for value, other in zip(values, others, strict=False)]
