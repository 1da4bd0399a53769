"""What `malloom optimize` is told of, and what it leaves."""

from pathlib import Path

import pytest

from malloom.bench.debian.programs import INPUTS, PROGRAMS, Role
from malloom.bench.programs.chosen import Choice, told_inputs, ways_of
from malloom.errors import CommandError
from malloom.layout.plan_record import write_with_record
from malloom.measure.allocators import Way
from malloom.optimize.inputs import Input as OptimizeInput
from malloom.optimize.keeping import write_setting
from malloom.optimize.settings import AllocatorRow, allocator_rows


def test_it_is_told_of_no_held_out_input() -> None:
    words = {given: ("-f", f"input {given.seed}") for given in INPUTS}
    told = told_inputs(words)
    assert {*told} == {f"-f 'input {given.seed}'" for given in INPUTS if given.role is not Role.HELD_OUT}
    assert {given.role for given in told.values()} == {Role.TRAIN, Role.CHECK}


def test_every_program_gets_the_words_of_its_inputs_as_they_are(tmp_path: Path) -> None:
    for program in PROGRAMS:
        words = [word.format(folder=tmp_path) for word in program.words]
        [text] = told_inputs(dict.fromkeys(INPUTS, words))
        told = OptimizeInput.of(text)
        assert ([*told.words], told.stdin) == (words, None)


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
