"""-fmalloom-choice and -fmalloom-write-choice, as a user gives them to the driver."""

from collections.abc import Callable
from pathlib import Path

import pytest

from compiler.driver.driving import SOURCES, SUM, Run, is_transformed, output_of

Asked = Callable[..., list[str]]


def test_a_choice_goes_from_a_link_to_the_next(try_compile: Run, tmp_path: Path) -> None:
    first = try_compile(
        "-O2", "-g", *SOURCES, "-fmalloom-policy=pool", "-fmalloom-write-choice=a.choice", "-o", "first"
    )
    assert first.returncode == 0, first.stderr
    second = try_compile("-O2", "-g", *SOURCES, "-fmalloom-choice=a.choice", "-o", "second")
    assert second.returncode == 0, second.stderr
    assert output_of(tmp_path / "second") == SUM
    assert is_transformed(tmp_path / "second")
    assert (
        (tmp_path / "a.choice").read_text().startswith("choice of policies 1\nothers pool\nstructure pool ")
    )


def test_a_link_that_changes_nothing_writes_it_too(try_compile: Run, tmp_path: Path) -> None:
    """To have its structures named, and some of them decided by hand."""
    options = ("-fmalloom-policy=none", "-fmalloom-write-choice=a.choice")
    assert try_compile("-O2", "-g", *SOURCES, *options, "-o", "first").returncode == 0
    assert not is_transformed(tmp_path / "first")
    text = (tmp_path / "a.choice").read_text()
    assert text.startswith("choice of policies 1\nothers none\nstructure none ")


def test_compilations_do_not_read_it(asked: Asked) -> None:
    assert "choice" not in "".join(asked("-fmalloom-choice=missing", "-O2", "-c", "a.c"))


@pytest.mark.parametrize("option", ["-fmalloom-choice=", "-fmalloom-write-choice="])
def test_a_file_must_be_named(try_compile: Run, option: str) -> None:
    done = try_compile(option, "-O2", *SOURCES)
    assert done.returncode != 0
    assert f"{option} names no file" in done.stderr
