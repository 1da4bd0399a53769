"""malloc from the page heap on the simulated core, by each search of its bitmaps."""

import functools
import subprocess
from collections.abc import Callable, Sequence

import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from malloom.bench.pages.simulation import SimulatedCore
from some import some
from structure.source_tree import ROOT

BUILD = ROOT / "build/firmware"
CORES = {
    "linear": "simulated_core",
    "kamp": "simulated_core",
    "ctz": "simulated_core",
    "hardware": "chunk_core",
    "better": "window_core",
}
"""Which core has what the search needs."""
FEW = ("ctz", "hardware")
"""One in software and the one that has another core, each of which runs for seconds."""


def run(search: str, core: str) -> subprocess.CompletedProcess[str]:
    command = [BUILD / core / "malloom-core", BUILD / "riscv_core/programs" / f"page_malloc_{search}"]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)


@pytest.fixture(scope="module")
def printed() -> Callable[[str], list[int]]:
    """What each prints, which takes seconds."""

    @functools.cache
    def once(search: str) -> list[int]:
        done = run(search, CORES[search])
        assert (done.returncode, done.stderr) == (0, "")
        return [int(number) for number in done.stdout.split()]

    return once


@pytest.mark.parametrize("search", some(*FEW, "better", of=CORES))
def test_objects_keep_their_contents_and_misuse_is_told(
    printed: Callable[[str], list[int]], search: str
) -> None:
    changed, foreign, freed_before, is_whole, *objects = printed(search)
    assert (changed, foreign, freed_before, is_whole) == (0, 7, 5, 1)
    assert len(set(objects)) == len(objects)


@pytest.mark.parametrize(
    "searches",
    [
        pytest.param(FEW, id="few"),
        pytest.param([each for each in CORES if each != "better"], id="all", marks=pytest.mark.long),
    ],
)
def test_every_search_gives_the_same_objects(
    printed: Callable[[str], list[int]], searches: Sequence[str]
) -> None:
    """But for pages behind windows, which have no heads."""
    (objects,) = {tuple(printed(search)) for search in searches}
    assert len(objects) > 40


def test_the_search_in_hardware_needs_the_unit() -> None:
    """Where the core's unit answers zero, the first chunk of a page is every object, and its head too."""
    assert run("hardware", "simulated_core").returncode == 125


def test_counting_zeros_takes_no_longer_than_looking_at_each_bit() -> None:
    """Not even where the first bit is that of a free chunk."""
    counting, looking = (SimulatedCore(BUILD).cycles_of_pairs(search) for search in ("ctz", "linear"))
    assert all(counting[living] < cycles for living, cycles in looking.items())


def test_the_heaps_constants_lie_behind_its_code() -> None:
    """A direct-mapped cache has one line for the begin of each page, and the heads of pages lie there."""
    for search in ("linear", "hardware"):
        with (BUILD / "riscv_core/programs" / f"treeadd_{search}").open("rb") as file:
            symbols = ELFFile(file).get_section_by_name(".symtab")
            assert isinstance(symbols, SymbolTableSection)
            addresses = {symbol.name: symbol["st_value"] for symbol in symbols.iter_symbols()}
        (table,) = (address for name, address in addresses.items() if "class_table" in name)
        assert 0 <= table - addresses["malloom_management_end"] < 256
        assert table % 4096 >= 64
