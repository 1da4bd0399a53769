"""Builds by each policy, made by malloom-cc from a project as its user has it."""

import errno
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from malloom.errors import UsageProblem
from malloom.measure.allocators import KNOWN, Allocator, Setting, Version
from malloom.measure.process import Command
from malloom.optimize.building import (
    EARLY,
    MIMALLOC,
    POLICIES,
    Build,
    Builder,
    Builds,
    beside_links,
    build_all,
    check_build,
    put_back,
)
from malloom.optimize.keeping import keep_choice
from malloom.optimize.parts import chain_of
from malloom.optimize.training import command_of

LIST = """
#include <stdio.h>
#include <stdlib.h>
struct node { struct node* next; long value, unused; };
int main(void) {
    struct node* list = NULL;
    for (long i = 0; i < 1000; ++i) {
        struct node* made = malloc(sizeof *made);
        *made = (struct node){list, i, i};
        list = made;
    }
    long sum = 0;
    for (const struct node* node = list; node != NULL; node = node->next) sum += node->value;
    printf("%ld\\n", sum);
    while (list != NULL) {
        struct node* next = list->next;
        free(list);
        list = next;
    }
    return 0;
}
"""

Project = Callable[[str], Builder]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A folder with a program that was built as always; the build command is told where that is."""
    source, folder = tmp_path / "source", tmp_path / "builds"
    source.mkdir()
    folder.mkdir()
    (source / "list.c").write_text(LIST)
    program = source / "list"
    program.write_bytes(b"as it was")
    program.chmod(0o755)

    def builder(command: str) -> Builder:
        return Builder(command.replace("DIR", str(source)), program, folder, lambda text: None)

    return builder


def no_profile(executable: Path) -> Path | None:
    return None


MAKE = "{cc} -O2 -c DIR/list.c -o DIR/list.o && {cc} -O2 DIR/list.o -o DIR/list"


def test_every_policy_is_a_program_of_its_own_or_said_to_be_another_one(project: Project) -> None:
    builder = project(MAKE)
    builds = build_all(builder, no_profile)
    there = [row.policy for row in builds.rows]
    assert there[:2] == ["none", "pool"], "the first that inlines and copies has nothing to copy here"
    assert builds.left["built with overhead-only"] == "it is the same program as none"
    assert {row.policy for row in builds.rows} | {name.split()[-1] for name in builds.left} == set(POLICIES)
    assert builder.program.read_bytes() == b"as it was"
    assert builder.program.stat().st_mode & 0o777 == 0o755


def test_the_choice_of_a_build_is_its_own(project: Project, tmp_path: Path) -> None:
    builds = build_all(project(MAKE), no_profile)
    pool = builds.of("pool")
    assert pool is not None and pool.choice is not None
    keep_choice(pool, tmp_path / "kept.choice")
    text = (tmp_path / "kept.choice").read_text()
    assert text.startswith("choice of policies 1\nothers pool\nstructure pool struct node\nrequest malloc ")


def test_a_build_can_have_mimalloc_linked_in(project: Project, tmp_path: Path) -> None:
    """And the choice that is kept of it says so, also where its link wrote none."""
    builder = project(MAKE)
    builds = build_all(builder, no_profile)
    for policy in ("pool", "none"):
        build = builds.of(policy)
        assert build is not None
        linked = builds.linked(replace(build, fallback=MIMALLOC))
        assert linked is not None and linked.name == f"built with {policy}, mimalloc linked in"
        assert b"malloom_mimalloc_build" in linked.executable.read_bytes()
        assert b"malloom_mimalloc_build" not in build.executable.read_bytes()
        keep_choice(linked, tmp_path / "kept.choice")
        lines = (tmp_path / "kept.choice").read_text().splitlines()
        assert lines[:3] == ["choice of policies 1", f"others {policy}", "fallback mimalloc"]
        assert lines.count("fallback mimalloc") == 1
        assert builder.program.read_bytes() == b"as it was"
        chain = chain_of(linked, builds.rows)
        assert chain[-1] == ("allocator", linked)
        assert chain[-2][1] == build
        parts = [part for part, _ in chain]
        assert parts == [*(["link-time optimisation", "pools"][: len(parts) - 1]), "allocator"]


def test_pools_of_a_build_can_ask_for_huge_pages_early(project: Project, tmp_path: Path) -> None:
    """Which is told as huge pages, after what the allocator gains."""
    builds = build_all(project(MAKE), no_profile)
    build = builds.of("pool")
    assert build is not None
    linked = builds.linked(replace(build, fallback=MIMALLOC))
    assert linked is not None
    early = builds.linked(replace(linked, huge=EARLY))
    assert early is not None and early.name == "built with pool, mimalloc linked in, early huge pages"
    keep_choice(early, tmp_path / "kept.choice")
    lines = (tmp_path / "kept.choice").read_text().splitlines()
    assert lines[:4] == ["choice of policies 1", "others pool", "fallback mimalloc", "huge early"]
    assert [part for part, _ in chain_of(early, builds.rows)][-2:] == ["allocator", "huge pages"]
    assert [row for _, row in chain_of(early, builds.rows)][-3:] == [build, linked, early]


def test_a_mixture_can_have_mimalloc_linked_in(project: Project) -> None:
    builder = project(MAKE)
    (builder.program.parent / "list.c").write_text(TWO.read_text())
    builds = build_all(builder, no_profile)
    build = builds.of("pool")
    assert build is not None and build.structures is not None
    mixed = builds.mixed(build, {0: "maximal"})
    assert mixed is not None and mixed.structures is not None
    linked = builds.linked(replace(mixed, fallback=MIMALLOC))
    assert linked is not None and linked.structures is not None
    assert linked.name == f"{mixed.name}, mimalloc linked in"
    assert linked.structures.blocks == mixed.structures.blocks
    assert chain_of(linked, builds.rows)[-2][1] == mixed


TWO = Path(__file__).parents[2] / "compiler/choices/two_lists.c"


def test_a_structure_can_have_another_policy(project: Project) -> None:
    builder = project(MAKE)
    (builder.program.parent / "list.c").write_text(TWO.read_text())
    builds = build_all(builder, no_profile)
    build = builds.of("pool")
    assert build is not None and build.structures is not None
    number = [build.structures.name(each) for each in range(len(build.structures))].index("struct node")
    mixed = builds.mixed(build, {number: "maximal"})
    assert mixed is not None and mixed.structures is not None
    assert mixed.name == "built with pool, struct node by maximal"
    assert mixed.structures.policy(number) == "maximal"
    assert {mixed.structures.policy(each) for each in range(len(mixed.structures))} == {"maximal", "pool"}
    assert mixed.executable.read_bytes() != build.executable.read_bytes()
    assert builder.program.read_bytes() == b"as it was"
    assert builds.mixed(build, {number: "pool"}) is None
    assert builds.left["built with pool, struct node by pool"] == "it is the same program as pool"


def test_a_mixture_that_cannot_be_built_says_why(project: Project) -> None:
    fails = "grep -q choice= DIR/../builds/options && exit 1; "
    builder = project(fails + MAKE)
    builds = build_all(builder, no_profile)
    build = builds.of("pool")
    assert build is not None
    assert builds.mixed(build, {0: "maximal"}) is None
    assert builds.left["built with pool, struct node by maximal"] == "the build fails: exit status 1"
    assert builder.program.read_bytes() == b"as it was"


def test_a_table_of_fields_goes_with_the_choice(tmp_path: Path) -> None:
    (tmp_path / "choice").write_text("choice of policies 1\nothers default\n")
    (tmp_path / "table").write_bytes(b"fields")
    build = Build("default", Path("list"), tmp_path / "choice", tmp_path / "table")
    keep_choice(build, tmp_path / "kept.choice")
    assert (tmp_path / "kept.choice").read_text() == (
        "choice of policies 1\nprofile kept.fields\nothers default\n"
    )
    assert (tmp_path / "kept.fields").read_bytes() == b"fields"


def test_policies_that_choose_go_by_the_profile_of_the_program_without_pools(project: Project) -> None:
    recorded: list[Path] = []

    def record(executable: Path) -> Path | None:
        recorded.append(executable)
        return executable.with_name("table that is none")

    builds = build_all(project(MAKE), record)
    none = builds.of("none")
    assert none is not None
    assert recorded == [none.executable]
    failed = [name for name in builds.left if name.endswith(" by a profile")]
    assert failed == ["built with hot-cold by a profile", "built with default by a profile"]
    assert "cannot be read" in builds.left[failed[0]]


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("echo it breaks >&2; exit 3", "the build fails: it breaks"),
        ("exit 3", "the build fails: exit status 3"),
        ("cc -O2 DIR/list.c -o DIR/list #{cc}", "the build links with neither {cc} nor {cxx}"),
        (
            "{cc} --version && {cc} -c DIR/list.c -o DIR/x.o && cc DIR/list.c -o DIR/list",
            "the build links with neither {cc} nor {cxx}",
        ),
        ("{cc} -O2 DIR/list.c -o DIR/other", "the build made no "),
    ],
)
def test_a_build_that_fails_has_a_row_that_says_so(project: Project, command: str, why: str) -> None:
    builder = project(command)
    builds = build_all(builder, no_profile)
    assert builds.rows == []
    by_profile = {name for name in builds.left if name.endswith(" by a profile")}
    assert len(builds.left) == len(POLICIES) + len(by_profile)
    assert all(why in told for name, told in builds.left.items() if name not in by_profile)
    assert {builds.left[name] for name in by_profile} == {
        "there is no program without pools whose fields could be recorded"
    }
    assert builder.program.read_bytes() == b"as it was"


def test_a_build_that_goes_by_no_compiler_is_not_tried_again(project: Project, tmp_path: Path) -> None:
    builds = build_all(project(f"echo >> {tmp_path}/tried; touch DIR/list #{{cc}}"), no_profile)
    assert (tmp_path / "tried").read_text() == "\n"
    assert len(set(builds.left.values())) == 2 and not builds.rows


@pytest.mark.parametrize("named", ["-o DIR/list", "-oDIR/list", "--output=DIR/list"])
def test_the_choice_is_found_however_the_program_is_named(project: Project, named: str) -> None:
    builder = project(f"{{cc}} -O2 -c DIR/list.c -o DIR/list.o && {{cc}} -O2 DIR/list.o {named}")
    with put_back(builder.program, builder.folder):
        build = builder.build("pool")
    assert build.structures is not None and build.structures.name(0) == "struct node"


def test_a_build_that_fails_under_one_policy_leaves_the_others(project: Project) -> None:
    fails = "grep -q maximal DIR/../builds/options && { echo too much >&2; exit 1; }; "
    builds = build_all(project(fails + MAKE), no_profile)
    assert builds.left["built with maximal"] == "the build fails: too much"
    assert builds.of("pool") is not None


def test_the_program_comes_back_after_an_interrupt(project: Project) -> None:
    builder = project(MAKE)

    def say(text: str) -> None:
        if "pool" in text:
            raise KeyboardInterrupt

    builder.say = say
    with pytest.raises(KeyboardInterrupt):
        build_all(builder, no_profile)
    assert builder.program.read_bytes() == b"as it was"


def test_a_link_to_the_program_comes_back_with_it(project: Project, tmp_path: Path) -> None:
    builder = project(MAKE)
    link = tmp_path / "link"
    link.symlink_to(builder.program)
    by_link = replace(builder, program=link)
    with put_back(link, builder.folder):
        build = by_link.build("pool")
        link.unlink()
    assert build.executable.read_bytes() != b"as it was"
    assert link.is_symlink() and link.resolve() == builder.program
    assert builder.program.read_bytes() == b"as it was"


def test_a_copy_finds_what_lies_beside_the_program_and_below_its_folder(tmp_path: Path) -> None:
    program = tmp_path / "made/bin/program"
    for file in (program, program.parent / "data", tmp_path / "made/lib/library"):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(file.name)
    place = beside_links(program, tmp_path / "own")
    assert not place.exists()
    assert (place.parent / "data").read_text() == "data"
    assert (place.parent / "../lib/library").read_text() == "library"


def test_a_copy_finds_what_has_the_programs_own_name_elsewhere(tmp_path: Path) -> None:
    program = tmp_path / "made/bin/program"
    for file in (program, tmp_path / "made/program/data"):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(file.name)
    place = beside_links(program, tmp_path / "own")
    assert not place.exists()
    assert (place.parent / "../program/data").read_text() == "data"


def test_a_build_runs_in_the_place_of_the_program() -> None:
    build = Build("pool", Path("/built/list"))
    plain = Command(["./list", "-n", "3"])
    assert command_of(build, plain).arguments == ["/built/list", "-n", "3"]
    lean = Setting("lean", Allocator(KNOWN[0], None, Version("1", "here")), {"LEAN": "1"})
    over = Build("pool", Path("/built/list"), over=lean)
    assert over.name.startswith("built with pool over ")
    assert command_of(over, plain).environment["LEAN"] == "1"


def test_a_gain_is_the_links_the_inliners_the_pools_and_the_splits() -> None:
    builds = [Build(policy, Path(policy)) for policy in POLICIES]
    rows = {build.policy: build for build in builds}
    assert chain_of(rows["default"], builds) == [
        ("link-time optimisation", rows["none"]),
        ("inlining and copies", rows["overhead-only"]),
        ("pools", rows["pool"]),
        ("splitting", rows["default"]),
    ]
    assert [part for part, _ in chain_of(rows["none"], builds)] == ["link-time optimisation"]
    assert [part for part, _ in chain_of(rows["pool"], builds)][-1] == "pools"


def test_what_no_choice_can_say_is_not_kept() -> None:
    may_be_kept = {policy: Build(policy, Path(policy)).may_be_kept for policy in POLICIES}
    assert [policy for policy, may in may_be_kept.items() if not may] == ["overhead-only"]


def test_twins_are_told_of_once(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).write_bytes(b"alike")
    builds = Builds()
    builds.add(Build("none", tmp_path / "one"))
    builds.add(Build("pool", tmp_path / "two"))
    assert [row.policy for row in builds.rows] == ["none"]
    assert builds.left == {"built with pool": "it is the same program as none"}


@pytest.mark.parametrize(
    ("command", "program", "problem"),
    [
        ("make", "./list", "has no {cc} or {cxx}"),
        ("make CC={cc}", "list", "is not named as a file that the build makes"),
        ("make CC={cc}", "./list", "there is no ./list yet"),
        ("make CC={cc}", "./script", "is a script"),
    ],
)
def test_what_cannot_be_built_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, program: str, problem: str
) -> None:
    monkeypatch.chdir(tmp_path)
    script = tmp_path / "script"
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)
    with pytest.raises(UsageProblem, match=problem.replace("{", r"\{")):
        check_build(command, program)


def test_a_full_disk_does_not_keep_the_program_from_coming_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program, folder = tmp_path / "program", tmp_path / "folder"
    program.write_text("as it was")
    folder.mkdir()

    def refuse(*_: object) -> None:
        raise OSError(errno.ENOSPC, "full")

    with put_back(program, folder):
        program.unlink()
        program.write_text("half built")
        monkeypatch.setattr(shutil, "copy2", refuse)
    assert program.read_text() == "as it was"
    assert {path.name for path in tmp_path.iterdir()} == {"program", "folder"}


def test_a_build_that_removes_its_folder_has_the_program_back(tmp_path: Path) -> None:
    program, folder = tmp_path / "made" / "program", tmp_path / "folder"
    program.parent.mkdir()
    folder.mkdir()
    program.write_text("as it was")
    with put_back(program, folder):
        shutil.rmtree(program.parent)
    assert program.read_text() == "as it was"
    assert [path.name for path in program.parent.iterdir()] == ["program"]
