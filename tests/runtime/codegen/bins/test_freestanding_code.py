"""Generators of bin functions need no operating system and no library, on any of their machines."""

from pathlib import Path

import pytest

from runtime.freestanding.machines import TARGETS, compiled, undefined_symbols, variables_of
from structure.source_tree import files_with

FOLDER = "runtime/codegen/bins/"
SOURCES = [name for name in files_with(".cpp") if name.startswith(FOLDER)]
HEADERS = [name for name in files_with(".h") if name.startswith(FOLDER)]


@pytest.mark.parametrize("target", TARGETS)
def test_only_its_own_functions_are_called(target: str, tmp_path: Path) -> None:
    assert SOURCES
    for source in SOURCES:
        called = undefined_symbols(compiled(target, source, tmp_path))
        assert [name for name in called if "malloom" not in name] == [], source


@pytest.mark.parametrize("target", TARGETS)
def test_nothing_is_there_to_be_initialised(target: str, tmp_path: Path) -> None:
    """No static constructors, and no variables."""
    for source in SOURCES:
        assert variables_of(compiled(target, source, tmp_path)) == set(), source


@pytest.mark.parametrize("header", HEADERS)
def test_header_stands_alone(header: str, tmp_path: Path) -> None:
    source = tmp_path / "alone.cpp"
    source.write_text(f'#include "{header}"\n')
    compiled("RV32IM", source, tmp_path)
