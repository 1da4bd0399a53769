"""What moving the fields of a structure is predicted to save, on the page of a program made for it."""

import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from end_to_end.browser import Browser, browser
from end_to_end.conftest import done_well

PROGRAM = """
#include <stdlib.h>
struct node { struct node* next; long seldom[24]; long value; long never[6]; };
enum { COUNT = 4000, ROUNDS = 10 };
static struct node* all[COUNT];
int main(void) {
    for (int i = 0; i < COUNT; i++) all[i] = calloc(1, sizeof(struct node));
    unsigned random = 1;
    for (int i = COUNT - 1; i > 0; i--) {
        random = random * 1664525u + 1013904223u;
        int other = (random >> 8) % (i + 1);
        struct node* kept = all[i];
        all[i] = all[other];
        all[other] = kept;
    }
    for (int i = 0; i + 1 < COUNT; i++) all[i]->next = all[i + 1];
    long sum = 0;
    for (int round = 0; round < ROUNDS; round++)
        for (struct node* at = all[0]; at; at = at->next) sum += at->value++;
    return sum == 7;
}
"""
SAVED = re.compile(
    r"waits ([\d.]+)% (?:less|more) .* pool keeps them, ([\d.]+)% less .*, "
    r"and ([\d.]+)% less when they are split"
)


@contextmanager
def objects_of(folder: Path, compiler: str, name: str, source: str) -> Iterator[Browser]:
    """The page of a program, where its objects are shown."""
    (folder / name).write_text(source)
    subprocess.run([compiler, "-O1", "-g", folder / name, "-o", folder / "program"], check=True)
    done_well(folder, "record", "-o", "run.profile", "--", "./program")
    done_well(folder, "report", "run.profile", "--format", "html", "-o", "run.html")
    with browser(folder) as page:
        page.open(folder / "run.html", "objects")
        yield page


def test_hot_fields_together_and_apart_from_the_cold_ones(tmp_path: Path) -> None:
    with objects_of(tmp_path, "gcc", "walk.c", PROGRAM) as page:
        assert page.texts("#object-title") == ["struct node, 256 bytes"]
        *_, split, simulated = page.texts("#arrangement li")
    assert "next, value in an object of 16 bytes" in split
    found = SAVED.search(simulated)
    assert found, simulated
    beside, together, apart = map(float, found.groups())
    # 1 MiB takes two lines a visit, then one; 62.5 KiB of first parts lie in the second level.
    assert beside < 5
    assert 30 < together < apart
    assert apart > 70


TEMPLATE = """
template <class T>
struct InsertionOrderedBalancedSearchTree {
    struct Node {
        T value;
        Node* next;
        Node(T given, Node* behind) : value(given), next(behind) {}
    };
    Node* first = nullptr;
    __attribute__((noinline)) void insert_and_rebalance(T value) { first = new Node(value, first); }
};
int main() {
    InsertionOrderedBalancedSearchTree<double> one;
    InsertionOrderedBalancedSearchTree<const char*> other;
    for (int i = 0; i < 300; i++) one.insert_and_rebalance(i);
    for (int i = 0; i < 200; i++) other.insert_and_rebalance("");
    double sum = 0;
    for (auto* at = one.first; at; at = at->next) sum += at->value;
    for (auto* at = other.first; at; at = at->next) sum += at->value[0];
    return sum == 7;
}
"""


def test_instances_of_a_template_are_rows_of_their_own(tmp_path: Path) -> None:
    """Though their call sites have one line, and one name once the arguments are folded: callers are told."""
    with objects_of(tmp_path, "g++", "trees.cpp", TEMPLATE) as page:
        rows: list[list[str]] = page.run(
            "[...document.querySelectorAll('#object-table tbody tr')]"
            ".map((row) => [...row.cells].map((cell) => cell.textContent))"
        )
    nodes = [row for row in rows if "Node" in row[0]]
    assert len({row[2].partition(" < ")[0] for row in nodes}) == 1, "else this shows nothing"
    assert len({row[2] for row in nodes}) == 2
    assert {row[0]: row[3] for row in nodes} == {
        "InsertionOrderedBalancedSearchTree<double>::Node": "300",
        "InsertionOrderedBalancedSearchTree<char const*>::Node": "200",
    }
