"""Environments and arguments of equal length: where the stack of a program begins depends on them, and with
it how its data fall on cache lines and pages, which alone can move its time by some per cent (Mytkowicz et
al., Producing wrong data without doing anything obviously wrong, 2009).

Of what a launcher starts, as DynamoRIO's does, it is the launcher's surroundings that are equal.
"""

import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import count, islice

from malloom.errors import CommandError
from malloom.measure.process import Command, users_environment

PRELOAD = "LD_PRELOAD"
FILLER = ":"
"""Separates libraries to preload; the loader passes over what stands between two of them."""
UNUSED = "MALLOOM_UNUSED_{}"
"""Variables that are added where others have more."""
POINTER = 8
"""Bytes. The stack begins with one for each argument and each variable."""
LONGEST = (128 << 10) - 1
"""Bytes of one variable that the kernel takes."""


@dataclass(frozen=True)
class Surroundings:
    """What all programs of a comparison have: so many variables, and one more where the number of arguments
    is even and `arguments` is odd, or the other way round, as the kernel begins a stack at multiples of two
    pointers; and so many bytes before the stack, of variables, arguments, pointers to these, and the
    program's path."""

    variables: int
    arguments: int
    bytes: int

    @classmethod
    def of_all(cls, commands: Iterable[Command]) -> "Surroundings":
        """The most that one of the commands needs; the first one's number of arguments counts."""
        all_ = [_with_preload(command) for command in commands]
        variables = max(len(_environment(command)) for command in all_)
        wanted = cls(variables, len(all_[0].arguments), 0)
        return cls(variables, wanted.arguments, max(_bytes(_with_variables(each, wanted)) for each in all_))


def surrounded(command: Command, wanted: Surroundings) -> Command:
    """The command with an environment that is filled up to what is wanted, by variables that say nothing
    and by a list of libraries to preload that has empty places at its end. Raises CommandError where that
    is too much."""
    filled = _with_variables(_with_preload(command), wanted)
    lacking = wanted.bytes - _bytes(filled)
    preloaded = filled.environment[PRELOAD] + FILLER * lacking
    if len(preloaded) > LONGEST - len(PRELOAD):
        raise CommandError(
            f"the commands that are compared differ by {lacking} bytes of arguments and variables",
            remedy="give long arguments in a file",
        )
    return filled.with_environment({PRELOAD: preloaded})


def _with_preload(command: Command) -> Command:
    """Every run has the variable, so that it can be filled."""
    inherited = users_environment().get(PRELOAD, "")
    return command.with_environment({PRELOAD: command.environment.get(PRELOAD, inherited)})


def _with_variables(command: Command, wanted: Surroundings) -> Command:
    environment = _environment(command)
    even = (len(command.arguments) - wanted.arguments) % 2
    missing = wanted.variables + even - len(environment)
    return command.with_environment(dict.fromkeys(islice(_unused(environment), max(missing, 0)), ""))


def _unused(environment: Mapping[str, str]) -> Iterator[str]:
    """Names that nobody has given to a variable."""
    names = (UNUSED.format(number) for number in count())
    return (name for name in names if name not in environment)


def _environment(command: Command) -> dict[str, str]:
    return {**users_environment(), **command.environment}


def _bytes(command: Command) -> int:
    """Before the stack of the command's program."""
    environment, arguments = _environment(command), list(map(str, command.arguments))
    path = [shutil.which(arguments[0]) or arguments[0]] if arguments else []
    texts = [*(f"{name}={value}" for name, value in environment.items()), *arguments, *path]
    pointers = POINTER * (len(environment) + len(arguments))
    return pointers + sum(len(text.encode(errors="surrogateescape")) + 1 for text in texts)
