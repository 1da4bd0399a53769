"""`malloom picture`, as a browser shows it: numbers, colours, walks; names that are markup; bad use."""

import functools
import json
import re
from collections.abc import Callable
from html import unescape
from pathlib import Path

import pytest

from end_to_end.browser import shown
from end_to_end.conftest import WORKLOADS, Finished, done_well
from malloom.layout.plan_places import plan_places
from malloom.page.picture import Picture, picture_of
from malloom.profile import HeapProfile

PROGRAM = """
#include <stdlib.h>
#include <string.h>
#line 1 "</script><script>document.body.dataset.bad=1</script><b>&quot;.c"
static char* text(void) {
    char* made = malloc(100);
    memset(made, 1, 100);
    return made;
}
int main(void) {
    long sum = 0;
    char* kept[40];
    for (int i = 0; i < 40; i++) kept[i] = text();
    for (int i = 0; i < 500; i++) sum += kept[i * 7 % 40][i % 100];
    return sum == 42;
}
"""


@pytest.fixture(scope="module")
def traverse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the thesis's tree walk: its profile, a plan in order of use, and the picture of both."""
    folder = tmp_path_factory.mktemp("traverse")
    program = WORKLOADS / "traverse/traverse"
    for words in (
        ["record", "-o", "run.profile", "--accesses", "full", "--", program, "11", "2"],
        ["plan", "run.profile", "-o", "run.plan", "--strategy", "first-use"],
        ["picture", "run.profile", "--plan", "run.plan", "-o", "both.html"],
        ["picture", "run.profile"],
    ):
        done_well(folder, *words)
    return folder


@functools.cache
def picture(folder: Path) -> Picture:
    profile = HeapProfile.open(folder / "run.profile")
    return picture_of(profile, plan_places(profile, folder / "run.plan"))


def text_of(html: str, identity: str) -> str:
    found = re.search(rf'<(\w+)[^>]*\bid="{identity}"[^>]*>(.*?)</\1>', html, re.DOTALL)
    assert found, identity
    return unescape(re.sub(r"<[^>]*>", "", found[2]))


def test_the_numbers_are_those_of_python(traverse: Path) -> None:
    html = shown(traverse / "both.html")
    assert 'data-ready="yes"' in html
    for at, each in enumerate(picture(traverse).maps):
        assert text_of(html, f"lines-{at}") == f"{each.lines:,}"
        assert text_of(html, f"pages-{at}") == f"{each.pages:,}"
        assert text_of(html, f"bytes-{at}") == f"{each.bytes_per_line:.1f}"
        for number, walk in enumerate(picture(traverse).walks):
            lines, pages = walk.means()[at]
            assert float(text_of(html, f"walk-lines-{number}-{at}")) == pytest.approx(lines, abs=0.051)
            assert float(text_of(html, f"walk-pages-{number}-{at}")) == pytest.approx(pages, abs=0.051)
    assert text_of(html, "placed-1") == f"{picture(traverse).maps[1].placed:,} of 2,048"


def test_lines_and_pages_are_about_those_of_the_simulation(traverse: Path) -> None:
    """Which counts all lines of an object that is accessed; here only the buffer of standard output, of a
    page at most, is not used in whole."""
    done = done_well(traverse, "simulate", "run.profile", "--json", "--strategy", "first-use")
    (row,) = json.loads(done.stdout)["rows"]
    planned = picture(traverse).maps[1]
    assert 0 <= row["lines"] - planned.lines <= 64 + 1
    assert 0 <= row["pages"] - planned.pages <= 1


def test_a_plan_by_first_use_touches_fewer_lines_in_a_step(traverse: Path) -> None:
    walk = picture(traverse).walks[0]
    (recorded, recorded_pages), (planned, planned_pages) = walk.means()
    assert planned < 0.9 * recorded
    assert planned_pages <= recorded_pages
    step = 40
    html = shown(traverse / "both.html", f"step={step}")
    told = text_of(html, "step-told")
    assert f"step {step} of {len(walk.steps)}, from access {walk.steps[step - 1].begin:,}" in told
    for lines, pages in walk.steps[step - 1].counts:
        assert f"{lines:,} lines in {pages:,} pages" in told


@pytest.mark.parametrize(
    ("state", "legend"),
    [
        ("colour=heat", "object without accesses"),
        ("colour=owner", "build"),
        ("colour=first", "first access of all"),
        ("colour=request", "first request"),
    ],
)
def test_each_colour_has_a_legend(traverse: Path, state: str, legend: str) -> None:
    html = shown(traverse / "both.html", state)
    assert legend in text_of(html, "controls")
    assert len(re.findall(r"<canvas", html)) == 3


def test_a_line_tells_what_lies_in_it(traverse: Path) -> None:
    planned = picture(traverse).maps[1].drawn
    at = len(planned.cells) // 2
    html = shown(traverse / "both.html", f"map=1&cell={planned.cells[at]}")
    told = text_of(html, "details")
    assert "line at plan + 0x" in told
    assert f"{planned.accesses[at]:,} accesses" in told
    assert "96 B of build" in told


USER = """<script>
const waiting = setInterval(() => {
  if (!document.body.dataset.ready) return;
  clearInterval(waiting);
  const canvas = document.querySelector(".map canvas");
  canvas.dispatchEvent(new FocusEvent("focus"));
  for (const key of ["ArrowDown", "ArrowRight"]) canvas.dispatchEvent(new KeyboardEvent("keydown", { key }));
  document.getElementById("play").click();
}, 10);
</script></body>"""
"""Goes a page down and a line to the right in the first map, and plays the walk."""


def test_keys_lead_through_a_map_and_the_walk_plays(traverse: Path) -> None:
    page = traverse / "used.html"
    page.write_text((traverse / "both.html").read_text().replace("</body>", USER))
    steps = []
    for flags in ((), ("--force-prefers-reduced-motion",)):
        html = shown(page, "", *flags)
        address = int(picture(traverse).maps[0].drawn.pages[1]) * 4096 + 64
        assert f"as recorded: line at {address:#x};" in text_of(html, "details")
        assert text_of(html, "play") == "Pause"
        told = re.match(r"step (\d+) of", text_of(html, "step-told"))
        assert told
        steps.append(int(told[1]))
    quick, calm = steps
    assert 1 <= calm < quick / 3


def test_without_a_plan_there_is_one_map(traverse: Path) -> None:
    html = shown(traverse / "run.profile.picture.html")
    assert 'data-ready="yes"' in html
    assert html.count('class="map"') == 1
    assert "placed" not in text_of(html, "controls")
    recorded = picture(traverse).maps[0]
    assert text_of(html, "lines-0") == f"{recorded.lines:,}"


def test_names_are_text_and_nothing_is_asked_of_a_network(
    malloom: Callable[..., Finished], compile_c: Callable[..., Path], tmp_path: Path
) -> None:
    program = compile_c(PROGRAM, "-O0")
    assert malloom("record", "-o", "run.profile", "--", program, "<i>", "é\n🙂").returncode == 0
    assert malloom("picture", "run.profile", "--strategy", "sequential").returncode == 0
    page = tmp_path / "run.profile.picture.html"
    for state in ("colour=owner&step=1", "map=0&cell=12&colour=owner"):
        html = shown(page, state)
        assert 'data-ready="yes"' in html
        assert "data-bad" not in html
        assert "&lt;i&gt; é" in html
        assert "text" in text_of(html, "controls")
    text = page.read_text()
    assert "default-src 'none'" in text
    assert not re.search(
        r"<(?:script|img|iframe)[^>]*\bsrc=|<link\b", text[: text.index('<script id="data"')]
    )
    assert page.stat().st_size < 200_000


def test_a_profile_without_accesses_has_a_picture_that_says_so(
    malloom: Callable[..., Finished], compile_c: Callable[..., Path], tmp_path: Path
) -> None:
    malloom("record", "-o", "bare.profile", "--accesses", "none", "--", compile_c(PROGRAM, "-O0"))
    assert malloom("picture", "bare.profile", "-o", "bare.html").returncode == 0
    html = shown(tmp_path / "bare.html", "colour=heat")
    assert "no accesses were recorded" in html
    assert "lines with objects" in html
    assert re.findall(r'<option value="(\w+)"', html) == ["owner", "request"]
    assert re.search(r'<div id="walk"[^>]* hidden', html)


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["-o", "/no/folder/page"], 2, "there is no folder"),
        (["-o", "{folder}/run.plan"], 2, "exists and is no page"),
        (["--plan", "{folder}/none.plan"], 1, "none.plan"),
        (["--plan", "{folder}/run.profile"], 1, "run.profile"),
        (["--plan", "{folder}/run.plan", "--strategy", "size"], 2, "leave one of them out"),
        (["--strategy", "nonsense"], 2, "there is no strategy 'nonsense'"),
        (["--strategy", "overhead-only"], 2, "places nothing here"),
        (["--process", "nonsense"], 1, "nonsense"),
    ],
)
def test_bad_use_is_said(
    malloom: Callable[..., Finished], traverse: Path, arguments: list[str], status: int, said: str
) -> None:
    words = [word.format(folder=traverse) for word in arguments]
    done = malloom("picture", traverse / "run.profile", *words)
    assert (done.returncode, done.stderr.count("\n")) == (status, 1), done.stderr
    assert said in done.stderr


def test_plans_that_do_not_fit_are_refused(
    malloom: Callable[..., Finished], compile_c: Callable[..., Path], traverse: Path
) -> None:
    malloom("record", "-o", "run.profile", "--", compile_c(PROGRAM, "-O0"))
    other = malloom("picture", "run.profile", "--plan", traverse / "run.plan")
    assert (other.returncode, other.stderr.count("\n")) == (1, 1)
    assert "is the plan of another program" in other.stderr
    malloom("plan", "run.profile", "-o", "empty.plan", "--strategy", "overhead-only")
    empty = malloom("picture", "run.profile", "--plan", "empty.plan")
    assert (empty.returncode, empty.stderr.count("\n")) == (1, 1)
    assert "places none of the profile's requests" in empty.stderr
    assert malloom("picture", "empty.plan").returncode == 2
