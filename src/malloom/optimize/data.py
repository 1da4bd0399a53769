"""The verdict for machines: all rows with their raw figures, and all comparisons."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from malloom.measure.interval import Interval
from malloom.measure.process import METRICS, Run
from malloom.optimize.after_pause import PAUSE
from malloom.optimize.candidates import Candidate
from malloom.optimize.checking import common_figures, slower_on
from malloom.optimize.keeping import interval_as_data
from malloom.optimize.learning import contents_of
from malloom.optimize.settings import AllocatorRow
from malloom.optimize.training import AS_IT_IS, Measured, Row
from malloom.optimize.verdict import Outcome

DISAGREE = 0.02
"""How far apart the inputs' ratios are from 1, on both sides of it, where that is told."""
NOTHING_TO_GAIN = 0.97
"""Of Choice.placing: above it a race between layouts is about noise."""


def as_data(outcome: Outcome) -> dict[str, Any]:
    """One JSON object. Times are seconds, memory is bytes; ratios are to the program as it is.

    `plan` is None where nothing is kept. `chosen` is the row that training chose; `choice` is what is kept,
    else the same, and `ratio` with its interval is of it. `after_pause` is None where pauses change
    nothing, or where there was no time to measure that. `placing` is that of Choice.
    `served` is that of Judged.
    """
    told = outcome.told
    interval = verdict_interval(outcome)
    return {
        "program": list(outcome.inputs.program),
        "command": outcome.inputs.arguments(outcome.inputs.judged[0]),
        "typed": outcome.inputs.typed(outcome.inputs.judged[0]),
        "client": list(outcome.inputs.client.arguments) if outcome.inputs.client else None,
        "train": [each.text for each in outcome.inputs.train],
        "check": [each.text for each in outcome.inputs.check],
        "judged": outcome.inputs.judged_on,
        "goal": outcome.options.goal.value,
        "verdict": interval.verdict.value if interval else None,
        "metric": outcome.options.goal.metric,
        **(interval_as_data(interval) if interval else dict.fromkeys(("ratio", "low", "high"))),
        "pairs": outcome.judged.pairs,
        "peak_rss_ratio": peak_ratio(outcome),
        "chosen": _name(outcome.choice.choice) if outcome.choice else None,
        "choice": told.name if told else None,
        "kind": told.kind if told else None,
        "best_setting": _name(outcome.choice.best_setting) if outcome.choice else None,
        "best_setting_unlimited": _name(outcome.choice.unlimited) if outcome.choice else None,
        "rival": outcome.judged.rival,
        "refused": dict(outcome.refused),
        "slower_on": slower_inputs(outcome),
        "best_plan": outcome.best_plan,
        "for_clients": {name: interval_as_data(each) for name, each in for_clients(outcome).items()},
        "after_pause": _after_pause(outcome),
        "placing": outcome.choice.placing if outcome.choice else None,
        "parts": dict(outcome.parts),
        "rows": [*_rows(outcome)],
        "checks": [*_checks(outcome)],
        "served": dict(outcome.judged.served),
        **_of_plan(told),
        **_of_sources(outcome),
        "notes": list(outcome.notes),
        "left": dict(outcome.training.left) if outcome.training else {},
        "left_for_memory": dict(outcome.limit.refused),
        "left_for_time": dict(outcome.limit.slower),
        "disagree": disagreement(outcome),
        "exit_status": outcome.exit_status,
        "output": "identical" if outcome.options.compare_output else "not compared",
        "seconds": outcome.seconds,
        "interrupted": outcome.interrupted,
        "plan": str(outcome.plan) if outcome.plan else None,
        "choice_file": str(outcome.choice_file) if outcome.choice_file else None,
        "builds_left": dict(outcome.builds.left),
    }


def verdict_interval(outcome: Outcome) -> Interval | None:
    """Of what is told, on all judged inputs together; None where it was not measured on each."""
    name = _judged(outcome)
    return outcome.judged.of_all(name, AS_IT_IS, outcome.options.goal.metrics) if name else None


def slower_inputs(outcome: Outcome) -> list[str]:
    """Judged inputs on which what is told of is slower for certain: on those it was refused."""
    name = _judged(outcome)
    return slower_on(outcome.judged, name) if name else []


def for_clients(outcome: Outcome) -> dict[str, Interval]:
    """Of what is told, by metric, what a server's clients see on all judged inputs together."""
    name, judged = _judged(outcome), outcome.judged
    return {each: judged.of_all(name, AS_IT_IS, (each,)) for each in judged.for_clients()} if name else {}


def peak_ratio(outcome: Outcome) -> float | None:
    """The same of peak memory; None where it was not measured."""
    name = _judged(outcome)
    return outcome.judged.of_all(name, AS_IT_IS, ("peak_memory",)).ratio if name else None


def _judged(outcome: Outcome) -> str:
    """The row that is told of, where it was measured on every judged input: an interrupt may have come before
    some; else empty."""
    told, judged = outcome.told, outcome.judged
    is_whole = len(judged.rounds) == len(outcome.inputs.judged)
    return told.name if told and is_whole and judged.has(told.name) else ""


def disagreement(outcome: Outcome) -> dict[str, float]:
    """CPU time of the choice by training input, where some gain by it and others lose; else empty."""
    choice, training = outcome.choice, outcome.training
    measured = training.results.get(choice.choice.name) if choice and training else None
    ratios = measured.ratios("cpu_time") if measured else {}
    if not ratios or min(ratios.values()) > 1 - DISAGREE or max(ratios.values()) < 1 + DISAGREE:
        return {}
    return ratios


def _after_pause(outcome: Outcome) -> dict[str, Any] | None:
    found = outcome.after_pause
    if found is None:
        return None
    return {"input": found.given, "seconds": PAUSE, **interval_as_data(found.interval)}


def places_by_ordinal(row: Row) -> bool:
    """Whether it is a layout, whose places are for one input."""
    return isinstance(row, Candidate) and row.has_arena


def predicted_of(row: Row) -> float | None:
    """CPU time that simulation foretells, against that with the layout as recorded; None: nothing does."""
    return row.predicted if isinstance(row, Candidate) else None


def _rows(outcome: Outcome) -> list[dict[str, Any]]:
    training = outcome.training
    if training is None:
        return []
    is_served = outcome.inputs.client is not None
    return [
        _row(row, training.results.get(row.name), training.left.get(row.name), is_served)
        for row in outcome.rows
    ]


def _row(row: Row, measured: Measured | None, problem: str | None, is_served: bool) -> dict[str, Any]:
    data: dict[str, Any] = {
        "name": row.name,
        "kind": row.kind,
        "described": row.setting.described if isinstance(row, AllocatorRow) else row.name,
        "this_input_only": places_by_ordinal(row),
        "predicted": predicted_of(row),
        "problem": problem,
    }
    if measured:
        data["train"] = {metric: measured.mean(metric) for metric in METRICS}
        data["inputs"] = [
            {"input": given, "runs": raw(runs, more), "as_it_is": raw(measured.beside[given], more)}
            for given, runs in measured.runs.items()
            for more in [common_figures([*runs, *measured.beside[given]]) if is_served else ()]
        ]
    return data


def _checks(outcome: Outcome) -> list[dict[str, Any]]:
    """Every judged row on every input: intervals by metric, of CPU time that with Holm's correction too."""
    judged = outcome.judged
    more = [metric for metric in judged.for_clients() if metric not in METRICS]
    metrics = (*METRICS, *more)
    return [
        {
            "input": given,
            "row": name,
            **{metric: interval_as_data(judged.on(given, name, AS_IT_IS, metric)) for metric in metrics},
            "corrected": interval_as_data(judged.corrected(name)[given]) if judged.has(name) else None,
            "runs": raw(judged.rounds[given].runs[name], more),
            "as_it_is": raw(judged.rounds[given].runs[AS_IT_IS], more),
        }
        for name, given in judged.measured()
    ]


def raw(runs: Sequence[Run], more: Sequence[str] = ()) -> dict[str, list[float]]:
    """What each run used, by metric; of a server what its clients saw, too."""
    return {metric: [run.metric(metric) for run in runs] for metric in (*METRICS, *more)}


def medians(outcome: Outcome, name: str) -> Mapping[str, float]:
    """Of the judged runs of a row, all inputs together; empty where there are none."""
    runs = [run for rounds in outcome.judged.rounds.values() for run in rounds.runs.get(name, [])]
    if not runs:
        return {}
    return {
        "cpu_time_seconds": float(np.median([run.cpu_time for run in runs])),
        "peak_memory_bytes": float(np.median([run.peak_memory for run in runs])),
    }


def _of_plan(told: Row | None) -> dict[str, Any]:
    """What is in the plan that is told of: its strategy, how it runs, what it carries."""
    if not isinstance(told, Candidate):
        return {
            "strategy": told.name if told else None,
            "preallocated": False,
            "fallback": None,
            "carries": {},
        }
    return {
        "strategy": told.strategy,
        "preallocated": told.is_preallocated,
        "fallback": told.served_by,
        "carries": asdict(contents_of(told.plan)),
    }


def _of_sources(outcome: Outcome) -> dict[str, Any]:
    sources, told = outcome.sources, outcome.told
    learned = sources.learned.contents if sources else {}
    return {
        "without_plan": medians(outcome, AS_IT_IS),
        "with_plan": medians(outcome, told.name) if told else {},
        "processes": list(sources.processes) if sources else [],
        "learned": {name: asdict(contents) for name, contents in learned.items()},
        "candidates": list(dict.fromkeys(row.strategy for row in outcome.rows if isinstance(row, Candidate))),
        "accesses": sources.accesses if sources else None,
    }


def _name(row: Row | None) -> str | None:
    return row.name if row else None
