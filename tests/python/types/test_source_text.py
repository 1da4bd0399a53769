"""What a statement says of the object that it makes."""

from pathlib import Path

import pytest

from malloom.types.source_text import Said, declares_variable, is_newer, is_whole_initialiser, names, said_at


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
        ("p = malloc(sizeof(struct node));", "malloc", Said("node", count=1)),
        ("p = malloc(sizeof (node_t) * count);", "malloc", Said("node_t", may_be_variable=True)),
        ("p = calloc(9, sizeof(struct node *));", "calloc", Said("node", 1, count=9)),
        ("p = malloc(sizeof *p);", "malloc", Said(target_of=("p",), count=1)),
        ("all->first = xmalloc(sizeof(*all->first));", "xmalloc", Said(target_of=("all", "first"), count=1)),
        ("p = malloc(3 * sizeof(p[0]));", "malloc", Said(target_of=("p",), count=3)),
        ("p = malloc(\n  sizeof(struct node));", "malloc", Said("node", count=1)),
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
        ("4 * sizeof(struct node) + 16", True, False),
        ("16 + sizeof(struct node) * n", True, False),
        ("sizeof(struct node) + 3 * sizeof(struct edge)", True, True),
        ("3 * sizeof(struct node) + sizeof(struct edge)", True, False),
    ],
)
def test_a_sum_has_more_behind_the_object_and_a_difference_tells_nothing(
    tmp_path: Path, size: str, has_more: bool, is_certain: bool
) -> None:
    said = told(tmp_path, f"p = malloc({size});", "malloc")[0]
    assert (said.type, said.is_certain, said.has_more) == ("node", is_certain, has_more)


@pytest.mark.parametrize(
    ("call", "count"),
    [
        ("malloc(sizeof(struct node))", 1),
        ("malloc((2 * (sizeof(struct node))))", 2),
        ("malloc((size_t)3 * sizeof(struct node) * 2)", 6),
        ("malloc(n * sizeof(struct node))", 0),
        ("malloc(sizeof(struct node) + 8)", 0),
        ("calloc(sizeof(struct node), 5)", 5),
        ("calloc(n, sizeof(struct node))", 0),
        ("realloc(p, 4 * sizeof(struct node))", 4),
        ("reallocarray(p, 4, sizeof(struct node))", 0),
        ("pool_alloc(pool, sizeof(struct node))", 0),
    ],
)
def test_a_call_says_how_many_it_makes(tmp_path: Path, call: str, count: int) -> None:
    assert told(tmp_path, f"p = {call};", call[:4])[0].count == count


def test_of_sizes_that_are_added_the_first_is_the_objects(tmp_path: Path) -> None:
    text = "p = malloc(sizeof(struct list) + 3 * sizeof(p->of[0]));"
    first, second, *_ = told(tmp_path, text, "malloc")
    assert (first.type, first.is_certain, second.is_certain) == ("list", True, False)
    assert not told(tmp_path, "p = malloc(n + sizeof(struct end));", "malloc")[0].is_first


@pytest.mark.parametrize(
    ("text", "is_variable"),
    [
        ("double point[3];", True),
        ("void f(int *point, int n) {}", True),
        ("struct a { long point; };", True),
        ("typedef struct point point;", False),
        ("struct point; p = malloc(sizeof(point)); return point;", False),
        ("struct point { int x; } point_of; class point;", False),
    ],
)
def test_a_file_declares_a_variable(tmp_path: Path, text: str, is_variable: bool) -> None:
    source = tmp_path / "file.c"
    source.write_text(text)
    assert declares_variable(str(source), "point") is is_variable


def test_of_several_calls_in_a_line_the_one_at_the_column_is_meant(tmp_path: Path) -> None:
    text = "a = malloc(sizeof(A)), b = malloc(sizeof(B));"
    assert told(tmp_path, text, "malloc")[0] == Said("A", count=1, may_be_variable=True)
    assert told(tmp_path, text, "malloc(sizeof(B")[0] == Said("B", count=1, may_be_variable=True)
    assert all(not each.is_certain for each in told(tmp_path, text, ""))


def test_a_new_is_meant_at_its_begin_or_its_end(tmp_path: Path) -> None:
    text = "f(new shapes::Box<int>(i)); f(new Same(i));"
    assert told(tmp_path, text, "new shapes", is_new=True) == [Said("shapes::Box", is_one=True)]
    assert told(tmp_path, text, ")); f(", is_new=True) == [Said("shapes::Box", is_one=True)]
    assert told(tmp_path, "g(new Same(i));", "new", is_new=True) == [Said("Same", is_one=True)]
    assert told(tmp_path, "new const char *[n];", "new", is_new=True) == [Said("char", 1)]
    assert told(tmp_path, "t = new T;", "new", is_new=True)[1] == Said(target_of=("t",), is_certain=False)
    assert not any(each.is_certain for each in told(tmp_path, text, "", is_new=True))


@pytest.mark.parametrize(
    ("at", "name", "is_certain"),
    [
        ("new C", "C", True),
        ("new B", "B", True),
        (")); f", "B", True),
        ("); f", "C", True),
        ("; f", "B", False),
    ],
)
def test_of_a_new_within_another_the_column_tells(
    tmp_path: Path, at: str, name: str, is_certain: bool
) -> None:
    text = "p = new C(new B()); f();"
    assert told(tmp_path, text, at, is_new=True)[0] == Said(name, is_certain=is_certain, is_one=True)


def test_a_new_that_ends_in_the_line_of_another_is_not_that_one(tmp_path: Path) -> None:
    assert told(tmp_path, "new B()); p = 1;", "); p", is_new=True)[0].is_certain is False
    assert told(tmp_path, "p = new B<int>::C();", "new", is_new=True)[0].is_certain is False


@pytest.mark.parametrize(
    "call",
    [
        "malloc(n ? sizeof(struct node) : 160)",
        "malloc(sizeof(struct node) PADDING)",
        "malloc(HEADER sizeof(struct node))",
        "malloc((n ? sizeof(struct node) : 160))",
        "malloc(sizeof(struct node) << 6)",
        "malloc(sizeof(struct node) | 8)",
        "malloc(sizeof(struct node) & ~7)",
        "malloc(4 * sizeof(struct node) / 2)",
        "malloc(strlen(text + sizeof(struct node)))",
        "malloc(MAX(sizeof(struct node), 9))",
        "malloc(3 * (sizeof(struct node) + 8))",
        "malloc(sizeof(struct node) + sizeof(unsigned long))",
        "malloc(sizeof *p[0])",
        "malloc(sizeof(p[0].next) * sizeof(struct node))",
        "arena_create(sizeof(struct node))",
        "list_new(sizeof(struct node))",
        "pool_allocator(sizeof(struct node))",
        "alloc_init(sizeof(struct node))",
    ],
)
def test_a_size_that_is_computed_otherwise_is_no_certainty(tmp_path: Path, call: str) -> None:
    assert not any(each.is_certain for each in told(tmp_path, f"p = {call};", call[:4]))


@pytest.mark.parametrize(
    "call",
    ["safe_calloc(n / 2, sizeof(struct node))", "xmalloc((size_t) (of->count + 1) * sizeof(struct node))"],
)
def test_how_many_there_are_may_be_computed(tmp_path: Path, call: str) -> None:
    assert told(tmp_path, f"p = {call};", call[:4])[0] == Said("node")


@pytest.mark.parametrize(
    "call",
    [
        "malloc(48 /* sizeof(struct node) */)",
        'malloc(strlen("sizeof(struct node)"))',
        "malloc(48 // sizeof(struct node)\n)",
    ],
)
def test_comments_and_strings_say_nothing(tmp_path: Path, call: str) -> None:
    assert told(tmp_path, f"p = {call};", "malloc") == [Said(target_of=("p",), is_certain=False)]


@pytest.mark.parametrize(
    ("text", "callee", "is_whole"),
    [
        ("struct a* p = ^malloc(strlen(b) + 1);", "malloc", True),
        ("struct a* p = (struct a *) ^xmalloc(8), *q;", "malloc", True),
        ("struct a* p = open_it(^malloc(8));", "malloc", False),
        ("struct a* p = ^open_it(malloc(8));", "malloc", False),
        ("struct a* p = &all[atoi(^strdup(b))];", "strdup", False),
        ("struct a* p = ^malloc(8) + 1;", "malloc", False),
        ("struct a* p = ^find(b)->next;", "find", False),
    ],
)
def test_a_variable_has_what_the_call_gives_where_that_is_all(
    tmp_path: Path, text: str, callee: str, is_whole: bool
) -> None:
    source = tmp_path / "whole.c"
    source.write_text(text.replace("^", ""))
    place = (f"{tmp_path}/./whole.c", 1, text.index("^") + 1)
    assert is_whole_initialiser(*place, "p", callee, is_new=False) is is_whole


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


@pytest.mark.parametrize(
    ("text", "is_whole"),
    [
        ("struct rec **p = out; *p = ^malloc(n);", False),
        ("struct rec *p = ^malloc(n);", True),
        ("struct p *p = ^malloc(n);", True),
        ("for (struct rec const *const p = ^malloc(n);;) {}", True),
        ("int f() { auto *p = ^malloc(n); }", True),
        ("std::map<int, char *> *p = ^malloc(n);", True),
        ("if (x) *p = ^malloc(n);", False),
        ("else *p = ^malloc(n);", False),
        ("return *p = ^malloc(n);", False),
        ("struct rec *p; p = ^malloc(n);", False),
        ("p = ^malloc(n); { struct rec *p; }", False),
        ("a->p = ^malloc(n); { struct rec *p; }", False),
    ],
)
def test_what_is_stored_through_a_pointer_is_not_what_it_begins_with(
    tmp_path: Path, text: str, is_whole: bool
) -> None:
    source = tmp_path / f"{abs(hash(text))}.c"
    source.write_text(text.replace("^", ""))
    place = (str(source), 1, text.index("^") + 1)
    assert is_whole_initialiser(*place, "p", "malloc", is_new=False) is is_whole


def test_the_column_of_a_declaration_tells_which_it_is(tmp_path: Path) -> None:
    source, text = tmp_path / "two.c", "struct rec *q = 0, *p = malloc(n); *p = malloc(n);"
    source.write_text(text)
    for at, is_whole in ((text.index("malloc"), True), (text.rindex("malloc"), False)):
        place = (str(source), 1, at + 1, "p", "malloc", False)
        assert is_whole_initialiser(*place, declared=text.index("p =") + 1) is is_whole


def test_what_was_written_after_a_time_is_newer(tmp_path: Path) -> None:
    source = tmp_path / "written.c"
    source.write_text("int a;\n")
    written = source.stat().st_mtime_ns
    assert is_newer(str(source), written - 1)
    assert not is_newer(str(source), written)
    assert not is_newer(str(tmp_path / "gone.c"), 0)
