"""Which settings of a plan's record are believed: what came with a plan must not become code that runs."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from malloom.errors import UsageProblem
from malloom.layout.plan_record import PlanSetting, write_with_record
from malloom.measure.allocators import preloaded_file
from malloom.measure.plan_setting import VARIABLES, is_gone, setting_of
from malloom.optimize.keeping import write_setting
from malloom.optimize.settings import allocator_rows

JEMALLOC = "libjemalloc.so.2"


def plan_with(folder: Path, setting: Any) -> Path:
    plan = folder / "a.plan"
    write_setting(plan)
    write_with_record(plan, plan, {"setting": setting})
    return plan


def setting(library: str = "", **variables: Any) -> dict[str, Any]:
    return {"allocator": "another 1.0", "library": library, "variables": variables}


def test_a_plan_without_a_setting_has_none(tmp_path: Path) -> None:
    plan = tmp_path / "a.plan"
    write_setting(plan)
    assert setting_of(plan) is None


def test_whatever_the_race_may_keep_is_believed(tmp_path: Path) -> None:
    rows, _ = allocator_rows()
    assert {row.setting.allocator.name for row in rows} >= {"glibc", "jemalloc"}
    for row in rows:
        file, variables = row.setting.allocator.file, dict(row.setting.variables)
        assert setting_of(plan_with(tmp_path, setting(file, **variables))) == PlanSetting(
            "another 1.0", file, variables
        )


def test_an_allocator_that_is_gone_is_told_from_one_that_is_none(tmp_path: Path) -> None:
    found = setting_of(plan_with(tmp_path, setting(f"/nowhere/{JEMALLOC}")))
    assert found is not None and is_gone(found)


def test_variables_are_those_of_known_allocators() -> None:
    assert "MALLOC_CONF" in VARIABLES and not {"LD_PRELOAD", "LD_AUDIT", "PATH"} & VARIABLES


@pytest.mark.parametrize(
    "told",
    [
        {},
        [],
        5,
        setting(library=5),  # type: ignore[arg-type]
        {"allocator": "a", "library": "", "variables": ["MALLOC_CONF"]},
        setting("evil.so"),
        setting(JEMALLOC),
        setting(f"./{JEMALLOC}"),
        setting(f"/no/\x1b]0;{JEMALLOC}"),
        setting(f"/no\0/{JEMALLOC}"),
        setting(f"/\ud800/{JEMALLOC}"),
        setting("/lib/other.so"),
        setting(LD_PRELOAD="/tmp/evil.so"),
        setting(PATH="/evil"),
        setting(**{"X=1; touch pwned; Y": "z"}),
        setting(MALLOC_CONF=1),
        setting(MALLOC_CONF="x\0y"),
        setting(MALLOC_CONF="x\ny"),
        setting(MALLOC_CONF="\ud800"),
        setting(MALLOC_CONF="prof_prefix:/tmp/x"),
        {**setting(), "up_to": -1},
        {**setting(), "up_to": 10**18},
        {**setting(), "up_to": 1.5},
        {**setting(), "up_to": True},
        {**setting(), "up_to": 1, "huge_beyond": 1},
    ],
)
def test_what_is_no_setting_of_an_allocator_is_refused(tmp_path: Path, told: Any) -> None:
    with pytest.raises(UsageProblem, match=r"a\.plan: its (record|library) "):
        setting_of(plan_with(tmp_path, told))


def test_another_file_of_an_allocators_name_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = tmp_path / JEMALLOC
    shutil.copy(preloaded_file(JEMALLOC), copy)
    built = tmp_path / "build/release/peers/snmalloc.so"
    built.parent.mkdir(parents=True)
    built.write_bytes(b"")
    monkeypatch.chdir(tmp_path)
    for library in (copy, built):
        with pytest.raises(UsageProblem, match="is no allocator that malloom finds here"):
            setting_of(plan_with(tmp_path, setting(str(library))))


def test_another_name_of_an_allocators_file_is_the_file(tmp_path: Path) -> None:
    link = tmp_path / JEMALLOC
    link.symlink_to(preloaded_file(JEMALLOC))
    assert setting_of(plan_with(tmp_path, setting(str(link)))) == PlanSetting(
        "another 1.0", preloaded_file(JEMALLOC), {}
    )
