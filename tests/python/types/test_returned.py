"""Whether a function gives its caller what a call in it gives."""

import time
from pathlib import Path

import pytest

from malloom.types.returned import is_returned

MALLOC = frozenset({"malloc"})


def returned(folder: Path, text: str, *, begin: int = 1, at: str = "malloc(") -> bool:
    """Of the first `malloc(` of a function that begins in that line, or of what stands there."""
    source = folder / f"{abs(hash(text))}.c"
    source.write_text(text)
    before = text[: text.index(at)]
    return is_returned(str(source), begin, before.count("\n") + 1, len(before) - before.rfind("\n"), MALLOC)


@pytest.mark.parametrize(
    "body",
    [
        "return malloc(n);",
        "return (char *)malloc(n);",
        "return (malloc(n));",
        "return static_cast<char*>(malloc(n));",
        "if (n) return malloc(n);\n  else return 0;",
        "void *p = malloc(n);\n  if (!p) abort();\n  return p;",
        "void *p = static_cast<void*>(malloc(n));\n  return p;",
        "char *p;\n  if ((p = malloc(n)) == NULL) {\n    die();\n  }\n  return (void *)p;",
        "char *p;\n  if (!(p = (char *)malloc(n))) return NULL;\n  return p;",
        "void *p;\n  p = malloc(n);\n  if (!p) { collect(); p = malloc(n); }\n  return p;",
        "void *p = malloc(n); /* return q; */\n  return p;",
        "if (old) return old;\n  void *p = malloc(n);\n  all = p;\n  return p;",
        "for (;;) {\n    void *p = malloc(n);\n    if (p) return p;\n    collect();\n  }",
    ],
)
def test_what_is_returned_is_given(tmp_path: Path, body: str) -> None:
    assert returned(tmp_path, f"static void *get(size_t n)\n{{\n  {body}\n}}\n")
    assert returned(tmp_path, f"\nstruct s {{\n  void *get(size_t n) {{\n  {body}\n  }}\n}};\n", begin=3)


@pytest.mark.parametrize(
    "body",
    [
        "void *p = malloc(n);\n  use(p);\n  return find(n);",
        "void *p = malloc(n);\n  free(p);\n  p = find(n);\n  return p;",
        "*out = malloc(n);\n  return out;",
        "if (x) y = 1;\n  else *out = malloc(n);\n  return out;",
        "self->p = malloc(n);\n  return p;",
        "return find(malloc(n));",
        "return first + malloc(n);",
        "return malloc(n) + 16;",
        "return n ? malloc(n) : old;",
        "char *p = malloc(n);\n  p += 16;\n  return p;",
        "char *p = malloc(n);\n  p &= ~15;\n  return p;",
        "char *p = malloc(n);\n  replace(&p);\n  return p;",
        "char *p = malloc(n);\n  SET(p, q);\n  return p;",
        "char *p = malloc(n);\n  return p + 16;",
        "char *p = find(malloc(n));\n  return p;",
        "char *p = malloc(n) + 16;\n  return p;",
        "char *p = static_cast<char *>(malloc(n)) + 16;\n  return p;",
        "void *p = static_cast<node *>(malloc(n))->payload;\n  return p;",
        'void *p = malloc(n);\n  say("return p;");\n  return 0;',
        "void *p = malloc(n);\n  return 0;\n}\nvoid *other(void *p)\n{\n  return p;",
        "c = malloc(n);\n  if (!c) return c;\n  c->next = pool;\n  pool = c;\n  return carve(n);",
        "if (a) { p = malloc(n); keep(p); return q; }\n  return p;",
        "p = malloc(n);\n  if (a) goto out;\n  return p;\nout:\n  return q;",
        "void *p = malloc(n);\n  table->bucket = p;\n  p = malloc(n);\n  return p;",
        "void *p = malloc(8);\n  if (!p)\n    p = malloc(n);\n  return p;",
        "{ void *p = malloc(n); keep(p); }\n  return p;",
        "if (a) { char *p = malloc(n); keep(p); return 0; }\n  char *p = find(n);\n  return p;",
        "if (void *p = malloc(n)) { keep(p); }\n  return p;",
        "while (a) {\n    if (q) return q;\n    p = malloc(n);\n    q = carve(p);\n  }\n  return p;",
        "void *p = malloc(n);\n#ifdef KEEP\n  return q;\n#endif\n  return p;",
        "void *p = malloc(n);\n  auto f = [&](void *p) { return p; };\n  return p;",
        "void *p = malloc(n);\n  { void *p = find(n); return p; }\n  return p;",
    ],
)
def test_what_is_kept_or_changed_is_not(tmp_path: Path, body: str) -> None:
    assert not returned(tmp_path, f"static void *get(size_t n)\n{{\n  {body}\n}}\n")


@pytest.mark.parametrize(("body", "at"), [("return intern(malloc(n));", "intern"), ("return NEW(n);", "NEW")])
def test_the_place_may_be_that_of_a_call_around_it_or_of_a_macro(tmp_path: Path, body: str, at: str) -> None:
    assert not returned(tmp_path, f"static void *get(size_t n)\n{{\n  {body}\n}}\n", at=at)


def test_a_place_that_is_in_no_function_is_not(tmp_path: Path) -> None:
    assert not returned(tmp_path, "#define GET(n) return malloc(n);\n")
    assert not is_returned(str(tmp_path / "gone.c"), 1, 2, 3, MALLOC)


@pytest.mark.parametrize(
    "filling", [" ", "(", "return ", "p ", "p", "(p ", "*", "[", "{", "p=", "&p ", "a ? "]
)
@pytest.mark.parametrize("place", ["before", "behind"])
def test_no_source_takes_long(tmp_path: Path, filling: str, place: str) -> None:
    much = filling * (200_000 // len(filling))
    parts = {"before": "", "behind": "", place: much}
    text = f"void *get(int n) {{ {parts['before']} p = malloc(n); {parts['behind']} return p; }}\n"
    begin = time.process_time()
    returned(tmp_path, text)
    assert time.process_time() - begin < 2
