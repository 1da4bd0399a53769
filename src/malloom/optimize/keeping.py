"""What is kept for later runs: a plan whose record names the allocator under it and what was measured."""

import os
import shlex
from collections.abc import Mapping
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from malloom.cache.geometry import geometry_from
from malloom.errors import CommandError
from malloom.launch.program import open_program
from malloom.layout.plan import make_plan
from malloom.layout.plan_file import write_plan
from malloom.layout.plan_flags import write_with_flags
from malloom.layout.plan_record import PlanSetting, read_record, write_with_record
from malloom.layout.registry import strategy
from malloom.measure.allocators import FAULTS, Setting, Way
from malloom.measure.host import processor_name
from malloom.measure.interval import Interval
from malloom.measure.plan_setting import POOLS_HEAP
from malloom.measure.service import Client
from malloom.optimize.building import Build
from malloom.optimize.candidates import Candidate
from malloom.optimize.checking import Judged
from malloom.optimize.goal import Goal
from malloom.optimize.inputs import Input, Inputs
from malloom.optimize.settings import AllocatorRow
from malloom.optimize.training import AS_IT_IS, Row
from malloom.output_file import written_whole
from malloom.profile import HeapProfile

BEYOND = ("up_to", "huge_beyond")
"""What a record says of an allocator only where the program leaves it."""

SETTING_ALONE = "setting"
"""In place of a strategy's name, in a plan that places nothing."""


def keep(row: Row, record: Mapping[str, Any], folder: Path, place: Path) -> None:
    """Writes the plan of a row to its place at once or not at all: nobody sees half of one. The folder is for
    what is on its way."""
    made = folder / "kept.plan"
    if isinstance(row, Candidate):
        write_with_flags(row.plan, made, row.flags, row.purge_delay)
        # Of which builds a fleet's plan is stays true whatever is measured of it.
        record = {**read_record(made), **record}
    else:
        write_setting(made)
    write_with_record(made, place, record)


def keep_choice(build: Build, place: Path) -> None:
    """Writes the policies of a build to its place, at once or not at all, and beside it the table of fields
    that they go by. Of a link that wrote no choice the policy is that of all structures, and the allocator is
    what it was linked with."""
    text = build.choice.read_text() if build.choice else f"choice of policies 1\nothers {build.policy}\n"
    for word, value in (("fallback", build.fallback), ("huge", build.huge)):
        if value and f"\n{word} " not in text:
            text += f"{word} {value}\n"
    if build.fields:
        fields = place.with_suffix(".fields")
        with written_whole(fields) as file:
            file.write(build.fields.read_bytes())
        head, _, rest = text.partition("\n")
        text = f"{head}\nprofile {fields.name}\n{rest}"
    with written_whole(place) as file:
        file.write(text.encode())


def write_empty(plan: Path) -> None:
    """A plan that places nothing."""
    profile = HeapProfile.from_arrays([])
    # Of any geometry, as nothing is placed: the machine need not be measured for it.
    empty = make_plan(profile, strategy("overhead-only").place(profile, geometry_from("zen5")))
    write_plan(replace(empty, strategy=SETTING_ALONE), plan)


def write_setting(plan: Path) -> None:
    """The same, and what it does not serve goes to the allocator of its record."""
    write_empty(plan)
    write_with_flags(plan, plan, {"system_fallback": True})


def record_of(
    inputs: Inputs, judged: Judged, row: Row, goal: Goal, process: str | None = None, up_to: int = 0
) -> dict[str, Any]:
    """The record of a row that was judged; plans may be of a process that the program starts. `up_to` is for
    its allocator, as of PlanSetting."""
    build = _build_of(inputs.program[0]) if row.executable is None else ""
    record = {
        "program": list(inputs.program),
        **({"build": build} if build else {}),
        **({"process": process} if process and _is_of_a_program(row) else {}),
        **({"client": asdict(inputs.client)} if inputs.client else {}),
        "train": [_told(each) for each in inputs.train],
        "check": [_told(each) for each in inputs.check],
        "judged": inputs.judged_on,
        "goal": goal.value,
        "measured": [measurement(judged, row.name, goal)],
    }
    return {**record, **setting_record(row, up_to)}


def _build_of(program: str) -> str:
    """Empty where that is not known, as of one that has been removed since."""
    try:
        return open_program(program).elf.build_id
    except CommandError:
        return ""


def _is_of_a_program(row: Row) -> bool:
    """Whether it has places, which are of the call sites of one program."""
    return isinstance(row, Candidate) and not row.places_nothing


def setting_record(row: Row, up_to: int = 0) -> dict[str, Any]:
    """Of a record, what says which allocator a row runs under, and with which heap."""
    setting = _setting_under(row)
    heap = {"heap": POOLS_HEAP} if isinstance(row, Candidate) and row.small_in_pools else {}
    return {**heap, **({"setting": _told_setting(setting, up_to)} if setting else {})}


def known_faults(row: Row) -> list[str]:
    """What is known to go wrong with the allocator under a row, for a note."""
    setting = _setting_under(row)
    titled = setting.allocator.titled if setting else ""
    return [f"{titled} {FAULTS[titled]}"] if titled in FAULTS else []


def _setting_under(row: Row) -> Setting | None:
    return row.setting if isinstance(row, AllocatorRow) else getattr(row, "over", None)


def measurement(judged: Judged, name: str, goal: Goal) -> dict[str, Any]:
    """What one day's runs say of a row against the program as it is; the verdict is of the goal."""
    whole = judged.of_all(name, AS_IT_IS, goal.metrics)
    time = judged.of_all(name, AS_IT_IS, ("cpu_time",))
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "processor": processor_name(),
        "goal": goal.value,
        "verdict": whole.verdict.value,
        "cpu_time": interval_as_data(time),
        **({"memory": interval_as_data(whole)} if goal is Goal.memory else {}),
        "pairs": judged.pairs,
        "inputs": {
            given: {
                metric: interval_as_data(judged.on(given, name, AS_IT_IS, metric))
                for metric in ("cpu_time", "peak_memory", "mean_memory")
            }
            for given in judged.rounds
        },
    }


def interval_as_data(interval: Interval) -> dict[str, float | None]:
    return {"ratio": interval.ratio, "low": interval.low, "high": interval.high}


def tells_inputs(record: Mapping[str, Any]) -> bool:
    """Whether a record, which may have been made up, says what recorded_inputs wants."""
    kinds = [record.get(kind) for kind in ("train", "check")]
    are_inputs = all(isinstance(kind, list) and all(map(_is_input, kind)) for kind in kinds)
    client = record.get("client", {"arguments": [], "ready": []})
    are_clients = isinstance(client, dict) and all(
        _are_words(client.get(key)) for key in ("arguments", "ready")
    )
    is_program = bool(record.get("program")) and _are_words(record["program"])
    return are_inputs and any(kinds) and is_program and are_clients


def wants_standard_input(record: Mapping[str, Any]) -> bool:
    """Whether inputs of a record that tells them had what malloom's own standard input had; of records that
    do not say so, whether they may have had."""
    return any(_had_standard_input(each) for kind in ("train", "check") for each in record[kind])


def _had_standard_input(told: Mapping[str, Any]) -> bool:
    return bool(told.get("copied", told["stdin"] is None))


def recorded_inputs(record: Mapping[str, Any], stdin: Path | None) -> Inputs:
    """The command and the inputs of a record that tells them; those that had malloom's own standard input
    have this one. Raises CommandError where there is none, or a file is gone."""
    command = shlex.join(record["program"])
    train, check = (
        tuple(_input(each, command, stdin) for each in record[kind]) for kind in ("train", "check")
    )
    client = record.get("client")
    made = Client(tuple(client["arguments"]), tuple(client["ready"])) if client else None
    return Inputs(tuple(record["program"]), train, check, made)


def _told(given: Input) -> dict[str, Any]:
    stdin = given.stdin if given.stdin and not given.is_copy else None
    copied = given.is_copy and _has_bytes(given.stdin)
    return {
        "arguments": list(given.words),
        "stdin": str(stdin.resolve()) if stdin else None,
        "copied": copied,
    }


def _input(told: Mapping[str, Any], command: str, stdin: Path | None) -> Input:
    file = told["stdin"]
    if file and not (os.access(file, os.R_OK) and Path(file).is_file()):
        raise CommandError(f"there is no file {file} for standard input", remedy="give the inputs after --")
    if told.get("copied") and not _has_bytes(stdin):
        raise CommandError(
            "the plan was judged with something on standard input, and there is nothing now",
            remedy="give it again, as with < FILE",
        )
    had = stdin if _had_standard_input(told) else None
    shown = [*map(shlex.quote, told["arguments"]), *([f"@{file}"] if file else [])]
    return Input(" ".join(shown) or command, tuple(told["arguments"]), Path(file) if file else had)


def _has_bytes(file: Path | None) -> bool:
    return file is not None and file.stat().st_size > 0


def _is_input(told: object) -> bool:
    if not isinstance(told, dict) or "stdin" not in told:
        return False
    are_words = _are_words(told.get("arguments")) and (told["stdin"] is None or _are_words([told["stdin"]]))
    return are_words and isinstance(told.get("copied", False), bool)


def _are_words(told: object) -> bool:
    return isinstance(told, list) and all(map(_is_word, told))


def _is_word(told: object) -> bool:
    """Whether a program can be given it as an argument."""
    if not isinstance(told, str) or "\0" in told:
        return False
    try:
        os.fsencode(told)
    except UnicodeEncodeError:
        return False
    return True


def _told_setting(setting: Setting, up_to: int) -> dict[str, Any]:
    allocator = setting.allocator
    told = PlanSetting(allocator.described, allocator.file, dict(setting.variables))
    if up_to:
        told = replace(told, up_to=up_to, huge_beyond=setting.way is Way.huge)
    return {key: value for key, value in asdict(told).items() if up_to or key not in BEYOND}
