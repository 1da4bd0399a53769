"""Call sites of one recording found again in another."""

from dataclasses import replace

from malloom.diff.matching import matched_contexts
from malloom.sites.keys import Call, Site, numbered
from malloom.sites.table import NO_MODULE, Frame, KeyedContext, SiteModule, SiteTable

CALLS = [("push", 10), ("pop", 20), ("main", 30)]


def table(
    build_id: str, shift: int = 0, calls: list[tuple[str, int]] = CALLS, path: str = "/bin/prog"
) -> SiteTable:
    """A site in each function, 5 lines below its begin; text lies `shift` lines lower. Contexts of two."""
    sites = numbered(
        Site(
            1000 * at + shift,
            "malloc",
            (Call(function, "/src/prog.c", line + 5 + shift, 3, line + shift),),
        )
        for at, (function, line) in enumerate(calls)
    )
    last = len(sites) - 1
    return SiteTable(
        (SiteModule(1, path, build_id),),
        tuple(Frame(0, site) for site in sites),
        tuple(KeyedContext(at, (at, last), 1, 1) for at in range(last)),
    )


def test_the_same_build_is_matched_by_its_offsets() -> None:
    keyless = table("aa")
    keyless = replace(keyless, frames=tuple(Frame(0, Site(frame.site.offset)) for frame in keyless.frames))
    assert matched_contexts(keyless, keyless) == {0: (0, "same"), 1: (1, "same")}


def test_text_above_may_change_in_another_build() -> None:
    assert matched_contexts(table("aa"), table("bb")) == {0: (0, "exact"), 1: (1, "exact")}
    assert matched_contexts(table("aa"), table("bb", shift=7)) == {0: (0, "moved"), 1: (1, "moved")}


def test_a_context_needs_all_its_call_sites() -> None:
    fewer = table("bb", calls=[("pop", 20), ("main", 30)])
    assert matched_contexts(table("aa"), fewer) == {1: (0, "exact")}
    assert matched_contexts(table("aa"), table("bb", calls=CALLS[:2])) == {}


def test_files_of_code_are_told_apart_by_their_names() -> None:
    assert matched_contexts(table("aa"), table("bb", path="/lib/other.so")) == {}
    assert matched_contexts(table("aa"), table("aa", path="/lib/other.so")) == {
        0: (0, "same"),
        1: (1, "same"),
    }


def test_the_executable_may_have_another_name() -> None:
    there = table("bb", path="/bin/prog-1.1")
    assert matched_contexts(table("aa"), there) == {}
    assert matched_contexts(table("aa"), there, ("prog", "prog-1.1")) == {0: (0, "exact"), 1: (1, "exact")}
    assert matched_contexts(table("aa"), there, ("other", "prog-1.1")) == {}


def test_of_two_files_of_a_name_neither_is_taken() -> None:
    there = table("bb")
    twice = replace(there, modules=(*there.modules, SiteModule(2, "/opt/prog", "cc")))
    assert matched_contexts(table("aa"), twice) == {}


def test_code_of_no_file_is_the_same_at_its_address() -> None:
    made = SiteTable((), (Frame(NO_MODULE, Site(64)),), (KeyedContext(5, (0,), 1, 1),))
    assert matched_contexts(made, made) == {0: (0, "same")}
