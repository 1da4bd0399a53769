"""What a plan says of the allocator under it, and of what was measured."""

from pathlib import Path

import pytest

from malloom.cache.geometry import geometry_from
from malloom.errors import CommandError
from malloom.layout.plan import make_plan
from malloom.layout.plan_file import read_plan, write_plan
from malloom.layout.plan_header import check_plan
from malloom.layout.plan_record import PlanSetting, read_record, setting_of, write_with_record
from malloom.layout.registry import strategy
from malloom.profile import HeapProfile

SETTING = {"allocator": "other 1.0", "library": "/lib/other.so", "variables": {"OTHER": "1"}}


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    profile, path = HeapProfile.from_arrays([48] * 10), tmp_path / "a.plan"
    write_plan(make_plan(profile, strategy("sequential").place(profile, geometry_from("zen5"))), path)
    return path


def test_a_plan_without_a_record_says_nothing(plan: Path) -> None:
    assert read_record(plan) == {} and setting_of(plan) is None


def test_a_record_is_read_again_and_replaced_and_the_plan_stays(plan: Path) -> None:
    was = read_plan(plan)
    for record in ({"setting": SETTING, "measured": ["x" * 1000]}, {"measured": [1]}, {"setting": SETTING}):
        write_with_record(plan, plan, record)
        check_plan(plan)
        assert read_record(plan) == record
    assert setting_of(plan) == PlanSetting("other 1.0", "/lib/other.so", {"OTHER": "1"})
    now = read_plan(plan)
    assert now.slots.tolist() == was.slots.tolist() and now.contexts.tolist() == was.contexts.tolist()
    write_with_record(plan, plan, {})
    assert read_record(plan) == {} and read_plan(plan).header["record_bytes"] == 0


def test_a_damaged_record_is_told_in_one_line(plan: Path) -> None:
    write_with_record(plan, plan, {"setting": SETTING})
    data = plan.read_bytes()
    plan.write_bytes(data[:-1] + b"!")
    with pytest.raises(CommandError, match="is damaged"):
        read_record(plan)
