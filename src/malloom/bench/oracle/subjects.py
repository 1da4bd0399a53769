"""What the suite learns from, and the input that it asks about: of real programs and of the workloads."""

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from malloom.bench.debian.programs import INPUTS, PROGRAMS, Program, Role, told_inputs
from malloom.bench.steps import Bench
from malloom.bench.ten_programs import PROGRAMS as TEN
from malloom.bench.ten_programs import sized
from malloom.measure.rows import Place
from malloom.optimize.inputs import PLACEHOLDER, Input, Inputs

TRAINED_ON, ASKED_ABOUT = ("0.35x", "1.4x"), "2.8x"
"""Heaps of the workloads against the last-level cache."""


@dataclass(frozen=True)
class Subject:
    """A program, two inputs to learn from, and another of which the suite asks what a layout could gain."""

    place: Place
    training: Inputs
    asked: Inputs


@dataclass(frozen=True)
class Named:
    """How a subject is called, what its work is, and how it is made."""

    work: str
    made: Callable[[Bench], Subject]


def subjects(last_level: int, times_smaller: int) -> Mapping[str, Named]:
    """All of them by name: programs of Debian's with inputs that are so many times smaller than the suite
    programs' own, and the ten, sized by a last-level cache of so many bytes."""
    return {
        **{each.name: _of_debian(each.smaller(times_smaller)) for each in PROGRAMS},
        **{name: _of_the_tree(name, last_level) for name in TEN},
    }


def _of_debian(program: Program) -> Named:
    def made(bench: Bench) -> Subject:
        bench.say(f"making the inputs of {program.name}")
        told = [given for given in INPUTS if given.role is not Role.HELD_OUT]
        words = {given: program.prepared(given, bench.scratch) for given in told}
        texts = {given: text for text, given in told_inputs(words).items()}
        (checked,) = (given for given in told if given.role is Role.CHECK)
        trained = [texts[given] for given in told if given.role is Role.TRAIN]
        return _subject(program.place(checked), program.command(), trained, texts[checked])

    return Named(program.work, made)


def _of_the_tree(program: str, last_level: int) -> Named:
    def made(bench: Bench) -> Subject:
        case = sized(program, ASKED_ABOUT, last_level)
        trained = [shlex.join(sized(program, size, last_level).arguments) for size in TRAINED_ON]
        command = (str(case.command(bench).arguments[0]), PLACEHOLDER)
        return _subject(case.place, command, trained, shlex.join(case.arguments))

    return Named(f"{program} of the workloads", made)


def _subject(place: Place, command: Sequence[str], trained: Sequence[str], asked: str) -> Subject:
    return Subject(
        place,
        Inputs.of(command, [Input.of(text) for text in trained], []),
        Inputs.of(command, [Input.of(asked)], []),
    )
