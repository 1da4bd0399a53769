"""Several plans in one file, each for another executable."""

from dataclasses import replace
from pathlib import Path

import pytest

from malloom.cache.geometry import geometry_from
from malloom.errors import CommandError
from malloom.layout.plan import make_plan
from malloom.layout.plan_file import each_plan, join_plans, read_plan, read_plans, write_plan
from malloom.layout.plan_flags import write_with_flags
from malloom.layout.plan_header import (
    PlanHeader,
    check_plan,
    has_arena,
    has_prefetches,
    header_of,
    headers_of,
    places_nothing,
    says_nothing,
)
from malloom.layout.plan_record import read_record, write_with_record
from malloom.layout.plan_shown import plan_as_data, plan_lines
from malloom.layout.registry import strategy
from malloom.optimize.keeping import write_empty
from malloom.optimize.learning import contents_of
from malloom.profile import HeapProfile


def plan_of(folder: Path, program: int, requests: int) -> Path:
    profile, path = HeapProfile.from_arrays([48] * requests), folder / f"{program}.plan"
    made = make_plan(profile, strategy("sequential").place(profile, geometry_from("zen5")))
    write_plan(replace(made, program=program), path)
    return path


@pytest.fixture
def both(tmp_path: Path) -> Path:
    """Of the executables 7, with ten places, and 8, with twenty."""
    join_plans([plan_of(tmp_path, 7, 10), plan_of(tmp_path, 8, 20)], tmp_path / "both.plan")
    return tmp_path / "both.plan"


def test_one_behind_the_other(both: Path, tmp_path: Path) -> None:
    parts = [(tmp_path / f"{program}.plan").read_bytes() for program in (7, 8)]
    assert both.read_bytes() == b"".join(parts)
    assert each_plan(both) == parts
    assert [plan.header["program"] for plan in read_plans(both)] == [7, 8]
    assert [len(plan.slots) for plan in read_plans(both)] == [10, 20]
    assert [header.fields["program"] for header in PlanHeader.all_of(check_plan(both))] == [7, 8]
    assert [header.fields["planned_requests"] for header in headers_of(both)] == [10, 20]
    assert header_of(both).fields["program"] == 7


def test_who_wants_one_plan_refuses_several(both: Path) -> None:
    with pytest.raises(CommandError, match=r"has the plans of 2 executables, and one is wanted"):
        read_plan(both)


def test_the_header_s_questions_are_of_all(both: Path, tmp_path: Path) -> None:
    assert has_arena(both) and not has_prefetches(both)
    empty = tmp_path / "empty.plan"
    write_empty(empty)
    assert says_nothing(empty) and places_nothing(empty)
    join_plans([plan_of(tmp_path, 9, 3), empty], tmp_path / "mixed.plan")
    assert not places_nothing(tmp_path / "mixed.plan") and not says_nothing(tmp_path / "mixed.plan")
    assert contents_of(both).pools == 0


def test_flags_are_all_plans_and_the_record_is_the_first_s(both: Path) -> None:
    write_with_flags(both, both, {"system_fallback": True}, 250)
    write_with_record(both, both, {"judged": "on check inputs", "process": "cc1 and as", "program": ["gcc"]})
    check_plan(both)
    assert [header.has_flag("system_fallback") for header in headers_of(both)] == [True, True]
    assert [header.fields["purge_delay"] for header in headers_of(both)] == [252, 252]
    assert [bool(header.fields["record_bytes"]) for header in headers_of(both)] == [True, False]
    assert read_record(both)["judged"] == "on check inputs"
    write_with_record(both, both, {})
    assert read_record(both) == {} and [len(plan.slots) for plan in read_plans(both)] == [10, 20]


def test_each_is_told(both: Path) -> None:
    write_with_record(both, both, {"process": "cc1 and as", "program": ["gcc"]})
    assert plan_lines(both) == [
        f"{both}: sequential, 10 requests with places",
        "and, for another executable: sequential, 20 requests with places",
        "holds for: nothing: no run of it was judged",
        "program: gcc, and the plans are of cc1 and as below it",
    ]
    assert [each["planned_requests"] for each in plan_as_data(both)["for_other_executables"]] == [20]


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda both, size: both[:-8], "is not as long as it says"),
        (lambda both, size: both + b"x" * 300, "is not as long as it says"),
        (lambda both, size: both + b"MALLPLAN", "is not as long as it says"),
        (lambda both, size: both + both[:size], "has two plans for one executable"),
        (lambda both, size: both[:-1] + bytes([both[-1] ^ 1]), "its body's checksum is wrong"),
        (lambda both, size: both[: size + 30] + b"xx" + both[size + 32 :], "its header's checksum is wrong"),
    ],
)
def test_what_is_not_good(both: Path, tmp_path: Path, change, problem: str) -> None:  # type: ignore[no-untyped-def]
    size = len((tmp_path / "7.plan").read_bytes())
    both.write_bytes(change(both.read_bytes(), size))
    with pytest.raises(CommandError, match=problem):
        check_plan(both)
