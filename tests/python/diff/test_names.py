"""Call sites that would have one name are told apart by what is known of them."""

from malloom.diff.names import names_of
from malloom.sites.keys import Call, Site
from malloom.sites.table import Frame, KeyedContext, SiteModule, SiteTable

MAIN = Call("main", "/src/prog.c", 9)
LIBRARY = "/usr/include/c++/12/bits/stl_deque.h"


def table(*chains: tuple[Call, ...]) -> SiteTable:
    """A context of one frame for each chain."""
    frames = tuple(Frame(0, Site(number, "malloc", calls)) for number, calls in enumerate(chains))
    contexts = tuple(KeyedContext(number + 1, (number,), 1, 1) for number in range(len(chains)))
    return SiteTable((SiteModule(1, "/bin/prog", "aa"),), frames, contexts)


def names(*chains: tuple[Call, ...]) -> list[str]:
    made = table(*chains)
    return names_of([(made, context) for context in made.contexts])


def test_columns_are_told_where_lines_are_the_same_and_nowhere_else() -> None:
    calls = [Call("main", "/src/prog.c", 5, column) for column in (3, 17)]
    assert names((calls[0],), (calls[1],), (MAIN,)) == [
        "main prog.c:5:3",
        "main prog.c:5:17",
        "main prog.c:9",
    ]


def test_template_arguments_are_told_where_they_alone_differ() -> None:
    calls = [Call(f"make<{kind}>", "/src/make.h", 4) for kind in ("one", "two")]
    assert names(*((call, MAIN) for call in calls)) == [
        f"make<{kind}> make.h:4 < main prog.c:9" for kind in ("one", "two")
    ]


def test_what_a_library_calls_in_itself_is_told_at_last() -> None:
    calls = [Call("std::deque<int>::make", LIBRARY, line) for line in (5, 7)]
    assert names(*((call, MAIN) for call in calls)) == [
        f"std::deque<int>::make stl_deque.h:{line} < main prog.c:9" for line in (5, 7)
    ]


def test_where_nothing_is_known_the_number_of_the_site_tells() -> None:
    assert names((MAIN,), (MAIN,)) == ["main prog.c:9 (0000000000000001)", "main prog.c:9 (0000000000000002)"]


def test_without_debug_information_symbols_tell_and_addresses_where_they_are_the_same() -> None:
    frames = tuple(
        Frame(0, Site(offset, "malloc", (Call(function, "", 0),) if function else ()))
        for offset, function in ((0x10, "gmalloc"), (0x20, "one"), (0x30, "two"), (0x40, ""), (0x50, "one"))
    )
    chains = ((0, 1), (0, 2), (0, 3), (0, 4))
    contexts = tuple(KeyedContext(number, chain, 1, 1) for number, chain in enumerate(chains, 1))
    made = SiteTable((SiteModule(1, "/lib/libgvc.so", "aa"),), frames, contexts)
    assert names_of([(made, context) for context in contexts]) == [
        "gmalloc libgvc.so+0x10 < one libgvc.so+0x20",
        "gmalloc < two",
        "gmalloc < libgvc.so+0x40",
        "gmalloc libgvc.so+0x10 < one libgvc.so+0x50",
    ]
