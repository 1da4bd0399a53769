"""The part `links`: its programs, how a link is run alone, and what its rows are held to."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from malloom.bench.goals import LIMIT, Goal
from malloom.bench.splitting.compilers import LTO
from malloom.bench.splitting.debian_builds import Tree, lines_of, link_alone
from malloom.bench.splitting.debian_programs import PROGRAMS as OF_DEBIAN
from malloom.bench.splitting.debian_programs import SourceProgram
from malloom.bench.splitting.link_programs import PROGRAMS, QUICK
from malloom.bench.splitting.linked_program import LinkedProgram
from malloom.bench.splitting.links import (
    LARGE,
    LINK_ALONE,
    LINK_TIMES,
    WANTED,
    WANTED_LARGE,
    demand_same,
    held,
    link_rows,
    seconds_of,
    size_goals,
    used,
)
from malloom.bench.splitting.scale import full_scale
from malloom.errors import CommandError
from malloom.measure.interleaved import Rounds
from malloom.measure.process import Run, run_measured

PLACE = ("lzip", "C++")
OPTIONS = {"CC": "clang-19", "CFLAGS": "-O2 -flto=full", "LDFLAGS": "-flto=full -fuse-ld=lld"}
ONE_LINK = "cd src && test -f program.o || $CC $CFLAGS -c program.c && $CC $LDFLAGS program.o -o ../program"
LONGEST_STEP = 1200.0
"""Seconds."""


def run(cpu: float, peak: int = 1) -> Run:
    return Run(0, cpu, 0.0, cpu, peak, {}, "", b"")


def program_of(folder: Path, source: str, arguments: str = "", make: str = ONE_LINK) -> Tree:
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "program.c").write_text(source, encoding="utf-8")
    package = OF_DEBIAN[0].package
    made = LinkedProgram("one", "C", package, "", make, "program", arguments, (), 1.0)
    return Tree(made, folder, OPTIONS)


def said(tree: Tree) -> Run:
    assert isinstance(tree.program, LinkedProgram)
    return used(tree, tree.program)


def test_there_are_enough_programs() -> None:
    assert len({program.name for program in PROGRAMS}) == len(PROGRAMS) >= WANTED
    assert sum(program.language == "C++" for program in PROGRAMS) >= WANTED_LARGE
    assert all(len(program.package.sha256) == 64 for program in PROGRAMS)
    assert {program.name for program in OF_DEBIAN} <= {program.name for program in PROGRAMS}
    assert len(QUICK) == 2


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_a_step_is_thought_to_take_less_than_twenty_minutes(program: LinkedProgram) -> None:
    amount = full_scale((), 1 << 25, 60.0, (), (), (), (), allocators=False).of_links
    assert 0 < seconds_of(program, amount) < LONGEST_STEP


def test_a_link_alone_makes_the_program_again_and_compiles_nothing(tmp_path: Path) -> None:
    tree = program_of(tmp_path / "tree", "int main(void) { return 0; }")
    tree.make()
    made = tree.binary.read_bytes()
    command = link_alone(tree)
    (tmp_path / "tree" / "src" / "program.c").unlink()
    (tmp_path / "tree" / "src" / "program.o").unlink()
    assert run_measured(command).status == 0
    (again,) = (file for file in (tmp_path / "tree.link").rglob("program") if file.is_file())
    assert again.read_bytes() == made


def test_a_link_by_another_linker_is_refused(tmp_path: Path) -> None:
    tree = program_of(tmp_path / "tree", "int main(void) { return 0; }", make="cc src/program.c -o program")
    tree.make()
    with pytest.raises(CommandError, match=r"the link of one was not by ld\.lld-19"):
        link_alone(tree)


def test_builds_must_do_the_same(tmp_path: Path) -> None:
    """Each says its own name, as other programs do with `--version`: that is no difference."""
    text = '#include <stdio.h>\nint main(int n, char** a) {{ printf("%s {}\\n", a[0]); return n != 2; }}'
    one, same, other = (
        program_of(tmp_path / name, text.format(word), "once")
        for name, word in (("one", "1"), ("same", "1"), ("other", "2"))
    )
    for tree in (one, same, other):
        tree.make()
    assert isinstance(one.program, LinkedProgram)
    demand_same(one.program, {LTO: said(one), "default": said(same)})
    with pytest.raises(CommandError, match="one, default, does not say what it says as lto"):
        demand_same(one.program, {LTO: said(one), "default": said(other)})


def test_a_build_must_not_fail(tmp_path: Path) -> None:
    tree = program_of(tmp_path / "tree", "int main(void) { return 3; }")
    tree.make()
    assert isinstance(tree.program, LinkedProgram)
    with pytest.raises(CommandError, match="one, lto, ended with exit status 3"):
        demand_same(tree.program, {LTO: said(tree)})


def test_lines_are_those_of_the_programs_folders(tmp_path: Path) -> None:
    tree = program_of(tmp_path / "tree", "int a;\nint b;\n")
    (tmp_path / "tree" / "other.c++").write_text("int c;\n", encoding="utf-8")
    assert (lines_of(tree), lines_of(tree, ("src",)), lines_of(tree, (".", "src"))) == (3, 2, 3)


@pytest.mark.parametrize(
    ("times", "baseline"), [([1.9] * 6, LTO), ([2.1] * 6, LTO), ([1.9] * 3, LIMIT), ([2.1] * 3, LIMIT)]
)
def test_a_link_may_take_twice_the_time(times: Sequence[float], baseline: str) -> None:
    """Three pairs have no interval; their median is held all the same."""
    alone = [run(1.0) for _ in times]
    links = Rounds({LTO: alone, "lto again": alone, "default": [run(each, 3) for each in times]})
    *rows, goal = held(PLACE, link_rows(PLACE, links), links, "cpu_time", LINK_ALONE, LINK_TIMES)
    assert isinstance(goal, Goal) and goal.row.baseline == baseline
    assert goal.is_judged and goal.reached is (times[0] < 2)
    peaks = {row.variant: row.peak_rss_ratio for row in rows if not isinstance(row, Goal)}
    assert peaks == {"lto again": 1, "default": 3}


@pytest.mark.parametrize(("count", "large", "reached"), [(40, 10, [True, True]), (39, 9, [False, False])])
def test_forty_programs_are_wanted_and_ten_large_ones(count: int, large: int, reached: list[bool]) -> None:
    sizes = {(f"large {number}", "C++"): LARGE for number in range(large)}
    sizes |= {(f"small {number}", "C++"): LARGE - 1 for number in range(5)}
    sizes |= {(f"other {number}", "C"): 9 * LARGE for number in range(count - len(sizes))}
    assert [goal.reached for goal in size_goals(sizes)] == reached


def test_programs_of_debian_are_built_as_there() -> None:
    """They have one recipe each."""
    linked = {program.name: program for program in PROGRAMS}
    for program in OF_DEBIAN:
        same = linked[program.name]
        assert isinstance(same, SourceProgram)
        assert (same.package, same.make, same.binary) == (program.package, program.make, program.binary)
