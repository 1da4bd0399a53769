"""What a program is optimised on: inputs that are learned from, and others that the choice is judged on."""

import difflib
import hashlib
import shlex
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from malloom.errors import UsageProblem
from malloom.measure.process import Command
from malloom.measure.service import Client

PLACEHOLDER = "{}"
"""What an input's arguments take the place of."""
STANDARD_INPUT = "@"
"""Begins a word that names a file for standard input; doubled it begins an argument."""
KEYS = ("train", "check")
"""Of a file of inputs."""
MOST_BYTES = 16 << 20
"""Of a file of inputs."""
INPUT_KEYS = ("arguments", "stdin")
"""Of one input, where it is a table."""


@dataclass(frozen=True)
class Input:
    """One input: `text` is how tables name it, `words` take the placeholder's place.

    `is_copy` says that the file for standard input is a copy which will be gone.
    """

    text: str
    words: tuple[str, ...]
    stdin: Path | None = None
    is_copy: bool = False

    @classmethod
    def of(cls, text: str) -> "Input":
        """From what a user types: arguments as a shell has them, and `@FILE` for standard input.

        Raises UsageProblem for what says nothing, or is not quoted as a shell wants it.
        """
        try:
            typed = shlex.split(text)
        except ValueError as error:
            raise UsageProblem(f"the input '{text}' cannot be read: {error}") from None
        files = [word[1:] for word in typed if _names_standard_input(word)]
        words = tuple(_argument(word) for word in typed if not _names_standard_input(word))
        if len(files) > 1:
            raise UsageProblem(f"the input '{text}' has two files for standard input")
        return cls(text, words, Path(files[0]) if files else None)

    @property
    def is_empty(self) -> bool:
        return not self.words and self.stdin is None

    @property
    def fingerprint(self) -> tuple[str, ...]:
        """Equal for inputs that are the same work: words, and the content of those that name files."""
        return (*map(_content, self.words), _content(str(self.stdin)) if self.stdin else "")


@dataclass(frozen=True)
class Inputs:
    """A command and its inputs: all is chosen on `train`, and `check` accepts or refuses the one choice.

    Without check inputs the choice is judged by new runs on the training inputs. A server has a client, whose
    arguments may have inputs in them as well.
    """

    program: tuple[str, ...]
    train: tuple[Input, ...]
    check: tuple[Input, ...] = ()
    client: Client | None = None

    @classmethod
    def one_command(
        cls, command: Sequence[str], stdin: Path | None, client: Client | None = None
    ) -> "Inputs":
        """The command as it is, with a file of what its standard input had."""
        named = client.arguments if client else command
        return cls(tuple(command), (Input(shlex.join(named), (), stdin, is_copy=True),), client=client)

    @classmethod
    def of(
        cls,
        command: Sequence[str],
        train: Sequence[Input],
        check: Sequence[Input],
        client: Client | None = None,
    ) -> "Inputs":
        """Raises UsageProblem for inputs that say nothing, do not fit the command, or are the same."""
        if not train:
            raise UsageProblem(
                "there is no training input to learn from", remedy="give one with --train, or in --inputs"
            )
        inputs = cls(tuple(command), tuple(train), tuple(check), client)
        for each in (*train, *check):
            inputs._require_fitting(each)
        _require_different(inputs.train, inputs.check)
        return inputs

    @property
    def judged(self) -> tuple[Input, ...]:
        """Those that the verdict is drawn from."""
        return self.check or self.train

    @property
    def judged_on(self) -> str:
        """What the verdict holds for."""
        if self.check:
            return "on check inputs"
        return "on this input only" if len(self.train) == 1 else "on training inputs only"

    @property
    def is_one(self) -> bool:
        """Whether all that is learned is of one input."""
        return len(self.train) == 1

    def arguments(self, given: Input) -> list[str]:
        """The program and its arguments with an input in place."""
        return _filled(self.program, given)

    def typed(self, given: Input) -> str:
        """The same as it is typed, with the file of its standard input; what was read once has none."""
        file = f" < {shlex.quote(str(given.stdin))}" if given.stdin and not given.is_copy else ""
        return shlex.join(self.arguments(given)) + file

    def command(self, given: Input) -> Command:
        client = self.client and replace(self.client, arguments=tuple(_filled(self.client.arguments, given)))
        return Command(self.arguments(given), stdin=given.stdin, client=client)

    def _require_fitting(self, given: Input) -> None:
        if given.is_empty:
            raise UsageProblem("an input is empty", remedy="give it arguments, or a file as '@FILE'")
        if any("\0" in word for word in (*given.words, str(given.stdin or ""))):
            raise UsageProblem(f"the input '{given.text}' has a NUL, which no argument can have")
        if given.stdin is not None and not given.stdin.is_file():
            raise UsageProblem(f"there is no file {given.stdin} for standard input")
        words = (*self.program, *(self.client.arguments if self.client else ()))
        places = [argument for argument in words if PLACEHOLDER in argument]
        if given.words and not places:
            raise UsageProblem(
                f"the command has no {PLACEHOLDER} that '{given.text}' could take the place of",
                remedy=f"write {PLACEHOLDER} where the input belongs",
            )
        if places and not given.words:
            raise UsageProblem(
                f"the input '{given.text}' leaves {PLACEHOLDER} empty", remedy="give it arguments as well"
            )
        if len(given.words) != 1 and any(place != PLACEHOLDER for place in places):
            raise UsageProblem(f"'{given.text}' is more than one word, which cannot be part of an argument")


def _filled(command: Sequence[str], given: Input) -> list[str]:
    """A command with an input in place."""
    found: list[str] = []
    for argument in command:
        if argument == PLACEHOLDER:
            found += given.words
        elif given.words:
            found.append(argument.replace(PLACEHOLDER, given.words[0]))
        else:
            found.append(argument)
    return found


def require_filled(command: Sequence[str]) -> None:
    """Raises UsageProblem where a command has a placeholder and there is no input for it."""
    if PLACEHOLDER in command[1:]:
        raise UsageProblem(
            f"nothing takes the place of {PLACEHOLDER}", remedy="say what does with --train and --check"
        )


def inputs_in(file: Path) -> tuple[list[Input], list[Input]]:
    """Training and check inputs of a TOML file. Raises UsageProblem where it is not one, or has a key that
    means nothing."""
    try:
        with file.open("rb") as stream:
            text = stream.read(MOST_BYTES + 1)
        if len(text) > MOST_BYTES:
            raise UsageProblem(f"{file}: has more than {MOST_BYTES >> 20} MiB, which are no list of inputs")
        content = tomllib.loads(text.decode())
    except (OSError, ValueError, RecursionError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise UsageProblem(f"{file}: cannot be read: {reason}") from None
    _require_known(content, KEYS, file)
    train, check = ([_input_in(each, file) for each in _list(content, key, file)] for key in KEYS)
    return train, check


def _list(content: Mapping[str, Any], key: str, file: Path) -> list[Any]:
    found = content.get(key, [])
    if not isinstance(found, list):
        raise UsageProblem(f"{file}: {key} is no list", remedy=f'write {key} = ["ARGUMENTS", ...]')
    return found


def _input_in(value: object, file: Path) -> Input:
    if isinstance(value, str):
        return Input.of(value)
    if not isinstance(value, Mapping):
        raise UsageProblem(f"{file}: {value} is no input", remedy="write a string, or a table")
    _require_known(value, INPUT_KEYS, file)
    words, stdin = value.get("arguments", []), value.get("stdin")
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise UsageProblem(f"{file}: arguments are no list of strings")
    if stdin is not None and not isinstance(stdin, str):
        raise UsageProblem(f"{file}: stdin is no string")
    shown = [*map(shlex.quote, words), *([f"{STANDARD_INPUT}{stdin}"] if stdin else [])]
    return Input(" ".join(shown), tuple(words), Path(stdin) if stdin else None)


def _require_known(content: Mapping[str, Any], keys: Sequence[str], file: Path) -> None:
    for key in content:
        if key not in keys:
            near = difflib.get_close_matches(key, keys, n=1, cutoff=0)[0]
            raise UsageProblem(f"{file}: there is no key '{key}'", remedy=f"did you mean '{near}'?")


def _require_different(train: Sequence[Input], check: Sequence[Input]) -> None:
    """What is in the training inputs twice would weigh twice; a check input that was learned from checks
    nothing."""
    known: dict[tuple[str, ...], str] = {}
    for kind, inputs in (("training", train), ("check", check)):
        for each in inputs:
            if each.fingerprint in known:
                raise UsageProblem(
                    f"the {kind} input '{each.text}' is the same as {known[each.fingerprint]}",
                    remedy="leave it out, or give another",
                )
            known[each.fingerprint] = f"the {kind} input '{each.text}'"


def _names_standard_input(word: str) -> bool:
    return word.startswith(STANDARD_INPUT) and not word.startswith(2 * STANDARD_INPUT) and len(word) > 1


def _argument(word: str) -> str:
    return word[1:] if word.startswith(2 * STANDARD_INPUT) else word


def _content(word: str) -> str:
    path = Path(word)
    try:
        if path.is_file():
            with path.open("rb") as file:
                return hashlib.file_digest(file, "blake2b").hexdigest()
    except OSError:
        pass
    return word
