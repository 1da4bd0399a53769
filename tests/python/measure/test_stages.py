"""malloom's stages as processes: how long each may take, and what is said where one fails."""

from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from malloom.errors import CommandError
from malloom.measure import stages
from malloom.measure.process import Command, Ended, Run, ended
from malloom.measure.stages import LONGEST_STAGE

DONE = Run(0, 0.0, 0.0, 0.0, 0, {}, "", b"")


@pytest.fixture
def limits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time limits of what is run, which is nothing at all."""
    found: list[float] = []

    def run_measured(command: Command) -> Run:
        found.append(command.time_limit)
        return DONE

    def run(command: Command) -> AbstractContextManager[Ended]:
        found.append(command.time_limit)
        return ended(Command(["echo", "{}"]))

    monkeypatch.setattr(stages, "run_measured", run_measured)
    monkeypatch.setattr(stages, "ended", run)
    return found


def test_what_takes_minutes_by_itself_has_half_an_hour(limits: list[float]) -> None:
    stages.plan(Path("a.profile"), Path("a.plan"), "auto")
    stages.plan_each({Path("a.profile"): {"auto": Path("a.plan")}})
    stages.output_of("optimize", "--", "program")
    assert limits == [LONGEST_STAGE] * 3


def test_a_stage_that_fails_says_its_own_last_words() -> None:
    with pytest.raises(CommandError, match=r"malloom plan failed: malloom: .*nowhere\.profile"):
        stages.plan(Path("nowhere.profile"), Path("a.plan"), "auto", "--cache", "zen5")
    with pytest.raises(CommandError, match=r"malloom plan failed: malloom: .*nowhere\.profile"):
        stages.output_of("plan", "nowhere.profile", "-o", "a.plan", "--cache", "zen5")
