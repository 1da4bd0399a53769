"""Whether a function gives its caller what a call in it gives."""

from pathlib import Path

import pytest

from malloom.types.returned import is_returned


def returned(folder: Path, text: str, *, begin: int = 1) -> bool:
    """Of the first `malloc(` of a function that begins in that line."""
    source = folder / f"{abs(hash(text))}.c"
    source.write_text(text)
    before = text[: text.index("malloc(")]
    return is_returned(str(source), begin, before.count("\n") + 1, len(before) - before.rfind("\n"))


@pytest.mark.parametrize(
    "body",
    [
        "return malloc(n);",
        "return (char *)malloc(n);",
        "return (malloc(n));",
        "return static_cast<char*>(malloc(n));",
        "return n ? malloc(n) : NULL;",
        "return ready(n) ? old : malloc(n);",
        "void *p = malloc(n);\n  if (!p) abort();\n  return p;",
        "char *p;\n  if ((p = malloc(n)) == NULL) {\n    die();\n  }\n  return (void *)p;",
        "void *p;\n  p = malloc(n);\n  if (!p) { collect(); p = malloc(n); }\n  return p;",
        "void *p = malloc(n); /* return q; */\n  return p;",
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
        "self->p = malloc(n);\n  return p;",
        "return find(malloc(n));",
        "return first + malloc(n);",
        "return malloc(n) + 16;",
        "char *p = malloc(n);\n  p += 16;\n  return p;",
        "char *p = malloc(n);\n  return p + 16;",
        "char *p = find(malloc(n));\n  return p;",
        "char *p = malloc(n) + 16;\n  return p;",
        'void *p = malloc(n);\n  say("return p;");\n  return 0;',
        "void *p = malloc(n);\n  return 0;\n}\nvoid *other(void *p)\n{\n  return p;",
    ],
)
def test_what_is_kept_or_changed_is_not(tmp_path: Path, body: str) -> None:
    assert not returned(tmp_path, f"static void *get(size_t n)\n{{\n  {body}\n}}\n")


def test_a_place_that_is_in_no_function_is_not(tmp_path: Path) -> None:
    assert not returned(tmp_path, "#define GET(n) return malloc(n);\n")
    assert not is_returned(str(tmp_path / "gone.c"), 1, 2, 3)
