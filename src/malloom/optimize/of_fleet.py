"""Plans of a fleet: candidates that are raced on this host's inputs, of which nothing is learned."""

import json
from collections.abc import Callable
from pathlib import Path

from malloom.errors import CommandError
from malloom.launch.elf_file import NotElf, read_elf
from malloom.layout.plan_header import places_nothing
from malloom.measure import stages
from malloom.optimize.candidates import Candidate

STRATEGIES = ("pools", "context-groups")
"""By which `malloom plan` plans a fleet."""


def fleet_candidates(
    fleet: Path, program: Path, folder: Path, say: Callable[[str], None]
) -> tuple[list[Candidate], list[str]]:
    """A plan by each strategy that a fleet can be planned by, for the build that is there; and why others are
    left out. Raises CommandError where there is none."""
    say(f"planning from {fleet}")
    found, notes = [], []
    for name in STRATEGIES:
        plan = folder / f"fleet {name}.plan"
        try:
            answer = stages.output_of("plan", str(fleet), "-o", str(plan), "--strategy", name, "--json")
            if not _is_for(program, json.loads(answer)["builds"]):
                plan = _rebased(plan, program)
                notes.append(f"{name} of the fleet is of another build, and was matched to this one")
        except CommandError as error:
            notes.append(f"{name} of the fleet is left out ({error})")
            continue
        if not places_nothing(plan):
            found.append(Candidate(f"{name} of the fleet", plan))
    if not found:
        raise CommandError(f"{fleet} gives no plan: {notes[-1] if notes else 'none places anything'}")
    return found, notes


def _is_for(program: Path, builds: list[str]) -> bool:
    """Whether the build is one of the fleet's. A script has none: what runs it is looked at by the plan."""
    try:
        return read_elf(program).build_id in builds
    except (OSError, NotElf):
        return True


def _rebased(plan: Path, program: Path) -> Path:
    other = plan.with_name(f"rebased {plan.name}")
    stages.output_of("rebase", str(plan), str(program), "-o", str(other))
    return other
