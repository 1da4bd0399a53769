"""Which process of a profile is meant, and what is said of the choice."""

from pathlib import Path

from malloom.profile.process import Process, choose_process, path_on_disk


def process(identity: int, name: str, events: int, accesses: int = 0, pid: int = 0) -> Process:
    return Process(
        identity=identity,
        pid=pid or identity,
        parent=0,
        executable=f"/usr/bin/{name}",
        build_id="",
        events=events,
        access_entries=accesses,
    )


def test_a_driver_is_not_called_the_busiest() -> None:
    """As gcc -c is recorded."""
    chosen, note = choose_process([process(1, "gcc", 50, 400), process(2, "cc1", 90_000, 5_000_000)], None)
    assert chosen.pid == 1
    assert note == (
        "2 processes recorded; this is gcc (1), which runs the program that was started; "
        "cc1 (2) has 5,090,000 events and accesses, this one 450: --process 2 shows it"
    )
    assert (
        choose_process([process(1, "gcc", 50), process(2, "cc1", 900)], "2")[0].executable == "/usr/bin/cc1"
    )


def test_a_program_that_was_replaced_is_told_apart_by_its_path() -> None:
    """As a script that begins with `#!/usr/bin/env python3`."""
    images = [process(1, "env", 40, pid=7), process(2, "python3", 9000, pid=7)]
    chosen, note = choose_process(images, None)
    assert chosen.name == "env"
    assert note.endswith(": --process /usr/bin/python3 shows it")
    assert choose_process(images, "/usr/bin/python3")[0].name == "python3"


def test_where_the_one_shown_did_most_no_other_is_named() -> None:
    chosen, note = choose_process([process(1, "sh", 500), process(2, "ls", 90), process(3, "sh", 40)], None)
    assert chosen.pid == 1
    assert note == "3 processes recorded; this is sh (1), which runs the program that was started"


def test_a_launcher_without_requests_is_not_shown() -> None:
    chosen, note = choose_process(
        [process(1, "launch", 0), process(2, "ls", 90), process(3, "cat", 80)], None
    )
    assert chosen.pid == 2
    assert note == "3 processes recorded; this is ls (2), which has the most events"


def test_a_path_is_as_told_unless_only_the_one_with_a_newline_is_there(tmp_path: Path) -> None:
    told, meant = f"{tmp_path}/a\\012b", tmp_path / "a\nb"
    assert path_on_disk(told) == told
    meant.touch()
    assert path_on_disk(told) == str(meant)
    Path(told).touch()
    assert path_on_disk(told) == told
