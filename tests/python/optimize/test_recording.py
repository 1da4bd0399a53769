"""The recording that planning starts from, with real recorders."""

from pathlib import Path

import pytest

from malloom.errors import CommandError
from malloom.measure.process import Command, run_measured
from malloom.optimize import recording
from malloom.optimize.recording import record_for_planning

# Sleeps for ever once a recorder of malloom's is preloaded.
HANGS = 'case "$LD_PRELOAD" in *record*) exec sleep 1000;; esac; echo done'


def recorded(script: str, folder: Path, wanted: str | None) -> recording.RecordedProfile:
    program = Command(["sh", "-c", script])
    return record_for_planning(program, run_measured(program), folder / "profile", wanted, lambda line: None)


def test_short_programs_are_recorded_in_full(tmp_path: Path) -> None:
    found = recorded("echo done", tmp_path, None)
    assert (found.accesses, found.notes) == ("full", ())
    assert found.profile.is_file()


def test_what_is_asked_for_is_recorded(tmp_path: Path) -> None:
    assert recorded("echo done", tmp_path, "none").accesses == "none"


def test_long_programs_are_sampled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording, "FULL_RECORDING_SECONDS", 0.0)
    assert recorded("echo done", tmp_path, None).accesses == "sampled"


def test_a_recording_that_hangs_is_ended_and_less_is_tried(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recording, "LEAST_TIME_LIMIT", 3.0)
    with pytest.raises(CommandError, match=r"while it is recorded \(it did not end within 3 s\)"):
        recorded(HANGS, tmp_path, None)


def test_another_exit_status_is_not_taken_for_the_program(tmp_path: Path) -> None:
    script = 'case "$LD_PRELOAD" in *record*) echo seen >&2; exit 6;; esac'
    with pytest.raises(CommandError, match="exit status 6"):
        recorded(script, tmp_path, "none")
