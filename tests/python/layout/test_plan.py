"""Plans: what was laid out is found again, and what is damaged is refused in one line."""

import dataclasses
import resource
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings

from malloom.cache.geometry import geometry_from
from malloom.errors import CommandError
from malloom.layout.layout import NO_GROUP
from malloom.layout.plan import NO_SLOT, best_depth, make_plan
from malloom.layout.plan_file import PlanFile, read_plan, write_plan
from malloom.layout.plan_header import PlanHeader, check_plan, places_nothing
from malloom.layout.registry import strategy
from malloom.profile import HeapProfile
from python.layout.drawn_profiles import profiles, with_contexts

GEOMETRY = geometry_from("zen5")
SAMPLES = Path(__file__).parents[2] / "formats/samples"


def slots_by_context(plan: PlanFile, profile: HeapProfile) -> list[tuple[int, int]]:
    """Every request's slot as the run time finds it: probe the table, take the ordinal's slot."""
    refolded = profile.at_depth(plan.header["depth"])
    found = []
    for context, ordinal in zip(refolded.context, refolded.ordinal, strict=True):
        at = int(refolded.hashes[context]) & (len(plan.contexts) - 1)
        while plan.contexts[at]["hash"] != refolded.hashes[context]:
            assert plan.contexts[at]["hash"] != 0
            at = (at + 1) & (len(plan.contexts) - 1)
        entry = plan.contexts[at]
        inside = ordinal < entry["slots"]
        slot = plan.slots[int(entry["first_slot"]) + int(ordinal)] if inside else (NO_SLOT, 0)
        found.append((int(slot[0]), int(slot[1])))
    return found


def slots_by_sequence(plan: PlanFile, profile: HeapProfile) -> list[tuple[int, int]]:
    """As above, by each thread's own count of requests."""
    counts = [0] * len(plan.sequences)
    found = []
    for thread in profile.requests.thread:
        slot = plan.slots[int(plan.sequences[thread]["first_slot"]) + counts[thread]]
        counts[thread] += 1
        found.append((int(slot["start"]), int(slot["granules"])))
    return found


@settings(max_examples=40, deadline=None)
@given(profile=profiles(largest=200_000))
def test_every_request_finds_its_place_again(
    tmp_path_factory: pytest.TempPathFactory, profile: HeapProfile
) -> None:
    path = tmp_path_factory.mktemp("plan") / "a.plan"
    layout = strategy("sequential").place(profile, GEOMETRY)
    for match, slots in (("context", slots_by_context), ("sequence", slots_by_sequence)):
        write_plan(make_plan(profile, layout, match=match), path)
        plan = read_plan(path)
        for (start, granules), offset, size in zip(
            slots(plan, profile), layout.offset.tolist(), profile.requests.size.tolist(), strict=True
        ):
            if offset < 0:
                assert start == NO_SLOT
            else:
                assert (start * 16, granules) == (offset, max(-(-size // 16), 1))
        assert plan.header["planned_requests"] == layout.planned
        assert plan.header["strategy"].rstrip(b"\0") == b"sequential"


def test_overhead_only_knows_every_context_and_no_slot(tmp_path: Path) -> None:
    profile = with_contexts([16] * 6, context=[0, 1, 2, 0, 1, 2])
    write_plan(make_plan(profile, strategy("overhead-only").place(profile, GEOMETRY)), tmp_path / "a.plan")
    plan = read_plan(tmp_path / "a.plan")
    assert np.count_nonzero(plan.contexts["hash"]) == 3 and len(plan.slots) == 0
    assert places_nothing(tmp_path / "a.plan")


@pytest.mark.parametrize("version", [1, 2])
def test_older_versions_are_named(version: int) -> None:
    with pytest.raises(CommandError, match=f"is of version {version}, older than this malloom reads"):
        read_plan(SAMPLES / f"version_{version}.plan")


def test_pools_and_prefetches_are_read() -> None:
    plan = read_plan(SAMPLES / "version_3.plan")
    context = next(each for each in plan.contexts if each["hash"] == 13)
    assert context.tolist()[-4:] == (48, 3, 8, 5)
    assert plan.prefetches.tolist() == [(7, 0x1234, 0x1122334455667788, 3, 16, 1, 88, 3, -8, 16, 1)]


def test_pools_alone_are_something(tmp_path: Path) -> None:
    profile = with_contexts([16] * 6, context=[0, 1, 2, 0, 1, 2])
    plan = make_plan(profile, strategy("overhead-only").place(profile, GEOMETRY))
    plan.contexts["pool_bytes"][plan.contexts["hash"] != 0] = 16
    write_plan(plan, tmp_path / "a.plan")
    assert not places_nothing(tmp_path / "a.plan")


def test_groups_make_a_plan_without_slots(tmp_path: Path) -> None:
    profile = with_contexts([32] * 4, context=[0, 1, 0, 1], accesses=[0, 1, 2, 3] * 9)
    write_plan(make_plan(profile, strategy("context-groups").place(profile, GEOMETRY)), tmp_path / "a.plan")
    plan = read_plan(tmp_path / "a.plan")
    assert len(plan.slots) == 0 and len(plan.groups) >= 1
    assert (plan.contexts[plan.contexts["hash"] != 0]["group"] != NO_GROUP).all()
    assert all(chunk & (chunk - 1) == 0 for chunk in plan.groups["chunk_bytes"].tolist())
    assert not places_nothing(tmp_path / "a.plan")


def test_requests_of_shared_contexts_are_counted_as_racy() -> None:
    profile = with_contexts([16] * 4, context=[0, 0, 1, 1], thread=[0, 1, 1, 1])
    assert make_plan(profile, strategy("sequential").place(profile, GEOMETRY), depth=1).racy_requests == 2


def test_one_frame_is_enough_for_one_thread() -> None:
    assert best_depth(HeapProfile.from_arrays([16] * 3)) == 1


@pytest.fixture
def good(tmp_path: Path) -> Path:
    profile = HeapProfile.from_arrays([48] * 100)
    path = tmp_path / "good.plan"
    write_plan(make_plan(profile, strategy("sequential").place(profile, GEOMETRY)), path)
    return path


def test_the_header_is_read_without_numpy_as_with_it(good: Path) -> None:
    fields = PlanHeader.of(check_plan(good)).fields
    assert fields == read_plan(good).header | {"strategy": b"sequential".ljust(32, b"\0")}
    assert not places_nothing(good)


def test_a_good_plan_is_accepted(good: Path) -> None:
    check_plan(good)


def test_any_damage_is_noticed(good: Path) -> None:
    data = good.read_bytes()
    for at in range(0, len(data), 7):
        good.write_bytes(data[:at] + bytes([data[at] ^ 0x40]) + data[at + 1 :])
        with pytest.raises(CommandError, match=r"good\.plan: (is|was) "):
            check_plan(good)


def test_any_cut_is_noticed(good: Path) -> None:
    data = good.read_bytes()
    for length in range(0, len(data), 13):
        good.write_bytes(data[:length])
        with pytest.raises(CommandError, match=r"too short|it was cut"):
            check_plan(good)


def test_a_newer_version_is_named(good: Path) -> None:
    data = bytearray(good.read_bytes())
    data[8] = 77
    good.write_bytes(data)
    with pytest.raises(CommandError, match="is of version 77, newer than this malloom knows"):
        check_plan(good)


@pytest.mark.parametrize(("field", "value"), [("arena_bytes", 17), ("arena_bytes", 1 << 60), ("depth", 33)])
def test_what_the_run_time_refuses_is_refused_before_the_run(good: Path, field: str, value: int) -> None:
    profile = HeapProfile.from_arrays([48] * 100)
    plan = make_plan(profile, strategy("sequential").place(profile, GEOMETRY))
    write_plan(dataclasses.replace(plan, **{field: value}), good)
    with pytest.raises(CommandError, match="its header makes no sense"):
        check_plan(good)


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "absent"):
        with pytest.raises(CommandError, match=f"{path}: .*; name a plan made by 'malloom plan'"):
            check_plan(path)


def test_a_failed_write_leaves_the_old_plan_and_nothing_else(good: Path) -> None:
    profile = HeapProfile.from_arrays([48] * 100)
    plan = make_plan(profile, strategy("sequential").place(profile, GEOMETRY))
    with pytest.raises(CommandError, match="File too large"):
        _with_full_disk(lambda: write_plan(plan, good))
    check_plan(good)
    assert [each.name for each in good.parent.iterdir()] == ["good.plan"]


def _with_full_disk(action: Callable[[], None]) -> None:
    """Runs `action` where no file may grow beyond 100 bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, hard))
    try:
        action()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, before)


def test_checking_does_not_load_numpy(good: Path) -> None:
    program = (
        "import sys; from malloom.layout.plan_header import check_plan; "
        f"check_plan({str(good)!r}); sys.exit('numpy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
