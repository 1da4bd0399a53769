"""`malloom diff` and `malloom check` over recordings of two builds of a program."""

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from end_to_end.browser import shown
from end_to_end.conftest import Finished, done_well
from end_to_end.test_page import rows_of

BEFORE = """
#include <stdlib.h>
#include <string.h>
struct node { struct node* next; long value; };
static void* xmalloc(size_t bytes) {
    void* object = malloc(bytes);
    if (!object) abort();
    return object;
}
static struct node* push(struct node* next) {
    struct node* made = xmalloc(sizeof *made);
    made->next = next;
    return made;
}
static char* text(void) {
    char* made = xmalloc(100);
    memset(made, 1, 100);
    return made;
}
int main(void) {
    struct node* all = 0;
    for (int i = 0; i < 4000; i++) all = push(all);
    long sum = 0;
    for (int round = 0; round < 3; round++)
        for (struct node* at = all; at; at = at->next) sum += (long)at;
    for (int i = 0; i < 500; i++) {
        char* made = text();
        sum += made[7];
        free(made);
    }
    return sum == 42;
}
"""
AFTER = BEFORE.replace("static char*", "\n\n\nstatic char*").replace("free(made);", "")


def test_a_difference_is_a_page(malloom: Callable[..., Finished], recorded: Path) -> None:
    sides = [recorded / "before.profile", recorded / "after.profile"]
    page = recorded / "changes.html"
    done = malloom("diff", *sides, "--format", "html", "-o", page)
    assert done.returncode == 0, done.stderr
    found = json.loads(malloom("diff", *sides, "--json").stdout)
    html = shown(page, "changes")
    assert 'data-ready="yes"' in html
    changed = [site for site in found["sites"] if site["words"]]
    rows = rows_of(html, "table")
    assert sorted(row["what changed"] for row in rows) == sorted(", ".join(site["words"]) for site in changed)
    assert sorted(row["call site"] for row in rows) == sorted(site["name"] for site in changed)
    grown = next(row for row in rows if row["call site"].startswith("xmalloc") and "text" in row["call site"])
    assert grown["live peak ▾"] == "100 B → 48.8 KiB (500.00)"
    assert f"{len(changed)} of {len(found['sites'])} call sites" in html
    assert page.stat().st_size < 100_000
    assert malloom("diff", *sides, "-o", page).returncode == 2
    assert malloom("diff", *sides, "--format", "html", "-o", sides[0]).returncode == 2


def test_a_page_by_what_was_not_recorded_is_by_name(
    run: Callable[..., Finished], recorded: Path, tmp_path: Path
) -> None:
    profiles = [tmp_path / f"{name}.profile" for name in ("before", "after")]
    for profile in profiles:
        run("record", "-o", profile, "--accesses", "none", "--", recorded / profile.stem / "program")
    run("diff", *profiles, "--format", "html", "-o", tmp_path / "page.html", "--sort", "misses")
    names = [row["call site ▴"] for row in rows_of(shown(tmp_path / "page.html"), "table")]
    assert names
    assert names == sorted(names)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with before.profile and after.profile, each beside its program."""
    folder = tmp_path_factory.mktemp("builds")
    for name, source in (("before", BEFORE), ("after", AFTER)):
        (folder / name).mkdir()
        program = folder / name / "program"
        subprocess.run(
            ["gcc", "-O1", "-g", "-x", "c", "-", "-o", str(program)], input=source, text=True, check=True
        )
        done_well(folder, "record", "-o", f"{name}.profile", "--", program)
    return folder


@pytest.fixture
def run(malloom: Callable[..., Finished]) -> Callable[..., Finished]:
    """The same, which must end with the exit status `status`, 0 if not said."""

    def checked(*arguments: str | Path, status: int = 0) -> Finished:
        done = malloom(*arguments)
        assert done.returncode == status, done.stderr
        return done

    return checked


def test_a_leak_shows_at_its_call_site_in_another_build(run: Callable[..., Finished], recorded: Path) -> None:
    told = run("diff", recorded / "before.profile", recorded / "after.profile", "--json")
    found = json.loads(told.stdout)
    assert found["matched"]["bytes_of_old"] == 1.0
    first = found["sites"][0]
    assert [call["function"] for call in first["calls"]] == ["xmalloc", "text", "main"]
    assert (first["old"]["live_peak"], first["new"]["live_peak"]) == (100, 50_000)
    assert first["old"]["requests"] == first["new"]["requests"] == 500
    assert "grew" in first["words"]
    push = next(site for site in found["sites"] if site["calls"][1]["function"] == "push")
    assert push["words"] == []
    assert push["old"] == push["new"]


def test_the_text_says_what_grew(run: Callable[..., Finished], recorded: Path) -> None:
    lines = run("diff", recorded / "before.profile", recorded / "after.profile").stdout.splitlines()
    assert any(line.startswith("grew") and "xmalloc <stdin>:6 < text <stdin>:" in line for line in lines)
    assert any("live peak 100 B -> 48.8 KiB (500.00)" in line for line in lines)


def test_nothing_differs_from_itself(run: Callable[..., Finished], recorded: Path) -> None:
    told = run("diff", recorded / "before.profile", recorded / "before.profile").stdout
    assert "no site changed notably" in told
    assert "keys agree: same" in told


def test_a_summary_stands_for_a_profile_whose_program_is_gone(
    run: Callable[..., Finished], recorded: Path, tmp_path: Path
) -> None:
    saved = tmp_path / "baseline.json"
    run("check", recorded / "before.profile", "--save", saved)
    limits = ["--max-peak", "1.05", "--max-requests", "1", "--junit", tmp_path / "j.xml"]
    program = recorded / "before/program"
    program.rename(recorded / "gone")
    try:
        done = run("check", recorded / "after.profile", "--baseline", saved, *limits, status=3)
    finally:
        (recorded / "gone").rename(program)
    broken, *rest = done.stdout.splitlines()
    assert re.match(r"\S*<stdin>:6: live peak ", broken)
    assert "of the whole process; most of it here: xmalloc" in broken
    assert rest[0] == "1 of 2 limits broken"
    assert 'failures="1"' in (tmp_path / "j.xml").read_text()
    assert run("check", recorded / "before.profile", "--baseline", saved, *limits).stdout.startswith(
        "2 limits kept"
    )


def test_limits_on_named_sites(run: Callable[..., Finished], recorded: Path) -> None:
    sides = [recorded / "after.profile", "--baseline", recorded / "before.profile", "--max-peak", "1.05"]
    assert run("check", *sides, "--site", "push").stdout.startswith("1 limit kept")
    assert "xmalloc" in run("check", *sides, "--site", "te*t", status=3).stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["check", "{old}"], "there is nothing to do"),
        (["check", "{old}", "--baseline", "{old}"], "there is no limit"),
        (["check", "{old}", "--max-peak", "1"], "nothing to hold the limits against"),
        (["check", "{old}", "--baseline", "{old}", "--max-peak", "nan"], "must be a ratio above 0"),
        (
            ["check", "{old}", "--baseline", "{old}", "--max-peak", "1", "--junit", "/no/folder/j"],
            "no folder",
        ),
        (["check", "{old}", "--save", "{program}"], "exists and is no summary"),
        (["diff", "{old}", "{new}", "--format", "html5"], "there is no format"),
        (["diff", "{old}", "{new}", "--sort", "size"], "cannot sort by"),
    ],
)
def test_bad_use_is_said(
    run: Callable[..., Finished], recorded: Path, arguments: list[str], said: str
) -> None:
    names = {
        "old": recorded / "before.profile",
        "new": recorded / "after.profile",
        "program": recorded / "before/program",
    }
    done = run(*(word.format(**names) for word in arguments), status=2)
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


def test_the_next_build_may_have_another_name(
    run: Callable[..., Finished], compile_c: Callable[..., Path], recorded: Path, tmp_path: Path
) -> None:
    old, new = recorded / "before.profile", tmp_path / "new.profile"
    run("record", "-o", new, "--", compile_c(AFTER).rename(tmp_path / "program-1.1"))
    found = json.loads(run("diff", old, new, "--json").stdout)
    same = json.loads(run("diff", old, recorded / "after.profile", "--json").stdout)
    assert found["matched"] == same["matched"]
    assert [site["words"] for site in found["sites"]] == [site["words"] for site in same["sites"]]
    assert found["notes"][0].startswith("the programs have two names: ")
    run("check", new, "--baseline", old, "--max-requests", "1.1", status=0)
    for side in (old, new):
        run("plan", side, "-o", f"{side.stem}.plan", "--strategy", "pools")
    plans = json.loads(run("diff", "before.plan", "new.plan", "--json").stdout)
    assert plans["matched"]["sites_of_old"] == 1


def test_baselines_that_cannot_be_used(
    run: Callable[..., Finished], compile_c: Callable[..., Path], recorded: Path, tmp_path: Path
) -> None:
    profile = recorded / "before.profile"
    other = tmp_path / "other.profile"
    changed = compile_c("\n" + BEFORE.replace("push", "put").replace("text(", "line("))
    run("record", "-o", other, "--accesses", "none", "--", changed.rename(tmp_path / "another"))
    refused = run("check", profile, "--baseline", other, "--max-peak", "1", status=1)
    assert "is of another program" in refused.stderr
    bare = tmp_path / "bare.profile"
    run("record", "-o", bare, "--accesses", "none", "--", recorded / "before/program")
    assert (
        "has no accesses" in run("check", bare, "--baseline", profile, "--max-misses", "1", status=1).stderr
    )
    (tmp_path / "cut.json").write_text('{"malloom_summary": 1, "depth"')
    assert (
        "is damaged"
        in run("check", profile, "--baseline", tmp_path / "cut.json", "--max-peak", "1", status=1).stderr
    )


def test_plans_are_compared_by_their_call_sites(
    run: Callable[..., Finished], recorded: Path, tmp_path: Path
) -> None:
    for name in ("pools", "first-use"):
        run("plan", recorded / "before.profile", "-o", tmp_path / f"{name}.plan", "--strategy", name)
    sides = (tmp_path / "pools.plan", tmp_path / "first-use.plan")
    found = json.loads(run("diff", *sides, "--json").stdout)
    assert found["changed"]["strategy"] == {"old": "pools", "new": "first-use"}
    assert any(site["new"] and site["new"]["slots"] == 4000 for site in found["sites"])
    assert "nothing differs" in run("diff", sides[0], sides[0]).stdout
    assert "is none" in run("diff", sides[0], recorded / "before.profile", status=2).stderr
