"""`malloom optimize`: all the way from a program to a plan that makes it faster, or to none."""

import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from malloom.commands.optimize_checks import (
    check_apart,
    check_builds,
    check_choice,
    check_confirmed,
    check_fleet,
    check_names,
    check_numbers,
    check_places,
    check_words,
    client_of,
    program_of,
    require_no_leftovers,
)
from malloom.launch.program import open_program, require_reachable
from malloom.optimize.goal import MOST_MEMORY, Goal
from malloom.optimize.standard_input import repeatable_input
from malloom.ratios import in_words, with_bounds

if TYPE_CHECKING:
    from malloom.measure.service import Client
    from malloom.optimize.inputs import Inputs
    from malloom.optimize.options import Options, Watcher

SECONDS = 150.0
"""For the measured runs of a program of seconds; of a shorter one far fewer are needed."""
INTERRUPTED = 128 + 2
"""Exit status after Ctrl-C, as shells have it."""

FEWEST_FOR_A_VERDICT = 10
"""With fewer, one run that something else disturbed can undo a clear verdict."""
MOST_PAIRS = 200
"""Of programs that run for milliseconds; others reach the time first."""
PRECISE = 0.015
"""Width of the interval that a verdict is measured to, where the time allows."""
MOST_RUNS = 10_000
"""Pairs that a user can ask for."""


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command(
        name="optimize",
        context_settings={"allow_interspersed_args": False},
        epilog="Example: malloom optimize -- xsltproc report.xsl orders.xml",
    )(optimize)


def optimize(
    command: Annotated[
        list[str] | None,
        typer.Argument(metavar="PROGRAM [ARGS]...", help="The program and its arguments, after --."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="PLAN", help="Where a plan is kept; default: ./PROGRAM.plan."),
    ] = None,
    best_plan: Annotated[
        Path | None,
        typer.Option(
            metavar="PLAN", help="Write the plan with the best training runs there as well, kept or not."
        ),
    ] = None,
    train: Annotated[
        list[str] | None,
        typer.Option(
            metavar="INPUT",
            help="An input to learn from and to choose on: arguments that take the place of {}, @FILE for "
            "standard input; repeatable.",
        ),
    ] = None,
    check: Annotated[
        list[str] | None,
        typer.Option(metavar="INPUT", help="Another input, to judge the choice on; repeatable."),
    ] = None,
    inputs: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="A TOML file with lists of inputs named train and check."),
    ] = None,
    serve: Annotated[
        str | None,
        typer.Option(metavar="COMMAND", help="The program, a server, in place of what follows --."),
    ] = None,
    client: Annotated[
        str | None,
        typer.Option(
            metavar="COMMAND",
            help="What loads the program, a server: it starts once the server listens, and with its end the "
            "server gets SIGTERM. Inputs take the place of {} here too.",
        ),
    ] = None,
    ready: Annotated[
        str | None,
        typer.Option(metavar="COMMAND", help="Succeeds once the server takes requests; tried until it does."),
    ] = None,
    build: Annotated[
        str | None,
        typer.Option(
            metavar="COMMAND",
            help="What builds the program, with {cc} and {cxx} for its compilers: its builds by malloom-cc "
            "race as well. It runs several times; 'make -C DIR clean all CC={cc}' begins clean.",
        ),
    ] = None,
    goal: Annotated[str, typer.Option(help="time, or memory at no more time than now.")] = "time",
    runs: Annotated[
        int | None,
        typer.Option(
            min=6,
            max=MOST_RUNS,
            metavar="N",
            help="Pairs of runs for the verdict, more where many inputs need them; default: until it is "
            "precise.",
        ),
    ] = None,
    seconds: Annotated[
        float,
        typer.Option(
            min=0,
            help="Time for the measured runs; ten pairs are measured however long they take, and so is every "
            "allocator, three times where it is not far behind by then.",
        ),
    ] = SECONDS,
    timeout: Annotated[
        float,
        typer.Option(
            min=0.1,
            help="Seconds after which the program's first run on an input is given up; later ones may take "
            "20 times as long as the first, and a minute at least.",
        ),
    ] = 600.0,
    accesses: Annotated[
        str | None,
        typer.Option(help="full, sampled, annotated or none; default: full, or sampled for long programs."),
    ] = None,
    strategy: Annotated[
        str | None, typer.Option(help="Try this one only; default: the best of the simulation.")
    ] = None,
    most_memory: Annotated[
        float,
        typer.Option(
            min=1,
            metavar="RATIO",
            help="Most peak memory that what is kept may need, as a ratio to the program's own; 2 MiB "
            "more is always allowed.",
        ),
    ] = MOST_MEMORY,
    ignore_output: Annotated[
        bool, typer.Option("--ignore-output", help="Do not compare what the program prints with and without.")
    ] = False,
    ignore_status: Annotated[
        bool,
        typer.Option("--ignore-status", help="Go on where the program's exit status is another than 0."),
    ] = False,
    fleet: Annotated[
        Path | None,
        typer.Option(
            metavar="FLEET",
            help="Race the plans of a fleet, made by 'malloom merge', in place of what is learned here.",
        ),
    ] = None,
    scheduler: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Simulate strategies as tasks of Dask's, by the scheduler there, or 'local'; workers must "
            "reach the temporary folder. What is timed runs here.",
        ),
    ] = None,
    confirm: Annotated[
        Path | None,
        typer.Option(
            metavar="PLAN",
            help="Measure a kept plan again, on the inputs that it was judged on or on those given, and add "
            "what is found to its record.",
        ),
    ] = None,
    fail_if: Annotated[
        str | None,
        typer.Option(
            metavar="WORD",
            help="Exit with status 1 where the verdict is that: slower, or with --goal memory more-memory.",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the verdict as JSON.")] = False,
    page: Annotated[
        Path | None,
        typer.Option("--html", metavar="FILE", help="Write the verdict as a page for a browser there, too."),
    ] = None,
) -> None:
    """Learn from runs of a program, race allocators and plans against it, and report a verdict.

    The program runs many times. What it prints is compared, not shown. All is chosen on the training inputs;
    check inputs then accept or refuse the one choice, and without them the verdict is on what was learned
    from. A general allocator's setting is kept as a plan like any other where that is best.

    Without --train its standard input, where that is no terminal, is read to its end first and given to each
    run anew.

    A server is measured under the load of a client: by its own CPU time for that load, and what makes its
    clients wait longer is refused.

    Exit status: 0 where there is a verdict, whichever it is, unless --fail-if says otherwise.
    """
    command = program_of(command, serve)
    loads = client_of(client, ready, serve, build)
    check_words(goal, fail_if, confirm)
    check_names(accesses, strategy)
    check_numbers(seconds=seconds, timeout=timeout, most_memory=most_memory)
    if confirm:
        others = (output, best_plan, strategy, accesses, goal != Goal.time, most_memory != MOST_MEMORY)
        check_confirmed(*others, scheduler, loads and not command)
    require_no_leftovers(command, train, check, inputs, confirm)
    place = output or confirm or Path(f"{Path((command or ['kept'])[0]).name}.plan")
    check_places(place, best_plan)
    check_apart(place, best_plan, page, build is not None)
    if page is not None:
        from malloom.commands.optimize_page import check_page  # noqa: PLC0415  (few pay for it)

        check_page(page, confirm)
    if build is not None:
        check_builds(build, command, strategy, confirm)
        check_choice(place)
    if fleet is not None:
        check_fleet(fleet, strategy or accesses or scheduler or confirm or build)
    if scheduler is not None:
        from malloom.cluster.tasks import require_workers  # noqa: PLC0415  (few pay for it)

        require_workers(scheduler)
    if command:
        require_reachable(open_program(command[0]))
    from malloom.measure.interleaved import Budget  # noqa: PLC0415
    from malloom.measure.signals import ended_in_order  # noqa: PLC0415
    from malloom.optimize.confirming import wants_input  # noqa: PLC0415
    from malloom.optimize.options import Options  # noqa: PLC0415  (measuring needs NumPy, help does not)

    fewest, most = (FEWEST_FOR_A_VERDICT, MOST_PAIRS) if runs is None else (runs, runs)
    options = Options(
        place,
        accesses,
        strategy,
        Budget(fewest, most, seconds, PRECISE),
        not ignore_output and loads is None,
        not ignore_status,
        most_memory,
        Goal(goal),
        timeout,
        best_plan=best_plan,
        build=build,
        scheduler=scheduler,
        fleet=fleet,
    )
    wants = confirm is None or bool(command) or wants_input(confirm)
    with (
        ended_in_order(),
        repeatable_input(bool(train or inputs or loads) or not wants, timeout) as stdin,
        watching() as watcher,
    ):
        wanted = wanted_inputs(command, train, check, inputs, stdin, loads)
        if confirm:
            raise typer.Exit(confirmed(confirm, wanted, stdin, options, watcher, as_json, fail_if))
        assert wanted is not None
        raise typer.Exit(optimized(wanted, options, watcher, as_json, fail_if, page))


def optimized(
    inputs: "Inputs",
    options: "Options",
    watcher: "Watcher",
    as_json: bool,
    fail_if: str | None,
    page: Path | None,
) -> int:
    """Measures, and prints what was found; the exit status."""
    from malloom.measure.interval import Verdict  # noqa: PLC0415
    from malloom.optimize import verdict  # noqa: PLC0415
    from malloom.optimize.data import as_data, slower_inputs, verdict_interval  # noqa: PLC0415

    with verdict.optimized(inputs, options, watcher) as outcome:
        watcher.done()
        if as_json:
            print(json.dumps(as_data(outcome), indent=1, allow_nan=False))
        else:
            from malloom.commands.optimize_shown import show  # noqa: PLC0415

            show(outcome)
        if page is not None:
            from malloom.commands.optimize_page import write_page  # noqa: PLC0415

            write_page(outcome, page)
        if outcome.interrupted:
            return INTERRUPTED
        if outcome.unwritten:
            return 1
        interval = verdict_interval(outcome)
        is_worse = interval is not None and interval.verdict is Verdict.SLOWER
        is_slower = options.goal is Goal.time and bool(slower_inputs(outcome))
        return int(fail_if is not None and (is_worse or is_slower))


def confirmed(
    plan: Path,
    inputs: "Inputs | None",
    stdin: Path | None,
    options: "Options",
    watcher: "Watcher",
    as_json: bool,
    fail_if: str | None,
) -> int:
    """Measures a plan again, and prints what was found; the exit status."""
    from malloom.measure.interval import Verdict  # noqa: PLC0415
    from malloom.optimize.confirming import confirm  # noqa: PLC0415

    try:
        found = confirm(plan, inputs, stdin, options, watcher)
    except KeyboardInterrupt:
        watcher.done()
        print(f"interrupted: nothing is added to the record of {plan}", file=sys.stderr)
        if as_json:
            print(json.dumps({"plan": str(plan), "interrupted": True}, indent=1))
        return INTERRUPTED
    watcher.done()
    if as_json:
        print(json.dumps({"plan": str(plan), **found}, indent=1, allow_nan=False))
    else:
        print(confirmed_line(found, plan))
    if found["interrupted"]:
        return INTERRUPTED
    is_slower = found["goal"] == Goal.time and bool(found["slower_on"])
    return int(fail_if is not None and (found["verdict"] == Verdict.SLOWER or is_slower))


def confirmed_line(found: Mapping[str, Any], plan: Path) -> str:
    """What new pairs say, for people."""
    metric = Goal(found["goal"]).metric
    end = "interrupted: nothing is added to" if found["interrupted"] else "added to"
    slower = f"slower on {', '.join(found['slower_on'])}; " if found["slower_on"] else ""
    allocator = f"with {found['allocator']} now; " if "allocator" in found else ""
    build = "of another build of the program; " if "build" in found else ""
    return (
        f"{in_words(found['verdict'], metric)}: {with_bounds(found[metric], metric)}, "
        f"{found['pairs']} pairs of runs; "
        f"{slower}{build}{allocator}{end} the record of {plan}"
    )


def wanted_inputs(
    command: list[str] | None,
    train: list[str] | None,
    check: list[str] | None,
    file: Path | None,
    stdin: Path | None,
    client: "Client | None",
) -> "Inputs | None":
    """What the program is to run on; None for what a plan's record says."""
    from malloom.optimize.inputs import Input, Inputs, inputs_in, require_filled  # noqa: PLC0415

    if not command:
        return None
    if file:
        return Inputs.of(command, *inputs_in(file), client=client)
    if train or check:
        trained, checked = ([Input.of(text) for text in texts or []] for texts in (train, check))
        return Inputs.of(command, trained, checked, client)
    require_filled([*command, *(client.arguments if client else ())])
    return Inputs.one_command(command, stdin, client)


@contextmanager
def watching() -> Iterator["Watcher"]:
    """Progress on standard error: a line that changes at a terminal, a line per stage elsewhere."""
    from rich.console import Console  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    from malloom.measure.interleaved import no_progress  # noqa: PLC0415
    from malloom.optimize.options import Watcher  # noqa: PLC0415

    console = Console(stderr=True, highlight=False, markup=False, soft_wrap=True)
    if not console.is_terminal or console.is_dumb_terminal:
        yield Watcher(console.print, no_progress)
        return
    with console.status("") as status:

        def show(_: str, run: str = "") -> None:
            # No markup: that would take what stands in brackets for its own.
            status.update(Text(f"{watcher.position}: {watcher.text}{run}"))

        watcher = Watcher(show, lambda name, number: show("", f" [{name}, run {number}]"), done=status.stop)
        yield watcher
