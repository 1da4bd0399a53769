"""`malloom report`: the places in the source that made the requests, and what a profile lacks."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from end_to_end.conftest import Finished

PROGRAM = """
#include <stdlib.h>
int main(void) {
    unsigned random = 1;
    for (int i = 0; i < 20000; i++) {
        random = random * 1103515245 + 12345;
        volatile char* object = malloc(random >> 16);
        object[0] = 1;
        free((void*)object);
    }
}
"""


SHARED = """
#include <stdlib.h>
static void* xmalloc(size_t bytes) {
    void* object = malloc(bytes);
    if (!object) abort();
    return object;
}
static void* push(int value) {
    int* made = xmalloc(sizeof *made);
    *made = value;
    return made;
}
static char* look(int value) {
    char* text = xmalloc(100);
    text[0] = (char)value;
    return text;
}
int main(int count, char** arguments) {
    for (int i = 0; i < 10; i++) {
        free(push(i));
        *(char* volatile*)arguments = look(i);
    }
    return count == 0;
}
"""


@pytest.mark.parametrize("level", ["-O0", "-O1", "-O2", "-O3"])
def test_callers_of_a_function_that_is_inlined_twice(
    malloom: Callable[..., Finished], compile_c: Callable[..., Path], level: str
) -> None:
    malloom("record", "-o", "p", "--accesses", "none", "--", compile_c(SHARED, level))
    text = malloom("report", "p", "--sort", "requests").stdout
    assert "  xmalloc <stdin>:4 < push <stdin>:9 < main <stdin>:20 < ...\n" in text
    assert "  xmalloc <stdin>:4 < look <stdin>:14 < main <stdin>:21 < ...\n" in text


@pytest.mark.parametrize(
    ("options", "gap"),
    [
        (["--accesses", "sampled"], "the accesses are a sample"),
        (["--accesses", "none"], "no accesses were recorded"),
        (["--max-size", "64K"], "before the program did (maximum size reached)"),
    ],
)
def test_a_report_says_first_what_the_profile_lacks(
    malloom: Callable[..., Finished],
    compile_c: Callable[..., Path],
    tmp_path: Path,
    options: list[str],
    gap: str,
) -> None:
    profile = tmp_path / "part.profile"
    malloom("record", "-o", profile, *options, "--", compile_c(PROGRAM))
    assert gap in malloom("report", profile).stdout.splitlines()[1]
    report = json.loads(malloom("report", profile, "--format", "json").stdout)
    assert gap in report["gaps"][0]
    assert {context["accessed"] for context in report["contexts"]} == {None}


KILLED = """
#include <signal.h>
#include <stdlib.h>
int main(int count, char** arguments) {
    for (int i = atoi(arguments[1]); i > 0; i--) *(volatile char*)malloc(40) = 1;
    return raise(SIGKILL);
}
"""


@pytest.mark.parametrize(
    ("objects", "gap"),
    [("1000", "before any was written"), ("300000", "its last accesses may be missing")],
)
def test_a_killed_program_may_lack_its_last_accesses(
    malloom: Callable[..., Finished], compile_c: Callable[..., Path], objects: str, gap: str
) -> None:
    malloom("record", "-o", "p", "--accesses", "full", "--", compile_c(KILLED), objects)
    report = json.loads(malloom("report", "p", "--format", "json").stdout)
    assert (report["complete"], report["totals"]["requests"]) == (False, int(objects))
    assert gap in report["gaps"][0]
    assert {context["accessed"] for context in report["contexts"]} == {None}


def test_a_plan_is_reported_as_one(
    malloom: Callable[..., Finished], compile_c: Callable[..., Path], tmp_path: Path
) -> None:
    malloom("record", "-o", "p", "--accesses", "none", "--", compile_c(PROGRAM))
    malloom("plan", "p", "-o", "made.plan", "--strategy", "sequential")
    told = malloom("report", "made.plan")
    assert told.stdout.startswith("made.plan: sequential, "), told.stderr
    assert told.stdout.endswith("\nholds for: nothing: no run of it was judged\n")
    assert json.loads(malloom("report", "made.plan", "--json").stdout)["strategy"] == "sequential"
    done = malloom("report", "made.plan", "--sort", "requests")
    assert (done.returncode, done.stderr.count("made.plan is a plan")) == (2, 1)


@pytest.mark.parametrize("accesses", ["none", "full"])
@pytest.mark.parametrize(("name", "shown"), [("two\nlines", "two\\nlines"), ("\udcff", "\\xff")])
def test_a_program_in_an_odd_folder_has_its_names(
    malloom: Callable[..., Finished],
    compile_c: Callable[..., Path],
    tmp_path: Path,
    accesses: str,
    name: str,
    shown: str,
) -> None:
    folder = tmp_path / name
    folder.mkdir()
    program = compile_c(SHARED, "-O2").rename(folder / "program")
    malloom("record", "-o", "p", "--accesses", accesses, "--", program)
    report = malloom("report", "p", "--sort", "requests").stdout
    assert "  xmalloc <stdin>:4 < push <stdin>:9 < main <stdin>:20 < ...\n" in report
    assert f"{shown}/program  pid" in report


HOLES = ("-Wl,-z,separate-code", "-Wl,--section-start=.text=0x420000")
"""Segments with holes between them, of which the loader knows each by itself. lld leaves such where a segment
ends just below a page's end, as in some programs of rustc."""


@pytest.mark.parametrize("kind", ["-pie", "-no-pie"])
def test_programs_with_holes_between_their_segments(
    malloom: Callable[..., Finished], compile_c: Callable[..., Path], kind: str
) -> None:
    program = compile_c(SHARED, "-O1", "-fno-pie" if kind == "-no-pie" else "-fpie", kind, *HOLES)
    malloom("record", "-o", "p", "--accesses", "none", "--", program)
    report = malloom("report", "p", "--sort", "requests", "--json").stdout
    assert "  xmalloc <stdin>:4 < push" in malloom("report", "p", "--sort", "requests").stdout
    assert json.loads(report)["process"]["build_id"]


@pytest.mark.parametrize(
    ("format", "options", "unused"),
    [
        ("html", ("--top", "3", "--cache", "zen3", "--depth", "2"), "leave out --top, --depth"),
        ("parquet", ("--sort", "requests", "--depth", "2"), "leave out --sort"),
        ("text", ("--cache", "zen3", "--top", "3"), "leave out --cache"),
    ],
)
def test_options_that_change_nothing_are_refused(
    malloom: Callable[..., Finished], tmp_path: Path, format: str, options: tuple[str, ...], unused: str
) -> None:
    done = malloom("report", "p", "--format", format, *options)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert done.stderr.rstrip().endswith(unused)
    assert list(tmp_path.iterdir()) == []


MANY_SITES = """
#include <stdlib.h>
void* volatile kept;
{}
int main(void) {{ {} }}
""".format(
    "\n".join(
        f"__attribute__((noinline)) void make{at}(void) {{ kept = malloc({at + 1}); }}" for at in range(30)
    ),
    " ".join(f"make{at}();" for at in range(30)),
)


def test_json_has_all_contexts_and_text_says_how_many_more(
    malloom: Callable[..., Finished], compile_c: Callable[..., Path]
) -> None:
    malloom("record", "-o", "p", "--accesses", "none", "--", compile_c(MANY_SITES))
    whole = json.loads(malloom("report", "p", "--json").stdout)
    assert len(whole["contexts"]) == whole["totals"]["contexts"] >= 30
    assert sum(row["requests"] for row in whole["contexts"]) == whole["totals"]["requests"]
    assert "10 more contexts ('--top 0' shows all)" in malloom("report", "p").stdout
    assert len(json.loads(malloom("report", "p", "--json", "--top", "7").stdout)["contexts"]) == 7
