"""Whether a plan is for a program: of another build, the run time follows none, and says nothing."""

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from malloom.errors import CommandError
from malloom.launch.program import open_program
from malloom.layout.plan_file import read_plans
from malloom.layout.plan_header import PlanHeader
from malloom.layout.plan_record import read_record
from malloom.sites.rebase import module_hash
from malloom.sites.table import decode


def require_program(plan: Path, headers: Sequence[PlanHeader], name: str | None, if_gone: str) -> None:
    """Raises CommandError where a plan that has passed check_plan was made for another build of the program,
    or where that is gone; `if_gone` says what to do then. Without a name it is what the plan's record names,
    or else the keys of its call sites, if they name one."""
    wanted = {header.fields["program"] for header in headers}
    record = read_record(plan)
    recorded, is_named = record.get("program"), name is not None
    if name is None and isinstance(recorded, list) and recorded and isinstance(recorded[0], str):
        name = recorded[0]
    name = name or _named_by_keys(plan, wanted)
    if name is None or (0 in wanted and not is_named):
        return
    # Of some that the program starts, wherever these lie.
    below = str(record.get("process") or "").split(" and ") if not is_named else [""]
    try:
        found = open_program(name)
    except CommandError as reason:
        if below != [""]:
            return
        problem = f"the program of {plan}, {name}, is not here ({str(reason).partition(';')[0]})"
        raise CommandError(problem, remedy=if_gone) from None
    own = found.binary.resolve().name
    if below != [""] and own not in below:
        return
    if not (0 in wanted and _is_of_fleet(found.elf.build_id, record)) and (
        module_hash(found.elf.build_id, own) not in wanted
    ):
        remedy = "take it over with 'malloom rebase', or learn again"
        raise CommandError(f"{plan} is not for this build of {found.binary}", remedy=remedy)


def _named_by_keys(plan: Path, wanted: Collection[object]) -> str | None:
    """The program's file as it was recorded, where the plan was made of a profile."""
    for each in read_plans(plan):
        for module in decode(each.sites, str(plan)).modules if each.sites else ():
            if module.hash in wanted:
                return module.path
    return None


def _is_of_fleet(build_id: str, record: dict[str, Any]) -> bool:
    """Whether a plan for any program is good for a build: a fleet's for those of its hosts."""
    fleet = record.get("fleet")
    builds = fleet.get("builds") if isinstance(fleet, dict) else None
    return not isinstance(builds, list) or build_id in builds
