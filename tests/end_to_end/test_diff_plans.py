"""`malloom diff` of two plans as a page: what a browser shows of it, by hand and by keyboard, and as text."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from end_to_end.browser import Browser, browser, shown
from end_to_end.conftest import Finished, done_well
from malloom.diff.plans import Place
from python.diff.placed_plans import placed_plan

MARKUP = (
    "</script><script>document.body.dataset.bad=1</script><img src=x onerror=document.body.dataset.bad=1>"
)
ODD = {
    "quoted": "\"'`${document.body.dataset.bad=1}",
    "broken": "two\nlines\ttab",
    "emoji": "é🙂",
    "long": "x" * 10_000,
    "markup": MARKUP,
}
MANY = 230
"""More than the rows that are shown before one asks for more."""
RECORD = {"program": ["./walk", MARKUP, "é\n🙂"]}
JUDGED = {**RECORD, "judged": "on check inputs"}
CELLS = (
    "[...document.querySelectorAll('#table tbody tr')].map((row) => [...row.cells].map((e) => e.textContent))"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """With two plans, and their page."""
    folder = tmp_path_factory.mktemp("plans")
    many = {f"function_{at}": Place(at + 1, None, 0) for at in range(MANY)}
    odd = {name: Place(0, None, 16 * at + 16) for at, name in enumerate(ODD.values())}
    old = {"push": Place(3000, None, 0), **many, "stays": Place(1, None, 0), **odd, "goes": Place(0, 1, 0)}
    placed_plan(folder / "old.plan", old, RECORD)
    changed = {name: Place(place.slots, 0, 0) for name, place in {**many, **odd}.items()}
    new = {"comes": Place(0, None, 48), "push": Place(5, None, 64), **changed, "stays": Place(1, None, 0)}
    placed_plan(folder / "new.plan", new, JUDGED)
    done_well(folder, "diff", "old.plan", "new.plan", "--format", "html")
    return folder


@pytest.fixture(scope="module")
def found(folder: Path) -> dict[str, Any]:
    """The difference for machines."""
    told: dict[str, Any] = json.loads(done_well(folder, "diff", "old.plan", "new.plan", "--json").stdout)
    return told


@pytest.fixture(scope="module")
def page(folder: Path) -> Iterator[Browser]:
    with browser(folder) as opened:
        opened.open(folder / "new.plan.diff.html")
        yield opened


def place_text(place: dict[str, Any] | None) -> str:
    return "not known" if place is None else str(Place(**place))


def rows_of(sites: list[dict[str, Any]]) -> list[list[str]]:
    """What the table is to say of them."""
    return [
        [
            site["name"],
            ", ".join(site["words"]) or "served alike",
            place_text(site["old"]),
            place_text(site["new"]),
        ]
        for site in sites
    ]


def test_the_table_is_that_of_the_difference(page: Browser, found: dict[str, Any]) -> None:
    changed = [site for site in found["sites"] if site["words"]]
    assert len(changed) > 200
    assert page.texts("#found") == [f"{len(changed)} of {len(found['sites'])} call sites"]
    assert page.run(CELLS)[:200] == rows_of(changed)[:200]
    page.press("#table tbody tr:last-child button")
    assert page.run(CELLS) == rows_of(changed)
    assert page.run("document.activeElement.rowIndex") == 201, "the first new row"


def all_rows(page: Browser) -> list[list[str]]:
    """Those beyond the first ones too, which a button shows."""
    more = "#table tbody tr:last-child button"
    while page.run(f"document.querySelector('{more}') !== null"):
        page.press(more)
    rows: list[list[str]] = page.run(CELLS)
    return rows


@pytest.mark.parametrize("word", ["new", "gone", "changed"])
def test_what_changed_is_said_by_a_word_and_can_be_chosen(
    page: Browser, found: dict[str, Any], word: str
) -> None:
    page.put("#words", word)
    assert all_rows(page) == rows_of([site for site in found["sites"] if word in site["words"]])
    page.put("#words", "all call sites")
    assert ["served alike"] in [row[1:2] for row in all_rows(page)]
    page.put("#words", "all that changed")


def test_headings_sort_and_a_word_is_searched_for(page: Browser, found: dict[str, Any]) -> None:
    changed = [site for site in found["sites"] if site["words"]]
    slots = sorted(((site["old"] or {"slots": -1})["slots"] for site in changed), reverse=True)
    page.press("#table thead button[data-sort=before]")
    assert page.run("document.activeElement.dataset.sort") == "before"
    assert page.texts("#table th[aria-sort=descending]") == ["before ▾"]
    shown = all_rows(page)
    shown_slots = [re.match(r"([\d,]+) slots?", row[2]) for row in shown]
    assert [int(each[1].replace(",", "")) for each in shown_slots if each] == [
        each for each in slots if each > 0
    ]
    assert shown[-1][2] == "not known"
    page.press("#table thead button[data-sort=words]")
    words = [row[1] for row in all_rows(page)]
    assert words == sorted(words, key=["new", "gone", "changed"].index)
    page.press("#table thead button[data-sort=name]")
    page.put("#search", "FUNCTION_22")
    assert [row[0] for row in page.run(CELLS)] == [s["name"] for s in changed if "function_22" in s["name"]]
    page.put("#search", "")


def test_the_heads_of_both_plans_are_shown(page: Browser, found: dict[str, Any]) -> None:
    boxes = dict(zip(page.texts("#totals dt"), page.texts("#totals dd"), strict=True))
    assert boxes["judged"] == "nothing → on check inputs"
    assert (boxes["matching"], boxes["depth"]) == ("context", "1")
    assert boxes["pools"] == "{pools} → {}".format(found["plans"]["new"]["pools"], **found["plans"]["old"])
    before, after = page.texts("#notes > li")
    assert before.startswith("beforeold.plan: made")
    assert "holds for: on check inputs" in after
    assert all(MARKUP in told for told in (before, after))
    assert page.texts("#matched")[0].startswith(
        f"sites found in both make {found['matched']['sites_of_old']:.0%}"
    )
    assert page.texts("#command") == ["old.plan → new.plan"]
    assert page.texts("h1") == ["walk: what changed in its plan"]


def test_the_keyboard_is_enough(page: Browser) -> None:
    reached = []
    page.run("document.getElementById('search').focus()")
    for _ in range(5):
        page.key("Tab")
        reached.append(page.run("document.activeElement.id || document.activeElement.dataset.sort"))
    assert reached == ["words", "name", "words", "before", "after"]
    page.key("Enter")
    assert page.texts("#table th[aria-sort=descending]") == ["after ▾"]
    assert page.run("document.activeElement.dataset.sort") == "after"
    page.press("#table thead button[data-sort=name]")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_table_can_be_read(page: Browser, scheme: str) -> None:
    page.prefer(scheme)
    ink, paper = page.run(
        "[getComputedStyle(document.querySelector('#table td.words')).color,"
        " getComputedStyle(document.body).backgroundColor]"
    )
    light, dark = [sum(map(int, re.findall(r"\d+", colour)[:3])) / 765 for colour in (paper, ink)]
    assert abs(light - dark) > 0.7
    assert (light > dark) == (scheme == "light")


def test_names_are_text_and_nothing_is_asked_of_a_network(page: Browser, folder: Path) -> None:
    assert page.run("document.body.dataset.bad") is None
    assert page.run("document.querySelectorAll('img, iframe, link').length") == 0
    assert page.run("performance.getEntriesByType('resource').length") == 0
    assert page.run("document.documentElement.scrollWidth <= window.innerWidth"), "long names are broken"
    text = (folder / "new.plan.diff.html").read_text()
    assert "default-src 'none'" in text
    assert "onerror" not in text
    assert "data-bad" not in shown(folder / "new.plan.diff.html")


def test_where_the_page_is_written(malloom: Callable[..., Finished], folder: Path, tmp_path: Path) -> None:
    sides = [folder / "old.plan", folder / "new.plan", "--format", "html"]
    page = tmp_path / "page.html"
    done = malloom("diff", *sides, "-o", page)
    assert done.stdout == f"{page}; open it in a browser\n"
    assert malloom("diff", *sides, "-o", page).returncode == 0, "a page is replaced"
    (tmp_path / "notes.txt").write_text("mine")
    for kept in (tmp_path / "notes.txt", folder / "old.plan", folder / "new.plan"):
        before = kept.read_bytes()
        refused = malloom("diff", *sides, "-o", kept)
        assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
        assert kept.read_bytes() == before
    assert malloom("diff", *sides[:2], "-o", page).returncode == 2


def test_equal_plans_have_a_page(malloom: Callable[..., Finished], folder: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    plan = folder / "new.plan"
    assert malloom("diff", plan, plan, "--format", "html", "-o", page).returncode == 0
    assert 'aria-live="polite">0 of ' in shown(page)


def test_the_text_fits_a_terminal_of_80_columns(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    lines = done_well(folder, "diff", "old.plan", "new.plan", "--top", "0").stdout.splitlines()
    assert [line for line in lines if len(line) > 80 and "xxx" not in line and "onerror" not in line] == []
    assert any(line.startswith("gone: goes") for line in lines)
