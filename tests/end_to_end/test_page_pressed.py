"""The page of a profile as it is used: what a click, a word and a key change, and how soon."""

import json
import resource
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median

import pytest

from end_to_end.browser import Browser, browser
from end_to_end.conftest import COMMAND, ROOT, done_well
from malloom.profile import HeapProfile
from malloom.profile.requests import NEVER

MAKER = ROOT / "build/release/src/native/synthetic/make_synthetic_profile"
FLAME = "document.getElementById('flame-chart').data[0]"
ROWS = "#table tbody tr[data-site]"
MOST_SECONDS, MOST_KILOBYTES, MOST_BYTES = 120.0, 4 << 20, 15_000_000
"""What the page of the large profile may take, and its size."""
TO_OPEN, TO_ANSWER = 2.0, 0.2
"""Seconds."""


def made(folder: Path, *counts: int) -> None:
    """A synthetic profile with so many requests, accesses, threads and call sites."""
    subprocess.run([MAKER, folder / "made.profile", *map(str, counts)], check=True, capture_output=True)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """With a profile of many call sites, and its page."""
    folder = tmp_path_factory.mktemp("pressed")
    made(folder, 20_000, 100_000, 1, 1000)
    done_well(folder, "report", "made.profile", "--format", "html", "-o", "made.html")
    return folder


@pytest.fixture(scope="module")
def page(folder: Path) -> Iterator[Browser]:
    with browser(folder) as opened:
        opened.open(folder / "made.html", "sites")
        yield opened


@pytest.fixture(scope="module")
def totals(folder: Path) -> dict[str, int]:
    """Those of the report, which are not the page's."""
    told: dict[str, int] = json.loads(done_well(folder, "report", "made.profile", "--json").stdout)["totals"]
    return told


def measured(page: Browser, name: str) -> list[float]:
    """The numbers of the rows that are shown, by what the page knows of their sites."""
    sites = page.run(f"[...document.querySelectorAll('{ROWS}')].map((row) => Number(row.dataset.site))")
    return [page.run(f"state.sites[{each}].{name}") for each in sites]


def test_the_largest_are_shown_and_more_when_one_asks(page: Browser) -> None:
    first = measured(page, "bytes")
    every: list[float] = page.run("state.sites.map((site) => site.bytes)")
    assert len(every) > 300
    assert first == sorted(every, reverse=True)[:100]
    page.press("#table tbody tr:last-child button")
    assert measured(page, "bytes") == sorted(every, reverse=True)[:200]
    assert page.texts("#table tbody tr:last-child") == [f"show more ({len(every) - 200:,} left)"]
    assert page.run("document.activeElement.rowIndex") == 101, "the first new row"


def test_a_heading_orders_the_rows_and_a_word_leaves_some(page: Browser) -> None:
    for at, name in enumerate(page.run("state.columns")):
        page.press("#table thead button", at)
        every = [each for each in page.run(f"state.sites.map((site) => site.{name})") if each is not None]
        largest = sorted(every, reverse=True)[:100]
        assert measured(page, name) == [*largest, *[None] * (100 - len(largest))], name
        assert page.run("document.activeElement.dataset.sort") == name
    page.press("#table thead button", page.run("state.columns.indexOf('bytes')"))
    word = page.texts(f"{ROWS} td:first-child span")[0]
    page.put("#search", word.upper())
    assert page.texts(f"{ROWS} td:first-child")
    assert all(word in text for text in page.texts(f"{ROWS} td:first-child"))
    found = page.texts("#found")[0]
    page.put("#search", "no such function")
    assert page.texts(ROWS) == []
    page.put("#search", "")
    assert page.texts("#found")[0] != found


def test_more_of_a_tree_is_shown_within_what_is_open(page: Browser) -> None:
    """Of a call that calls more than are shown at once."""
    page.put("#view", "callers")
    page.press("#table tbody button[aria-expanded='false']")
    inner = "#table tbody tr[data-depth='1']"
    shown, below = page.texts(inner), page.texts("#table tbody tr[data-depth='0']")
    left = int(shown[-1].removeprefix("show more (").removesuffix(" left)").replace(",", ""))
    page.press(f"{inner} button:not([aria-expanded])")
    after = page.texts(inner)
    assert after[: len(shown) - 1] == shown[:-1]
    assert len(after) == len(shown) - 1 + min(left, 100) + (left > 100)
    assert len(set(after)) == len(after)
    assert page.texts("#table tbody tr[data-depth='0']") == below
    page.press("#table tbody button[aria-expanded='true']")
    page.put("#view", "list")


def test_advice_leads_to_its_call_site(page: Browser) -> None:
    sites: list[int] = page.run("state.data.advice.map((each) => each.site)")
    assert sites
    for at, site in enumerate(sites):
        page.put("#view", "callers")
        page.put("#search", "no such function")
        page.press("#tab-summary")
        page.press("#advice button", at)
        assert page.run(f"document.querySelector('{ROWS}').dataset.site") == str(site)
        assert page.run("[...document.querySelectorAll('#table .chosen')].length") == 1
        assert page.texts(ROWS)[0] == page.texts("#table .chosen")[0]
        assert len(page.texts(ROWS)) == 100


@pytest.mark.parametrize("view", ["callers", "callees"])
def test_a_tree_opens_and_its_sums_are_those_of_the_sites(page: Browser, view: str) -> None:
    page.put("#view", view)
    closed = page.texts("#table tbody tr")
    page.press("#table tbody button[aria-expanded='false']")
    indents = page.run(
        "[...document.querySelectorAll('#table tbody td:first-child')].map((e) => e.style.paddingLeft)"
    )
    assert indents[:2] == ["0.6rem", "1.6rem"]
    page.press("#table tbody button[aria-expanded='true']")
    assert page.texts("#table tbody tr") == closed
    last = -1 if view == "callers" else 0
    first = page.texts("#table tbody tr:first-child td:first-child span")[0]
    sites = page.run("state.sites.map((site) => [site.frames, site.requests])")
    names = page.run("state.data.frames.map(([fn]) => fn)")
    requests = sum(count for frames, count in sites if names[frames[last]] == first)
    shown = page.texts("#table tbody tr:first-child td")
    assert shown[1 + page.run("state.columns.indexOf('requests')")] == f"{requests:,}"
    page.put("#view", "list")


def test_a_click_on_a_call_of_the_flame_graph_goes_into_it_and_one_on_its_caller_back(page: Browser) -> None:
    page.press("#tab-flame")
    whole = page.texts("#flame-chart .slicetext")
    page.point("#flame-chart .slice .surface", 1)
    inner = page.texts("#flame-chart .slicetext")
    assert inner != whole
    level = page.run("document.getElementById('flame-chart').data[0].level")
    assert level.startswith("all/")
    values = page.run(
        "(() => { const t = document.getElementById('flame-chart').data[0];"
        " return t.parents.map((p, at) => [t.ids[at], p, t.values[at]]); })()"
    )
    sums = dict[str, float]()
    for _, parent, value in values:
        sums[parent] = sums.get(parent, 0) + value
    assert all(sums.get(name, 0) <= value for name, _, value in values)
    page.press("#tab-sites")
    page.press("#tab-flame")
    assert page.run("document.getElementById('flame-chart').data[0].level") == level
    page.point("#flame-chart .pathbar .surface")
    assert page.run("document.getElementById('flame-chart').data[0].level") == "all"
    page.press("#tab-sites")


def test_the_flame_graph_is_as_wide_as_the_profile(page: Browser, totals: dict[str, int]) -> None:
    page.press("#tab-flame")
    for name in page.run("[...document.getElementById('measure').options].map((each) => each.value)"):
        page.put("#measure", name)
        chart = page.run(f"(({{ ids, parents, values }}) => [ids, parents, values])({FLAME})")
        below = sum(value for _, parent, value in zip(*chart, strict=True) if parent == "all")
        whole = page.run(f"state.sites.reduce((sum, site) => sum + (site.{name} ?? 0), 0)")
        assert chart[2][chart[0].index("all")] == pytest.approx(whole), name
        assert 0.9 * whole <= below <= whole * (1 + 1e-9), "all but the calls that are too small"
        if name in totals:
            assert whole == totals[name], name
    page.press("#tab-sites")


def test_the_timeline_is_as_high_as_the_profile(page: Browser, totals: dict[str, int]) -> None:
    page.press("#tab-timeline")
    heights = page.run("document.getElementById('timeline-chart').data.map((trace) => trace.y)")
    assert max(map(sum, zip(*heights, strict=True))) == totals["live_peak"]
    marked = page.run("document.getElementById('timeline-chart').layout.shapes[0].x0")
    moments = page.run("document.getElementById('timeline-chart').data[0].x")
    assert sum(height[moments.index(marked)] for height in heights) == totals["live_peak"]
    page.press("#tab-sites")


def test_the_processes_have_their_events_and_accesses(page: Browser, folder: Path) -> None:
    page.press("#tab-processes")
    profile = HeapProfile.open(folder / "made.profile")
    rows = page.texts("#process-table tbody tr td")
    released = int((profile.requests.death != NEVER).sum())
    assert rows[3:] == [f"{len(profile.requests) + released:,}", f"{profile.access_entries:,}"]
    page.press("#tab-sites")


def test_no_button_of_a_chart_sends_it_away(page: Browser) -> None:
    for tab in ("flame", "timeline"):
        page.press(f"#tab-{tab}")
        buttons = f"[...document.querySelectorAll('#{tab}-chart .modebar-btn')]"
        titles = page.run(f"{buttons}.map((each) => each.dataset.title ?? each.getAttribute('aria-label'))")
        assert titles, tab
        allowed = {"Download plot as a PNG", "Zoom", "Pan", "Reset axes"}
        assert set(titles) <= allowed, titles
        assert page.run(f"document.getElementById('{tab}-chart')._context.plotlyServerURL") == ""
    page.press("#tab-sites")


def test_one_goes_into_the_flame_graph_by_keyboard(page: Browser) -> None:
    page.press("#tab-flame")
    page.put("#measure", "bytes")
    level = f"{FLAME}.level"
    seen = [page.run(level)]
    assert seen == ["all"]
    for _ in range(2):
        # Only buttons can be reached and pressed by keys.
        page.run("document.querySelector('#flame-steps span ~ button').focus()")
        page.run("document.activeElement.click()")
        seen.append(page.run(level))
        assert seen[-1].startswith(f"{seen[-2]}/")
        assert page.run("document.activeElement.getAttribute('aria-current')") == "true"
    page.press("#flame-steps button")
    assert page.run(level) == "all"
    page.press("#tab-sites")


CONTRAST = """[...document.querySelectorAll('#strip .piece')].map((piece) => {
  const drawn = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const light = (...colours) => {
    for (const colour of colours) { drawn.fillStyle = colour; drawn.fillRect(0, 0, 1, 1); }
    const parts = [...drawn.getImageData(0, 0, 1, 1).data].slice(0, 3).map((part) => part / 255);
    const linear = parts.map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
  };
  const ink = light(getComputedStyle(piece).color);
  const paper = light(...[piece.parentElement, piece].map((each) => getComputedStyle(each).backgroundColor));
  return (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05);
})"""
"""By the Web Content Accessibility Guidelines 2.1, of the name of each piece of the object that is drawn."""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_names_of_hot_fields_can_be_read(page: Browser, scheme: str) -> None:
    page.press("#tab-objects")
    page.prefer(scheme)
    found = page.run(CONTRAST)
    assert len(set(found)) > 1, "some are hotter than others"
    assert min(found) >= 4.5
    page.press("#tab-sites")


@pytest.mark.long
def test_the_page_of_a_large_profile_is_soon_there_and_answers_at_once(tmp_path: Path) -> None:
    made(tmp_path, 10_000_000, 1_000_000_000, 1, 100_000)
    html, begin = tmp_path / "made.html", time.monotonic()
    report = [COMMAND, "report", tmp_path / "made.profile", "--format", "html", "-o", html]
    subprocess.run(report, check=True, capture_output=True)
    took = time.monotonic() - begin
    # Of all that this process has waited for, the report is the largest.
    used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    print(f"{took:.1f} s, {used} KiB, {html.stat().st_size} bytes")
    assert took <= MOST_SECONDS
    assert used <= MOST_KILOBYTES
    assert html.stat().st_size <= MOST_BYTES
    with browser(tmp_path) as page:
        opened = [page.open(html) for _ in range(3)]
        answers = dict(clicks(page))
    print(opened, answers)
    assert median(opened) <= TO_OPEN
    late = {name: seconds for name, seconds in answers.items() if seconds > TO_ANSWER}
    assert not late, late


def clicks(page: Browser) -> Iterator[tuple[str, float]]:
    """What may be clicked on, and the seconds until it is answered."""
    # Whoever has begun to read has let the page load what draws.
    page.run("new Promise((done) => requestIdleCallback(() => setTimeout(done, 1000)))")
    for tab in page.run("Object.keys(TABS)"):
        yield tab, page.press(f"#tab-{tab}")
    page.press("#tab-sites")
    for at, name in enumerate(page.run("state.columns")):
        yield f"order by {name}", page.press("#table thead button", at)
    yield "more", page.press("#table tbody tr:last-child button")
    for view in ("callers", "callees"):
        yield view, page.put("#view", view)
        yield f"open in {view}", page.press("#table tbody button")
    yield "list", page.put("#view", "list")
    for word in ("f", "function_1", ""):
        yield f"search '{word}'", page.put("#search", word)
    page.press("#tab-flame")
    for name in page.run("[...document.getElementById('measure').options].map((each) => each.value)"):
        yield f"flame by {name}", page.put("#measure", name)
    page.press("#tab-objects")
    for at in (1, 0):
        yield f"object {at}", page.press("#object-table button", at)
    for heat in page.run("Object.keys(HEATS)"):
        yield f"heat {heat}", page.put("#heat", heat)
