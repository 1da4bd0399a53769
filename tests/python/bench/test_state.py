"""Files of finished steps that are damaged: refused in words, or what they say is what was measured."""

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from malloom.bench.findings import Failure, Note
from malloom.bench.goals import Goal
from malloom.bench.numbers import ONE
from malloom.bench.sound import problem_of_row
from malloom.bench.state import VERSION, WITHOUT_DIGEST, Finished, State, read_state, write_state
from malloom.errors import CommandError, UsageProblem
from malloom.measure.interleaved import RaceId
from malloom.measure.interval import Interval, exact
from malloom.measure.rows import row

Json = dict[str, Any]
HOST = {"commit": "0123456789ab", "date": "2005-06-12", "processor": "Zen 9", "processors": 2}


def a_state() -> State:
    race = (RaceId("walk one", "slow"),)
    timed = row(("walk", "one"), "fast", "slow", "cpu_time", Interval(0.25, 0.2, 0.3), runs=12, peak=1.1)
    rows = [timed, row(("walk", "one"), "legs", "one", "facts", exact(0.0)), row(
        ("walk", "one"), "slow again", "slow", "cpu_time", Interval(1.0, None, None), runs=2, races=race,
    )]  # fmt: skip
    first = Finished("walks", "walk one", 60, 3.5, HOST, rows, [Goal(timed, 0.5)], [], [], [])
    failed = [Failure("walks", "walk two", "no legs")]
    second = Finished(
        "walks", "walk two", 60, 1, HOST, [], [], failed, [Note("walks", "walk two", "slow")], []
    )
    return State(VERSION, "walks", {"quick": False, "seconds": 1.0, "log": None}, [first, second])


WHOLE = a_state()


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("states") / "state.json"
    write_state(WHOLE, path)
    return path


def text_of_whole(path: Path) -> bytes:
    write_state(WHOLE, path)
    return path.read_bytes()


def refused_or_the_same(path: Path, content: bytes) -> None:
    """What is in the file is not what it was: it is refused in one line, or read as it was."""
    path.write_bytes(text_of_whole(path))
    before = read_state(path)
    path.write_bytes(content)
    try:
        assert read_state(path) == before
    except CommandError as error:
        assert str(path) in str(error) and "\n" not in str(error)
        assert error.status == 2


def test_what_was_written_is_read(file: Path) -> None:
    assert read_state(file).steps == WHOLE.steps


@given(st.data())
def test_bytes_that_were_changed(file: Path, data: st.DataObject) -> None:
    content = bytearray(text_of_whole(file))
    for _ in range(data.draw(st.integers(1, 3))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    refused_or_the_same(file, bytes(content))


@given(st.data())
def test_pieces_that_are_lost_doubled_or_moved(file: Path, data: st.DataObject) -> None:
    content = text_of_whole(file)
    first, second = sorted(data.draw(st.integers(0, len(content))) for _ in range(2))
    piece, at = content[first:second], data.draw(st.integers(0, len(content)))
    changed = data.draw(st.sampled_from([
        content[:first], content[:first] + content[second:], content[:at] + piece + content[at:],
        content[:first] + bytes(len(piece)) + content[second:],
    ]))  # fmt: skip
    refused_or_the_same(file, changed)


VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8),
    # Copies, as the next change may be within one.
    st.sampled_from(["nonsense", [], {}, [[["a", "b"], {"x": 1}]], -3.0, float("nan"), float("inf")])
    .map(copy.deepcopy),
)  # fmt: skip


def places_in(value: Any) -> list[tuple[Any, Any]]:
    """Each container below with each of its keys or numbers."""
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    return [(value, key) for key in keys] + [place for key in keys for place in places_in(value[key])]


@given(st.data())
def test_values_that_are_others_or_gone(file: Path, data: st.DataObject) -> None:
    state = json.loads(text_of_whole(file))
    for _ in range(data.draw(st.integers(1, 2))):
        within, key = data.draw(st.sampled_from(places_in(state)))
        if data.draw(st.booleans()):
            del within[key]
        else:
            within[key] = data.draw(VALUES)
    refused_or_the_same(file, json.dumps(state).encode())


def of_first_row(**changed: object) -> Callable[[Json], None]:
    return lambda state: state["steps"][0]["rows"][0].update(changed)


def of_first_step(**changed: object) -> Callable[[Json], None]:
    return lambda state: state["steps"][0].update(changed)


@pytest.mark.parametrize("version", [VERSION, WITHOUT_DIGEST])
@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (of_first_row(ratio=float("nan")), "the cpu_time of walk one, fast, is no number"),
        (of_first_row(ratio=float("inf"), low=None, high=None), "is no number"),
        (of_first_row(ratio=-3.0), "lies outside its interval"),
        (of_first_row(ratio=-3.0, low=None, high=None), "is not above 0"),
        (of_first_row(high=None), "has half an interval"),
        (of_first_row(peak_rss_ratio=-1.0), "the peak memory of walk one, fast, is not above 0"),
        (of_first_row(runs=0), "is of no run"),
        (of_first_step(seconds=-1e9), "walks, walk one: it took no time that there is"),
        (of_first_step(rows=[], goals=[]), "walks, walk one: it has found nothing"),
        (of_first_step(what="walk two"), "walks, walk two is in it twice"),
        (lambda state: state["steps"][0]["goals"][0].update(limit=float("nan")), "the limit of walk one"),
    ],
)
def test_values_that_no_run_has_are_told_without_a_digest_too(
    file: Path, damage: Callable[[Json], None], said: str, version: int
) -> None:
    state = json.loads(text_of_whole(file))
    if version == WITHOUT_DIGEST:
        state.update(version=version, digest="")
    file.write_text(json.dumps(state))
    assert read_state(file).steps == WHOLE.steps
    damage(state)
    file.write_text(json.dumps(state))
    with pytest.raises(UsageProblem, match="is damaged: ") as told:
        read_state(file)
    assert said in str(told.value)


def test_another_version_is_told(file: Path) -> None:
    file.write_text(json.dumps({**json.loads(text_of_whole(file)), "version": VERSION + 1}))
    with pytest.raises(UsageProblem, match="was written by another version of malloom"):
        read_state(file)


def test_differences_counts_and_numbers_may_be_0_and_below() -> None:
    added = row(("walk", "one"), "fast", "slow", "added", exact(-2.0))
    against_limit = row(("walk", "one"), "fast", "limit", "start_up_time", Interval(-0.1, -0.2, 0.0))
    share = row(("walk", "one"), "fast", ONE, "share", Interval(-0.4, -0.9, 0.2))
    assert [problem_of_row(each) for each in (added, against_limit, share)] == ["", "", ""]
    ratio = row(("walk", "one"), "fast", "slow", "cpu_time", Interval(-0.1, -0.2, 0.0))
    assert "is not above 0" in problem_of_row(ratio)
