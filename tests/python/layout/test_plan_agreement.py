"""What plans of several inputs agree on."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from malloom import formats
from malloom.cache.geometry import geometry_from
from malloom.errors import CommandError
from malloom.layout.layout import DEEPER_POOLS, NO_GROUP
from malloom.layout.plan import Plan, hash_table, make_plan
from malloom.layout.plan_agreement import Agreement, write_agreed
from malloom.layout.plan_file import read_plan, write_plan
from malloom.layout.plan_header import check_plan
from malloom.layout.registry import strategy
from malloom.profile import HeapProfile

Contexts = dict[int, tuple[int, int]]
"""By hash, the group and the bytes of the pool."""


def placed(name: str = "overhead-only") -> Plan:
    profile = HeapProfile.from_arrays([48] * 40)
    return make_plan(profile, strategy(name).place(profile, geometry_from("zen5")))


def written(
    path: Path, told: Contexts, groups: int = 0, offsets: tuple[int, ...] = (), first_distance: int = 64
) -> Path:
    """A plan with these contexts, groups of 4 KiB chunks and more the later they are, and prefetches of loads
    at these offsets: 64 bytes ahead, but for the first one."""
    contexts = np.zeros(len(told), dtype=formats.dtype("plan", "PlanContext"))
    for place, (hash_, (group, pool)) in enumerate(told.items()):
        contexts[place] = (hash_, 0, 0, group, pool, 0, 0, 0)
    table = np.zeros(groups, dtype=formats.dtype("plan", "PlanGroup"))
    for place in range(groups):
        table[place] = (4096 << place, 100 * (place + 1), 1000, 0)
    prefetches = np.zeros(len(offsets), dtype=formats.dtype("plan", "PlanPrefetch"))
    for place, offset in enumerate(offsets):
        prefetches[place] = (1, offset, 0, 1, 16, 1, 64 if place else first_distance, 1, 0, 16, 1)
    plan = replace(placed(), contexts=hash_table(contexts), groups=table, prefetches=prefetches)
    write_plan(plan, path)
    return path


def test_pools_and_prefetches_that_all_have_stay(tmp_path: Path) -> None:
    one = written(tmp_path / "1", {5: (NO_GROUP, 48), 6: (NO_GROUP, 32), 7: (NO_GROUP, 16)}, 0, (8, 16))
    two = written(tmp_path / "2", {5: (NO_GROUP, 48), 6: (NO_GROUP, 64), 9: (NO_GROUP, 16)}, 0, (16, 24))
    agreement = write_agreed([one, two], tmp_path / "both")
    assert agreement == Agreement(kept=2, left_out=5)
    check_plan(tmp_path / "both")
    both = read_plan(tmp_path / "both")
    assert [(int(e["hash"]), int(e["pool_bytes"])) for e in both.contexts if e["hash"]] == [(5, 48)]
    assert both.prefetches["offset"].tolist() == [16]
    assert both.header["pools_count"] == 1


def test_a_load_with_two_distances_is_left_out(tmp_path: Path) -> None:
    one = written(tmp_path / "1", {}, 0, (8, 16))
    two = written(tmp_path / "2", {}, 0, (8, 16), first_distance=128)
    assert write_agreed([one, two], tmp_path / "both") == Agreement(kept=1, left_out=2)
    assert read_plan(tmp_path / "both").prefetches["offset"].tolist() == [16]


def test_a_wrapper_in_one_is_no_pool_in_the_other(tmp_path: Path) -> None:
    one = written(tmp_path / "1", {5: (NO_GROUP, DEEPER_POOLS), 6: (NO_GROUP, 32)})
    two = written(tmp_path / "2", {5: (NO_GROUP, 48), 6: (NO_GROUP, 32)})
    assert write_agreed([one, two], tmp_path / "both") == Agreement(1, 1)


def test_contexts_stay_together_that_are_together_in_each(tmp_path: Path) -> None:
    one = written(tmp_path / "1", {1: (0, 0), 2: (0, 0), 3: (0, 0), 4: (1, 0)}, 2)
    two = written(tmp_path / "2", {1: (0, 0), 2: (0, 0), 3: (1, 0), 4: (1, 0)}, 2)
    write_agreed([one, two], tmp_path / "both")
    both = read_plan(tmp_path / "both")
    groups = {int(entry["hash"]): int(entry["group"]) for entry in both.contexts if entry["hash"]}
    assert groups == {1: 0, 2: 0, 3: 1, 4: 2}
    assert both.groups["chunk_bytes"].tolist() == [4096, 4096, 8192]
    assert both.groups["maximum_bytes"].tolist() == [100, 200, 200]


def test_places_by_ordinal_are_for_one_input(tmp_path: Path) -> None:
    write_plan(placed("sequential"), tmp_path / "first")
    with pytest.raises(CommandError, match="first places requests by ordinal, which is for one input"):
        write_agreed([tmp_path / "first", tmp_path / "first"], tmp_path / "both")
    assert not (tmp_path / "both").exists()
