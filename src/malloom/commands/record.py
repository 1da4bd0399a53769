"""`malloom record`: run a program and record how it uses its heap."""

import json
import math
import os
import signal
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from malloom.errors import CommandError, UsageProblem
from malloom.quantities import counted

if TYPE_CHECKING:
    from malloom.launch.program import Program
    from malloom.launch.recording import Recorded, RecordingOptions
    from malloom.launch.schedule import Wanted

SMALLEST_LIMIT = 64 << 10
SMALLEST_PROFILE = 256 << 10
"""Room that the first stages of a process take, in bytes."""

DEEPEST = 32
SHORTEST_WINDOW = 0.1
"""Seconds; the system counts CPU time by hundredths of one."""
LARGEST, DEPTH = "2G", 8
"""Of a profile, and frames of a context, where nothing else is said."""


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command(
        name="record",
        context_settings={"allow_interspersed_args": False},
        epilog="Example: malloom record -o run.profile --accesses none -- ./program input",
    )(record)


def record(
    command: Annotated[
        list[str] | None,
        typer.Argument(metavar="PROGRAM [ARGS]...", help="The program and its arguments, after --."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="PROFILE", help="Where the profile is written."),
    ] = None,
    accesses: Annotated[
        str | None,
        typer.Option(
            help="full, sampled, annotated (by calls of malloom.h) or none: requests only. Default: full; "
            "with --for none.",
            show_default=False,
        ),
    ] = None,
    max_size: Annotated[
        str, typer.Option(metavar="SIZE", help="Recording stops when the profile is this large; 0: no limit.")
    ] = LARGEST,
    depth: Annotated[
        int, typer.Option(min=1, max=DEEPEST, help="Frames of the call chain that make a context.")
    ] = DEPTH,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing profile.")] = False,
    tables: Annotated[
        bool,
        typer.Option(
            "--tables", help="Write the table that this host contributes to a fleet, in place of a profile."
        ),
    ] = False,
    anonymous: Annotated[
        bool, typer.Option("--anonymous", help="With --tables: without paths, arguments and the host's name.")
    ] = False,
    seconds: Annotated[
        str | None,
        typer.Option(
            "--for", metavar="TIME", help="Record for so long, as 30s or 10m, while the program goes on."
        ),
    ] = None,
    until: Annotated[
        str | None,
        typer.Option(
            "--until-signal",
            metavar="SIGNAL",
            help="Record until malloom itself gets this signal, as USR1, while the program goes on.",
        ),
    ] = None,
    every: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="With --for and --tables: again and again, a table each time; -o is a folder.",
        ),
    ] = None,
    budget: Annotated[
        str | None,
        typer.Option(
            metavar="SHARE",
            help="With --for: the most of the program's CPU time that recording may take, as 1%; windows are "
            "shorter or later where it takes more.",
        ),
    ] = None,
    pid: Annotated[
        int | None,
        typer.Option(help="With --for: record this process, which --on-demand started.", min=1),
    ] = None,
    on_demand: Annotated[
        bool,
        typer.Option("--on-demand", help="Record nothing until 'malloom record --pid' asks for it."),
    ] = False,
    as_json: Annotated[
        bool,
        typer.Option("--json", help="Tell of it, or of each window, by a JSON object on standard error."),
    ] = False,
) -> None:
    """Run a program, as it is, and record its requests and accesses in a profile.

    Standard streams, arguments and signals are the program's own; its children are recorded too.

    With --for a part of the run is recorded, of accesses none or some: with --accesses sampled a thread is
    stopped now and then and stepped through some hundred instructions, so nothing slows the program down
    between.

    Exit status: the program's, 128 + n where it died by signal n; 1 where the profile is not complete.
    """
    chosen = Choice(seconds, until, every, budget, pid, on_demand, as_json)
    if chosen.is_any:
        check_choice(chosen, command, accesses)
    accesses = accesses or ("none" if chosen.is_any else "full")
    if anonymous and not tables:
        raise UsageProblem("a profile has all names", remedy="leave out --anonymous, or record --tables")
    if pid is not None:
        raise typer.Exit(
            recorded_process(chosen, output, (max_size, depth), tables, anonymous, force, accesses)
        )
    if not command:
        raise UsageProblem(
            "no program is given", remedy="name it after --, as in 'malloom record -o P -- ls'"
        )
    if output is None:
        raise UsageProblem("no profile is named", remedy="say where it goes with -o")
    from malloom.launch import recording  # noqa: PLC0415  (help does not need the native core)
    from malloom.launch.program import CANNOT_RUN, open_program, require_reachable  # noqa: PLC0415
    from malloom.quantities import parse_size  # noqa: PLC0415

    if accesses not in list(recording.Accesses):
        wanted = ", ".join(recording.Accesses)
        raise UsageProblem(f"there are no accesses '{accesses}'", remedy=f"choose one of {wanted}")
    limit = parse_size(max_size)
    if 0 < limit < SMALLEST_LIMIT:
        raise UsageProblem(f"--max-size {max_size} is too small for any profile", remedy="give 64K or more")
    program = open_program(command[0])
    require_reachable(program)
    if not program.is_readable and accesses in (recording.Accesses.full, recording.Accesses.sampled):
        problem = f"{program.binary} cannot be read, and DynamoRIO must read what it runs"
        raise CommandError(problem, remedy="record with --accesses none", status=CANNOT_RUN)
    options = recording.RecordingOptions(output, recording.Accesses(accesses), limit, depth, force)
    if chosen.is_any:
        raise typer.Exit(recorded_part(chosen, program, command, options, tables, anonymous))
    outcome = (
        record_table(program, command, options, anonymous)
        if tables
        else recording.run_recorded(program, command, options)
    )
    if as_json:
        print(json.dumps(as_data(outcome, command, output)), file=sys.stderr)
    else:
        for line in lines_of(outcome, command[0], output):
            print(f"malloom: {line}", file=sys.stderr)
    raise typer.Exit(status_of(outcome))


@dataclass(frozen=True)
class Choice:
    """Which part of a run is recorded, and how its windows are told of, as the options have it."""

    seconds: str | None
    until: str | None
    every: str | None
    budget: str | None
    pid: int | None
    on_demand: bool
    as_json: bool

    @property
    def is_any(self) -> bool:
        return self.on_demand or any(
            each is not None for each in (self.seconds, self.until, self.every, self.budget, self.pid)
        )


def check_choice(chosen: Choice, command: list[str] | None, accesses: str | None) -> None:
    """Raises UsageProblem where options do not go together."""
    if accesses not in (None, "none", "annotated", "sampled"):
        raise UsageProblem(
            f"of a part of a run accesses are not {accesses}: DynamoRIO sees all of them from a program's "
            "start to its end",
            remedy="choose --accesses sampled, or record a whole run",
        )
    if chosen.on_demand and accesses == "sampled":
        raise UsageProblem(
            "--on-demand records nothing by itself", remedy="say --accesses sampled with --pid, later"
        )
    others = [chosen.seconds, chosen.until, chosen.every, chosen.budget, chosen.pid, chosen.as_json or None]
    if chosen.on_demand and any(each is not None for each in others):
        raise UsageProblem("--on-demand records nothing by itself", remedy="leave out the other options")
    if chosen.pid is not None and command:
        raise UsageProblem("--pid names a process, and there is a program", remedy="leave out one of them")
    if chosen.pid is not None and chosen.until is not None:
        raise UsageProblem("--until-signal is of a program that is started", remedy="end --pid with Ctrl-C")
    if chosen.seconds is None and chosen.until is None and not chosen.on_demand:
        raise UsageProblem("nothing says for how long", remedy="add --for 30s")
    if chosen.every is not None and chosen.seconds is None:
        raise UsageProblem("--every does not say how long each window is", remedy="add --for 30s")


def wanted_of(chosen: Choice) -> "Wanted":
    from malloom.launch.schedule import Wanted  # noqa: PLC0415
    from malloom.quantities import parse_seconds, parse_share  # noqa: PLC0415

    seconds = math.inf if chosen.seconds is None else parse_seconds(chosen.seconds)
    if seconds < SHORTEST_WINDOW:
        raise UsageProblem(f"--for {chosen.seconds} is over at once", remedy="record for a second or longer")
    every = None if chosen.every is None else parse_seconds(chosen.every)
    if every is not None and every < seconds + 1:
        raise UsageProblem(
            f"--every {chosen.every} leaves no time between windows", remedy="give a second more than --for"
        )
    budget = None if chosen.budget is None else parse_share(chosen.budget)
    return Wanted(seconds, every, budget, None if chosen.until is None else signal_of(chosen.until))


def signal_of(name: str) -> int:
    """The number of a signal that malloom can wait for, by its name with or without SIG."""
    from malloom.launch.child import FORWARDED  # noqa: PLC0415

    found = {each.name.removeprefix("SIG"): each for each in FORWARDED}
    number = found.get(name.upper().removeprefix("SIG"))
    if number is None:
        raise UsageProblem(f"'{name}' is no signal to wait for", remedy=f"choose one of {', '.join(found)}")
    return number


def recorded_part(
    chosen: Choice,
    program: "Program",
    command: list[str],
    options: "RecordingOptions",
    tables: bool,
    anonymous: bool,
) -> int:
    """Records windows of a program that is started, or starts it to be recorded later; the exit status."""
    from malloom.commands import record_windows  # noqa: PLC0415

    if chosen.on_demand:
        if tables:
            raise UsageProblem(
                "--on-demand records nothing by itself", remedy="give --tables to 'malloom record --pid'"
            )
        record_windows.start_on_demand(program, command, options)
    wanted = wanted_of(chosen)
    record_windows.check_place(options.output, wanted, tables, options.force)
    many = wanted.every is not None
    name = Path(command[0]).name
    output = record_windows.Output(options.output, name, tables, anonymous, many, chosen.as_json)
    status = record_windows.record_in_windows(program, command, options, wanted, output)
    if os.WIFSIGNALED(status):
        return 128 + os.WTERMSIG(status)
    return os.waitstatus_to_exitcode(status) or int(output.failed)


def recorded_process(
    chosen: Choice,
    place: Path | None,
    limits: tuple[str, int],
    tables: bool,
    anonymous: bool,
    force: bool,
    accesses: str,
) -> int:
    """Records windows of a process that runs; the exit status. Limits are the largest profile, and frames."""
    from malloom.commands import record_windows  # noqa: PLC0415
    from malloom.launch.recording import Accesses  # noqa: PLC0415
    from malloom.launch.windows import limit_of_process  # noqa: PLC0415
    from malloom.quantities import parse_size  # noqa: PLC0415

    if place is None:
        raise UsageProblem("nothing says where it goes", remedy="name a profile, or a table, with -o")
    if limits != (LARGEST, DEPTH):
        raise UsageProblem(
            "--max-size and --depth are those with which --on-demand started the process",
            remedy="leave them out",
        )
    wanted = wanted_of(chosen)
    record_windows.check_place(place, wanted, tables, force)
    assert chosen.pid is not None
    many = wanted.every is not None
    output = record_windows.Output(place, str(chosen.pid), tables, anonymous, many, chosen.as_json)
    return record_windows.record_process(
        chosen.pid, wanted, limit_of_process(chosen.pid, parse_size(limits[0])), output, Accesses(accesses)
    )


def record_table(
    program: "Program", command: list[str], options: "RecordingOptions", anonymous: bool
) -> "Recorded":
    """The same, and a table in place of the profile."""
    from malloom.commands.record_tables import beside, write_recorded  # noqa: PLC0415
    from malloom.launch.recording import run_recorded  # noqa: PLC0415

    with beside(options.output, force=options.force) as profile:
        outcome = run_recorded(program, command, replace(options, output=profile))
        for note in write_recorded(profile, options.output, anonymous=anonymous):
            print(f"malloom: note: {note}", file=sys.stderr)
    return replace(outcome, file_bytes=options.output.stat().st_size)


def as_data(outcome: "Recorded", command: list[str], output: Path) -> dict[str, object]:
    """What was recorded, for machines. `notes` are the lines that people are told."""
    return {
        "profile": str(output),
        "program": command,
        "events": outcome.events,
        "contexts": outcome.contexts,
        "processes": outcome.processes,
        "file_bytes": outcome.file_bytes,
        "dropped_events": outcome.dropped,
        "reached_max_size": outcome.limit_reached,
        "disk_is_full": outcome.write_failed and has_no_room(output),
        "exit_status": status_of(outcome),
        "notes": lines_of(outcome, command[0], output)[1:],
    }


WRITE_REFUSED = (
    "its disk was full for a while, or the program kept the recorder from it: by a sandbox, a limit of files "
    "or of their size, or as it removed the file"
)
"""Why a profile ends early on a disk that has room now."""


def lines_of(outcome: "Recorded", name: str, output: Path) -> list[str]:
    """What the user is told at the end, most general first."""
    from malloom.quantities import format_size  # noqa: PLC0415

    lines = [
        f"recorded {counted(outcome.events, 'event')} in {counted(outcome.contexts, 'context')} of "
        f"{counted(outcome.processes, 'process', 'es')}; {output} has {format_size(outcome.file_bytes)}"
    ]
    if os.WIFSIGNALED(outcome.wait_status):
        number = os.WTERMSIG(outcome.wait_status)
        died_by = signal.Signals(number).name if number in [*signal.Signals] else f"signal {number}"
        lines.append(f"{name} died by {died_by}; the profile up to there is good")
    if outcome.limit_reached:
        lines.append(
            "the profile reached --max-size and is good up to there; give a larger --max-size for the rest"
        )
    if outcome.write_failed:
        remedy = "make room on the disk" if has_no_room(output) else WRITE_REFUSED
        lines.append(f"the profile could not be written to its end and is good up to there; {remedy}")
    cut = outcome.limit_reached or outcome.write_failed
    if outcome.processes == 0 or (outcome.events == 0 and not cut):
        lines.append(why_nothing(outcome, name, output))
    if outcome.dropped:
        lines.append(f"{outcome.dropped:,} events of signal handlers were not recorded")
    if outcome.living:
        lines.append(f"{outcome.living} processes that {name} left behind still record")
    return lines


def why_nothing(outcome: "Recorded", name: str, output: Path) -> str:
    """Why there are no events."""
    if outcome.processes == 0 and has_no_room(output):
        return "nothing was recorded: the disk is full; make room, or choose another place with -o"
    if outcome.processes == 0:
        return f"nothing was recorded: {name} did not load the recorder; see 'malloom doctor -- {name}'"
    from malloom.profile import HeapProfile  # noqa: PLC0415  (few runs need NumPy here)
    from malloom.report.reasons import check_not_empty  # noqa: PLC0415

    try:
        check_not_empty(HeapProfile.open(output))
    except CommandError as reason:
        return str(reason)
    return "nothing was recorded"


def has_no_room(output: Path) -> bool:
    """Whether the disk has less room than a profile begins with."""
    disk = os.statvfs(output.absolute().parent)
    return disk.f_bavail * disk.f_frsize < SMALLEST_PROFILE


def status_of(outcome: "Recorded") -> int:
    """The program's own exit status as a shell gives it; 1 where the profile is incomplete."""
    if os.WIFSIGNALED(outcome.wait_status):
        return 128 + os.WTERMSIG(outcome.wait_status)
    status = os.waitstatus_to_exitcode(outcome.wait_status)
    incomplete = outcome.limit_reached or outcome.write_failed or outcome.processes == 0
    return status or int(incomplete)
