"""The choice by a recorded table of fields, as a user makes one: record, profile fields, link."""

import shutil
from pathlib import Path

import pytest

from compiler import compiling, recordings
from compiler.recordings import PROGRAMS, MadeField, MadeKind
from malloom.sites.keys import Site
from some import some

SEEN = PROGRAMS / "often_and_seldom.c"
TOGETHER = PROGRAMS / "used_together.c"
NEXT, OFTEN, SELDOM, NEVER = 0, 8, (16, 24, 32), (40, 48, 56)
EVERY = (NEXT, OFTEN, *SELDOM, *NEVER)

IN_CPP = (
    "-DMAKE=new struct item",
    "-DRELEASE=delete",
)
IN_C = ("-DMAKE=calloc(1, sizeof(struct item))", "-DRELEASE=free")


class Flow:
    """A program that was recorded as plain clang makes it, and is linked again with what was recorded."""

    def __init__(
        self, folder: Path, source: Path, *arguments: str, options: tuple[str, ...] = (), depth: int = 1
    ) -> None:
        self.folder, self.source, self.options = folder, source, options
        recorded = compiling.compile_plainly(source, "-O2", folder / "recorded", "-g", *options)
        self.table = recordings.record(recorded, folder, *arguments, depth=depth)

    def link(self, policy: str, source: Path | None = None, *options: str) -> recordings.Linked:
        """Also of a later version of the source; the program does what a plain build of it does."""
        source = source or self.source
        options = options or self.options
        bitcode = compiling.compile_object(source, "-O2", self.folder / "bitcode.o", *options)
        linked = recordings.link(source, bitcode, self.table, policy, self.folder / policy)
        plain = compiling.compile_plainly(source, "-O2", self.folder / "plain", *options)
        assert compiling.run(linked.program) == compiling.run(plain)
        return linked

    def edited(self, *changes: tuple[str, str]) -> Path:
        """The next version of the source: each text replaced by another."""
        folder = self.folder / "edited"
        folder.mkdir(exist_ok=True)
        text = self.source.read_text()
        for old, new in changes:
            assert old in text
            text = text.replace(old, new)
        (folder / self.source.name).write_text(text)
        return folder / self.source.name


@pytest.fixture(scope="module")
def flow(tmp_path_factory: pytest.TempPathFactory) -> Flow:
    return Flow(tmp_path_factory.mktemp("flow"), SEEN, "1000", "40", "1", "0")


def only(linked: recordings.Linked) -> recordings.Decision:
    (decision,) = linked.decisions
    return decision


def share(linked: recordings.Linked) -> str:
    """The remark of how much of the profile is in the program."""
    (found,) = [text for text in linked.remarks if " call sites of the profile " in text]
    return found


def test_hot_and_cold_fields_are_those_that_were_recorded(flow: Flow) -> None:
    decision = only(flow.link("hot-cold"))
    assert decision.is_recorded
    assert decision.parts == ((NEXT, OFTEN), (*SELDOM, *NEVER))


def test_without_a_profile_the_code_cannot_tell(flow: Flow, tmp_path: Path) -> None:
    """Both walks look alike, and so the fields of neither are cold."""
    bitcode = compiling.compile_object(SEEN, "-O2", tmp_path / "bitcode.o")
    text = compiling.link(SEEN, [bitcode], "-O2", "hot-cold", tmp_path / "program")
    decision = only(recordings.Linked(tmp_path / "program", "", text))
    assert not decision.is_recorded
    assert decision.parts != only(flow.link("hot-cold")).parts


def test_the_default_goes_by_the_profile(flow: Flow) -> None:
    """What is read often lies apart from all else."""
    linked = flow.link("default")
    decision = only(linked)
    assert decision.is_recorded
    assert sorted(offset for part in decision.parts for offset in part) == list(EVERY)
    hot = {offset for part in decision.parts if NEXT in part or OFTEN in part for offset in part}
    assert hot == {NEXT, OFTEN}
    assert any("by the profile" in text for text in linked.remarks)
    assert "1 of 1 call sites" in share(linked) and "100.0%" in share(linked) and "(1 exact)" in share(linked)


@pytest.mark.parametrize("policy", some("maximal", of=["pool", "maximal", "none"]))
def test_other_policies_do_not_look_at_it(flow: Flow, policy: str) -> None:
    linked = flow.link(policy)
    assert not any(decision.is_recorded for decision in linked.decisions)


@pytest.mark.parametrize(("suffix", "options"), some((".cpp", IN_CPP), of=[(".c", IN_C), (".cpp", IN_CPP)]))
def test_other_requests_are_matched(tmp_path: Path, suffix: str, options: tuple[str, ...]) -> None:
    source = tmp_path / f"source{suffix}"
    shutil.copy(SEEN, source)
    flow = Flow(tmp_path, source, "1000", "40", "1", "0", options=options)
    decision = only(flow.link("hot-cold"))
    assert (decision.is_recorded, decision.parts) == (True, ((NEXT, OFTEN), (*SELDOM, *NEVER)))


@pytest.mark.parametrize(
    ("changes", "level"),
    [
        ([("struct item {\n", "struct item {\n    // lines are added above\n\n")], "1 moved"),
        ([("struct item* made = MAKE;", "long other = i;\n    struct item* made = MAKE;")], "1 counted"),
        ([("make(", "made_by(")], "1 renamed"),
    ],
)
def test_a_later_version_is_matched(flow: Flow, changes: list[tuple[str, str]], level: str) -> None:
    linked = flow.link("hot-cold", flow.edited(*changes))
    assert level in share(linked)
    assert only(linked).is_recorded
    assert only(linked).parts == ((NEXT, OFTEN), (*SELDOM, *NEVER))


def test_inlining_may_differ(tmp_path: Path) -> None:
    """The recorded program calls what is inlined now."""
    flow = Flow(tmp_path, SEEN, "1000", "40", "1", "0", options=("-fno-inline",))
    linked = flow.link("hot-cold", SEEN, "-O2")
    assert "(1 exact)" in share(linked)
    assert only(linked).is_recorded


CHECKED = "void* made = malloc(bytes); if (made == NULL) abort(); return made;"
JUMPED_TO = "return malloc(bytes);"
WRAPPERS = some(
    *[(CHECKED, 2), (JUMPED_TO, 1)], of=[(CHECKED, 1), (CHECKED, 2), (JUMPED_TO, 1), (JUMPED_TO, 2)]
)


@pytest.mark.parametrize(("body", "depth"), WRAPPERS)
def test_wrappers_are_seen_through(tmp_path: Path, body: str, depth: int) -> None:
    """A function of its own in the recorded program, and a part of its caller now."""
    header = tmp_path / "wrapper.h"
    header.write_text(f"#include <stdlib.h>\nWRAPPER void* request(size_t bytes) {{ {body} }}\n")
    options = ["-include", str(header), "-DMAKE=request(sizeof(struct item))", "-DRELEASE=free"]
    wrapped = (*options, "-DWRAPPER=__attribute__((noinline)) static")
    flow = Flow(tmp_path, SEEN, "1000", "40", "1", "0", options=wrapped, depth=depth)
    linked = flow.link("hot-cold", SEEN, *options, "-DWRAPPER=static inline")
    assert "(1 exact)" in share(linked)
    assert only(linked).is_recorded


def test_builds_of_gcc_can_be_recorded(flow: Flow, tmp_path: Path) -> None:
    compiling.call(["gcc", "-O2", "-g", str(SEEN), "-o", str(tmp_path / "recorded")])
    table = recordings.record(tmp_path / "recorded", tmp_path, "1000", "40", "1", "0")
    bitcode = compiling.compile_object(SEEN, "-O2", tmp_path / "bitcode.o")
    linked = recordings.link(SEEN, bitcode, table, "hot-cold", tmp_path / "program")
    assert only(linked).parts == only(flow.link("hot-cold")).parts
    assert only(linked).is_recorded


def test_another_size_is_not_told_of(flow: Flow) -> None:
    linked = flow.link("default", SEEN, "-DLARGER")
    assert not only(linked).is_recorded
    assert any("it has other sizes of objects at their call sites" in text for text in linked.remarks)


def test_another_program_is_warned_of(flow: Flow) -> None:
    linked = flow.link("default", TOGETHER, "-O2")
    assert not only(linked).is_recorded
    (warning,) = linked.warnings
    assert "has no call site that is in the program" in warning
    assert "structures are chosen as without it" in warning


def test_without_debug_information_it_says_so(flow: Flow) -> None:
    linked = flow.link("default", SEEN, "-g0")
    (warning,) = linked.warnings
    assert "compile with -g" in warning


MADE = {
    SEEN: recordings.key(SEEN, "struct item* made = MAKE;", "make", "static struct item* make("),
    TOGETHER: recordings.key(TOGETHER, "made = malloc(", "make", "static struct node* make("),
}
"""The one call site of each program that requests objects."""


def made(tmp_path: Path, kind: MadeKind, policy: str = "default", source: Path = SEEN) -> recordings.Linked:
    """A program linked with a table of its call site, where such objects were requested."""
    (tmp_path / "made.fields").write_bytes(recordings.made_table([(MADE[source], [kind])]))
    bitcode = compiling.compile_object(source, "-O2", tmp_path / "bitcode.o")
    linked = recordings.link(source, bitcode, tmp_path / "made.fields", policy, tmp_path / "program")
    assert compiling.run(linked.program).status == 0
    return linked


WALKED = MadeKind(
    64,
    1000,
    41_000,
    [MadeField(0, 8, 41_000, 40_000, 1000), MadeField(8, 8, 41_000, 40_000, 1000)]
    + [MadeField(offset, 8, 1000, 0, 1000) for offset in (16, 24, 32, 40, 48, 56)],
    {(0, 1): 41_000} | {(a, b): 1000 for a in range(8) for b in range(max(a + 1, 2), 8)},
    41_000,
    41_000,
    1000,
)


def test_fields_that_are_used_together_lie_together(tmp_path: Path) -> None:
    """Which the code does not tell: each of its paths may be taken at each node."""
    fields = [MadeField(0, 8, 41_000, 40_000, 1000)]
    fields += [MadeField(offset, 8, 21_000, 20_000, 1000) for offset in (8, 16, 24, 32)]
    fields += [MadeField(offset, 8, 1000, 0, 1000) for offset in (40, 48, 56)]
    pairs = {(a, b): 1000 for a in range(8) for b in range(a + 1, 8)}
    pairs |= {(0, number): 21_000 for number in (1, 2, 3, 4)} | {(1, 2): 21_000, (3, 4): 21_000}
    kind = MadeKind(64, 1000, 41_000, fields, pairs, 41_000, 41_000, 1000)
    decision = only(made(tmp_path, kind, source=TOGETHER))
    assert decision.is_recorded
    assert (8, 16) in decision.parts and (24, 32) in decision.parts


def test_a_walk_that_waits_is_split(tmp_path: Path) -> None:
    decision = only(made(tmp_path, WALKED, "hot-cold"))
    assert (decision.is_recorded, decision.parts) == (True, ((0, 8), (16, 24, 32, 40, 48, 56)))


@pytest.mark.parametrize("policy", ["default", "hot-cold"])
def test_what_is_not_waited_for_stays_whole(tmp_path: Path, policy: str) -> None:
    fields = [MadeField(row.offset, 8, row.visits, row.loads * 1000, row.stores) for row in WALKED.fields]
    kind = MadeKind(64, 1000, 41_000, fields, WALKED.pairs, first_misses=1000)
    linked = made(tmp_path, kind, policy)
    decision = only(linked)
    assert (decision.is_recorded, decision.parts) == (True, ())
    assert decision.why == "the recorded program hardly waited for its objects"
    assert any("not split, as the recorded program hardly waited" in text for text in linked.remarks)


def test_objects_that_are_never_used_stay_whole(tmp_path: Path) -> None:
    assert only(made(tmp_path, MadeKind(64, 1000, 0, []))).parts == ()


def test_fields_that_are_all_used_alike_are_not_divided(tmp_path: Path) -> None:
    fields = [MadeField(offset, 8, 41_000, 40_000, 1000) for offset in EVERY]
    pairs = {(a, b): 41_000 for a in range(8) for b in range(a + 1, 8)}
    decision = only(
        made(tmp_path, MadeKind(64, 1000, 41_000, fields, pairs, 41_000, 41_000, 1000), "hot-cold")
    )
    assert (decision.is_recorded, decision.parts) == (True, ())
    assert "not clearly hot or cold" in decision.why


def test_accesses_where_the_program_has_none_are_of_another_version(tmp_path: Path) -> None:
    fields = [MadeField(0, 8, 1000, 1000), MadeField(64, 8, 1000, 1000)]
    linked = made(tmp_path, MadeKind(64, 1000, 1000, fields, {(0, 1): 1000}, 1000, 1000))
    assert not only(linked).is_recorded
    assert any("it has accesses to other bytes of them" in text for text in linked.remarks)


def test_a_table_of_calls_without_lines_is_warned_of(tmp_path: Path) -> None:
    site = Site(0x1000, "malloc")
    (tmp_path / "made.fields").write_bytes(recordings.made_table([(site, [WALKED])]))
    bitcode = compiling.compile_object(SEEN, "-O2", tmp_path / "bitcode.o")
    linked = recordings.link(SEEN, bitcode, tmp_path / "made.fields", "default", tmp_path / "program")
    (warning,) = linked.warnings
    assert "record one that was compiled with -g" in warning
