"""Going on from what an earlier run of a suite has finished."""

import hashlib
import json
import os
from collections.abc import Callable, Collection, Mapping, Sequence
from enum import Enum, auto
from pathlib import Path
from typing import Any

from malloom.bench.sound import unknown_part
from malloom.bench.state import VERSION, Finished, Keeper, State, StepId, put_back, read_state, why_not
from malloom.bench.steps import Step
from malloom.bench.suite import Suite
from malloom.errors import CommandError, UsageProblem
from malloom.measure.host import CHANGED, Host

Say = Callable[[str], None]


class Wanted(Enum):
    """Which of the steps that earlier runs have finished are gone on from."""

    NOTHING = auto()
    THIS_COMMIT = auto()
    ANY_COMMIT = auto()


def options_that_agree(
    suite: Suite, chosen: Mapping[str, Any], quick: bool, workloads: Path
) -> dict[str, Any]:
    """The options by which a step's result may differ, with their values as JSON has them."""
    of_suite = {name: value for name, value in chosen.items() if name not in suite.choosing}
    values = {**of_suite, "quick": quick, "workloads": workloads}
    return {
        name: str(value.resolve()) if isinstance(value, Path) else value for name, value in values.items()
    }


def default_file(suite: str, options: Mapping[str, Any]) -> Path:
    """In the user's folder for states, named by the suite and the options. Raises CommandError where there is
    no such folder."""
    named = os.environ.get("XDG_STATE_HOME", "")
    try:
        above = Path(named) if Path(named).is_absolute() else Path.home() / ".local/state"
        folder = above / "malloom/bench"
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, RuntimeError) as error:
        remedy = "set XDG_STATE_HOME, or choose a file with --state"
        raise CommandError(f"there is no folder for finished steps: {error}", remedy=remedy) from None
    digest = hashlib.sha256(json.dumps(options, sort_keys=True).encode()).hexdigest()
    return folder / f"{suite}-{digest[:8]}.json"


def keeper_at(
    path: Path,
    empty: State,
    parts: Collection[str],
    steps: Sequence[Step],
    host: Host,
    wanted: Wanted,
    say: Say,
) -> Keeper:
    """What keeps the steps in the file, and has those that are gone on from; what becomes of an earlier run's
    is said in a line. `empty` is of the suite and the options, `parts` are all that the suite has."""
    resume = wanted is not Wanted.NOTHING
    new = Keeper(path, empty, is_new=True)
    if not path.exists():
        say(
            f"no step was finished before: there is no {path}"
            if resume
            else f"finished steps are kept in {path}"
        )
        return new
    try:
        state = read_state(path)
        problem = why_not(state, empty.suite, empty.options, host, wanted is Wanted.ANY_COMMIT)
        if not problem and (unknown := unknown_part(state, parts)):
            raise UsageProblem(f"{path} is damaged: {unknown}")
        before = _put_back(state, steps) if resume and not problem else {}
    except CommandError as error:
        for step in steps:
            if step.gathers is not None:
                step.gathers.clear()
        say(f"note: started anew: {error}; it will be kept beside")
        return new
    if problem or not resume:
        say(_started_anew(state, path, problem))
        return new
    say(_gone_on(before, steps))
    if before and CHANGED in str(host.get("commit")):
        say("note: the sources differ from their commit; whether in the same way as then is not known")
    return Keeper(path, state, is_new=False, taken_over=before)


def _put_back(state: State, steps: Sequence[Step]) -> dict[StepId, Finished]:
    """Those of the steps that were finished, with what they had gathered."""
    finished = {each.id: each for each in state.steps if each.is_of_use}
    found = {}
    for step in steps:
        if before := finished.get((step.part, step.what)):
            found[before.id] = before
            if step.gathers is not None:
                put_back(step.gathers, before)
    return found


def _started_anew(state: State, path: Path, problem: str) -> str:
    why = f"{path} is not gone on from, as {problem}" if problem else "without --resume"
    return f"note: started anew, {why}; it will be kept beside: {state.described()}"


def _gone_on(before: Mapping[StepId, Finished], steps: Sequence[Step]) -> str:
    """`11 of 30 steps were measured before, at commit X on DATE; 19 to go`."""
    count = sum(not step.concludes for step in steps)
    taken = State(VERSION, "", {}, list(before.values()))
    when = f", {taken.when()}" if before else ""
    return f"{len(before)} of {count} steps were measured before{when}; {count - len(before)} to go"
