"""A profile whose chunks say what cannot be, under checksums that hold, is read as far as it can be believed,
and what is left of it ends in a result or in one line."""

import subprocess
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import forked
from malloom.cache.geometry import geometry_from
from malloom.errors import CommandError
from malloom.layout.plan import make_plan
from malloom.layout.ranking import place, rank
from malloom.layout.registry import strategy
from malloom.profile import HeapProfile
from malloom.report.context_rows import summarize
from malloom.report.reasons import check_not_empty, notes_on
from malloom.report.report import EXPORTS
from python.profile.chunks import FILE_HEADER, HEADER_BYTES, chunks_of, field_of, resealed
from python.profile.recorded_runs import END, HEADER, PROCESS, Run, Step, runs, write_profile
from some import some

EVENTS, ACCESSES = 4, 5
GEOMETRY = geometry_from("L1:8K:4:64,L2:64K:8:64")


def crafted(path: Path, kind: int, **fields: int) -> Path:
    """A profile of few requests and accesses, whose chunks of that kind have other fields in their header."""
    text = HEADER + PROCESS
    text += "chunk events process=7 thread=9 sequence=0 ticket=1 records=2 codec=plain\n"
    text += " 1 allocate 1000 size=64\n 2 allocate 2000 size=64 context=1\n"
    text += "chunk accesses process=7 thread=9 sequence=0 ticket=0 records=2 codec=plain\n"
    text += " event 2\n load 1000 8\n"
    data = write_profile(text + END, path).read_bytes()
    chunks = [
        resealed(each, **fields) if field_of(each, "kind") == kind else each for each in chunks_of(data)
    ]
    path.write_bytes(b"".join([data[:FILE_HEADER], *chunks]))
    return path


def with_size(path: Path, size: int) -> Path:
    """A profile of two requests and an access, the first request of that size."""
    text = HEADER + PROCESS
    text += "chunk events process=7 thread=9 sequence=0 ticket=1 records=2 codec=plain\n"
    text += f" 1 allocate 1000 size={size}\n 2 allocate 700000000000 size=64 context=1\n"
    text += "chunk accesses process=7 thread=9 sequence=0 ticket=0 records=2 codec=plain\n"
    text += " event 2\n load 1000 8\n"
    return write_profile(text + END, path)


def malloom(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return forked.run(forked.COMMAND, arguments, Path.cwd())


@pytest.mark.parametrize("records", some(2**34, of=[2**34, 2**61, 2**64 - 1]))
def test_events_that_a_chunk_cannot_hold_are_damage(tmp_path: Path, records: int) -> None:
    profile = crafted(tmp_path / "run.profile", EVENTS, records=records)
    for command in (("report", profile), ("simulate", profile, "--cache", "p4")):
        done = malloom(*command)
        assert done.returncode == 1
        assert done.stderr == (
            "malloom: the requests of made-up (7) are missing: 1 chunks are corrupt and were left out; "
            "record again\n"
        )
    assert HeapProfile.open(profile).process.events < 1000


@pytest.mark.parametrize("records", [2**26, 2**34, 2**61])
def test_accesses_that_a_chunk_cannot_hold_are_not_counted_on(tmp_path: Path, records: int) -> None:
    profile = HeapProfile.open(crafted(tmp_path / "run.profile", ACCESSES, records=records))
    assert profile.access_entries < 100_000
    assert profile.requests.accesses.tolist() == [0, 0]


CORRUPT = "1 chunk of accesses is corrupt: these accesses are not counted"


def with_corrupt_accesses(path: Path) -> Path:
    """A profile of two requests, whose one chunk of accesses is no longer what was written."""
    data = with_size(path, 64).read_bytes()
    [accesses] = [each for each in chunks_of(data) if field_of(each, "kind") == ACCESSES]
    path.write_bytes(data.replace(accesses, accesses[:-1] + bytes([accesses[-1] ^ 1])))
    return path


def test_accesses_that_are_no_longer_what_was_written_are_said_to_be_missing(tmp_path: Path) -> None:
    whole = HeapProfile.open(with_size(tmp_path / "run.profile", 64))
    assert (whole.notes, whole.cut, whole.has_all_accesses) == ([], [], True)
    path = with_corrupt_accesses(tmp_path / "run.profile")
    cut = HeapProfile.open(path)
    assert cut.notes == cut.cut == [CORRUPT]
    assert (len(cut.requests), cut.has_all_accesses) == (2, False)
    assert CORRUPT in malloom("report", path).stdout


@pytest.mark.parametrize("format", [*EXPORTS, "parquet"])
def test_who_exports_is_told_what_is_missing(tmp_path: Path, format: str) -> None:
    path = with_corrupt_accesses(tmp_path / "run.profile")
    done = malloom("report", path, "--format", format, "-o", tmp_path / "made")
    assert done.returncode == 0
    assert CORRUPT in done.stderr
    assert (tmp_path / "made").is_file()


def test_no_baseline_is_saved_that_could_not_be_used(tmp_path: Path) -> None:
    path = with_corrupt_accesses(tmp_path / "run.profile")
    done = malloom("check", path, "--save", tmp_path / "base")
    assert done.returncode == 1
    assert CORRUPT in done.stderr
    assert done.stderr.endswith("record it again\n")
    assert not (tmp_path / "base").exists()


@pytest.mark.parametrize("size", some(2**63, of=[2**47, 2**63, 2**64 - 1]))
def test_objects_outside_the_address_space_are_damage(tmp_path: Path, size: int) -> None:
    done = malloom("report", with_size(tmp_path / "run.profile", size))
    assert done.returncode == 1
    assert done.stderr.startswith("malloom: the requests of made-up (7) are missing: 1 chunks are corrupt")
    assert len(done.stderr.splitlines()) == 1


def test_a_heap_that_is_too_large_to_simulate_is_said_to_be(tmp_path: Path) -> None:
    profile = with_size(tmp_path / "run.profile", 2**45)
    assert malloom("report", profile).returncode == 0
    for command in (("simulate", profile), ("plan", profile, "-o", tmp_path / "run.plan")):
        done = malloom(*command, "--cache", "p4")
        assert done.returncode == 1
        assert done.stderr.splitlines()[-1] == (
            "malloom: the profile cannot be simulated: the recorded objects touch more than 64 GiB; "
            "record a smaller input"
        )
        assert "Traceback" not in done.stderr


def use(path: Path) -> None:
    """All that the commands ask of a profile."""
    profile = HeapProfile.open(path)
    check_not_empty(profile)
    notes_on(profile)
    summarize(profile)
    strategies = [strategy(name) for name in ("sequential", "first-use", "context-groups")]
    rank(profile, strategies, GEOMETRY)
    make_plan(profile, place(strategies[0], profile, GEOMETRY))


@st.composite
def changes(draw: st.DrawFn) -> tuple[float, dict[str, int], list[tuple[float, int]]]:
    """Which chunk; fields of its header; places and bytes of its payload."""
    numbers = st.integers(0, 2**64 - 1) | st.sampled_from([2**n for n in range(64)])
    names = st.sampled_from(["records", "first_ticket", "thread", "sequence", "decoded_bytes", "kind"])
    fields = draw(st.dictionaries(names, numbers, max_size=2))
    places = st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 255))
    return draw(st.floats(0, 1, exclude_max=True)), fields, draw(st.lists(places, max_size=3))


def apply(profile: bytes, change: tuple[float, dict[str, int], list[tuple[float, int]]]) -> bytes:
    which, fields, places = change
    chunks = chunks_of(profile)
    number = int(which * len(chunks))
    payload = bytearray(chunks[number][HEADER_BYTES:])
    for place_in, byte in places:
        if payload:
            payload[int(place_in * len(payload))] = byte
    bits = {"records": 64, "first_ticket": 64, "kind": 3}
    cut = {name: value % 2 ** bits.get(name, 32) for name, value in fields.items()}
    chunks[number] = resealed(chunks[number], bytes(payload), **cut)
    return b"".join([profile[:FILE_HEADER], *chunks])


@given(runs, st.integers(1, 40), st.lists(changes(), min_size=1, max_size=3))
def test_any_damage_ends_in_a_result_or_in_one_line(
    steps: list[Step],
    chunk: int,
    damage: list[tuple[float, dict[str, int], list[tuple[float, int]]]],
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = write_profile(Run(steps).text(chunk), Path(folder) / "run.profile")
        data = path.read_bytes()
        for change in damage:
            data = apply(data, change)
        path.write_bytes(data)
        try:
            use(path)
        except CommandError as problem:
            assert "\n" not in str(problem)


def test_requests_stay_in_time_order_where_a_thread_id_is_used_again(tmp_path: Path) -> None:
    text = HEADER + PROCESS
    for ticket, sequence in enumerate((0, 1, 0, 1), start=1):
        text += f"chunk events process=7 thread=9 sequence={sequence} ticket={ticket} records=1 codec=plain\n"
        text += f" {ticket} allocate {ticket:x}000 size=64\n"
    profile = HeapProfile.open(write_profile(text + END, tmp_path / "run.profile"))
    np.testing.assert_array_equal(profile.requests.birth, [1, 2, 3, 4])
    assert profile.notes == []
