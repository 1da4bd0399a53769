"""The bin heap and the generators of its functions need no operating system and no library, on any of their
machines."""

from pathlib import Path

import pytest

from runtime.freestanding.machines import MACHINES, compiled, undefined_symbols, variables_of
from some import some
from structure.source_tree import files_with

FOLDERS = ("runtime/heaps/bins/", "runtime/codegen/bins/")
ADAPTER = "runtime/heaps/bins/adapter/"
"""For processes, with locks of theirs."""
SOURCES = {
    folder: [name for name in files_with(".cpp") if name.startswith(folder) and not name.startswith(ADAPTER)]
    for folder in FOLDERS
}
HEADERS = [
    "include/malloom/bins.h",
    *(name for name in files_with(".h") if name.startswith(FOLDERS) and not name.startswith(ADAPTER)),
]


@pytest.mark.parametrize("folder", FOLDERS)
@pytest.mark.parametrize("machine", some("RV32IM", "Thumb-2", of=MACHINES))
def test_it_is_all_there(machine: str, folder: str, tmp_path: Path) -> None:
    """Only its own functions are called; no static constructors, and no variables."""
    assert SOURCES[folder]
    for source in SOURCES[folder]:
        made = compiled(machine, source, tmp_path)
        assert [name for name in undefined_symbols(made) if "malloom" not in name] == [], source
        assert variables_of(made) == set(), source


@pytest.mark.parametrize("header", HEADERS)
def test_header_stands_alone(header: str, tmp_path: Path) -> None:
    source = tmp_path / "alone.cpp"
    source.write_text(f'#include "{header}"\n')
    compiled("RV32IM", source, tmp_path)


@pytest.mark.parametrize(
    ("ranges", "is_right"),
    [
        ("(1<<MALLOOM_BINS_LINEAR)", True),
        ("(1<<MALLOOM_BINS_SMOOTH|1<<MALLOOM_BINS_BY_COST)", True),
        ("0", True),
        ("(1<<MALLOOM_BINS_AS_THEY_ARE)", False),
        ("(2<<MALLOOM_BINS_BY_OCTAVE)", False),
        ("-1", False),
    ],
)
def test_ranges_that_there_are_not_cannot_be_compiled_in(ranges: str, is_right: bool, tmp_path: Path) -> None:
    source = tmp_path / "ranges.cpp"
    source.write_text(f'#define MALLOOM_BINS_RANGES {ranges}\n#include "runtime/heaps/bins/options.h"\n')
    if is_right:
        compiled("RV32IM", source, tmp_path)
        return
    with pytest.raises(AssertionError, match="MALLOOM_BINS_RANGES"):
        compiled("RV32IM", source, tmp_path)
