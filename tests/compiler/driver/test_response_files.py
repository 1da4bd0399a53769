"""Options in files are seen, as clang sees them."""

from collections.abc import Callable
from pathlib import Path

import pytest

from compiler.driver.driving import PROGRAMS, Run

Asked = Callable[..., list[str]]


def test_options_in_files_count(asked: Asked, tmp_path: Path) -> None:
    (tmp_path / "inner").write_text("-O2\n-c")
    (tmp_path / "outer").write_text("@inner a.c")
    assert asked("@outer") == ["-flto=full", "@outer"]
    (tmp_path / "inner").write_text("-O2 -S")
    assert asked("@outer") == ["@outer"]


@pytest.mark.parametrize(
    ("text", "is_seen"),
    [
        ("'-'E", True),
        ('"-E"', True),
        ("\\-E", True),
        ("-\\E\r\n", True),
        ("'-D A' -E", True),
        ("'-D -E'", False),
        ('"-D \\" -E"', False),
        ("-D\\ -E", False),
        ("-D '' -E", False),
        ("-I 'unfinished -E", False),
    ],
)
def test_quotes_are_clangs(asked: Asked, try_compile: Run, tmp_path: Path, text: str, is_seen: bool) -> None:
    """Where -E is seen nothing is added; clang itself then preprocesses."""
    (tmp_path / "options").write_text(text)
    added = asked("@options", "-O2", "-c", "a.c")[:1] == ["-flto=full"]
    assert added != is_seen
    steps = try_compile("-###", "@options", "-O2", "-c", str(PROGRAMS / "main.c")).stderr
    assert ('"-E"' in steps.split("main.c")[0]) == is_seen


def test_own_options_in_files_are_taken_out(asked: Asked, tmp_path: Path) -> None:
    (tmp_path / "options").write_text('-O2 -fmalloom-policy=pool "-DNAME=two words"')
    assert asked("-c", "@options", "a.c") == ["-flto=full", "-c", "-O2", "-DNAME=two words", "a.c"]


def test_files_that_cannot_be_read_are_clangs(asked: Asked, try_compile: Run, tmp_path: Path) -> None:
    assert asked("@missing", "-O2", "-c", "a.c") == ["-flto=full", "@missing", "-O2", "-c", "a.c"]
    (tmp_path / "endless").write_text("@endless")
    assert try_compile("-c", "@endless").returncode == 1


def test_an_at_sign_may_begin_a_value(asked: Asked) -> None:
    assert asked("-O2", "-c", "a.c", "-Wl,-rpath,@loader") == [
        "-flto=full",
        "-O2",
        "-c",
        "a.c",
        "-Wl,-rpath,@loader",
    ]


def test_the_linkers_files_count(asked: Asked, tmp_path: Path) -> None:
    (tmp_path / "words").write_text("--no-undefined\n--wrap=malloc")
    assert not any("malloom_plugin" in word for word in asked("-O2", "-Wl,@words", "a.o"))
    (tmp_path / "words").write_text("--no-undefined")
    assert any("malloom_plugin" in word for word in asked("-O2", "-Wl,@words", "a.o"))
