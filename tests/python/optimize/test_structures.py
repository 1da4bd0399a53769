"""Structures of a choice, and their policies."""

from hypothesis import given
from hypothesis import strategies as st

from malloom.optimize.structures import Structures

TEXT = """choice of policies 1
others default
structure default struct node
request malloc 1 1 1 1
call 12 25 9 make list.c
structure default
request malloc 1 1 1 1
call 30 25 29 other list.c
"""


def test_each_structure_has_a_name_and_a_policy() -> None:
    found = Structures.of(TEXT)
    assert len(found) == 2
    assert [found.name(0), found.name(1)] == ["struct node", "structure 2"]
    assert [found.policy(0), found.policy(1)] == ["default", "default"]


def test_structures_of_one_name_are_told_apart() -> None:
    found = Structures.of("choice of policies 1\n" + "structure pool struct node\n" * 2)
    assert [found.name(0), found.name(1)] == ["struct node (1)", "struct node (2)"]


def test_one_is_changed() -> None:
    changed = Structures.of(TEXT).changed({1: "none"})
    assert changed.text == TEXT.replace("structure default\n", "structure none\n")


def test_without_structures_there_is_nothing_to_change() -> None:
    text = "choice of policies 1\nothers pool\n"
    assert len(Structures.of(text)) == 0
    assert Structures.of(text).text == text


@given(st.lists(st.sampled_from(TEXT.splitlines()[2:]), max_size=12))
def test_the_text_comes_back(lines: list[str]) -> None:
    text = "\n".join(["choice of policies 1", *lines, ""])
    assert Structures.of(text).text == text
