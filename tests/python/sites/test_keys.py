"""Keys of call sites, and which of another build's is the same: never one of two."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from malloom.sites.keys import LEVELS, Call, Site, match, numbered, plain


def call(function: str = "f", line: int = 12, column: int = 5, start: int = 10, file: str = "/a/x.c") -> Call:
    return Call(function, file, line, column, start)


def site(*calls: Call, callee: str = "malloc", offset: int = 1) -> Site:
    return Site(offset, callee, calls or (call(),))


def level_of(old: list[Site], new: list[Site], index: int = 0) -> str | None:
    """The level at which the old site of that number is found among all of the new ones."""
    found = match(numbered(old), numbered(new)).get(index)
    return found and found[1]


OUTER = call("g", 40, 7, 38)


@pytest.mark.parametrize(
    ("old", "new", "level"),
    [
        (site(), site(), "exact"),
        (site(), site(call(file="/elsewhere/x.c")), "exact"),
        (site(call(), OUTER), site(call(), OUTER), "exact"),
        (site(), site(call(line=14, start=12)), "moved"),
        (site(call(), OUTER), site(call(line=14, start=12), OUTER), "moved"),
        (site(), site(call(), OUTER), "inlined"),
        (site(call(), OUTER), site(), "inlined"),
        (site(call(), OUTER), site(call(line=14, start=12), call("h", 90, 3, 80)), "inlined"),
        (site(), site(call(line=13)), "counted"),
        (site(), site(call(column=9)), "counted"),
        (site(), site(call("another")), "renamed"),
        (site(), site(callee="calloc"), None),
        (site(), site(call(file="/a/y.c")), None),
        (site(), site(call("another", line=13)), None),
        (site(call(line=0)), site(call(line=0)), None),
        (Site(1, "malloc"), Site(1, "malloc"), None),
    ],
)
def test_a_site_is_found_at_its_level(old: Site, new: Site, level: str | None) -> None:
    assert level_of([old], [new]) == level


SYMBOL = call("_start", 0, 0, 0, "")


def test_a_symbol_alone_tells_a_function_s_only_call() -> None:
    assert level_of([site(SYMBOL)], [site(SYMBOL, offset=9)]) == "moved"
    two = [site(SYMBOL), site(SYMBOL, offset=2)]
    assert level_of(two, [replace(each, offset=each.offset + 7) for each in two]) == "counted"
    assert level_of(two, [site(SYMBOL)]) is None


def test_columns_tell_two_on_one_line_apart() -> None:
    first, second = site(call(column=5), offset=1), site(call(column=30), offset=2)
    found = match(numbered([first, second]), numbered([replace(second, offset=8), replace(first, offset=9)]))
    assert {index: (there.offset, level) for index, (there, level) in found.items()} == {
        0: (9, "exact"),
        1: (8, "exact"),
    }


def test_copies_of_one_call_are_not_matched() -> None:
    twin = site(offset=2)
    assert level_of([site(), twin], [site()]) is None
    assert level_of([site()], [site(), twin]) is None


def test_one_of_the_sites_that_a_function_was_inlined_into_is_not_the_other() -> None:
    """Of two copies the new build has one: which is not known."""
    both = numbered([site(call(), OUTER), site(call(), call("h", 90, 3, 80), offset=2)])
    assert match(both, numbered([site(call(), call("i", 70, 3, 60))])) == {}
    # Also where a plan is about one of them only.
    assert match(both[:1], numbered([site(call(), call("i", 70, 3, 60))])) == {}


def test_instances_of_a_template_are_not_matched_by_their_place() -> None:
    old = numbered([site(call("f<int>")), site(call("f<long>"), offset=2)])
    assert match(old[:1], numbered([site(call("f<char>"))])) == {}


def test_sites_are_counted_only_among_as_many() -> None:
    old = [site(call(line=12)), site(call(line=14), offset=2)]
    assert level_of(old, [site(call(line=13)), site(call(line=15), offset=2)]) == "counted"
    assert level_of(old, [site(call(line=13))]) is None


def test_what_is_found_exactly_is_no_candidate_for_others() -> None:
    """The first call is gone, the second stands where it was."""
    old = [site(call(line=12)), site(call(line=14, column=8), offset=2)]
    new = [site(call(line=14, column=8))]
    assert level_of(old, new, 0) is None
    assert level_of(old, new, 1) == "exact"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("main.cold", "main"),
        ("make.part.0", "make"),
        ("make.constprop.0.isra.1", "make"),
        ("f.llvm.1234567", "f"),
        ("malloc@GLIBC_2.2.5", "malloc"),
        ("_ZN1a1bEv", "_ZN1a1bEv"),
        ("run.once", "run.once"),
    ],
)
def test_names_lose_what_compilers_add(name: str, expected: str) -> None:
    assert plain(name) == expected


calls = st.builds(
    Call,
    st.sampled_from(["f", "g", ""]),
    st.sampled_from(["x.c", "y.c"]),
    st.integers(0, 4),
    st.integers(0, 2),
    st.integers(0, 2),
)
builds = st.lists(
    st.builds(Site, st.just(0), st.sampled_from(["malloc", ""]), st.lists(calls, max_size=2).map(tuple)),
    max_size=12,
).map(lambda sites: [replace(each, offset=number) for number, each in enumerate(sites)])


@given(old=builds, new=builds)
def test_no_two_sites_are_one(old: list[Site], new: list[Site]) -> None:
    found = match(numbered(old), numbered(new))
    offsets = [there.offset for there, _ in found.values()]
    assert len(set(offsets)) == len(offsets)
    assert {level for _, level in found.values()} <= set(LEVELS)
    assert all(old[index].callee == new[there.offset].callee for index, (there, _) in found.items())


@given(build=builds)
def test_an_unchanged_build_is_itself(build: list[Site]) -> None:
    sites = numbered(build)
    for index, (there, level) in match(sites, sites).items():
        assert (there, level) == (sites[index], "exact") or level == "moved"
        assert there == sites[index]
