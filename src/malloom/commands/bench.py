"""`malloom bench`: measure a suite, print its tables, write its rows."""

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from malloom.bench.by_tasks import run_by_tasks
from malloom.bench.cases import DEFAULT_FOLDER
from malloom.bench.choosing import chosen_steps, print_needs
from malloom.bench.findings import Findings
from malloom.bench.general import described
from malloom.bench.pictures import draw, prepare
from malloom.bench.resuming import Wanted, default_file, keeper_at, options_that_agree
from malloom.bench.running import run
from malloom.bench.state import VERSION, State, locked
from malloom.bench.steps import Step
from malloom.bench.suite import Prepared, Suite
from malloom.bench.suites import found_suites
from malloom.cluster.tasks import tasks_at
from malloom.commands.bench_join import join
from malloom.commands.bench_output import print_tables, shown, write
from malloom.errors import CommandError, UsageProblem
from malloom.measure.allocators import without_settings_of_users
from malloom.measure.host import measured_on
from malloom.measure.signals import ended_in_order
from malloom.output_file import check_output

HELP = """Measure a suite of the papers' claims on this machine.

Runs are interleaved; a ratio below 1 is better than the baseline, and stands with the exact interval of its
median. A goal that is not reached is printed as such, and the exit status is still 0: the numbers are the
result.

Exit status: 1 where something could not be measured. All else is measured, printed and written. SIGINT,
SIGTERM and SIGHUP end it early, with 128 and the signal's number; what there is by then is kept as well.
"""


class Suites(TyperGroup):
    """The suites as commands."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args[0] not in self.commands:
            names = " or ".join(found_suites())
            raise UsageProblem(f"there is no suite '{args[0]}'", remedy=f"choose {names}")
        if (suite := found_suites().get(args[0])) and suite.problem:
            raise suite.problem
        return super().resolve_command(ctx, args)


def register(app: typer.Typer) -> None:
    """Add the verb, a group with a command for every suite that is found."""
    group = typer.Typer(
        cls=Suites,
        no_args_is_help=True,
        help=HELP,
        subcommand_metavar="SUITE [OPTIONS]",
        rich_markup_mode=None,
        epilog="Example: malloom bench placement --quick --json rows.json",
    )
    for name, suite in found_suites().items():
        group.command(name, help=_help_of(suite), short_help=suite.summary)(command_of(name, suite))
    group.command("join", short_help="results of several runs as one")(join)
    app.add_typer(group, name="bench")


def _help_of(suite: Suite) -> str:
    parts = [f"  {name}: {what}" for name, what in suite.parts.items()]
    groups = [f"  {name}: {', '.join(parts)}" for name, parts in suite.groups.items()]
    return "\n".join([f"{suite.summary[0].upper()}{suite.summary[1:]}.", "", "\b", "Parts:", *parts, *groups])


def command_of(name: str, suite: Suite) -> Callable[..., None]:
    """The suite as a command: the options of all suites, then those that it declares itself."""

    def command(**chosen: Any) -> None:
        common = {
            option: chosen.pop(option) for option in inspect.signature(bench).parameters if option in chosen
        }
        bench(name=name, suite=suite, chosen=chosen, **common)

    ours = [each for each in inspect.signature(bench).parameters.values() if each.name not in GIVEN]
    theirs = [each for each in inspect.signature(suite.prepare).parameters.values() if each.name != "quick"]
    as_options = [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in (*ours, *theirs)]
    command.__signature__ = inspect.Signature(as_options)  # type: ignore[attr-defined]
    command.__annotations__ = {each.name: each.annotation for each in as_options}
    return command


GIVEN = ("name", "suite", "chosen")
"""The parameters of `bench` that are no options."""


def bench(
    name: str,
    suite: Suite,
    chosen: dict[str, Any],
    quick: Annotated[
        bool, typer.Option("--quick", help="Small inputs and few runs: shows that it works, decides nothing.")
    ] = False,
    json: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the rows and goals there, as JSON.", show_default=False),
    ] = None,
    markdown: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write all tables there, as Markdown.", show_default=False),
    ] = None,
    pictures: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER", help="Draw what the suite has pictures of there, as SVG.", show_default=False
        ),
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(
            "--only", "--part", metavar="PART", help="Measure this part; may be repeated.", show_default=False
        ),
    ] = None,
    step: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PATTERN",
            help="Measure the steps of such names ('tsp *'); may be repeated. --list names them.",
            show_default=False,
        ),
    ] = None,
    share: Annotated[
        str,
        typer.Option(metavar="N/M", help="Measure the Nth of M shares of the steps.", show_default=False),
    ] = "",
    minutes: Annotated[
        float,
        typer.Option(
            min=0,
            help="Measure the steps that end in so many minutes, and leave the others to --resume.",
            show_default=False,
        ),
    ] = math.inf,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on from the steps that an earlier run has finished.")
    ] = False,
    any_commit: Annotated[
        bool,
        typer.Option("--any-commit", help="Go on also from steps of other commits; each row says its own."),
    ] = False,
    state: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Keep finished steps there. Default: a file of the suite and its options in "
            "~/.local/state/malloom/bench.",
            show_default=False,
        ),
    ] = None,
    scheduler: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Measure each step as a task of Dask's, by the scheduler there, one at a time on a machine.",
            show_default=False,
        ),
    ] = None,
    list_steps: Annotated[
        bool, typer.Option("--list", help="Print the steps, and what each needs; measure nothing.")
    ] = False,
    workloads: Annotated[
        Path, typer.Option(metavar="FOLDER", help="Where 'make native' put the workloads.")
    ] = DEFAULT_FOLDER,
) -> None:
    """Measure a suite, with what was chosen of its own options."""
    parts = suite.chosen_parts(only or [])
    prepared = suite.prepare(quick=quick, **chosen)
    steps = chosen_steps(prepared.steps_of(parts), step or [], share)
    if list_steps:
        print_needs(steps)
        return
    for written in filter(None, (json, markdown, state)):
        check_output(written)
    if scheduler is not None and minutes != math.inf:
        raise UsageProblem("--minutes is for steps that are measured here", remedy="leave out --scheduler")
    if pictures is not None:
        prepare(pictures)
    prepared.check(workloads)
    options = options_that_agree(suite, chosen, quick, workloads)
    wanted = Wanted.ANY_COMMIT if any_commit else Wanted.THIS_COMMIT if resume else Wanted.NOTHING
    kept_in = Kept(name, options, state or default_file(name, options), wanted, scheduler)
    findings = measured(prepared, steps, workloads, kept_in, minutes)
    # Before printing: a terminal that is gone takes none of it along.
    write(name, prepared, findings, json, markdown)
    if pictures is not None:
        draw(prepared.pictures, findings, pictures)
    print_tables(prepared, findings)
    if findings.ended_by:
        raise findings.ended_by
    if findings.failures:
        raise CommandError(
            f"{len(findings.failures)} of the suite's measurements failed",
            remedy="the last table tells which, and why",
        )


@dataclass(frozen=True)
class Kept:
    """Where finished steps are kept, under what they are known there, which are gone on from, and whose
    workers measure the others: a scheduler's, if any."""

    suite: str
    options: Mapping[str, Any]
    file: Path
    wanted: Wanted
    scheduler: str | None = None


def measured(
    prepared: Prepared, steps: Sequence[Step], workloads: Path, kept: Kept, minutes: float = math.inf
) -> Findings:
    """Measures the steps."""
    with locked(kept.file), ended_in_order(), shown() as (say, progress):
        if names := without_settings_of_users():
            say(f"note: not passed on to what is measured: {', '.join(names)}")
        host = {**measured_on(workloads), **described(workloads)}
        empty = State(VERSION, kept.suite, kept.options)
        keeper = keeper_at(kept.file, empty, prepared.steps, steps, host, kept.wanted, say)
        if kept.scheduler is not None:
            with tasks_at(kept.scheduler) as tasks:
                return run_by_tasks(kept.suite, kept.options, prepared, steps, keeper, tasks, say)
        return run(
            steps,
            workloads,
            say,
            progress,
            host=host,
            last_level=prepared.last_level,
            keeper=keeper,
            minutes=minutes,
        )
