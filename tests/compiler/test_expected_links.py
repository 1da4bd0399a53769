"""Walks that guess where the next object lies: which of them do, and that they stop where it does not pay.

A guessing loop takes more instructions for each object than the one it stands for, so counts of
instructions tell which of the two has run.
"""

from collections.abc import Sequence
from pathlib import Path

import pytest

from compiler import compiling
from compiler.case_files import FOLDER
from malloom.measure.process import Command
from malloom.measure.valgrind import count_instructions

SOURCE = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct node { struct node* next; long value; long more[6]; };
static unsigned seed = 1;
static unsigned below(unsigned limit) { return (seed = seed * 1664525u + 1013904223u) / 256 % limit; }
__attribute__((noinline)) static long sum(const struct node* at) {
    long all = 0;
    for (; at != NULL; at = at->next) all = all * 3 + at->value;
    return all;
}
int main(int count, char** arguments) {
    const long lists = atol(arguments[2]), length = atol(arguments[3]), walks = atol(arguments[4]);
    struct node** nodes = malloc(lists * length * sizeof *nodes);
    struct node** heads = malloc(lists * sizeof *heads);
    for (long i = 0; i < lists * length; ++i) {
        nodes[i] = malloc(sizeof *nodes[i]);
        nodes[i]->value = i;
    }
    for (long i = lists * length; i > 1 && strcmp(arguments[1], "shuffled") == 0; --i) {
        struct node** other = &nodes[below((unsigned)i)];
        struct node* kept = nodes[i - 1];
        nodes[i - 1] = *other;
        *other = kept;
    }
    const int is_backwards = strcmp(arguments[1], "backwards") == 0;
    for (long list = 0; list < lists; ++list) {
        heads[list] = NULL;
        for (long i = 0; i < length; ++i) {
            struct node* node = nodes[list * length + (is_backwards ? i : length - 1 - i)];
            node->next = heads[list];
            heads[list] = node;
        }
    }
    long all = 0;
    for (long walk = 0; walk < walks; ++walk)
        for (long list = 0; list < lists; ++list) all += sum(heads[list]);
    printf("%ld\\n", all);
    return 0;
}
"""
EXPECTING = "-malloom-expect-links"


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """With guesses and without, both split."""
    folder = tmp_path_factory.mktemp("walks")
    source = folder / "walks.c"
    source.write_text(SOURCE)
    bitcode = compiling.compile_object(source, "-O2", folder / "walks.o")
    with_guesses, without = folder / "guessing", folder / "plain"
    compiling.link(source, [bitcode], "-O2", "default", with_guesses, settings=[EXPECTING])
    compiling.link(source, [bitcode], "-O2", "default", without)
    return with_guesses, without


def instructions_of_walks(program: Path, order: str, lists: int, length: int) -> float:
    """For each object that a walk comes by: what three hundred more walks take."""
    counts = [
        count_instructions(Command([str(program), order, str(lists), str(length), str(walks)]))
        for walks in (200, 500)
    ]
    return (counts[1] - counts[0]) / (300 * lists * length)


@pytest.mark.parametrize("order", ["forwards", "backwards"])
def test_lists_in_order_are_guessed(programs: tuple[Path, Path], order: str) -> None:
    guessing, plain = (instructions_of_walks(program, order, 3, 400) for program in programs)
    assert guessing > 1.3 * plain


@pytest.mark.parametrize(("order", "lists", "length"), [("shuffled", 1, 1000), ("forwards", 100, 10)])
def test_where_guesses_do_not_pay_there_are_soon_none(
    programs: tuple[Path, Path], order: str, lists: int, length: int
) -> None:
    guessing, plain = (instructions_of_walks(program, order, lists, length) for program in programs)
    assert guessing <= 1.3 * plain


@pytest.mark.parametrize("order", ["forwards", "backwards", "shuffled"])
@pytest.mark.parametrize("length", [1, 2, 50, 1000])
def test_sums_are_the_same(programs: tuple[Path, Path], order: str, length: int) -> None:
    found = [compiling.call([str(program), order, "3", str(length), "100"]) for program in programs]
    assert found[0] == found[1]


def remarks(
    source: Path, folder: Path, policy: str = "default", settings: Sequence[str] = (EXPECTING,)
) -> int:
    """How many walks guess, of a program that does the same as without the plugin."""
    plain = compiling.run(compiling.compile_plainly(source, "-O2", folder / "plain"))
    bitcode = compiling.compile_object(source, "-O2", folder / "bitcode.o")
    program = folder / policy
    said = compiling.link(source, [bitcode], "-O2", policy, program, "-Rpass=malloom", settings=settings)
    assert compiling.run(program) == plain
    return said.count("the walk goes on with the object that it expects")


def test_each_loop_that_only_walks_is_said(tmp_path: Path) -> None:
    assert remarks(FOLDER / "walks_of_lists.c", tmp_path) >= 4


@pytest.mark.parametrize("policy", compiling.POLICIES)
def test_no_policy_guesses_by_itself(policy: str, tmp_path: Path) -> None:
    """The paper's compiler does not, so `maximal` does not either."""
    assert remarks(FOLDER / "walks_of_lists.c", tmp_path, policy, settings=()) == 0


def test_loops_that_do_more_are_left_alone(tmp_path: Path) -> None:
    source = tmp_path / "calls.c"
    source.write_text(SOURCE.replace("all = all * 3 + at->value;", 'all += printf("%ld", at->value);'))
    assert remarks(source, tmp_path) == 0
