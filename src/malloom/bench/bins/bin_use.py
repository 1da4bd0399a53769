"""Figures 6 and 7: how often each bin gets a free chunk, before and after a rehash, of one large graph."""

from collections.abc import Sequence

import numpy as np

from malloom.bench.bins.graphs import Cell, Sizes, generator
from malloom.bench.bins.inputs import ALIGNMENT, JUDGED_SEED
from malloom.bench.bins.operations import Allocator, Function, Options, Rehash, Replay, Shows
from malloom.bench.bins.replays import CYCLES, PAIR, number_row
from malloom.bench.bins.schedule import operations_in
from malloom.bench.bins.simulator import Run, Simulator
from malloom.bench.goals import Goal
from malloom.bench.steps import Bench
from malloom.measure.interval import exact
from malloom.measure.rows import Row, row

CELL = Cell(64, Sizes.UNIFORM, 4096)
"""The paper says of its graph that it has 4,096 pairs; this is the middle of the grid."""
BEFORE, AFTER = "before", "after"
SHARE, EVENNESS, STEPS = "insertions_per_cent", "bins_that_share_evenly", "list_steps_per_pair"
GROUPS = 16
REHASHES = 3


def most_heap_bytes(pairs: int) -> int:
    """Of the heap of a graph of so many pairs."""
    return 2 * pairs * CELL.maximum


def use_rows(bench: Bench, simulator: Simulator, pairs: int) -> list[Row | Goal]:
    """How the insertions are spread over the bins, in sixteen groups of them from the smallest sizes on, and
    what a pair takes."""
    graph = operations_in(CELL, generator(JUDGED_SEED, pairs), pairs)
    heap_bytes = (2 * graph.peak + ALIGNMENT - 1) // ALIGNMENT * ALIGNMENT
    replay = Replay(
        heap_bytes,
        Allocator.PAPER,
        function=Function.GENERATED,
        rehash=Rehash.LINEAR,
        options=Options.COUNT_INSERTIONS,
        runs=REHASHES + 1,
        rehashes=REHASHES,
        shows=Shows.BINS | Shows.STEPS,
    )
    bench.say(f"replaying a graph of {pairs} pairs")
    runs = simulator.replay(replay, graph)
    name = f"graph of {pairs} pairs, {simulator.place}"
    rows: list[Row | Goal] = []
    for number, run in enumerate(runs):
        rows += _rows_of_run(name, number, run)
        if number > 0:
            ratio = exact(run.cycles / runs[0].cycles)
            rows.append(row((name, str(number)), "paper's heap", BEFORE, CYCLES, ratio))
    return rows


def _rows_of_run(name: str, number: int, run: Run) -> list[Row]:
    counts = [count for _, count in run.use]
    after = BEFORE if number == 0 else f"{AFTER} {number}"
    shares = (
        number_row((name, f"bins {group}/{GROUPS}"), after, SHARE, share, 1)
        for group, share in enumerate(group_shares(counts, GROUPS), 1)
    )
    return [
        *shares,
        number_row((name, "all"), after, EVENNESS, even_bins(counts), 1),
        number_row((name, "all"), after, STEPS, run.steps / run.pairs, 1),
        number_row((name, "all"), after, PAIR, run.pair_cycles, 1),
    ]


def group_shares(counts: Sequence[int], groups: int) -> list[float]:
    """Per cent of all, of neighbouring bins together, in so many groups of about as many bins each."""
    total = max(sum(counts), 1)
    return [100 * float(part.sum()) / total for part in np.array_split(np.asarray(counts), groups)]


def even_bins(counts: Sequence[int]) -> float:
    """So many bins would have what each insertion finds in its own, if all had the same: the square of the
    sum by the sum of the squares."""
    squares = sum(count * count for count in counts)
    return sum(counts) ** 2 / squares if squares else 0.0
