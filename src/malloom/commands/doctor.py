"""`malloom doctor`: what stands in the way, a line each."""

import json
import os
import sys
from dataclasses import asdict
from typing import Annotated

import typer

from malloom.doctor.finding import Finding, State
from malloom.doctor.machine import examine_machine
from malloom.doctor.program import examine_program
from malloom.launch.program import open_program
from malloom.printable import printable
from malloom.quantities import counted

COLOURS = {State.good: typer.colors.GREEN, State.note: typer.colors.YELLOW, State.problem: typer.colors.RED}


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command(
        name="doctor",
        context_settings={"allow_interspersed_args": False},
        epilog="Example: malloom doctor -- ./program",
    )(doctor)


def doctor(
    command: Annotated[
        list[str] | None,
        typer.Argument(metavar="[PROGRAM [ARGS]...]", help="A program to look at, after --."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object, for machines.")] = False,
) -> None:
    """Check whether malloom works on this machine, and with a program.

    Every component is really tried. Problems come first, then what is worth knowing.

    Exit status: 0 when nothing stands in the way, 1 otherwise.
    """
    program = open_program(command[0]) if command else None
    findings = list(examine_machine())
    if program:
        findings += examine_program(program)
    ready = all(finding.state != State.problem for finding in findings)
    if as_json:
        print(json.dumps({"ready": ready, "findings": [asdict(finding) for finding in findings]}, indent=2))
    else:
        print(summary_of(findings))
        print("\n".join(line_of(finding) for finding in sorted(findings, key=urgency)))
    raise typer.Exit(0 if ready else 1)


def urgency(finding: Finding) -> int:
    """The smaller, the sooner it is to be read."""
    return (State.problem, State.note, State.good).index(finding.state)


def summary_of(findings: list[Finding]) -> str:
    """What all of them come to, in a line."""
    problems, notes = (
        sum(finding.state == state for finding in findings) for state in (State.problem, State.note)
    )
    verdict = f"{counted(problems, 'problem')} in the way" if problems else "nothing stands in the way"
    return f"{verdict}, {counted(notes, 'note')}"


def line_of(finding: Finding) -> str:
    state = f"{finding.state.value:<8}"
    if sys.stdout.isatty() and "NO_COLOR" not in os.environ:
        state = typer.style(state, fg=COLOURS[finding.state])
    remedy = f"; {finding.remedy}" if finding.remedy else ""
    return f"{state} {finding.subject:<11} {printable(finding.text + remedy)}"
