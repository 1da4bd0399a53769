"""What the tree must not hold. Patterns are spelt so that they do not find themselves."""

import re

import pytest

from structure.source_tree import ROOT, files_with, lines_matching, text_of, tree_files

LARGEST_FILE = 1 << 20

SOURCES = files_with(
    ".cpp", ".h", ".c", ".py", ".pyi", ".sh", ".def", ".v", ".cmake", "CMakeLists.txt", "Makefile"
)
TESTS = [name for name in tree_files() if name.startswith(("tests/", ".ci/")) or name == "Makefile"]

FORBIDDEN = {
    "unfinished work": (r"\b(TO[D]O|FIX[M]E|XX[X]|HA[C]K|NotImplemented[E]rror)\b", SOURCES),
    "tests that may not run": (r"GTEST_[S]KIP|pytest\.(mark\.)?[s]kip|[s]kipif|DISABLE[D]_|x[f]ail\b", TESTS),
    "steps whose failure is hidden": (r"\|\| tru[e]\b", TESTS),
    "paths of one machine": (r"(?<![\w.])/(root|home|work)/\w", list(tree_files())),
    "hosts of package registries": (r"(pypi|pythonhosted|crates|debian)\.(org|io)\b", list(tree_files())),
}


@pytest.mark.parametrize("reason", FORBIDDEN)
def test_tree_is_free_of(reason: str) -> None:
    pattern, names = FORBIDDEN[reason]
    assert lines_matching(pattern, names) == []


def test_no_file_is_too_large() -> None:
    assert [name for name in tree_files() if (ROOT / name).stat().st_size > LARGEST_FILE] == []


def test_names_say_something() -> None:
    vague = {"util", "utils", "helper", "helpers", "common", "misc"}
    assert [name for name in tree_files() if vague & set(name.replace(".", "/").split("/"))] == []


def test_make_rebuilds_for_every_room_of_the_product() -> None:
    rooms = set(re.findall(r"add_subdirectory\(([\w-]+)", text_of("CMakeLists.txt"))) - {"workloads", "tests"}
    listed = re.search(r"^PRODUCT_SOURCES := \$\(shell find (.*)", text_of("Makefile"), re.MULTILINE)
    assert listed is not None
    assert rooms - set(listed[1].split()) == set()


def test_shell_scripts_are_executable_and_strict() -> None:
    for name in [*files_with(".sh"), ".ci/run"]:
        assert (ROOT / name).stat().st_mode & 0o100, f"{name} cannot be executed"
        assert re.search(r"^set -eu", text_of(name), re.MULTILINE), f"{name} goes on after a failure"
