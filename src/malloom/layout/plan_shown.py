"""What a plan says: what it carries, what it holds for, and what was measured of it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from malloom.errors import CommandError
from malloom.layout.plan_header import PlanHeader, check_plan
from malloom.layout.plan_record import read_record
from malloom.printable import printable
from malloom.quantities import counted, format_size
from malloom.ratios import in_words, with_bounds

CARRIED = (
    ("planned_requests", "request with a place", "requests with places"),
    ("groups_count", "group", "groups"),
    ("pools_count", "pool", "pools"),
    ("prefetches_count", "prefetch", "prefetches"),
)
"""Fields of the header, and what one and several of these are called."""
SHORT_ID = 12
"""Digits of a build-id that people are shown."""
UNJUDGED = "nothing: no run of it was judged"
"""What a plan holds for that 'malloom optimize' has not kept."""


def plan_as_data(plan: Path) -> dict[str, Any]:
    """One JSON object. Raises CommandError where the plan is not good or its record makes no sense."""
    first, *others = PlanHeader.all_of(check_plan(plan))
    record = read_record(plan)
    return {
        "plan": str(plan),
        **_carried(first),
        "for_other_executables": [_carried(header) for header in others],
        "judged": _told(plan, record, "judged", str),
        "goal": _told(plan, record, "goal", str),
        "heap": _told(plan, record, "heap", str),
        "setting": _told(plan, record, "setting", dict),
        "program": _told(plan, record, "program", list),
        "process": _told(plan, record, "process", str),
        "fleet": _told(plan, record, "fleet", dict),
        "train": _told(plan, record, "train", list) or [],
        "check": _told(plan, record, "check", list) or [],
        "measured": _told(plan, record, "measured", list) or [],
    }


def _carried(header: PlanHeader) -> dict[str, Any]:
    strategy = header.fields["strategy"]
    assert isinstance(strategy, bytes)
    return {
        "strategy": strategy.rstrip(b"\0").decode(errors="replace"),
        **{name.removesuffix("_count"): header.fields[name] for name, _, _ in CARRIED},
        "arena_bytes": header.fields["arena_bytes"],
    }


def plan_lines(plan: Path) -> list[str]:
    """The same for people, without what a terminal would obey. Raises CommandError likewise."""
    data = plan_as_data(plan)
    try:
        return [printable(line) for line in _lines(data)]
    except (KeyError, TypeError, AttributeError, ValueError, OverflowError):
        raise _senseless(plan) from None


def _lines(data: Mapping[str, Any]) -> Iterator[str]:
    yield f"{data['plan']}: {_in_words(data)}"
    for other in data["for_other_executables"]:
        yield f"and, for another executable: {_in_words(other)}"
    if setting := data["setting"]:
        variables = (f", {name}={value}" for name, value in setting["variables"].items())
        until = f", up to {format_size(int(setting['up_to']))} resident" if setting.get("up_to") else ""
        until += ", then the C library's in huge pages" if until and setting.get("huge_beyond") else ""
        yield f"runs under {setting['allocator']}{''.join(variables)}{until}"
    if data["heap"]:
        yield f"runs with --heap {data['heap']}"
    yield f"holds for: {data['judged'] or UNJUDGED}"
    if fleet := data["fleet"]:
        builds = ", ".join(build[:SHORT_ID] or "without a build-id" for build in fleet["builds"])
        yield f"made from a fleet of {counted(int(fleet['hosts']), 'host')}, good for the builds {builds}"
    if data["program"]:
        is_one = not data["for_other_executables"]
        of = f", and the {'plan is' if is_one else 'plans are'} of {data['process']} below it"
        of = of if data["process"] else ""
        yield f"program: {shlex.join(data['program'])}{of}"
    for kind in ("train", "check"):
        for given in data[kind]:
            if words := _words(given):
                yield f"{kind}: {words}"
    judged = {words for given in data["check"] or data["train"] if (words := _words(given))}
    yield from (_measured(found, judged) for found in data["measured"])


def _in_words(carried: Mapping[str, Any]) -> str:
    told = ((carried[name.removesuffix("_count")], one, more) for name, one, more in CARRIED)
    counts = ", ".join(f"{count} {one if count == 1 else more}" for count, one, more in told if count)
    return f"{carried['strategy']}, {counts or 'places nothing'}"


def _words(given: Mapping[str, Any]) -> str:
    stdin = [f"@{given['stdin']}"] if given["stdin"] else []
    return " ".join([shlex.join(given["arguments"]), *stdin]).strip()


def _measured(found: Mapping[str, Any], judged: set[str]) -> str:
    """Of one day; with its inputs where they are others than those that the plan was judged on."""
    metric = "memory" if found.get("goal") == "memory" else "cpu_time"
    others = [given for given in found.get("inputs") or () if judged and given not in judged]
    on = f", on {', '.join(others)}" if others else ""
    return (
        f"{found['date']}, {found['processor']}: {in_words(found['verdict'], metric)}, "
        f"{with_bounds(found[metric], metric)}, {counted(int(found['pairs']), 'pair')} of runs{on}"
    )


def _told(plan: Path, record: Mapping[str, Any], name: str, kind: type) -> Any:
    """What the record says under a name; None where it does not."""
    value = record.get(name)
    if value is not None and not isinstance(value, kind):
        raise _senseless(plan)
    return value


def _senseless(plan: Path) -> CommandError:
    return CommandError(f"{plan}: is damaged: its record makes no sense", remedy="make it again")
