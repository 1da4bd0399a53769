"""What the suite bins runs on the simulated core: lists of operations through every heap, and calls of every
bin function."""

import re
from dataclasses import replace

import numpy as np
import pytest
from elftools.elf.elffile import ELFFile

from malloom.bench.bins.figure5 import FUNCTIONS, Sizes, calls_file
from malloom.bench.bins.graphs import Cell, generator
from malloom.bench.bins.graphs import Sizes as Drawn
from malloom.bench.bins.operations import (
    Allocator,
    Function,
    OperationList,
    Options,
    Ranges,
    Rehash,
    Replay,
    Shows,
    Walk,
    to_file,
)
from malloom.bench.bins.schedule import operations_in
from malloom.bench.bins.simulator import Simulator
from malloom.errors import CommandError
from structure.source_tree import ROOT

CORE = Simulator(ROOT / "build/firmware", 4)
LIST = operations_in(Cell(16, Drawn.UNIFORM, 1024), generator(1, 1), 64)
ANOTHER = operations_in(Cell(16, Drawn.UNIFORM, 1024), generator(1, 2), 64)
ROOM = 64 << 10
LEARNING = Replay(
    ROOM,
    function=Function.GENERATED,
    rehash=Rehash.LINEAR,
    options=Options.COUNT_INSERTIONS,
    runs=3,
    rehashes=2,
)

QUICK = {"quick_bytes": 512, "quick_each": 4}
"""Of quick lists: other heaps take no notice of it."""
OWN = (
    Allocator.PAPER,
    Allocator.SHIPPED,
    Allocator.COMPILED_IN,
    Allocator.QUICK,
    Allocator.FIXED,
    Allocator.POINTED,
    Allocator.PAPER_WALKED,
    Allocator.PAPER_SAMPLED,
)
ALLOCATORS = [each if each in OWN else pytest.param(each, marks=pytest.mark.long) for each in Allocator]
"""Those of others are fetched and built for `make bench` and `make soak`."""


@pytest.mark.parametrize("allocator", ALLOCATORS)
def test_every_heap_serves_the_list(allocator: Allocator) -> None:
    first, second = CORE.replay(Replay(ROOM, allocator, runs=2, **QUICK), LIST)
    assert first.pairs == second.pairs == LIST.pairs
    assert first.failures == 0
    assert LIST.peak <= first.held <= ROOM
    assert 50 < second.pair_cycles < 5000
    assert second.pair_cycles <= 2 * second.worst


@pytest.mark.parametrize("allocator", ALLOCATORS)
def test_requests_that_find_no_room_are_counted(allocator: Allocator) -> None:
    (run,) = CORE.replay(Replay(8 << 10, allocator, **QUICK), LIST)
    assert 0 < run.failures < run.pairs


def test_every_run_is_the_same() -> None:
    assert CORE.replay(LEARNING, LIST, ANOTHER) == CORE.replay(LEARNING, LIST, ANOTHER)


@pytest.mark.parametrize("allocator", [Allocator.PAPER, Allocator.SHIPPED])
@pytest.mark.parametrize("function", [Function.BRANCHLESS, Function.BYTE_TABLE, Function.GENERATED])
def test_bins_are_laid_out_anew_by_what_was_counted(allocator: Allocator, function: Function) -> None:
    replay = replace(LEARNING, allocator=allocator, function=function, shows=Shows.BINS)
    before, after, _ = CORE.replay(replay, LIST)
    assert (before.bins, before.rehash) == (127, 0)
    assert 1 < after.bins < 127
    assert after.rehash > 1000
    assert [begin for begin, _ in before.use] != [begin for begin, _ in after.use]
    # Each release inserts a chunk, each allocation that leaves a rest another one.
    counts = [sum(count for _, count in run.use) for run in (before, after)]
    assert all(LIST.pairs < count <= 2 * LIST.pairs for count in counts)


@pytest.mark.parametrize("allocator", [Allocator.PAPER_SAMPLED, Allocator.SHIPPED])
def test_one_in_some_that_are_given_back_is_counted(allocator: Allocator) -> None:
    sampled = replace(LEARNING, allocator=allocator, options=Options.NONE, one_in=4, shows=Shows.BINS)
    before, after, _ = CORE.replay(sampled, LIST)
    assert [begin for begin, _ in before.use] != [begin for begin, _ in after.use]
    assert [sum(count for _, count in run.use) for run in (before, after)] == [LIST.pairs // 4] * 2


@pytest.mark.parametrize("allocator", [Allocator.PAPER_WALKED, Allocator.SHIPPED])
@pytest.mark.parametrize("walk", [Walk.FREE_CHUNKS, Walk.ALL_CHUNKS])
def test_bins_are_laid_out_by_what_lies_in_the_heap(allocator: Allocator, walk: Walk) -> None:
    walked = replace(LEARNING, allocator=allocator, options=Options.NONE, walk=walk, shows=Shows.BINS)
    in_the_middle = replace(walked, rehash_at=len(ANOTHER) // 2)
    before, after, _ = CORE.replay(in_the_middle, LIST, ANOTHER)
    assert sum(count for _, count in (*before.use, *after.use)) == 0, "nothing is counted between"
    assert before.bins == 127 > after.bins > 1
    assert after.rehash > 1000


def test_a_rehash_that_does_not_pay_is_left() -> None:
    walked = replace(LEARNING, options=Options.NONE, walk=Walk.ALL_CHUNKS, rehash_at=len(ANOTHER) // 2)
    done = CORE.replay(walked, LIST, ANOTHER)[1]
    before, after, _ = CORE.replay(replace(walked, walk=Walk.NONE, worth_for=LIST.pairs), LIST, ANOTHER)
    assert after.bins == before.bins and 0 < after.rehash < done.rehash / 2
    assert after.cycles < done.cycles


def test_what_is_judged_is_not_learned_from() -> None:
    """The bins after a rehash are those of the other list, whatever the judged one is."""
    quiet = OperationList(np.asarray([0, 0]), np.asarray([4000, -4000]))
    shown = replace(LEARNING, shows=Shows.BINS)
    judged_by_both = [CORE.replay(shown, judged, ANOTHER)[1].use for judged in (LIST, quiet)]
    begins = [[begin for begin, _ in use] for use in judged_by_both]
    assert begins[0] == begins[1] != [begin for begin, _ in CORE.replay(shown, LIST)[1].use]


def test_steps_are_told_without_changing_the_times() -> None:
    plain, shown = (
        CORE.replay(replace(LEARNING, shows=shows), LIST) for shows in (Shows.NOTHING, Shows.STEPS)
    )
    assert [run.steps for run in plain] == [0, 0, 0]
    assert all(run.steps > 0 for run in shown)
    assert [run.bins for run in plain] == [run.bins for run in shown]
    assert shown[0].cycles == plain[0].cycles


def test_bounded_heaps_take_few_steps() -> None:
    counted = replace(LEARNING, rehashes=0, runs=1, function=Function.COMPILED_IN, shows=Shows.STEPS)
    bounded = replace(counted, options=counted.options | Options.BOUNDED, most_steps=1)
    sorted_run, bounded_run = (CORE.replay(each, LIST)[0] for each in (counted, bounded))
    assert bounded_run.steps <= LIST.pairs
    assert bounded_run.failures == sorted_run.failures == 0


@pytest.mark.parametrize("function", Function)
def test_octaves_have_bins_of_their_own(function: Function) -> None:
    octaves = Replay(ROOM, ranges=Ranges.OCTAVES, first_function=function, bins=100, shows=Shows.BINS)
    (run,) = CORE.replay(octaves, LIST)
    begins = [begin for begin, _ in run.use]
    assert begins[:10] == [0, 8, 16, 24, 32, 40, 48, 56, 64, 72]
    assert len(begins) == 100


@pytest.mark.parametrize("sizes", [Sizes("4K", 0), Sizes("128K", 0, 256), Sizes("1M", 300)])
@pytest.mark.parametrize("flushes", [False, True])
def test_all_functions_agree(sizes: Sizes, flushes: bool) -> None:
    printed = {
        name: CORE.printed("bin_calls", calls_file(function, sizes, flushes))[0]
        for name, function in FUNCTIONS.items()
    }
    assert len({fields["sum"] for fields in printed.values()}) == 1
    assert all(fields["cycles"] > fields["without"] for fields in printed.values())
    assert all(fields["code"] < 20 * 127 for fields in printed.values())


MEASURED = (
    r"board_cycles|malloom_bins_(original|variable|(quick_)?(alloc|free))|lv_tlsf_(malloc|free)|o1heap(Allocate|Free)"
    r"|_(malloc|free)_r|picolibc_(malloc|free)|.*(release_plainly|make_plainly|release_and_sample).*"
    r"|__clzsi2|_ZN7malloom5bench4bins(5timed|8allocate|7release)I.*|.*(allocate|release)_fixed.*"
)


@pytest.mark.long
def test_what_is_measured_lies_where_no_part_takes_anothers_lines() -> None:
    """A function whose name is no longer as the linker's script has it would lie anywhere."""
    with (ROOT / "build/firmware/riscv_core/programs/replay").open("rb") as file:
        elf = ELFFile(file)
        begin = elf.get_section_by_name(".measured")["sh_addr"]
        end = begin + elf.get_section_by_name(".measured")["sh_size"]
        symbols = list(elf.get_section_by_name(".symtab").iter_symbols())
        found = [symbol for symbol in symbols if re.fullmatch(MEASURED, symbol.name)]
    assert len(found) == 43
    assert [symbol.name for symbol in found if not begin <= symbol["st_value"] < end] == []


@pytest.mark.parametrize("content", [b"x", b"x" * 100, to_file(Replay(ROOM), LIST)[:-4]])
def test_what_is_no_file_of_operations_is_refused(content: bytes) -> None:
    with pytest.raises(CommandError, match="replay ended with status 1"):
        CORE.printed("replay", content)
