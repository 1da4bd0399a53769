"""What differs between two plans, for people and for machines."""

from pathlib import Path
from typing import Any

import pytest

from malloom.diff.plans import (
    Place,
    PlanDifference,
    plan_difference,
    plans_as_object,
    plans_for_page,
    plans_lines,
)
from python.diff.placed_plans import placed_plan

OLD = {
    "push": Place(3, None, 0),
    "text": Place(0, None, 64),
    "stays": Place(0, 0, 0),
    "goes": Place(1, None, 0),
}
# A function in the same place as another would be taken for that one, renamed.
NEW = {
    "comes": Place(0, None, 16),
    "push": Place(2, None, 48),
    "text": Place(0, 1, 0),
    "stays": Place(0, 0, 0),
}
JUDGED = "on check inputs that are as different from each other as those of a whole week of the program's use"
PROGRAM = {"program": ["./walk", "{}"]}


@pytest.fixture
def found(tmp_path: Path) -> PlanDifference:
    old = placed_plan(tmp_path / "old.plan", OLD, PROGRAM)
    return plan_difference(old, placed_plan(tmp_path / "new.plan", NEW, {**PROGRAM, "judged": JUDGED}))


def named(data: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The sites by their functions."""
    return {site["calls"][0]["function"]: site for site in data["sites"]}


def test_each_call_site_has_what_either_plan_has_for_it(found: PlanDifference) -> None:
    sites = named(plans_as_object(found))
    assert {name: site["words"] for name, site in sites.items()} == {
        "push": ["changed"],
        "text": ["changed"],
        "stays": [],
        "goes": ["gone"],
        "comes": ["new"],
    }
    assert sites["push"]["old"] == {"slots": 3, "group": None, "pool_bytes": 0, "leads_on": False}
    assert sites["push"]["new"] == {"slots": 2, "group": None, "pool_bytes": 48, "leads_on": False}
    assert (sites["goes"]["new"], sites["goes"]["match"]) == (None, None)
    assert (sites["comes"]["old"], sites["stays"]["match"]) == (None, "moved")


def test_the_heads_and_what_was_matched_are_told(found: PlanDifference) -> None:
    data = plans_as_object(found)
    assert data["changed"]["judged"] == {"old": None, "new": JUDGED}
    assert data["changed"]["groups"] == {"old": 1, "new": 2}
    assert "strategy" not in data["changed"]
    assert data["plans"]["new"]["program"] == ["./walk", "{}"]
    assert (data["plans"]["old"]["matching"], data["plans"]["old"]["depth"]) == ("context", 1)
    assert data["matched"] == {"sites_of_old": 0.75, "sites_of_new": 0.75}


def test_the_page_has_what_people_read_beside_what_machines_do(found: PlanDifference) -> None:
    data = plans_for_page(found)
    assert plans_as_object(found).items() <= {**data, "sites": plans_as_object(found)["sites"]}.items()
    sites = named(data)
    assert (sites["push"]["before"], sites["push"]["after"]) == ("3 slots", "2 slots, a pool of 48 bytes")
    assert (sites["text"]["after"], sites["goes"]["after"]) == ("group 1", "not known")
    assert {"title": "judged", "old": "nothing", "new": JUDGED} in data["fields"]
    assert f"holds for: {JUDGED}" in data["lines"]["after"]
    assert "program: ./walk '{}'" in data["lines"]["before"]


def test_a_site_that_only_one_plan_knows_and_does_not_serve_has_not_changed(tmp_path: Path) -> None:
    old = placed_plan(tmp_path / "old.plan", {"push": Place(1, None, 0), "idle": Place(0, None, 0)})
    found = plan_difference(old, placed_plan(tmp_path / "new.plan", {"push": Place(1, None, 0)}))
    assert [site.word for site in found.sites] == ["", ""]
    assert list(plans_lines(found, 20, 500))[-1] == "nothing differs"


def test_a_site_whose_callers_have_what_it_had_says_so(tmp_path: Path) -> None:
    old = placed_plan(tmp_path / "old.plan", {"push": Place(0, 0, 0), "stays": Place(0, 0, 0)})
    new = placed_plan(tmp_path / "new.plan", {"push": Place(0, None, 0, True), "stays": Place(0, 0, 0)})
    said = "\n".join(plans_lines(plan_difference(old, new), 20, 500))
    assert "group 0" in said and "what its callers have" in said and "nothing differs" not in said


@pytest.mark.parametrize("width", [40, 60, 80])
def test_the_text_fits_and_loses_nothing(found: PlanDifference, width: int) -> None:
    whole = list(plans_lines(found, 0, 10_000))
    lines = list(plans_lines(found, 0, width))
    words = max(len(word) for line in whole for word in line.split())
    assert all(len(line) <= max(width, 4 + words) for line in lines)
    assert len(lines) > len(whole)
    assert " ".join(line.strip() for line in lines) == " ".join(whole)
    assert whole[-1] == "1 site served alike"
    assert "gone: goes prog.c:35: 1 slot -> not known" in whole
    assert any(
        line.startswith("sites found in both make 75% of the old call sites and 75%") for line in whole
    )
    assert f"judged: nothing -> {JUDGED}" in whole


def test_names_are_printed_without_what_a_terminal_obeys(tmp_path: Path) -> None:
    old = placed_plan(tmp_path / "old.plan", {"red\033\nline": Place(1, None, 0)})
    found = plan_difference(old, placed_plan(tmp_path / "new.plan", {}))
    text = "\n".join(plans_lines(found, 0, 500))
    assert "\\x1b\\nline" in text
    assert "\033" not in text
