"""The settings that results are compared with: names, variables, versions, and what is missing."""

import os
import platform
import re
import subprocess
from pathlib import Path

import pytest

from malloom.errors import CommandError
from malloom.measure import allocators
from malloom.measure.allocators import Setting
from structure.source_tree import ROOT

FOLDER = ROOT / allocators.DEFAULT_FOLDER
NAMES = ["glibc", "mimalloc 2", "mimalloc", "jemalloc"]


@pytest.fixture(scope="module")
def settings() -> dict[str, Setting]:
    return allocators.every_setting(FOLDER)


def test_all_but_tcmalloc_have_huge_pages_too(settings: dict[str, Setting]) -> None:
    assert list(settings) == [name + huge for name in NAMES for huge in ("", " huge")] + ["tcmalloc"]
    assert all(setting.huge == name.endswith(" huge") for name, setting in settings.items())


@pytest.mark.parametrize("name", NAMES)
def test_settings_of_an_allocator_differ_in_one_variable(settings: dict[str, Setting], name: str) -> None:
    small, huge = settings[name].environment, settings[f"{name} huge"].environment
    assert small.keys() == huge.keys() or (name, small) == ("glibc", {}), "glibc is as its users have it"
    assert len([variable for variable in huge if small.get(variable) != huge[variable]]) == 1
    assert settings[name].allocator == settings[f"{name} huge"].allocator


def test_a_users_own_settings_stay_out_of_comparisons(monkeypatch: pytest.MonkeyPatch) -> None:
    theirs = {
        "LD_PRELOAD": "libm.so.6",
        "MALLOC_ARENA_MAX": "1",
        "MIMALLOC_VERBOSE": "1",
        "MALLOOM": "heap=pools",
    }
    for name, value in {**theirs, "MY_MALLOC_CONF": "x"}.items():
        monkeypatch.setenv(name, value)
    assert set(theirs) <= set(allocators.without_settings_of_users())
    assert not theirs.keys() & os.environ.keys()
    assert os.environ["MY_MALLOC_CONF"] == "x"


def test_versions_are_what_the_libraries_say(settings: dict[str, Setting]) -> None:
    versions = {name: setting.allocator.version.number for name, setting in settings.items()}
    assert versions["glibc"] == platform.libc_ver()[1]
    assert versions["mimalloc 2"].startswith("2.")
    assert versions["mimalloc"].startswith("3.")
    assert all(re.fullmatch(r"\d+(\.\d+)+", version) for version in versions.values())


def test_tables_name_version_build_and_variable(settings: dict[str, Setting]) -> None:
    crate = re.findall(r"^version=(.*)", (ROOT / "setup/mimalloc_crate.sh").read_text(), re.MULTILINE)[0]
    described = settings["mimalloc"].described
    assert re.fullmatch(
        rf"mimalloc 3[.\d]+ \(built from libmimalloc-sys {crate} with gcc [.\d]+\), MIMALLOC_ALLOW_THP=0",
        described,
    )
    package = r"jemalloc (\S+) \(package libjemalloc2 \1-\S+\), MALLOC_CONF=thp:always"
    assert re.fullmatch(package, settings["jemalloc huge"].described)
    assert re.fullmatch(r"tcmalloc (\S+) \(package \S+ \1-\S+\)", settings["tcmalloc"].described)


def test_program_gets_the_library(settings: dict[str, Setting]) -> None:
    setting = settings["mimalloc"]
    environment = {**os.environ, **setting.environment, "MIMALLOC_VERBOSE": "1"}
    done = subprocess.run(["true"], env=environment, capture_output=True, text=True, check=True)
    assert f"v{setting.allocator.version.number}" in done.stderr


def test_unbuilt_mimalloc_is_missed(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"there is no .*/mimalloc-3.so; run 'make native'"):
        allocators.every_setting(tmp_path)


def test_path_that_the_loader_would_split_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "two words"
    folder.mkdir()
    (folder / allocators.NEWEST_MIMALLOC).touch()
    with pytest.raises(CommandError, match="without blanks"):
        allocators.every_setting(folder)


@pytest.mark.parametrize(("family", "library"), [("jemalloc", "libnothere.so.2"), ("tcmalloc", "libm.so.6")])
def test_library_that_does_not_serve_malloc_is_refused(family: str, library: str) -> None:
    with pytest.raises(
        CommandError, match=f"{family} is not there: with {library} preloaded, glibc serves malloc"
    ):
        allocators.version_of(family, library)


@pytest.mark.parametrize("chosen", ["always", "madvise", "never"])
def test_a_table_says_where_the_kernel_overrides_a_setting(chosen: str) -> None:
    assert (chosen in allocators.huge_pages_remark(chosen)) == (chosen != "madvise")


def test_kernel_without_huge_pages_gives_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(allocators, "chosen_huge_pages", lambda: "")
    assert allocators.system_huge_pages() == "never"
