"""Plans written again with other flags."""

from pathlib import Path

from malloom.cache.geometry import geometry_from
from malloom.layout.plan import make_plan
from malloom.layout.plan_file import read_plan, write_plan
from malloom.layout.plan_flags import write_with_flags
from malloom.layout.plan_header import has_flag, places_nothing, says_nothing
from malloom.layout.registry import strategy
from malloom.optimize.keeping import write_empty
from malloom.profile import HeapProfile


def test_a_delay_is_kept_until_another_is_given(tmp_path: Path) -> None:
    plan = tmp_path / "a.plan"
    write_empty(plan)
    assert says_nothing(plan)
    for given, kept in ((None, 0), (0, 2), (None, 2), (250, 252)):
        write_with_flags(plan, plan, {}, given)
        assert int(read_plan(plan).header["purge_delay"]) == kept
    assert places_nothing(plan) and not says_nothing(plan)


def test_flags_change_and_nothing_else_does(tmp_path: Path) -> None:
    profile, plan = HeapProfile.from_arrays([48] * 10), tmp_path / "a.plan"
    write_plan(make_plan(profile, strategy("sequential").place(profile, geometry_from("zen5"))), plan)
    was = read_plan(plan)
    write_with_flags(plan, plan, {"system_fallback": True, "preallocate": False})
    assert (has_flag(plan, "system_fallback"), has_flag(plan, "preallocate")) == (True, False)
    write_with_flags(plan, tmp_path / "b.plan", {"system_fallback": False, "preallocate": True})
    now = read_plan(tmp_path / "b.plan")
    assert has_flag(plan, "system_fallback") and not has_flag(tmp_path / "b.plan", "system_fallback")
    assert has_flag(tmp_path / "b.plan", "preallocate")
    assert now.slots.tolist() == was.slots.tolist() and now.contexts.tolist() == was.contexts.tolist()
