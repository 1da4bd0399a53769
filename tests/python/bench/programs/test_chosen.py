"""What `malloom optimize` is told of, and what it leaves."""

from pathlib import Path

import pytest

from malloom.bench.programs.chosen import Choice, ways_of
from malloom.errors import CommandError
from malloom.layout.plan_record import write_with_record
from malloom.measure.allocators import Way
from malloom.optimize.keeping import write_setting
from malloom.optimize.settings import AllocatorRow, allocator_rows


def test_where_there_is_no_plan_nothing_is_kept() -> None:
    choice = Choice({"choice": "jemalloc 5.3.0", "plan": None}, None, None, {})
    assert (choice.described, choice.kinds) == ("nothing", ("nothing",))


def kept_setting(row: AllocatorRow, folder: Path) -> Choice:
    """A plan that is no more than a general allocator's setting."""
    plan, setting = folder / "kept.plan", row.setting
    told = {
        "allocator": setting.allocator.described,
        "library": setting.allocator.file,
        "variables": dict(setting.variables),
    }
    write_setting(plan)
    write_with_record(plan, plan, {"setting": told})
    return Choice({"choice": row.name}, plan, None, {})


@pytest.mark.parametrize("way", [Way.plain, Way.huge])
def test_a_kept_setting_has_the_allocator_and_its_pages_as_parts(way: Way, tmp_path: Path) -> None:
    rows, _ = allocator_rows()
    row = next(row for row in rows if row.setting.allocator.name == "jemalloc" and row.setting.way is way)
    choice = kept_setting(row, tmp_path)
    ways, _ = ways_of(choice, "/usr/bin/jq")
    assert ways.kinds == ("only a setting",)
    assert ways.parts == (("allocator",) if way is Way.plain else ("allocator", "huge pages"))
    assert [*ways.with_parts.values()][-1] == row.environment == ways.settings[row.name]
    assert ways.kept["MALLOC_CONF"] == row.environment["MALLOC_CONF"]


def test_an_allocator_that_is_gone_is_named(tmp_path: Path) -> None:
    rows, _ = allocator_rows()
    choice = kept_setting(rows[0], tmp_path)
    assert choice.plan is not None
    write_with_record(
        choice.plan, choice.plan, {"setting": {"allocator": "a", "library": "", "variables": {}}}
    )
    with pytest.raises(CommandError, match="the allocator of the kept plan, a, is not there"):
        ways_of(choice, "/usr/bin/jq")
