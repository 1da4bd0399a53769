"""malloom rebase: a plan or a table of fields for another build of its program."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from malloom.commands.notes import tell_notes
from malloom.errors import CommandError
from malloom.fields.file import read_table, write_table
from malloom.fields.rebase import rebased_table
from malloom.input_file import opened_ordinary
from malloom.layout.plan import MATCHINGS
from malloom.layout.plan_file import PlanFile, each_plan, read_plans, write_plan
from malloom.layout.plan_flags import write_with_flags
from malloom.layout.plan_rebase import rebased_plan
from malloom.layout.plan_record import read_record, write_with_record
from malloom.output_file import BEGINNINGS, check_output, check_replaced, written_whole
from malloom.printable import printable
from malloom.quantities import counted
from malloom.sites.keys import CERTAIN, LEVEL_MEANINGS, LEVELS
from malloom.sites.rebase import ORDER, Rebased, Share, rebase, share_of
from malloom.sites.table import SiteTable, decode

HOW_IT_RUNS = ("setting", "heap")
"""Of a plan's record, what is no result."""
SHOWN = 10
"""Call sites that are named of those that are gone."""


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("rebase", epilog="Example: malloom rebase run.plan ./program -o new.plan")(rebase_file)


def rebase_file(
    source: Annotated[Path, typer.Argument(help="The plan, or the table of fields.", metavar="PLAN|TABLE")],
    program: Annotated[Path, typer.Argument(help="The new build of the program.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="The file to write.", show_default=False)],
    certain: Annotated[
        bool, typer.Option("--certain", help="Take only call sites whose own function has the same text.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the shares as one JSON object.")] = False,
) -> None:
    """Match a plan or a table of fields to a new build of its program, by the keys of call sites.

    A key is function, file, line, column and what is inlined, from debug information: both builds need -g.
    Call sites that are not found, or of which there may be two, are left out; what matched is said.
    Recording the new build is the better way where it can be done.
    """
    check_output(output, source)
    levels = [level for level in LEVELS if level in CERTAIN] if certain else list(LEVELS)
    write = _rebase_table if _is_table(source) else _rebase_plan
    check_replaced(output, "table of fields" if _is_table(source) else "plan")
    rebased = write(source, program, output, levels)
    tell_notes(rebased.notes)
    typer.echo(json.dumps(as_object(rebased), indent=2) if as_json else "\n".join(as_text(rebased)))


def _is_table(source: Path) -> bool:
    try:
        with opened_ordinary(source) as file:
            return file.read(8) == BEGINNINGS["table of fields"]
    except OSError as error:
        raise CommandError(f"{source}: cannot be read: {error.strerror}") from None


def _rebase_plan(source: Path, program: Path, output: Path, levels: list[str]) -> Rebased:
    plans = read_plans(source)
    place = _place_of(program, plans, source)
    plan = plans[place]
    if MATCHINGS[plan.header["matching"] - 1] == "sequence":
        raise CommandError(
            f"{source} matches by sequence, not by call site", remedy="plan again from a profile"
        )
    if not plan.sites:
        raise CommandError(
            f"{source} has no keys of call sites",
            remedy="those that 'malloom plan' makes of a profile have; a run's learned plan and a fleet's of "
            "several builds have none",
        )
    rebased = _rebase(decode(plan.sites, str(source)), plan.header["program"], program, levels)
    record, parts = read_record(source), each_plan(source)
    with tempfile.TemporaryDirectory(prefix="malloom-") as folder:
        made = Path(folder) / "plan"
        write_plan(rebased_plan(plan, rebased), made)
        if delay := plan.header["purge_delay"]:
            write_with_flags(made, made, {}, delay - 2)
        # What was measured of the old build was not measured of this one.
        how_it_runs: dict[str, Any] = {name: record[name] for name in HOW_IT_RUNS if name in record}
        if how_it_runs and place == 0:
            write_with_record(made, made, how_it_runs)
        parts[place] = made.read_bytes()
    with written_whole(output) as file:
        file.write(b"".join(parts))
    return rebased


def _place_of(program: Path, plans: Sequence[PlanFile], source: Path) -> int:
    """Which of the plans of a file is the program's, by the name of its file. Raises CommandError where none
    is; one that is alone may have been of another name."""
    if len(plans) == 1:
        return 0
    for place, plan in enumerate(plans):
        modules = decode(plan.sites, str(source)).modules if plan.sites else ()
        if any(Path(module.path).name == program.name for module in modules):
            return place
    raise CommandError(
        f"none of the plans of {source} is of a program {program.name}, or it has no keys of call sites",
        remedy="name the new build of the same program",
    )


def _rebase_table(source: Path, program: Path, output: Path, levels: list[str]) -> Rebased:
    table = read_table(source)
    rebased = _rebase(table.sites, table.program, program, levels)
    write_table(rebased_table(table, rebased), output)
    return rebased


def _rebase(sites: SiteTable, executable: int, program: Path, levels: list[str]) -> Rebased:
    rebased = rebase(sites, executable, program, levels)
    if not rebased.hashes:
        why = f" ({'; '.join(rebased.notes)})" if rebased.notes else ""
        raise CommandError(f"none of the call sites is in {program}{why}", remedy="record the new build")
    return rebased


def as_object(rebased: Rebased) -> dict[str, Any]:
    """The shares for machines."""
    whole = rebased.share()
    return {
        "all": _share_object(whole, whole),
        "levels": {level: _share_object(rebased.share(level), whole) for level in ORDER},
        "gone": [
            {"site": rebased.old.name(context), **_share_object(share_of([context]), whole)}
            for context in rebased.gone()
        ],
        "unknown_contexts": rebased.old.unknown_contexts,
        "notes": list(rebased.notes),
    }


def _share_object(share: Share, whole: Share) -> dict[str, Any]:
    return {
        "contexts": share.contexts,
        "requests": share.requests,
        "bytes": share.requested_bytes,
        "requests_share": _part(share, whole, lambda each: each.requests),
        "bytes_share": _part(share, whole, lambda each: each.requested_bytes),
    }


def _part(share: Share, whole: Share, amount: Callable[[Share], int]) -> float:
    return amount(share) / amount(whole) if amount(whole) else 0.0


def as_text(rebased: Rebased) -> Iterator[str]:
    """The shares for people: in all, by level, and what is gone."""
    whole, gone = rebased.share(), rebased.gone()
    lost = share_of(gone)
    found = Share(
        whole.contexts - lost.contexts,
        whole.requests - lost.requests,
        whole.requested_bytes - lost.requested_bytes,
    )
    yield f"found {found.contexts} of {counted(whole.contexts, 'context')}, {_parts(found, whole)}"
    for level in ORDER:
        share = rebased.share(level)
        if share.contexts:
            what = f"{counted(share.contexts, 'context')}, {_parts(share, whole)}"
            yield f"  {level:8} {what}: {LEVEL_MEANINGS[level]}"
    if gone:
        yield f"  {'gone':8} {counted(lost.contexts, 'context')}, {_parts(lost, whole)}"
        for context in gone[:SHOWN]:
            yield printable(f"           {rebased.old.name(context)}: {_parts(share_of([context]), whole)}")
        if len(gone) > SHOWN:
            yield f"           and {len(gone) - SHOWN} more"
    if keyless := rebased.keyless():
        yield f"  {keyless} of those gone had no debug information when they were recorded"
    if rebased.old.unknown_contexts:
        yield f"  {counted(rebased.old.unknown_contexts, 'context')} without a key left out"


def _parts(share: Share, whole: Share) -> str:
    requests = _part(share, whole, lambda each: each.requests)
    requested = _part(share, whole, lambda each: each.requested_bytes)
    return f"{requests:.1%} of requests, {requested:.1%} of bytes"
