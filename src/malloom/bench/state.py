"""The file in which a suite keeps each finished step at once, so that a later run can go on from there."""

import fcntl
import hashlib
import lzma
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

from malloom.bench.findings import Failure, Findings, Note
from malloom.bench.gathered import Gathered
from malloom.bench.goals import Goal
from malloom.bench.sound import problem_of_state
from malloom.bench.steps import Step
from malloom.errors import CommandError, UsageProblem
from malloom.measure.host import Host
from malloom.measure.rows import Place, Row
from malloom.output_file import written_whole

VERSION = 2
WITHOUT_DIGEST = 1
"""The version before: what it wrote is judged by its values alone."""
OF_A_RUN = ("commit", "date")
"""What a host tells that is not the machine's."""

StepId = tuple[str, str]
"""Part and step."""


@dataclass(frozen=True)
class Finished:
    """A step that was measured, and what it was measured on. It took so many `seconds`, and was thought to
    take `thought`. `gathered` is what it left to the steps after it, by place, as Gathered.data_of has it."""

    part: str
    what: str
    thought: float
    seconds: float
    host: Host
    rows: Sequence[Row]
    goals: Sequence[Goal]
    failures: Sequence[Failure]
    notes: Sequence[Note]
    gathered: Sequence[tuple[Place, Any]]

    @property
    def id(self) -> StepId:
        return self.part, self.what

    @property
    def is_empty(self) -> bool:
        """Whether it has left nothing at all: none that was measured does."""
        return not (self.rows or self.goals or self.failures or self.notes or self.gathered)

    @property
    def is_of_use(self) -> bool:
        """Whether it need not be measured again: one that failed may do better another time."""
        return bool(self.rows or self.goals or not self.failures)

    def findings(self) -> Findings:
        return Findings(
            self.host,
            [(self.part, row) for row in self.rows],
            [(self.part, goal) for goal in self.goals],
            list(self.failures),
            list(self.notes),
        )


def finished(step: Step, found: Findings, seconds: float, places: Sequence[Place]) -> Finished:
    """A step by what it has found, and by the places where it has gathered something."""
    gathers = step.gathers
    return Finished(
        step.part,
        step.what,
        step.seconds,
        seconds,
        found.host,
        [row for _, row in found.rows],
        [goal for _, goal in found.goals],
        found.failures,
        found.notes,
        [(place, gathers.data_of(place)) for place in places] if gathers is not None else [],
    )


def put_back(gathers: Gathered[Any], step: Finished) -> None:
    """What the step had gathered. Raises UsageProblem where that is damaged."""
    try:
        for place, data in step.gathered:
            gathers.put_back(place, data)
    except ValueError:
        raise UsageProblem(f"the file's races of {step.part}, {step.what} are damaged") from None


@dataclass(frozen=True)
class State:
    """The finished steps of a suite that was measured with certain options."""

    version: int
    suite: str
    options: Mapping[str, Any]
    """Those that change what a step measures, and their values as JSON has them."""
    steps: Sequence[Finished] = ()
    digest: str = ""
    """SHA-256 of all else as it is written, so that no damage goes unnoticed; filled in by `write_state`."""

    def adding(self, step: Finished) -> "State":
        """With the step, in the place of what it was when it was measured before."""
        return replace(self, steps=[*(each for each in self.steps if each.id != step.id), step])

    def described(self) -> str:
        return f"{len(self.steps)} steps, {self.when()}"

    def when(self) -> str:
        """`at commit 0123456789ab on 2026-11-24`."""
        commits, dates = (
            " and ".join(sorted({str(step.host.get(name, "unknown")) for step in self.steps}))
            for name in OF_A_RUN
        )
        return f"at commit {commits} on {dates}"


COMPRESSED = ".xz"
"""How names of files end that are compressed."""
MOST_BYTES = 1 << 30
"""Of a file when it is not compressed any more."""


def read_state(path: Path) -> State:
    """Raises CommandError where there is none, and UsageProblem where it is damaged or another version's."""
    try:
        state: State = _adapter().validate_json(_read(path))
    except OSError as error:
        raise CommandError(f"cannot read {path}: {error.strerror}") from None
    except (ValueError, lzma.LZMAError):
        raise UsageProblem(f"{path} is damaged, or no state of a suite") from None
    if state.version not in (WITHOUT_DIGEST, VERSION):
        raise UsageProblem(f"{path} was written by another version of malloom")
    if problem := _damage(state):
        raise UsageProblem(f"{path} is damaged: {problem}")
    return state


def write_state(state: State, path: Path) -> None:
    """Whole or not at all. Raises CommandError where it cannot be written."""
    state = replace(state, version=VERSION)
    data = _adapter().dump_json(replace(state, digest=_digest(state)))
    with written_whole(path) as file:
        file.write(lzma.compress(data) if path.suffix == COMPRESSED else data)


def _read(path: Path) -> bytes:
    data = path.read_bytes()
    if path.suffix != COMPRESSED:
        return data
    unpacking = lzma.LZMADecompressor()
    whole = unpacking.decompress(data, MOST_BYTES)
    if not unpacking.eof:
        raise lzma.LZMAError("it is cut short, or too large")
    return whole


def _damage(state: State) -> str:
    """What is wrong with it by its values, else by its digest; empty where nothing is."""
    if problem := problem_of_state(state):
        return problem  # what is no number has no digest
    expected = _digest(state) if state.version == VERSION else ""
    return "" if state.digest == expected else "it differs from what was written"


def _digest(state: State) -> str:
    """Of what is read back, as 60 seconds are then 60.0."""
    read_back = _adapter().validate_json(_adapter().dump_json(replace(state, digest="")))
    return hashlib.sha256(_adapter().dump_json(read_back)).hexdigest()


@cache
def _adapter() -> Any:
    from pydantic import TypeAdapter  # noqa: PLC0415  # slow to load, and no other command needs it

    return TypeAdapter(State)


def machine_of(host: Host) -> Host:
    return {name: value for name, value in host.items() if name not in OF_A_RUN}


@dataclass
class Keeper:
    """Has the steps that earlier runs finished, and keeps each further one in the file.

    What was at `path` before and is not gone on from is moved aside when the first step is kept.
    """

    path: Path
    state: State
    is_new: bool
    taken_over: Mapping[StepId, Finished] = field(default_factory=dict)

    def before(self, step: Step) -> Finished | None:
        """The step as an earlier run measured it."""
        return self.taken_over.get((step.part, step.what))

    def keep(self, step: Finished) -> None:
        """Raises CommandError where the file cannot be written; the steps so far stay in it."""
        if self.is_new and self.path.exists():
            self.path.replace(aside(self.path))
        self.is_new = False
        self.state = self.state.adding(step)
        self.write_again()

    def write_again(self) -> None:
        """What was kept: whether a signal came while it was written is not known."""
        if self.state.steps and not self.is_new:
            write_state(self.state, self.path)


def aside(path: Path) -> Path:
    """A name beside a file for what it is until now."""
    return path.with_name(f"{path.stem}-until-{datetime.now():%Y-%m-%dT%H%M%S}{path.suffix}")


def why_not(
    state: State, suite: str, options: Mapping[str, Any], host: Host, any_commit: bool = False
) -> str:
    """Why the steps of a state are not those that are to be measured now; empty where they are."""
    if state.suite != suite:
        return f"it is of the suite {state.suite}"
    differing = [
        name for name in {**state.options, **options} if state.options.get(name) != options.get(name)
    ]
    if differing:
        told = ", ".join(f"{name} {state.options.get(name)}, now {options.get(name)}" for name in differing)
        return f"it was measured with other options ({told})"
    for step in state.steps:
        if not any_commit and step.host.get("commit") != host.get("commit"):
            return f"it is of commit {step.host.get('commit')}, and this is {host.get('commit')}"
        if machine_of(step.host) != machine_of(host):
            names = [name for name in host if name not in OF_A_RUN and step.host.get(name) != host[name]]
            told = ", ".join(f"{name} {step.host.get(name)}, now {host[name]}" for name in names)
            return f"it was measured on another machine ({told})"
    return ""


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Nobody else keeps steps in the file meanwhile. Raises CommandError where somebody does."""
    with path.with_suffix(".lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            remedy = "wait until it has ended, or choose another file with --state"
            raise CommandError(f"another run keeps its steps in {path}", remedy=remedy) from None
        yield
