"""Exact bins as an allocator's source: in front what was chosen, then what is the same for all (sources/)."""

from __future__ import annotations

import re
from importlib.resources import files

from malloom.layout.bin_header import in_comment, rows
from malloom.layout.exact_bins import ExactBins, small_room
from malloom.output_file import BEGINNINGS
from malloom.quantities import counted, format_size


def c_source(bins: ExactBins, name: str, profile: str) -> str:
    """One file of C11. `name` is what its names begin with, `profile` what the bins were chosen by."""
    comment = "".join(f" * {line}".rstrip() + "\n" for line in said(bins, profile))
    constants = "".join(f"    HEAP_{each} = {value},\n" for each, value in _constants(bins).items())
    tables = "".join(
        f"static const uint8_t HEAP_{each}[HEAP_small_bins] = {{\n{rows(map(str, numbers))}\n}};\n"
        for each, numbers in (("homes", bins.homes), ("batches", bins.batches))
    )
    body = files("malloom.layout.sources").joinpath("exact_bins.c.in").read_text()
    text = f"{BEGINNINGS['heap in C'].decode()}.\n *\n{comment} */\n" + body.replace(
        "/* CONSTANTS */\n", f"enum {{\n{constants}}};\n"
    ).replace("/* TABLES */\n", tables)
    return re.sub(r"\bHEAP_", f"{name}_", text)


def manifest(name: str) -> str:
    """Of the crate: its Cargo.toml."""
    return f"""{BEGINNINGS["crate"].decode()}.

[package]
name = "{name}"
version = "0.1.0"
edition = "2021"
rust-version = "1.63"
publish = false
"""


def rust_source(bins: ExactBins, profile: str) -> str:
    """The crate's src/lib.rs."""
    comment = "".join(f"//! {line}".rstrip() + "\n" for line in said(bins, profile))
    constants = "".join(
        f"const {each.upper()}: usize = {value};\n" for each, value in _constants(bins).items()
    )
    text = files("malloom.layout.sources").joinpath("exact_bins.rs.in").read_text()
    text = text.replace("/* CONSTANTS */\n", constants)
    for each, numbers in (("HOMES", bins.homes), ("BATCHES", bins.batches)):
        table = f"static {each}: [u8; SMALL_BINS] = [\n{rows(map(str, numbers))}\n];\n"
        text = text.replace(f"/* {each} */\n", table)
    beginning = "//! An allocator with exact bins, made by 'malloom plan --for bins --language rust'."
    return f"{beginning}\n//!\n{comment}\n{text}"


def said(bins: ExactBins, profile: str) -> list[str]:
    """What the file says of itself, in lines."""
    living, held = format_size(bins.most_living_bytes), format_size(bins.most_held_bytes)
    ratio = bins.most_held_bytes / max(bins.most_living_bytes, 1)
    lines = [
        f"From the profile {in_comment(profile)}: {counted(bins.requests, 'request')}, the largest of "
        f"{format_size(bins.largest)}.",
        f"Of sizes up to {most_small(bins)} bytes, {bins.sizes:,} have a bin of their own, in which "
        f"{bins.at_once:,} of the requests",
        f"find an object at once. At most {living} lived at a time; {held} are held for it ({ratio:.2f}).",
        f"For {bins.target.name}: pointers have {bins.target.pointer_bytes} bytes.",
        "",
        "Memory is bounded by what lives: a bin makes new objects only where all it has made are living, so",
        "it has never made more than its most that lived at a time and a batch (at most a sixteenth of that",
        "in the profile, and one). What it has made is its own while memory is left; then it serves smaller",
        "requests too. An object that shrinks keeps its room. Those that are aligned to more than 8 bytes",
        "are not bounded so: one that was freed serves the next that fits into it, and is never divided.",
        "One thread may use a heap at a time, and no interrupt while it does.",
    ]
    if bins.too_large:
        lines += ["", f"No bin holds {counted(bins.too_large, 'request')} of the profile: they get nothing."]
    return lines


def most_small(bins: ExactBins) -> int:
    """The largest small size."""
    return small_room(bins.small_bins - 1, bins.target)


def _constants(bins: ExactBins) -> dict[str, str]:
    return {
        "pointer_bytes": str(bins.target.pointer_bytes),
        "small_bins": str(bins.small_bins),
        "large_bins": str(bins.large_bins),
    }
