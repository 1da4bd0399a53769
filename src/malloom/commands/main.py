"""The command line: finds the verb, and turns every failure into one line and an exit status.

A verb is imported when it is used, so that none costs more than it must. What is installed as `malloom` is a
native program (src/native/command), which becomes this one for all but most of `malloom run`.
"""

import codecs
import errno
import importlib
import os
import re
import sys
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.exceptions import Abort, TyperException

from malloom import __version__
from malloom.errors import CommandError, UsageProblem
from malloom.printable import printable

VERBS = (
    "optimize",
    "record",
    "plan",
    "rebase",
    "simulate",
    "run",
    "deploy",
    "verify",
    "merge",
    "report",
    "picture",
    "diff",
    "check",
    "profile",
    "strategies",
    "cc",
    "c++",
    "tokens",
    "doctor",
    "man",
    "bench",
)

FILES = {"c++": "cxx"}
"""The names of those files that are not the verb's."""

INTERRUPTED = 128 + 2
"""Exit status after Ctrl-C: 128 plus the number of SIGINT, as shells have it."""

UNPRINTABLE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF)
"""What the system says where standard output takes no more, or is closed."""

EXAMPLES = """\b
All at once:
  malloom optimize -- ./program input

\b
Step by step:
  malloom record -o run.profile -- ./program input
  malloom simulate run.profile
  malloom plan run.profile -o run.plan --strategy auto
  malloom run --plan run.plan -- ./program input

'malloom COMMAND --help' explains a command; 'malloom doctor -- ./program' says what stands in the way.
"""


class LazyVerbs(TyperGroup):
    """The group of all verbs; imports the file of a verb when the verb is asked for."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(VERBS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        return load_verb(cmd_name) if cmd_name in VERBS else None

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args[0] not in VERBS:
            raise UsageProblem(f"there is no command '{args[0]}'", remedy=suggestion(args[0]))
        return super().resolve_command(ctx, args)


def suggestion(mistyped: str) -> str:
    """What to type instead of a verb that does not exist."""
    import difflib  # noqa: PLC0415  (only mistakes pay for it)

    near = difflib.get_close_matches(mistyped, VERBS, n=1)
    return f"did you mean '{near[0]}'?" if near else "'malloom --help' lists the commands"


def load_verb(name: str) -> Any:
    """Import the file of a verb, commands/<name>.py, and return the command it registers."""
    module = importlib.import_module(f"malloom.commands.{FILES.get(name, name)}")
    host = typer.Typer(rich_markup_mode=None)
    # With a callback Typer keeps a lone command as a named member of the group.
    host.callback()(lambda: None)
    module.register(host)
    group = typer.main.get_command(host)
    assert isinstance(group, TyperGroup)
    return group.commands[name]


app = typer.Typer(cls=LazyVerbs, add_completion=True, rich_markup_mode=None, epilog=EXAMPLES)


def print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"malloom {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def start(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Make a program faster by choosing where its heap objects lie.

    malloom records how a program uses its heap, chooses a better layout, runs the unmodified program
    with it, and says with a measured verdict whether it is faster.
    """
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
        raise typer.Exit(2)


LIMITS = (
    (r"Input should be greater than or equal to (\S+)", r"must be \1 or more"),
    (r"Input should be less than or equal to (\S+)", r"must be \1 or less"),
    (r"Input should be greater than (\S+)", r"must be more than \1"),
    (r"Input should be less than (\S+)", r"must be less than \1"),
    (r"Input should be a valid integer.*", "must be a whole number"),
    (r"Input should be a valid number.*", "must be a number"),
)
"""What the library that checks options says of a number, and how malloom says it."""


def in_own_words(message: str) -> str:
    """What is wrong with a command line, from what the parser says."""
    for theirs, ours in LIMITS:
        found = re.fullmatch(rf"Invalid value for '([^']*)': {theirs}", message.rstrip("."))
        if found:
            return f"{found[1]} {re.sub(theirs, ours, found[0].partition(': ')[2])}"
    return message[0].lower() + message[1:].replace("Value error, ", "").rstrip(".")


def complain(problem: str) -> None:
    """Print one line on standard error, whatever the problem's text holds."""
    print(f"malloom: {printable(' '.join(problem.split()))}", file=sys.stderr)


def explain_usage(error: TyperException) -> int:
    """Report a command line that cannot be parsed."""
    context = getattr(error, "ctx", None)
    message = error.format_message()
    if context and message == context.get_help():  # a group without a command
        typer.echo(message)
    else:
        remedy = f"; see '{context.command_path} --help'" if context else ""
        complain(in_own_words(message) + remedy)
    return error.exit_code


def explain_system(error: OSError | MemoryError) -> int:
    """Report what the system refused; gives up what is still to be printed."""
    if isinstance(error, MemoryError):
        complain("there is not enough memory; see 'ulimit -v', or record a smaller input")
    elif error.filename:
        complain(f"{os.fsdecode(error.filename)}: {error.strerror}")
    elif error.errno in UNPRINTABLE:
        complain(f"cannot print the result: {error.strerror}")
    elif not isinstance(error, BrokenPipeError):  # else whoever reads what we print has seen enough
        complain(f"the system refuses: {error.strerror or error}")
    # A later flush at exit must not complain either.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 1


def complete_streams() -> None:
    """Standard streams that malloom was started without: nothing to read, and no way to print."""
    # What is opened here is closed at exec, so the program that is run is without them as well.
    sys.stdin = sys.stdin or os.fdopen(os.open(os.devnull, os.O_RDONLY))
    sys.stderr = sys.stderr or os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    sys.stdout = sys.stdout or os.fdopen(os.open(os.devnull, os.O_RDONLY), "w")
    # Names of files are bytes, and are printed as they are; what the locale has no letter for is spelled out.
    sys.stdout.reconfigure(errors="malloom")  # type: ignore[union-attr]


def as_it_can_be(error: UnicodeError) -> tuple[bytes, int]:
    """The bytes of what cannot be encoded."""
    assert isinstance(error, UnicodeEncodeError)
    left = error.object[error.start : error.end]
    return b"".join(map(_byte_or_spelled, left)), error.end


def _byte_or_spelled(letter: str) -> bytes:
    is_byte = "\udc80" <= letter <= "\udcff"
    return letter.encode("ascii", "surrogateescape" if is_byte else "backslashreplace")


codecs.register_error("malloom", as_it_can_be)


def execute(arguments: list[str]) -> int:
    """Run one command line; returns its exit status. Failures that a user can act on are printed."""
    try:
        status = typer.main.get_command(app).main(arguments, prog_name="malloom", standalone_mode=False)
        sys.stdout.flush()
        return status if isinstance(status, int) else 0
    except CommandError as error:
        complain(str(error))
        return error.status
    except TyperException as error:
        return explain_usage(error)
    except (KeyboardInterrupt, Abort):
        return INTERRUPTED
    except (OSError, MemoryError) as error:
        return explain_system(error)


def main() -> None:
    """Entry point of the command `malloom-python`, which is `malloom` to its user."""
    complete_streams()
    sys.exit(execute(sys.argv[1:]))
