"""`malloom verify`: whether a plan that a few hosts run with is worth keeping."""

from __future__ import annotations

import json
from dataclasses import asdict
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from malloom.errors import UsageProblem
from malloom.quantities import counted

if TYPE_CHECKING:
    from malloom.measure.canary import Judged

MAX_MEMORY = 1.15
"""As `malloom optimize` has it."""
STATUS = {"keep": 0, "roll back": 3, "undecided": 4}


def register(app: typer.Typer) -> None:
    app.command(
        name="verify",
        epilog="Example: malloom verify run.plan --baseline without.jsonl --candidate with.jsonl",
    )(verify)


def verify(
    plan: Annotated[Path, typer.Argument(help="The plan that the candidates run with.", show_default=False)],
    baseline: Annotated[
        Path,
        typer.Option("--baseline", metavar="LOG", help="The log of hosts without it.", show_default=False),
    ],
    candidate: Annotated[
        Path, typer.Option("--candidate", metavar="LOG", help="The log of hosts with it.", show_default=False)
    ],
    max_memory: Annotated[
        float,
        typer.Option(
            "--max-memory", metavar="RATIO", min=0.01, help="Most peak memory, against that without it."
        ),
    ] = MAX_MEMORY,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Say whether a plan is worth keeping, by the logs of hosts with it and without it.

    A log has a JSON object a line: host, window, cpu_seconds, requests, and peak_bytes where memory is to be
    judged. Windows of one name are a pair, and judged are the CPU time for a request and the mean of the
    hosts' peaks, each by the median of the pairs' ratios and its interval of 95 %. Candidates that serve
    nothing while the others do are rolled back.

    Exit status: 0 keep it, 3 roll it back, 4 not decided, 1 where the logs cannot be used, 2 for bad use.
    """
    from malloom.layout.plan_header import check_plan  # noqa: PLC0415
    from malloom.measure.canary import judge, read_log  # noqa: PLC0415  (help does not need NumPy)

    if isnan(max_memory):
        raise UsageProblem("--max-memory is no number", remedy=f"write it as {MAX_MEMORY}")
    check_plan(plan)
    judged = judge(read_log(baseline), read_log(candidate), max_memory)
    if as_json:
        typer.echo(json.dumps({"plan": str(plan), **asdict(judged)}))
    else:
        typer.echo("\n".join(lines_of(judged)))
    raise typer.Exit(STATUS[judged.decision])


def lines_of(judged: Judged) -> list[str]:
    """The decision first."""
    lines = [f"{judged.decision}: {judged.why}", _time_line(judged), _memory_line(judged)]
    if judged.unpaired:
        silent = f"; in {judged.silent} only the candidates served nothing" if judged.silent else ""
        lines.append(
            f"left out: {counted(judged.unpaired, 'window')} without requests of both groups{silent}"
        )
    return lines + [f"note: {each}" for each in judged.notes]


def _time_line(judged: Judged) -> str:
    time, (without, with_plan) = judged.time, judged.hosts
    hosts = f"{counted(with_plan, 'host')} with it and {without} without"
    if time is None:
        return f"CPU time for a request: not judged, as no window has requests of both groups, {hosts}"
    bounds = None if time.low is None or time.high is None else (time.low, time.high)
    found = f"{time.ratio:.3f}{_shown(bounds)} of that without the plan"
    return f"CPU time for a request: {found}, {counted(judged.windows, 'window')}, {hosts}"


def _memory_line(judged: Judged) -> str:
    if judged.memory is None:
        return "peak memory: not judged, as in no window every host of both groups told it"
    found = f"{judged.memory:.3f}{_shown(judged.memory_bounds)}"
    return f"peak memory: {found}, the mean over hosts, {counted(judged.memory_windows, 'window')}"


def _shown(bounds: tuple[float, float] | None) -> str:
    return "" if bounds is None else f" [{bounds[0]:.3f} {bounds[1]:.3f}]"
