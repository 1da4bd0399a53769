"""What `malloom optimize` refuses before anything runs."""

import math
import shlex
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from malloom.errors import UsageProblem
from malloom.file_name import native_name
from malloom.optimize.goal import Goal
from malloom.output_file import check_output, check_replaced, is_kind

if TYPE_CHECKING:
    from malloom.measure.service import Client

ACCESSES = ("full", "sampled", "annotated", "none")


def check_words(goal: str, fail_if: str | None, confirm: Path | None) -> None:
    """Raises UsageProblem for a goal or a condition that does not exist. What is confirmed is what the plan
    was kept for."""
    if goal not in list(Goal):
        raise UsageProblem(f"there is no goal '{goal}'", remedy=f"choose {' or '.join(Goal)}")
    if fail_if is None:
        return
    known = (_recorded_goal(confirm) if confirm else Goal(goal)).worse
    if fail_if != known:
        is_other = fail_if in [each.worse for each in Goal]
        of = f" with --goal {goal}" if is_other and not confirm else f" for {confirm}" if is_other else ""
        raise UsageProblem(f"--fail-if knows no '{fail_if}'{of}", remedy=f"write --fail-if {known}")


def _recorded_goal(plan: Path) -> Goal:
    """Raises CommandError where the plan is not good."""
    from malloom.layout.plan_header import check_plan  # noqa: PLC0415
    from malloom.layout.plan_record import read_record  # noqa: PLC0415
    from malloom.optimize.confirming import goal_of  # noqa: PLC0415

    check_plan(plan)
    return goal_of(read_record(plan))


def check_builds(build: str, command: list[str] | None, strategy: str | None, confirm: Path | None) -> None:
    """Raises UsageProblem where builds cannot race."""
    from malloom.optimize.building import check_build  # noqa: PLC0415

    if strategy or confirm or not command:
        raise UsageProblem(
            "--build goes with neither --strategy nor --confirm", remedy="leave one of them out"
        )
    check_build(build, command[0])


def check_fleet(fleet: Path, other: object) -> None:
    """Raises UsageProblem where something else is asked for that says where plans come from, and where there
    is no fleet."""
    if other:
        raise UsageProblem(
            "--fleet goes with none of --strategy, --accesses, --scheduler, --confirm and --build",
            remedy="leave one of them out",
        )
    if not is_kind(fleet, "table of a host"):
        raise UsageProblem(f"{fleet} is no fleet", remedy="make one with 'malloom merge'")


def check_choice(place: Path) -> None:
    """Raises UsageProblem where the policies of a build cannot lie beside the plan."""
    if place.suffix in (".choice", ".fields"):
        raise UsageProblem(f"{place} is no name for a plan", remedy="name it otherwise with -o")
    check_replaced(place.with_suffix(".choice"), "choice")
    check_replaced(place.with_suffix(".fields"), "table of fields")


def check_places(place: Path, best_plan: Path | None) -> None:
    """Raises UsageProblem where plans cannot be written there, or something else would be replaced."""
    for plan in (place, best_plan):
        if plan is not None:
            check_output(plan)
            check_replaced(plan, "plan")
            native_name(plan.absolute())
    native_name(tempfile.gettempdir())


def check_apart(place: Path, best_plan: Path | None, page: Path | None, has_choice: bool) -> None:
    """Raises UsageProblem where two options name one file; the policies of a build lie beside -o's."""
    beside = [place.with_suffix(ending) for ending in (".choice", ".fields")] if has_choice else []
    taken = {output.resolve(): "-o" for output in (place, *beside)}
    for option, output in (("--best-plan", best_plan), ("--html", page)):
        if output is None:
            continue
        other = taken.setdefault(output.resolve(), option)
        if other != option:
            raise UsageProblem(
                f"{other} and {option} both name {output}", remedy=f"name another file with {option}"
            )


def require_no_leftovers(
    command: list[str] | None,
    train: list[str] | None,
    check: list[str] | None,
    inputs: Path | None,
    confirm: Path | None,
) -> None:
    """Raises UsageProblem where options do not go together."""
    if not command and not confirm:
        raise UsageProblem(
            "no program is given", remedy="name it after --, as in 'malloom optimize -- ls -l'"
        )
    if not command and (train or check or inputs):
        raise UsageProblem("there are inputs, but no program", remedy="name it after --")
    if inputs and (train or check):
        raise UsageProblem("--inputs has all inputs", remedy="leave out --train and --check")
    if confirm and not confirm.is_file():
        raise UsageProblem(f"there is no plan {confirm}", remedy="name one that 'malloom optimize' has kept")


def check_numbers(**given: float) -> None:
    """Raises UsageProblem for what is no number of seconds, or no ratio."""
    for name, value in given.items():
        if not math.isfinite(value):
            raise UsageProblem(f"--{name.replace('_', '-')} must be a number", remedy=f"it is {value}")


NOT_CONFIRMED = (
    "output",
    "best-plan",
    "strategy",
    "accesses",
    "goal",
    "most-memory",
    "scheduler",
    "client",
)
"""Options that mean nothing where a plan is measured again."""


def check_confirmed(*asked: object) -> None:
    """Raises UsageProblem where one of NOT_CONFIRMED, in that order, is asked for."""
    for name, value in zip(NOT_CONFIRMED, asked, strict=True):
        if value:
            raise UsageProblem(
                f"--{name} does not go with --confirm",
                remedy="leave it out: what the plan was kept for is in its record",
            )


def check_names(accesses: str | None, strategy: str | None) -> None:
    """Raises UsageProblem for accesses or a strategy that do not exist, before anything runs."""
    if accesses is not None and accesses not in ACCESSES:
        raise UsageProblem(
            f"there are no accesses '{accesses}'", remedy=f"choose one of {', '.join(ACCESSES)}"
        )
    if strategy is not None:
        from malloom.layout import registry  # noqa: PLC0415

        registry.strategy(strategy)


def program_of(command: list[str] | None, serve: str | None) -> list[str] | None:
    """The program and its arguments, be they given after -- or as a text. Raises UsageProblem for both, and
    for a text that is not quoted as a shell wants it."""
    if serve is None:
        return command
    if command:
        raise UsageProblem("--serve and a program after -- are two programs", remedy="leave one of them out")
    return _words(serve, "--serve")


def client_of(client: str | None, ready: str | None, serve: str | None, build: str | None) -> "Client | None":
    """What loads the server; None for a program that ends by itself. Raises UsageProblem where half of it is
    missing."""
    if client is None:
        if serve is not None or ready is not None:
            raise UsageProblem("a server needs what loads it", remedy="say with --client what does")
        return None
    if build is not None:
        raise UsageProblem("--build does not go with --client", remedy="leave one of them out")
    from malloom.measure.service import Client  # noqa: PLC0415  (needs NumPy)

    return Client(tuple(_words(client, "--client")), tuple(_words(ready, "--ready")) if ready else ())


def _words(text: str, option: str) -> list[str]:
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise UsageProblem(f"what {option} says cannot be read: {error}") from None
    if not words:
        raise UsageProblem(f"{option} says nothing", remedy="give it a command")
    return words
