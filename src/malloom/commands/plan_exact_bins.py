"""`malloom plan --for bins --language`: an allocator for the profile's program, as source."""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path

import typer

from malloom.commands.plan_bins import machine_named, opened_for
from malloom.errors import UsageProblem
from malloom.layout.bin_header import c_name
from malloom.layout.exact_bins import MOST_BYTES, ExactBins, choose
from malloom.layout.exact_bins_source import c_source
from malloom.output_file import written_whole
from malloom.quantities import counted, format_size


class Language(StrEnum):
    """Of the source."""

    c = "c"


def plan_exact_bins(
    profile: Path,
    output: Path,
    *,
    language: Language,
    process: str | None,
    target: str | None,
    force: bool,
    as_json: bool,
) -> None:
    """Choose the sizes that get a bin, and write the allocator."""
    machine = machine_named(target)
    opened = opened_for(output, "heap in C", profile, process, force)
    bins = choose(opened.requests, machine)
    with written_whole(output) as file:
        file.write(c_source(bins, c_name(output), profile.name).encode())
    for line in summary(bins):
        typer.echo(line, err=True)
    if as_json:
        typer.echo(json.dumps(as_object(bins), indent=2))


def require_source(language: Language | None, *, bins: bool) -> None:
    """Raise UsageProblem for an option that a source has no use for."""
    if language is not None and bins:
        raise UsageProblem("--bins means nothing with --language", remedy="leave out one of the two")


def summary(bins: ExactBins) -> list[str]:
    """What was chosen; and what no bin holds, which the allocator refuses."""
    ratio = bins.most_held_bytes / max(bins.most_living_bytes, 1)
    lines = [
        f"chose bins for {bins.target.name} by {counted(bins.requests, 'request')}: "
        f"{counted(bins.sizes, 'size')} with a bin of its own serve {bins.at_once / bins.requests:.1%}, "
        f"{format_size(bins.most_held_bytes)} are held for what lived ({ratio:.2f} times)"
    ]
    if bins.too_large:
        lines.append(
            f"warning: no bin holds {counted(bins.too_large, 'request')} of more than "
            f"{format_size(MOST_BYTES)}: the heap answers null"
        )
    return lines


def as_object(bins: ExactBins) -> dict[str, object]:
    """The same for machines. Sizes are bytes."""
    return {
        "target": bins.target.name,
        "requests": bins.requests,
        "sizes": bins.sizes,
        "at_once": bins.at_once,
        "too_large": bins.too_large,
        "largest": bins.largest,
        "most_living_bytes": bins.most_living_bytes,
        "most_held_bytes": bins.most_held_bytes,
        "table_bytes": bins.table_bytes(),
        "homes": bins.homes,
        "batches": bins.batches,
    }
