"""Where a plan places requests: read back from the file it is what the strategy said."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings

from malloom.cache.geometry import geometry_from
from malloom.errors import CommandError
from malloom.layout.layout import NO_PLACE, Layout
from malloom.layout.plan import make_plan
from malloom.layout.plan_file import read_plan, write_plan
from malloom.layout.plan_places import places_of, plan_places
from malloom.layout.registry import strategy
from malloom.profile import HeapProfile, Module
from python.layout.drawn_profiles import profiles, with_contexts

GEOMETRY = geometry_from("zen5")


def laid_out(profile: HeapProfile, name: str) -> Layout:
    return strategy(name).place(profile, GEOMETRY)


@settings(max_examples=40, deadline=None)
@given(profile=profiles(largest=200_000))
def test_slots_are_where_the_layout_has_them(
    tmp_path_factory: pytest.TempPathFactory, profile: HeapProfile
) -> None:
    path = tmp_path_factory.mktemp("plan") / "a.plan"
    layout = laid_out(profile, "sequential")
    for match in ("context", "sequence"):
        write_plan(make_plan(profile, layout, match=match), path)
        found = places_of(profile, read_plan(path))
        assert found.offset.tolist() == layout.offset.tolist()
        assert found.strategy == "sequential"


def of_two_sites(count: int = 400) -> HeapProfile:
    """Objects of 32 and of 48 bytes in turn, each size from a call site of its own, used together."""
    number = np.arange(count)
    return with_contexts(np.where(number % 2, 48, 32), number % 2, accesses=np.tile(number, 9))


@pytest.mark.parametrize("name", ["pools", "context-groups"])
def test_groups_and_pools_are_where_the_simulation_has_them(tmp_path: Path, name: str) -> None:
    profile = of_two_sites()
    layout = laid_out(profile, name)
    assert layout.planned == len(profile.requests)
    write_plan(make_plan(profile, layout), tmp_path / "a.plan")
    found = plan_places(profile, tmp_path / "a.plan")
    assert np.array_equal(np.argsort(found.offset), np.argsort(layout.offset))
    assert found.planned == layout.planned


def test_pools_beside_slots_lie_behind_these(tmp_path: Path) -> None:
    profile = of_two_sites()
    layout = laid_out(profile, "sequential")
    left_over = np.where(profile.requests.size == 48, NO_PLACE, layout.offset)
    half = Layout("half", left_over, layout.arena_bytes)
    write_plan(make_plan(profile, half, pools=True), tmp_path / "a.plan")
    found = plan_places(profile, tmp_path / "a.plan")
    in_pool = profile.requests.size == 48
    assert np.array_equal(found.offset[~in_pool], layout.offset[~in_pool])
    assert found.offset[in_pool].min() >= layout.arena_bytes
    assert found.planned == len(profile.requests)


def test_a_plan_of_another_program_is_refused(tmp_path: Path) -> None:
    modules = [Module("/a", "", 0, 1, 0, hash_) for hash_ in (7, 8)]
    one, other = (HeapProfile.from_arrays([48] * 10, modules=[module]) for module in modules)
    write_plan(make_plan(one, laid_out(one, "sequential")), tmp_path / "a.plan")
    assert plan_places(one, tmp_path / "a.plan").planned == 10
    with pytest.raises(CommandError, match="plan of another program"):
        plan_places(other, tmp_path / "a.plan")


def test_a_plan_that_places_nothing_is_refused(tmp_path: Path) -> None:
    profile = HeapProfile.from_arrays([48] * 10)
    write_plan(make_plan(profile, laid_out(profile, "overhead-only")), tmp_path / "a.plan")
    with pytest.raises(CommandError, match="places none of the profile's requests"):
        plan_places(profile, tmp_path / "a.plan")
