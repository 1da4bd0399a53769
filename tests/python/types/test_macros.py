"""What `#define` says of a function's words."""

import time

import pytest

from malloom.types.macros import Macro, Macros, expanded

MACROS = Macros(
    {
        "MOST": (Macro(None, "16"),),
        "OTHERWISE": (Macro(None, "else"),),
        "grab": (Macro(None, "malloc"),),
        "MADE": (Macro(("kind", "n"), "kind##_create(n)"),),
        "OUTER": (Macro(("n",), "MADE(item, n)"),),
        "ITSELF": (Macro(("n",), "ITSELF(n)"),),
        "CHECK": (Macro(("p",), "if (!(p)) return 0"), Macro(("p",), "")),
        "EITHER": (Macro(("n",), "one(n)"), Macro(("n",), "two(n)")),
        "LISTED": (Macro(("first", "..."), "use(first, __VA_ARGS__)"),),
    },
    declared=frozenset({"RED"}),
)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("p = get(MOST);", "p = get(MOST);"),
        ("OTHERWISE p = 0;", "else p = 0;"),
        ("p = grab(16); q = grab;", "p = malloc(16); q = grab;"),
        ("p = OUTER(3 + (1, 2));", "p = item_create(3 + (1, 2));"),
        ("ITSELF(3);", "ITSELF(3);"),
        ("{ CHECK(p); }", "{ { if (!(p)) return 0 ;  ; }; }"),
        ("p = EITHER(2);", "p = one(2) , two(2);"),
        ("LISTED(1, 2, 3);", "use(1, 2, 3);"),
        ("p->WHERE = RED + known(__LINE__) + KNOWN;", "p->WHERE = RED + known(__LINE__) + KNOWN;"),
        ("#if UNKNOWN\np = 0;", "#if UNKNOWN\np = 0;"),
    ],
)
def test_macros_are_written_out(text: str, written: str) -> None:
    found = expanded(text, MACROS, lambda name: name == "KNOWN")
    assert found is not None
    assert found.text == written


@pytest.mark.parametrize(
    "text", ["p = UNKNOWN;", "UNKNOWN(p);", "x = a, CHECK(p), b;", '#include "made.inc"\n']
)
def test_what_is_not_known_may_be_anything(text: str) -> None:
    assert expanded(text, MACROS, lambda name: False) is None


def test_where_a_header_is_missing_a_call_may_be_a_macro() -> None:
    text = "p = made(2); strlen(p);"
    assert expanded(text, Macros(is_whole=True), lambda name: False) is not None
    assert expanded(text, Macros(is_whole=False), lambda name: False) is None
    assert expanded(text, Macros(is_whole=False), lambda name: name == "made") is not None


def test_places_are_found_again() -> None:
    text = "a = OUTER(1); b = malloc(2);"
    found = expanded(text, MACROS, lambda name: False)
    assert found is not None
    begin, end = found.span(text.index("OUTER"))
    assert found.text[begin:end] == "item_create(1)"
    assert found.text[found.span(text.index("malloc"))[0] :].startswith("malloc(2)")
    assert found.span(0) == (0, 0)


def test_macros_that_grow_without_end_take_no_time() -> None:
    grown = {f"GROWN{n}": (Macro(None, f"GROWN{n + 1}() " * 50),) for n in range(15)}
    started = time.monotonic()
    assert expanded("GROWN0", Macros(grown), lambda name: True) is None
    assert time.monotonic() - started < 10
