"""The verdict for people: a table of all rows on the training inputs, what check inputs say, what is kept."""

import shlex
from collections.abc import Iterator, Sequence

from malloom.measure.interval import Interval, Verdict
from malloom.measure.process import METRICS
from malloom.optimize.after_pause import PAUSE, AfterPause
from malloom.optimize.checking import CLIENTS_TIME
from malloom.optimize.data import (
    NOTHING_TO_GAIN,
    disagreement,
    for_clients,
    medians,
    peak_ratio,
    places_by_ordinal,
    predicted_of,
    verdict_interval,
)
from malloom.optimize.goal import Goal
from malloom.optimize.keeping import interval_as_data
from malloom.optimize.limit import score
from malloom.optimize.training import AS_IT_IS, NO_TIME, Measured, Row
from malloom.optimize.verdict import Outcome
from malloom.quantities import format_size
from malloom.ratios import in_words, with_bounds

Cells = Sequence[str]
HEAD = ("", "CPU time", "predicted", "wall time", "peak memory", "mean memory", "runs")
CHECK_HEAD = ("", "input", "CPU time", "wall time", "peak memory", "mean memory")


def tables(outcome: Outcome) -> list[tuple[str, Cells, list[Cells]]]:
    """Each table's title, head and rows."""
    found: list[tuple[str, Cells, list[Cells]]] = []
    if outcome.training and outcome.training.results:
        found.append((_training_title(outcome), HEAD, _training_rows(outcome)))
    if checks := _check_rows(outcome):
        title = (
            f"Against the program as it is, {outcome.inputs.judged_on}, {outcome.judged.pairs} pairs of runs"
        )
        found.append((title, CHECK_HEAD, checks))
    return found


def plain_table(title: str, head: Cells, rows: Sequence[Cells]) -> str:
    """Columns of equal width, the first to the left."""
    widths = [max(len(row[column]) for row in (head, *rows)) for column in range(len(head))]
    lines = [
        "  ".join(
            cell.ljust(width) if column == 0 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in (head, *rows)
    ]
    return "\n".join([title, *lines, ""])


def lines(outcome: Outcome) -> Iterator[str]:
    """All that is said beside the tables."""
    yield from (f"note: {note}" for note in [*outcome.notes, *_notes(outcome)])
    if outcome.parts:
        parts = ", ".join(f"{part} {ratio:.3f}" for part, ratio in outcome.parts.items())
        yield f"CPU time by what was added, on training inputs: {parts}"
    if outcome.interrupted and not (outcome.plan or outcome.choice_file):
        yield "interrupted: no plan is kept"
        return
    if own := own_figures(outcome):
        yield own
    if interval := verdict_interval(outcome):
        yield _verdict_line(outcome, interval)
    if outcome.after_pause:
        yield _after_pause_line(outcome.after_pause)
    if clients := for_clients(outcome):
        seen = ", ".join(
            f"{CLIENTS_TIME.get(name, name)} {_interval(each)}" for name, each in clients.items()
        )
        yield f"what its clients see, against the server as it is: {seen}"
    yield from _kept_lines(outcome)


def _verdict_line(outcome: Outcome, interval: Interval) -> str:
    metric = outcome.options.goal.metric
    peak = peak_ratio(outcome)
    needed = f", {peak:.2f} of the peak memory" if peak is not None else ""
    output = "output identical" if outcome.options.compare_output else "output not compared"
    on = outcome.inputs.judged_on
    said = in_words(interval.verdict.value, metric)
    if outcome.kept is None and interval.verdict is Verdict.FASTER:
        said = f"not kept, though {said}"
    return (
        f"{said}: {with_bounds(interval_as_data(interval), metric)}{needed}, {on}\n"
        f"{_shown(outcome.told)}, {outcome.judged.pairs} pairs of runs, {output}"
    )


def _after_pause_line(found: AfterPause) -> str:
    """What a program that runs once in a while has of what is kept."""
    return (
        f"after a pause of {PAUSE:.0f} s, in which the host may take back free memory: "
        f"{found.interval.verdict}, {_interval(found.interval)} of the CPU time on {found.given}"
    )


def _kept_lines(outcome: Outcome) -> Iterator[str]:
    for name, why in outcome.refused.items():
        yield f"{name} is not kept: {why}"
    if outcome.exit_status != 0:
        yield f"the program ended with exit status {outcome.exit_status}, with and without"
    if outcome.choice_file:
        file = outcome.choice_file
        build = f"malloom-cc -g -fmalloom-choice={shlex.quote(str(file.resolve()))}"
        yield f"the policies are kept as {file}, {outcome.inputs.judged_on}; build with {build}"
    if outcome.plan:
        command = outcome.inputs.typed(outcome.inputs.judged[0])
        run = f"malloom run --plan {shlex.quote(str(outcome.plan))} -- {command}"
        yield f"the plan is kept as {outcome.plan}, {outcome.inputs.judged_on}; use it with: {run}"
    elif not outcome.choice_file:
        yield "no plan is kept"


def _training_title(outcome: Outcome) -> str:
    inputs = outcome.inputs.train
    of = f"{len(inputs)} training inputs together" if len(inputs) > 1 else inputs[0].text
    return f"Ratios to the program as it is, on {of}"


def _training_rows(outcome: Outcome) -> list[Cells]:
    training = outcome.training
    assert training is not None
    results, goal = training.results, outcome.options.goal
    there = [row for row in outcome.rows if row.name in results]
    there.sort(key=lambda row: score(goal, results[row.name]))
    found: list[Cells] = [(AS_IT_IS, "1.000", "", "1.000", "1.00", "1.00", "")]
    found += [_measured_cells(_marked(outcome, row), row, results[row.name]) for row in there]
    failed = [
        (_shown(row), "left out" if training.left[row.name].startswith(NO_TIME) else "fails")
        for row in outcome.rows
        if row.name in training.left
    ]
    missing = [*failed, *((name, "left out") for name in outcome.builds.left)]
    return [*found, *((name, "-", "", "-", "-", "-", why) for name, why in missing)]


def _measured_cells(name: str, row: Row, measured: Measured) -> Cells:
    cpu, wall, peak, mean = (measured.mean(metric) for metric in METRICS)
    foretold = predicted_of(row)
    runs = min(map(len, measured.runs.values()))
    return (
        name,
        f"{cpu:.3f}",
        "" if foretold is None else f"{foretold:.3f}",
        f"{wall:.3f}",
        f"{peak:.2f}",
        f"{mean:.2f}",
        str(runs),
    )


def _check_rows(outcome: Outcome) -> list[Cells]:
    judged = outcome.judged
    return [
        (name, given, *(_interval(judged.on(given, name, AS_IT_IS, metric)) for metric in METRICS))
        for name, given in judged.measured()
    ]


def _interval(interval: Interval) -> str:
    if interval.low is None:
        return f"{interval.ratio:.3f}"
    return f"{interval.ratio:.3f} [{interval.low:.3f} {interval.high:.3f}]"


def _marked(outcome: Outcome, row: Row) -> str:
    """The row's name, with what it is in the race."""
    choice = outcome.choice
    marks = []
    if choice and row.name == choice.choice.name:
        marks.append("chosen")
    if choice and choice.best_setting and row.name == choice.best_setting.name:
        marks.append("best setting")
    if row.name in outcome.limit.refused:
        marks.append("too much memory")
    if row.name in outcome.limit.slower:
        marks.append("too slow")
    return f"{_shown(row)} ({', '.join(marks)})" if marks else _shown(row)


def _shown(row: Row | None) -> str:
    if row is None:
        return ""
    return f"{row.name}, for this input only" if places_by_ordinal(row) else row.name


def _notes(outcome: Outcome) -> Iterator[str]:
    training, choice = outcome.training, outcome.choice
    if training is None:
        return
    for why in dict.fromkeys(training.left.values()):
        names = ", ".join(name for name, reason in training.left.items() if reason == why)
        yield f"left out: {names} ({why})"
    if outcome.limit.refused:
        left = ", ".join(f"{name} {ratio:.2f}" for name, ratio in outcome.limit.refused.items())
        yield f"left out for their peak memory against the program's own: {left}"
    if outcome.limit.slower:
        left = ", ".join(f"{name} {ratio:.3f}" for name, ratio in outcome.limit.slower.items())
        yield f"left out for their CPU time against the program's own: {left}"
    yield from _best_if_unlimited(outcome)
    if choice and choice.placing is not None and choice.placing > NOTHING_TO_GAIN:
        of, than = "the best layout for this very input", "the best that places nothing"
        yield f"nothing to gain by placing: {of} takes {choice.placing:.3f} of the CPU time of {than}"
    if choice and (ratios := disagreement(outcome)):
        told = ", ".join(f"{ratio:.3f} on {given}" for given, ratio in ratios.items())
        yield f"the training inputs disagree about {choice.choice.name}: {told}"


def _best_if_unlimited(outcome: Outcome) -> Iterator[str]:
    """The setting that would be best, where a limit is all that speaks against it."""
    best = outcome.choice.unlimited if outcome.choice else None
    limit, goal = outcome.limit, outcome.options.goal
    if best is None or outcome.training is None or best.name not in {**limit.refused, **limit.slower}:
        return
    what = "memory" if best.name in limit.refused else "time"
    metric = "CPU time" if goal is Goal.time else "memory, peak and mean"
    ratio = score(goal, outcome.training.results[best.name])
    yield f"the best setting if {what} were no matter: {best.name}, {metric} {ratio:.3f}"


def own_figures(outcome: Outcome) -> str:
    """What the program needs as it is, in the judged runs; empty where it was not measured."""
    found = medians(outcome, AS_IT_IS)
    if not found:
        return ""
    size = format_size(int(found["peak_memory_bytes"]))
    return f"as it is the program takes {found['cpu_time_seconds']:.3f} s of CPU time and {size} at its peak"
