"""The suite types: what it takes from a table of fields, what it draws, a program from sources to rows."""

import hashlib
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from malloom.bench.debian_sources import Package
from malloom.bench.goals import Goal
from malloom.bench.steps import Bench
from malloom.bench.suites import found_suites
from malloom.bench.types.drawn import LEAST, as_markdown, drawn
from malloom.bench.types.programs import GCC, PROGRAMS, OfDebian, Typed, Work
from malloom.bench.types.suite import MEAN, mean_rows, program_rows, share_rows, write_draw
from malloom.bench.types.told import Gatherer, Pair, Told, told_of
from malloom.errors import CommandError
from malloom.measure.rows import Row

FOLDER = Path("/somewhere/built")
PLACE = ("made", "9 lines")
SOURCE = """
#include <stdlib.h>
struct node { struct node* next; long value; };
int main(int count, char** words) {
    struct node* head = 0;
    for (int i = 0; i < atoi(words[1]); i++) {
        struct node* made = malloc(sizeof *made);
        made->next = head, made->value = i, head = made;
    }
    return head->value + count == 7;
}
"""


def call(function: str, file: str, line: int) -> dict[str, Any]:
    return {"function": function, "file": file, "line": line, "column": 0, "function_line": 1}


GET = call("get", f"{FOLDER}/src/get.c", 3)
PUSH = call("push", f"{FOLDER}/src/push.c", 7)
LIBRARY = call("_ZNSt5dequeIiE9push_backEi", "/usr/include/c++/12/bits/stl_deque.h", 9)


def kind(accesses: int, sites: list[Any], known: tuple[str, bool, Any] | None) -> dict[str, Any]:
    told = known and {"name": known[0], "size": 8, "is_sure": known[1], "how": "a rule", "at": known[2]}
    calls = [{"calls": [each]} for each in sites]
    return {"loads": accesses - 1, "stores": 1, "type": told, "size": 16, "sites": calls}


def table(*kinds: dict[str, Any]) -> dict[str, Any]:
    return {"accesses": 100, "kinds": list(kinds)}


def test_shares_are_of_all_accesses() -> None:
    told = told_of(
        table(
            kind(40, [GET, PUSH], ("struct node", True, PUSH)),
            kind(30, [PUSH], ("struct other", False, PUSH)),
            kind(20, [PUSH], None),
        ),
        FOLDER,
    )
    assert (told.accesses, told.named, told.certain) == (100, 70, 40)
    assert told.not_named == pytest.approx(0.3)


def test_a_pair_stands_where_its_type_was_told() -> None:
    """Behind the wrapper, and behind the library's functions."""
    of_wrapper = told_of(table(kind(40, [GET, PUSH], ("struct node", True, PUSH))), FOLDER).pairs
    assert of_wrapper == (Pair("struct node", "a rule", 16, ("push src/push.c:7",)),)
    of_library = told_of(table(kind(40, [LIBRARY, PUSH], ("int", True, LIBRARY))), FOLDER).pairs
    assert [pair.calls for pair in of_library] == [("push src/push.c:7",)]


def test_a_pair_is_there_once_and_a_guess_is_none() -> None:
    told = told_of(
        table(
            kind(9, [PUSH], ("struct node", True, PUSH)),
            kind(9, [PUSH], ("struct node", True, PUSH)),
            kind(9, [GET], ("struct node", False, GET)),
        ),
        FOLDER,
    )
    assert len(told.pairs) == 1


def test_sources_of_crates_are_named_without_cargos_folders() -> None:
    at = call("searched", "/anywhere/registry/src/index-1/grep-1.0/src/lib.rs", 5)
    (pair,) = told_of(table(kind(9, [at], ("u8", True, at))), FOLDER).pairs
    assert pair.calls == ("searched grep-1.0/src/lib.rs:5",)


def gathered(**counts: int) -> Gatherer:
    told = Gatherer()
    for name, count in counts.items():
        pairs = (Pair(f"T{number}", "a rule", None, (f"f a.c:{number}",)) for number in range(count))
        told[name, "input"] = Told(100, 90, 50, tuple(pairs))
    return told


def test_a_draw_has_all_programs_and_is_the_same_for_a_seed() -> None:
    told = gathered(many=500, few=LEAST, fewer=1)
    found = drawn(told, 50, 3)
    assert len(set(found)) == 50
    counts = {name: sum(program == name for program, _ in found) for name in ("many", "few", "fewer")}
    assert counts == {"many": 45, "few": LEAST, "fewer": 1}
    assert found == drawn(told, 50, 3) != drawn(told, 50, 4)
    assert len(drawn(told, 1000, 3)) == 500 + LEAST + 1


def test_a_draw_is_a_table_that_says_its_seed() -> None:
    text = as_markdown([("made", Pair("a|b", "a rule", 8, ("f a.c:1", "g a.c:2")))], 7, 3)
    assert "1 of 7 certain types" in text
    assert "the seed 3" in text
    assert r"| 1 | made | `a\|b` | 8 | a rule | f a.c:1 < g a.c:2 |" in text


def test_a_draw_that_cannot_be_written_says_why(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="No such file"):
        write_draw(tmp_path / "none/draw.md", gathered(a=1), 1, 1)


def measured(rows: list[Row | Goal], variant: str) -> list[float]:
    return [row.ratio for row in rows if isinstance(row, Row) and row.variant == variant]


def test_goals_are_of_what_is_not_named() -> None:
    rows = share_rows(PLACE, Told(200, 196, 100, ()))
    assert measured(rows, "named") == [0.98]
    assert measured(rows, "certain") == [0.5]
    (goal,) = (each for each in rows if isinstance(each, Goal))
    assert goal.value == pytest.approx(0.02)
    assert goal.reached
    with pytest.raises(CommandError, match="no accesses"):
        share_rows(PLACE, Told(0, 0, 0, ()))


def test_each_program_counts_the_same_in_the_mean() -> None:
    told = gathered(a=1, b=1)
    told["c", "input"] = Told(10_000, 0, 0, ())
    rows = mean_rows(told)
    assert measured(rows, "named") == [pytest.approx(0.6)]
    (goal,) = (each for each in rows if isinstance(each, Goal))
    assert goal.reached is False
    assert mean_rows(Gatherer()) == []


def test_there_are_enough_programs() -> None:
    languages = [program.language for program in PROGRAMS]
    assert languages.count("C") + languages.count("C++") >= 5
    assert {"C", "C++", "Rust"} == {*languages}
    assert set(found_suites()["types"].parts) == {*(program.name for program in PROGRAMS), MEAN}


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_inputs_are_the_same_each_time(program: Typed, tmp_path: Path) -> None:
    def made(name: str) -> dict[Path, bytes]:
        words = program.work.prepared(tmp_path / name, 3)
        assert any(name in word for word in words)
        files = [file for file in (tmp_path / name).rglob("*") if file.is_file()]
        return {file.relative_to(tmp_path / name): file.read_bytes() for file in files}

    assert made("first") == made("second") != {}


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Typed:
    """A program of one file, whose sources malloom's cache folder has."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    kept = tmp_path / "cache/malloom/sources/made_1.0.orig.tar.gz"
    kept.parent.mkdir(parents=True)
    (tmp_path / "made-1.0").mkdir()
    (tmp_path / "made-1.0/main.c").write_text(SOURCE)
    with tarfile.open(kept, "w:gz") as packed:
        packed.add(tmp_path / "made-1.0", "made-1.0")
    hashed = hashlib.sha256(kept.read_bytes()).hexdigest()
    build = OfDebian(Package("made", "1.0-2", kept.name, hashed), "", "$CC $CFLAGS -o made main.c", GCC)
    work = Work(lambda folder, _draw, _size: folder.joinpath("none").touch(), "100", "nodes", 100, 100)
    return Typed("made", "C", build, "made", work)


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    def none(*_: object) -> None:
        pass

    ignored: Callable[..., None] = none
    return Bench(tmp_path, tmp_path / "scratch", ignored, ignored, ignored)


def test_a_program_from_its_sources_to_its_rows(small: Typed, bench: Bench) -> None:
    told = Gatherer()
    rows = program_rows(bench, small, quick=True, told=told)
    assert measured(rows, "certain") == [pytest.approx(1.0, abs=0.2)]
    (pair,) = told["made", "100 nodes"].pairs
    assert (pair.type, pair.size, pair.calls) == ("struct node", 16, ("main main.c:7",))
    assert not list(bench.scratch.rglob("main.c")), "nothing of it stays"


def test_a_build_that_makes_no_program_says_so(small: Typed, bench: Bench) -> None:
    other = Typed(small.name, small.language, small.build, "other", small.work)
    with pytest.raises(CommandError, match="building made made no other"):
        program_rows(bench, other, quick=True, told=Gatherer())
