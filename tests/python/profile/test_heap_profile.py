"""A recorded run, read by the core and by a plain model, is the same run."""

import tempfile
from collections import Counter
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from malloom import _native
from malloom.errors import CommandError
from malloom.profile import NEVER, HeapProfile
from python.profile.recorded_runs import END, HEADER, PROCESS, Run, Step, runs, write_profile


def profile_of(text: str) -> HeapProfile:
    with tempfile.TemporaryDirectory() as folder:
        # The profile stays mapped when its file is gone.
        return HeapProfile.open(write_profile(text, Path(folder) / "run.profile"))


def all_accesses(source: _native.AccessSource) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    while len((batch := source.next_batch())[0]):
        found += zip(batch[0].tolist(), (batch[2] & np.uint64(2**48 - 1)).tolist(), strict=True)
    return found


@given(runs, st.integers(1, 7))
def test_columns_are_those_of_the_plain_model(steps: list[Step], chunk: int) -> None:
    run = Run(steps)
    requests = profile_of(run.text(chunk)).requests
    for column in ("size", "context", "ordinal", "thread", "birth", "death", "address"):
        assert getattr(requests, column).tolist() == getattr(run.reading, column), column


@given(runs, st.integers(1, 7))
def test_accesses_reach_the_objects_of_the_plain_model(steps: list[Step], chunk: int) -> None:
    run = Run(steps)
    profile = profile_of(run.text(chunk))
    assert sorted(all_accesses(profile.accesses())) == sorted(run.reading.accesses)
    counts = Counter(request for request, _ in run.reading.accesses)
    assert profile.requests.accesses.tolist() == [counts[i] for i in range(len(profile.requests))]
    assert profile.access_count == len(run.reading.accesses)


@given(st.lists(st.integers(0, 5), max_size=200))
def test_affinity_counts_who_comes_after_whom(accesses: list[int]) -> None:
    profile = HeapProfile.from_arrays([32] * 6, accesses=accesses)
    steps = Counter((a, b) for a, b in pairwise(accesses) if a != b)
    graph = profile.affinity()
    edges = {
        (node, int(graph.targets[i])): int(graph.weights[i])
        for node in range(graph.nodes)
        for i in range(int(graph.offsets[node]), int(graph.offsets[node + 1]))
    }
    assert edges == steps


@given(st.lists(st.integers(0, 5), max_size=200))
def test_first_and_last_access_are_positions(accesses: list[int]) -> None:
    requests = HeapProfile.from_arrays([32] * 6, accesses=accesses).requests
    for request in range(6):
        positions = [i for i, access in enumerate(accesses) if access == request]
        assert requests.first_access[request] == (positions[0] if positions else NEVER)
        assert requests.last_access[request] == (positions[-1] if positions else NEVER)


@given(st.integers(0, 20000), st.integers(0, 9000), st.integers(1, 9000))
def test_windows_keep_and_leave_out_in_turn(count: int, skip: int, take: int) -> None:
    profile = HeapProfile.from_arrays([8] * max(count, 1), accesses=np.arange(count))
    kept = [request for request, _ in all_accesses(profile.accesses(skip, take))]
    assert kept == [i for i in range(count) if i % (skip + take) >= skip]


def test_contexts_of_a_smaller_depth_join() -> None:
    steps = [
        Step(0, "allocate", slot, 8, context) for slot, context in enumerate([0, 1, 2, 3, 1, 0], start=1)
    ]
    profile = profile_of(Run(steps).text(100))
    deep, shallow = profile.at_depth(2), profile.at_depth(1)
    assert deep.context.tolist() == [0, 1, 2, 3, 1, 0]
    assert set(deep.hashes.tolist()) == set(profile.contexts.hashes.tolist())
    assert shallow.context.tolist() == [0, 0, 1, 2, 0, 0]
    assert shallow.ordinal.tolist() == [0, 1, 0, 0, 2, 3]
    folded = profile.folded(1)
    assert folded.contexts.frames(0) == [(0, 0x10)]
    assert folded.contexts.hashes.tolist() == shallow.hashes.tolist()
    assert folded.requests.context.tolist() == shallow.context.tolist()


def test_annotations_become_friends_and_weighted_accesses() -> None:
    events = (
        " 1 allocate 1000 size=64\n 2 near 1000\n 3 allocate 2000 size=64\n"
        " 4 touch 2008 size=5\n 5 touch 9000 size=1\n 6 stop 0\n"
    )
    head = "chunk events process=7 thread=9 sequence=0 ticket=1 records=6 codec=plain\n"
    profile = profile_of(HEADER + PROCESS + head + events + END)
    assert profile.requests.friend.tolist() == [-1, 0]
    assert profile.requests.accesses.tolist() == [0, 5]
    assert any("asked for the recording to stop" in note for note in profile.notes)


def test_lost_releases_end_a_life_where_the_next_begins() -> None:
    events = " 1 allocate 1000 size=64\n 2 allocate 1000 size=32\n 3 release 1000\n 4 release 1000\n"
    head = "chunk events process=7 thread=9 sequence=0 ticket=1 records=4 codec=plain\n"
    profile = profile_of(HEADER + PROCESS + head + events + END)
    assert profile.requests.death.tolist() == [2, 3]
    assert any("1 objects were released that no recorded request made" in note for note in profile.notes)


def test_unknown_context_and_missing_chunk_are_noted() -> None:
    head = "chunk events process=7 thread=9 sequence=1 ticket=1 records=1 codec=plain\n"
    profile = profile_of(HEADER + PROCESS + head + " 1 allocate 1000 size=64 context=77\n" + END)
    assert len(profile.contexts) == 5
    assert any("1 chunks are missing" in note for note in profile.notes)


def test_the_process_with_most_requests_of_the_command_is_chosen(tmp_path: Path) -> None:
    text = HEADER
    for identity, executable, events in ((1, "/bin/sh", 1), (2, "/bin/busy", 3), (3, "/bin/sh", 2)):
        text += f"chunk process process={identity} thread=0 sequence=0 ticket=0 records=1 codec=plain\n"
        text += f" pid={identity}\n executable={executable}\n"
        text += f"chunk events process={identity} thread=9 sequence=0 ticket=1 records={events} codec=plain\n"
        text += "".join(f" {i + 1} allocate {4096 * (i + 1):x} size=8\n" for i in range(events))
    path = write_profile(text, tmp_path / "many.profile")
    assert HeapProfile.open(path).process.pid == 3
    assert "3 processes" in HeapProfile.open(path).notes[0]
    assert HeapProfile.open(path, "busy").process.pid == 2
    assert HeapProfile.open(path, 1).process.pid == 1
    assert HeapProfile.open(path, "sh").process.pid == 3
    assert HeapProfile.open(path, "sh").notes[0].startswith("2 processes are 'sh'; this is pid 3")
    with pytest.raises(CommandError, match="no process 'idle'"):
        HeapProfile.open(path, "idle")


def test_unreadable_profiles_are_said_to_be(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="missing"):
        HeapProfile.open(tmp_path / "missing")
    (tmp_path / "text").write_text("x" * 100)
    with pytest.raises(CommandError, match="not a profile"):
        HeapProfile.open(tmp_path / "text")


def test_contexts_used_together_are_found() -> None:
    # Contexts 0 and 1 alternate, context 2 is used alone later.
    accesses = [0, 1] * 50 + [2] * 50
    profile = HeapProfile.from_arrays([16, 16, 16], context=[0, 1, 2], accesses=accesses)
    graph, uses = profile.context_affinity(profile.requests.context, 3, distance=64)
    assert uses.tolist() == [50, 50, 1]
    row = slice(int(graph.offsets[0]), int(graph.offsets[1]))
    assert graph.targets[row].tolist()[0] == 1
    assert graph.weights[row].tolist()[0] >= 49
    alone = slice(int(graph.offsets[2]), int(graph.offsets[3]))
    assert sum(graph.weights[alone].tolist()) <= 4
