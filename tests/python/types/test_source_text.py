"""What a statement says of the object that it makes."""

from pathlib import Path

import pytest

from malloom.types.source_text import Said, names, said_at


def told(folder: Path, text: str, call: str, *, is_new: bool = False) -> list[Said]:
    """Of a statement, whose call begins at `call`; empty: its column is not known."""
    # A file is read once.
    source = folder / f"{abs(hash((text, call)))}.c"
    source.write_text(f"int before;\n{text}\n")
    column = text.index(call) + 1 if call else 0
    return said_at(str(source), 2, column, is_new)


@pytest.mark.parametrize(
    ("text", "call", "said"),
    [
        ("p = malloc(sizeof(struct node));", "malloc", Said("node")),
        ("p = malloc(sizeof (node_t) * count);", "malloc", Said("node_t")),
        ("p = calloc(9, sizeof(struct node *));", "calloc", Said("node", 1)),
        ("p = malloc(sizeof *p);", "malloc", Said(target_of=("p",))),
        ("all->first = xmalloc(sizeof(*all->first));", "xmalloc", Said(target_of=("all", "first"))),
        ("p = malloc(3 * sizeof(p[0]));", "malloc", Said(target_of=("p",))),
        ("p = malloc(\n  sizeof(struct node));", "malloc", Said("node")),
    ],
)
def test_a_size_tells_the_type(tmp_path: Path, text: str, call: str, said: Said) -> None:
    assert told(tmp_path, text, call)[0] == said


@pytest.mark.parametrize(
    ("size", "has_more", "is_certain"),
    [
        ("sizeof(struct node) + length", True, True),
        ("length + sizeof(struct node)", True, True),
        ("(n + 1) * sizeof(struct node)", False, True),
        ("sizeof(struct node) * all[n + 1]", False, True),
        ("sizeof(struct node) - 4", False, False),
        ("sizeof(struct node) * of->count", False, True),
        ("sizeof(struct node) * n++", False, True),
    ],
)
def test_a_sum_has_more_behind_the_object_and_a_difference_tells_nothing(
    tmp_path: Path, size: str, has_more: bool, is_certain: bool
) -> None:
    said = told(tmp_path, f"p = malloc({size});", "malloc")[0]
    assert said == Said("node", is_certain=is_certain, has_more=has_more)


def test_of_several_calls_in_a_line_the_one_at_the_column_is_meant(tmp_path: Path) -> None:
    text = "a = malloc(sizeof(A)), b = malloc(sizeof(B));"
    assert told(tmp_path, text, "malloc")[0] == Said("A")
    assert told(tmp_path, text, "malloc(sizeof(B")[0] == Said("B")
    assert all(not each.is_certain for each in told(tmp_path, text, ""))


def test_a_new_is_meant_at_its_begin_or_its_end(tmp_path: Path) -> None:
    text = "f(new shapes::Box<int>(i)); f(new Same(i));"
    assert told(tmp_path, text, "new shapes", is_new=True) == [Said("shapes::Box")]
    assert told(tmp_path, text, "); f(", is_new=True) == [Said("shapes::Box")]
    assert told(tmp_path, "g(new Same(i));", "new", is_new=True) == [Said("Same")]
    assert told(tmp_path, "new const char *[n];", "new", is_new=True) == [Said("char", 1)]
    assert told(tmp_path, "t = new T;", "new", is_new=True)[1] == Said(target_of=("t",), is_certain=False)
    assert not any(each.is_certain for each in told(tmp_path, text, "", is_new=True))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("p = (struct node *) get(n);", Said("node", 0, is_certain=False)),
        ("p = XNEWVEC (struct node, n);", Said("node", 0, is_certain=False)),
        ("p = g_new0(Node, 1);", Said("Node", 0, is_certain=False)),
        ('emalloc(of->text, char *, n + 1, "who");', Said("char", 0, is_certain=False)),
        ('emalloc(of->text, char *, n + 1, "who");', Said(target_of=("of", "text"), is_certain=False)),
        ("f((struct node *) get(n));", Said("node", 0, is_certain=False)),
    ],
)
def test_casts_and_macros_are_no_certainty(tmp_path: Path, text: str, said: Said) -> None:
    assert said in told(tmp_path, text, "")


def test_an_arguments_cast_is_not_the_results(tmp_path: Path) -> None:
    assert told(tmp_path, "f(get((struct pool *) here->pool, n));", "") == []


def test_a_statement_names_whole_words(tmp_path: Path) -> None:
    source = tmp_path / "named.c"
    source.write_text("T *made = get(\n  made_of);\n")
    assert names(str(source), 1, "made") is True
    assert names(str(source), 1, "mad") is False
    assert names(str(tmp_path / "gone.c"), 1, "made") is None


def test_where_there_is_no_source_nothing_is_said(tmp_path: Path) -> None:
    assert said_at(str(tmp_path / "gone.c"), 2, 1, is_new=False) == []
    assert said_at(str(tmp_path), 2, 1, is_new=False) == []
    assert said_at("\0", 2, 1, is_new=False) == []
    (tmp_path / "short.c").write_text("one line\n")
    assert said_at(str(tmp_path / "short.c"), 99, 7, is_new=False) == []
