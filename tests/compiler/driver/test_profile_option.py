"""-fmalloom-profile: a table of fields for the link, and what is said where there is no good one."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from compiler.driver.driving import ROOT, SOURCES, SUM, Run, is_transformed, output_of, run

Asked = Callable[..., list[str]]
Compile = Callable[..., str]

SAMPLE = ROOT / "tests/formats/samples/version_1.fields"
"""A good table, of no program that is compiled here."""


def test_it_reaches_the_plugin(asked: Asked) -> None:
    words = asked("-fmalloom-profile=missing", f"-fmalloom-profile={SAMPLE}", "a.o")
    assert [word for word in words if "profile" in word] == [f"-mllvm=-malloom-profile={SAMPLE}"]


@pytest.mark.parametrize("arguments", ["-O2 -c a.c", "-O0 a.o", "-O2 -E a.c"])
def test_only_links_that_transform_read_it(asked: Asked, arguments: str) -> None:
    """Projects give one list of options to compilations too, which may run before there is a profile."""
    assert asked("-fmalloom-profile=missing", *arguments.split())
    assert "profile" not in "".join(asked("-fmalloom-profile=missing", *arguments.split()))


def test_a_program_of_which_it_does_not_tell_is_transformed(try_compile: Run, tmp_path: Path) -> None:
    done = try_compile("-O2", "-g", *SOURCES, f"-fmalloom-profile={SAMPLE}", "-o", "program")
    assert done.returncode == 0
    assert "warning: malloom: the profile " in done.stderr
    assert "has no call site that is in the program" in done.stderr
    assert output_of(tmp_path / "program") == SUM
    assert is_transformed(tmp_path / "program")


def make_directory(path: Path) -> None:
    path.mkdir()


def make_pipe(path: Path) -> None:
    """Nobody ever writes to it."""
    os.mkfifo(path)


def make_damaged(path: Path) -> None:
    data = SAMPLE.read_bytes()
    path.write_bytes(data[:-3] + bytes([data[-3] ^ 1]) + data[-2:])


def make_later(path: Path) -> None:
    data = SAMPLE.read_bytes()
    path.write_bytes(data[:8] + b"\x02" + data[9:])


def make_long(path: Path) -> None:
    path.touch()
    os.truncate(path, 1 << 40)


def make_link_to_itself(path: Path) -> None:
    path.symlink_to(path)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda path: None, "cannot be read: No such file or directory"),
        (make_directory, "is no file"),
        (make_pipe, "is no file"),
        (make_link_to_itself, "cannot be read: Too many levels of symbolic links"),
        (lambda path: path.touch(), "is too short for a table of fields"),
        (lambda path: path.write_text("#" * 1000), "is no table of fields"),
        (make_later, "has a version that this malloom does not read"),
        (lambda path: path.write_bytes(SAMPLE.read_bytes()[:-8]), "is not as long as it says"),
        (make_long, "is too long for a table of fields"),
        (make_damaged, "is damaged: its checksum is wrong"),
    ],
)
def test_what_is_no_good_table_ends_the_link(
    try_compile: Run, tmp_path: Path, make: Callable[[Path], None], says: str
) -> None:
    make(tmp_path / "made.fields")
    done = try_compile("-O2", *SOURCES, "-fmalloom-profile=made.fields", "-o", "program")
    assert done.returncode == 1
    assert done.stderr.startswith(f"malloom-cc: error: made.fields {says}")
    assert done.stderr.endswith("; name a table that 'malloom profile fields -o' has written\n")
    assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "program").exists()


def test_an_option_without_a_file_is_explained(native: Path) -> None:
    done = run(native / "malloom-cc", "-fmalloom-profile=", "-O2", "-c", "a.c")
    assert done.returncode == 2
    assert done.stderr.startswith("malloom-cc: error: -fmalloom-profile= names no file; ")


def test_the_same_profile_gives_the_same_bytes(compile: Compile, tmp_path: Path) -> None:
    for folder in ("first", "second"):
        (tmp_path / folder).mkdir()
        options = ["-O2", "-g", "-ffile-prefix-map=first=.", "-ffile-prefix-map=second=."]
        compile(*options, *SOURCES, f"-fmalloom-profile={SAMPLE}", "-o", f"{folder}/program")
    assert (tmp_path / "first/program").read_bytes() == (tmp_path / "second/program").read_bytes()
