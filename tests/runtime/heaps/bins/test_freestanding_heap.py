"""The bin heap needs no operating system and no library, on any of its machines."""

from pathlib import Path

import pytest

from runtime.freestanding.machines import TARGETS, compiled, undefined_symbols, variables_of
from structure.source_tree import files_with

FOLDER = "runtime/heaps/bins/"
ADAPTER = FOLDER + "adapter/"
"""For processes, with locks of theirs."""
OWN = [name for name in files_with(".cpp", ".h") if name.startswith(FOLDER) and not name.startswith(ADAPTER)]
SOURCES = [name for name in OWN if name.endswith(".cpp")]
HEADERS = [name for name in OWN if name.endswith(".h")] + ["include/malloom/bins.h"]


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
