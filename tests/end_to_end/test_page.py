"""`malloom report --format html`, as a browser shows it: without a network, with names that are markup."""

import functools
import json
import re
import subprocess
from collections.abc import Callable
from html import unescape
from pathlib import Path

import pytest

from end_to_end.browser import shown
from end_to_end.conftest import Finished, done_well

PROGRAM = """
#include <stdlib.h>
#include <string.h>
struct node { struct node* next; long value; };
static struct node* push(struct node* next) {
    struct node* made = malloc(sizeof *made);
    made->next = next;
    return made;
}
#line 1 "</script><script>document.body.dataset.bad=1</script><b>&quot;.c"
static char* text(void) {
    char* made = malloc(100);
    memset(made, 1, 100);
    return made;
}
int main(void) {
    struct node* all = 0;
    for (int i = 0; i < 4000; i++) all = push(all);
    long sum = 0;
    for (int i = 0; i < 500; i++) {
        char* made = text();
        sum += made[7];
        free(made);
    }
    return sum == 42;
}
"""


@pytest.fixture(scope="module")
def profile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("page")
    program = folder / "program"
    source = program.with_suffix(".c")
    source.write_text(PROGRAM)
    subprocess.run(["gcc", "-O0", "-g", source, "-o", program], check=True)
    done_well(folder, "record", "-o", "run.profile", "--", program, "<i>", "é\n🙂")
    done_well(folder, "report", folder / "run.profile", "--format", "html")
    return folder / "run.profile"


def page_of(profile: Path) -> Path:
    return profile.with_name("run.profile.html")


@functools.cache
def told(profile: Path) -> dict[str, object]:
    done = done_well(profile.parent, "report", profile, "--json", "--top", "0")
    found: dict[str, object] = json.loads(done.stdout)
    return found


def texts(html: str, tag: str) -> list[str]:
    return [
        unescape(re.sub(r"<[^>]*>", "", found))
        for found in re.findall(rf"<{tag}\b[^>]*>(.*?)</{tag}>", html, re.DOTALL)
    ]


def test_the_summary_shows_the_totals_of_the_profile(profile: Path) -> None:
    html = shown(page_of(profile), "summary")
    assert 'data-ready="yes"' in html
    totals = told(profile)["totals"]
    assert isinstance(totals, dict)
    for name in ("requests", "contexts", "threads", "accesses"):
        assert f'id="total-{name}">{totals[name]:,}</dd>' in html
    assert "of the memory at the peak is of push" in html


def test_the_call_sites_have_the_numbers_of_the_report(profile: Path) -> None:
    html = shown(page_of(profile), "sites")
    head, *rows = [texts(row, "t[hd]") for row in re.findall(r"<tr\b.*?</tr>", html, re.DOTALL)]
    contexts = told(profile)["contexts"]
    assert isinstance(contexts, list)
    shown_rows = [
        dict(zip([name.removesuffix(" ▾") for name in head], row, strict=True))
        for row in rows[: len(contexts)]
    ]
    for name, key in (("requests", "requests"), ("lifetime", "median_lifetime")):
        expected = sorted("-" if each[key] is None else f"{each[key]:,}" for each in contexts)
        assert sorted(row[name] for row in shown_rows) == expected
    assert {row["call site"].split()[0] for row in shown_rows} == {"push", "text"}
    gains = [int(row["predicted gain"].removesuffix("%")) for row in shown_rows]
    assert all(-100 <= gain <= 100 for gain in gains)


def rows_of(html: str, table: str) -> list[dict[str, str]]:
    """The rows of a table by their headings."""
    part = html[html.index(f'id="{table}"') :]
    head, *rows = [
        texts(row, "t[hd]") for row in re.findall(r"<tr\b.*?</tr>", part[: part.index("</table>")], re.DOTALL)
    ]
    return [dict(zip(head, row, strict=True)) for row in rows]


def test_objects_have_types_and_the_fields_of_the_table_of_fields(
    malloom: Callable[..., Finished], profile: Path
) -> None:
    html = shown(page_of(profile), "objects")
    kinds = json.loads(malloom("profile", "fields", profile, "--json", "--depth", "32").stdout)["kinds"]
    nodes = [kind for kind in kinds if kind["type"] and kind["type"]["name"] == "struct node"]
    listed = [row for row in rows_of(html, "object-table") if row["type"] == "struct node"]
    assert [row["objects"] for row in listed] == ["4,000"]
    assert listed[0]["loads"] == f"{sum(kind['loads'] for kind in nodes):,}"
    assert listed[0]["stores"] == f"{sum(kind['stores'] for kind in nodes):,}"
    # The chosen one is the first, that with the most misses.
    assert "struct node, 16 bytes</h2>" in html
    fields = {row["field"]: row for row in rows_of(html, "field-table")}
    assert set(fields) == {"next"}
    for name in ("loads", "stores", "last misses"):
        told_sum = sum(field[name.replace(" ", "_")] for kind in nodes for field in kind["fields"])
        assert sum(int(row[name].replace(",", "")) for row in fields.values()) == told_sum
    assert re.search(r'class="piece" title="bytes 0 to 7, next: [\d,]+', html)
    assert "While it is at hand, an object is used in 1.00 cache lines" in html


@pytest.mark.parametrize("tab", ["flame", "timeline"])
def test_the_charts_are_drawn(profile: Path, tab: str) -> None:
    html = shown(page_of(profile), tab)
    chart = html[html.index(f'id="{tab}-chart"') :]
    assert "main-svg" in chart
    for function in ("push", "text"):
        assert function in chart


def test_names_are_text_and_never_markup(profile: Path) -> None:
    for tab in ("summary", "sites", "objects", "flame", "timeline", "processes"):
        html = shown(page_of(profile), tab)
        assert "data-bad" not in html
        assert "&lt;i&gt; é" in html


def test_nothing_is_asked_of_a_network(profile: Path) -> None:
    page = page_of(profile).read_text()
    assert "default-src 'none'" in page
    assert not re.search(
        r"<(?:script|img|iframe)[^>]*\bsrc=|<link\b", page[: page.index('<script id="data"')]
    )
    assert page_of(profile).stat().st_size < 15_000_000


def test_a_profile_without_accesses_has_a_page_that_says_so(
    malloom: Callable[..., Finished], profile: Path, tmp_path: Path
) -> None:
    bare = tmp_path / "bare.profile"
    malloom("record", "-o", bare, "--accesses", "none", "--", profile.with_name("program"))
    assert malloom("report", bare, "--format", "html", "-o", tmp_path / "bare.html").returncode == 0
    html = shown(tmp_path / "bare.html", "sites")
    assert "no accesses were recorded" in html
    assert "bytes ▾" in texts(html, "th")
    assert "last misses" not in texts(html, "th")
    assert '<div id="object-parts" hidden' in shown(tmp_path / "bare.html", "objects")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--format", "html", "-o", "/no/folder/page"], "there is no folder"),
        (["--format", "html", "-o", "{program}"], "exists and is no page"),
        (["--format", "csv", "-o", "{program}"], "exists already"),
        (["--format", "html", "--cache", "nonsense"], "nonsense"),
    ],
)
def test_bad_use_is_said(
    malloom: Callable[..., Finished], profile: Path, arguments: list[str], said: str
) -> None:
    words = [word.format(program=profile.with_name("program")) for word in arguments]
    done = malloom("report", profile, *words)
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_verdict_is_a_page_too(
    malloom: Callable[..., Finished], compile_c: Callable[..., Path], tmp_path: Path
) -> None:
    program = compile_c(PROGRAM.replace("main(void)", "main(int count, char** words)"), "-O0")
    inputs = ["--train", "<b>one", "--train", "two", "--check", "three"]
    page = tmp_path / "verdict.html"
    words = ["--json", "--html", page, "--runs", "6", "--seconds", "0"]
    done = malloom("optimize", *words, *inputs, "--", program, "{}")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    html = shown(page, "verdict")
    assert 'data-ready="yes"' in html
    kept = "" if found["plan"] else ", and nothing is kept"
    assert f"program: {found['verdict']}{kept}</h1>" in html
    assert "trained on: &lt;b&gt;one</li>" in html
    cells = texts(html, "td")
    for check in found["checks"]:
        time = check["cpu_time"]
        assert f"{time['ratio']:.3f} [{time['low']:.3f} {time['high']:.3f}]" in cells
    for row in found["rows"]:
        if "train" in row:
            assert row["name"] in html
    foretold = {row["name"]: row["predicted"] for row in found["rows"] if row["kind"] == "plan"}
    assert foretold.keys() >= {"pools"} and all(
        ratio is None or 0 < ratio < 10 for ratio in foretold.values()
    )
    assert malloom("optimize", "--html", program, "--", program).returncode == 2
