"""`malloom plan --for bins`: a profile's requests as a layout of bins, written as a C header."""

from __future__ import annotations

import json
import platform
from dataclasses import asdict
from pathlib import Path
from typing import Any

import typer

from malloom.commands.notes import tell_notes
from malloom.errors import UsageProblem
from malloom.layout.bin_header import c_name, header
from malloom.layout.bin_layout import DEFAULT_BINS, TARGETS, BinLayout, Target, lay_out, target_named
from malloom.layout.bin_replay import ORIGINAL, OWN_POINTER_BYTES, Replay, replay
from malloom.output_file import Replaced, check_new, check_output, check_replaced, written_whole
from malloom.profile import HeapProfile
from malloom.quantities import counted
from malloom.report.reasons import check_not_empty, notes_on


def plan_bins(
    profile: Path,
    output: Path,
    *,
    process: str | None,
    target: str | None,
    bins: int | None,
    force: bool,
    as_json: bool,
) -> None:
    """Lay the bins out and write the header; with a target it has the function's machine code."""
    machine = machine_named(target)
    check_written(output, "header of bins", profile, force=force)
    opened = opened_with_notes(profile, process)
    layout = lay_out(opened.requests, machine, bins or DEFAULT_BINS)
    code = layout.code() if target else None
    with written_whole(output) as file:
        file.write(header(layout, c_name(output), profile.name, code).encode())
    typer.echo(summary(layout, code), err=True)
    replays = _replays(opened, layout)
    if replays:
        typer.echo(compared(layout, *replays), err=True)
    if as_json:
        typer.echo(json.dumps({**as_object(layout, code), "replayed": _replays_object(replays)}, indent=2))


def check_written(output: Path, kind: Replaced, profile: Path, *, force: bool) -> None:
    """Raises where the output cannot be written, or would replace what it may not."""
    check_output(output, profile)
    if not force:
        check_new(output)
    check_replaced(output, kind)


def opened_with_notes(profile: Path, process: str | None) -> HeapProfile:
    """The profile, with its notes told; raises where it is empty."""
    opened = HeapProfile.open(profile, process)
    check_not_empty(opened)
    tell_notes(notes_on(opened))
    return opened


Replays = tuple[Replay, Replay]
"""With the bins as laid out, and with the original ones."""


def _replays(profile: HeapProfile, layout: BinLayout) -> Replays | None:
    """What a heap of this machine does with the bins; None where the target's chunks have other sizes."""
    if layout.target.pointer_bytes != OWN_POINTER_BYTES:
        return None
    laid_out, original = (
        replay(profile.requests, begins, layout.most_living_bytes) for begins in (layout.begins, ORIGINAL)
    )
    return laid_out, original


def compared(layout: BinLayout, laid_out: Replay, original: Replay) -> str:
    """Both replays, in one line."""

    def held(found: Replay) -> str:
        failures = f", {found.failures:,} requests failed" if found.failures else ""
        return f"{found.of_living(layout.most_living_bytes):.2f} times{failures}"

    steps = [found.steps_of(layout.requests) for found in (laid_out, original)]
    return (
        f"replayed: {held(laid_out)} what lived is held (original bins: {held(original)}), "
        f"{steps[0]:.2f} steps a request ({steps[1]:.2f})"
    )


def _replays_object(replays: Replays | None) -> dict[str, dict[str, int]] | None:
    return replays and {"laid_out": asdict(replays[0]), "original": asdict(replays[1])}


def machine_named(target: str | None) -> Target:
    """The target, or this machine; raises where there is none, as chunks' sizes are not known then."""
    name = target or platform.machine()
    if target is None and name not in TARGETS:
        raise UsageProblem(f"no target is known for {name}", remedy=f"name one: --target {'|'.join(TARGETS)}")
    return target_named(name)


def require_bins(**options: object) -> None:
    """Raise UsageProblem for an option that only bins have."""
    for name, value in options.items():
        if value:
            raise UsageProblem(f"--{name} means nothing for a run", remedy="add --for bins")


def require_no_places(**options: bool) -> None:
    """Raise UsageProblem for an option that was given and that bins have no use for."""
    for name, is_given in options.items():
        if is_given:
            raise UsageProblem(f"--{name} means nothing with --for bins", remedy="leave out one of the two")


def summary(layout: BinLayout, code: bytes | None) -> str:
    """What was laid out, in one line."""
    function = f", a function of {len(code)} bytes" if code is not None else ""
    return (
        f"laid out {counted(len(layout.begins), 'bin')} for {layout.target.name} by "
        f"{counted(layout.requests, 'request')} of {counted(layout.sizes, 'size')} of chunks{function}"
    )


def as_object(layout: BinLayout, code: bytes | None) -> dict[str, Any]:
    """The same for machines. Sizes are bytes."""
    return {
        "target": layout.target.name,
        "granule": layout.target.granule,
        "requests": layout.requests,
        "sizes": layout.sizes,
        "largest": layout.largest,
        "most_living_bytes": layout.most_living_bytes,
        "begins": layout.begins.tolist(),
        "counts": layout.counts.tolist(),
        "code_bytes": None if code is None else len(code),
    }
