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


def test_where_there_is_no_profile_less_is_tried(tmp_path: Path) -> None:
    (tmp_path / "profile.staging").write_text("in the way")
    with pytest.raises(CommandError, match=r"while it is recorded \(recording sh gave no profile"):
        recorded("echo done", tmp_path, None)


def test_a_recording_that_does_not_fit_is_of_the_beginning_and_says_so(tmp_path: Path) -> None:
    program = Command(["perl", "-e", "my %h; $h{$_} = [$_] for 1..30000; print scalar keys %h"])
    plain = run_measured(program)
    found = record_for_planning(program, plain, tmp_path / "profile", None, lambda line: None, 100_000)
    assert found.is_cut and found.accesses == "none" and not found.has_time
    assert len(found.notes) == 3 and "plans go by the beginning of the run" in found.notes[-1]


def test_more_requests_than_can_be_planned_are_too_many_unless_they_are_asked_for(tmp_path: Path) -> None:
    program = Command(["perl", "-e", "my %h; $h{$_} = [$_] for 1..3000; print scalar keys %h"])
    plain, profile = run_measured(program), tmp_path / "profile"
    with pytest.raises(recording.TooManyRequests, match="too many to place each"):
        record_for_planning(program, plain, profile, None, lambda line: None, most_events=100)
    assert record_for_planning(program, plain, profile, "none", lambda line: None, most_events=100).profile


def test_another_exit_status_is_not_taken_for_the_program(tmp_path: Path) -> None:
    script = 'case "$LD_PRELOAD" in *record*) echo seen >&2; exit 6;; esac'
    with pytest.raises(CommandError, match="exit status 6"):
        recorded(script, tmp_path, "none")
