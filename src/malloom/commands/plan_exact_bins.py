"""`malloom plan --for bins --language`: an allocator for the profile's program, as source."""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path

import typer

from malloom.commands.plan_bins import check_written, machine_named, opened_with_notes
from malloom.errors import UsageProblem
from malloom.layout.bin_header import c_name
from malloom.layout.exact_bins import MOST_BYTES, ExactBins, choose
from malloom.layout.exact_bins_source import c_source, manifest, rust_source
from malloom.output_file import check_new, check_output, is_kind, written_whole
from malloom.quantities import counted, format_size


class Language(StrEnum):
    """Of the source."""

    c = "c"
    rust = "rust"


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
    if language is Language.rust:
        check_crate(output, profile, force=force)
    else:
        check_written(output, "heap in C", profile, force=force)
    bins = choose(opened_with_notes(profile, process).requests, machine)
    for path, text in sources(bins, output, language, profile.name).items():
        path.parent.mkdir(exist_ok=True)
        with written_whole(path) as file:
            file.write(text.encode())
    for line in summary(bins):
        typer.echo(line, err=True)
    if as_json:
        typer.echo(json.dumps(as_object(bins), indent=2))


def sources(bins: ExactBins, output: Path, language: Language, profile: str) -> dict[Path, str]:
    """What is written where; the folder of a crate before what is in it."""
    if language is Language.c:
        return {output: c_source(bins, c_name(output), profile)}
    return {
        output / "Cargo.toml": manifest(c_name(output)),
        output / "src/lib.rs": rust_source(bins, profile),
    }


def check_crate(output: Path, profile: Path, *, force: bool) -> None:
    """Raises where no crate can be written, or where what is there is none of these."""
    if not output.exists():
        check_output(output, profile)
        return
    if not output.is_dir():
        raise UsageProblem(f"{output} is no folder, which a crate is", remedy="choose another name")
    if not any(output.iterdir()):
        return
    if not force:
        check_new(output)
    if not is_kind(output / "Cargo.toml", "crate"):
        raise UsageProblem(f"{output} exists and is no crate of exact bins", remedy="choose another name")


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
