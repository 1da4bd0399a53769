"""An allocator made for a recorded guest, beside those that guests have: instructions for a request and what
frees it, and memory. What was learned of one run of the guest is judged on another."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from malloom.bench.bins.guest_machines import (
    BINS,
    BUMP,
    C_BINS,
    C_BUMP,
    EMBEDDED,
    RLSF,
    TALC,
    TLSF,
    ZERO_BUMP,
    Machine,
    Programs,
    Tree,
    counted,
)
from malloom.bench.bins.guest_traces import (
    JUDGED_SEED,
    LEARNED_SEED,
    Guest,
    Trace,
    built,
    recorded,
)
from malloom.bench.bins.replays import number_row
from malloom.bench.gathered import Gathered
from malloom.bench.goals import Goal
from malloom.bench.numbers import ONE
from malloom.bench.steps import Bench, Found
from malloom.errors import CommandError
from malloom.layout.bin_layout import TARGETS
from malloom.layout.exact_bins import choose
from malloom.measure.interval import exact
from malloom.measure.rows import Place, Row, row
from malloom.profile import HeapProfile

ALLOCATORS = (BINS, C_BINS, BUMP, C_BUMP, ZERO_BUMP, TLSF, RLSF, TALC, EMBEDDED)
WITHOUT_RUST = (C_BINS, C_BUMP)
"""Those that need no library of Rust's for RISC-V, and nothing that is fetched."""
PAIRS = ((BINS, (BUMP, ZERO_BUMP, RLSF, TALC, EMBEDDED)), (C_BINS, (C_BUMP, TLSF)))
"""Whose instructions are compared: what is written in one language."""
REQUEST, ALLOCATOR_INSTRUCTIONS, HELD = "instructions_per_request", "allocator_instructions", "held_per_asked"
GOAL_INSTRUCTIONS, GOAL_HELD, GOAL_GUESTS = 1.10, 1.25, 3
"""Of a bump pointer's instructions, and of the most that lived, in so many guests."""


@dataclass(frozen=True)
class Count:
    """Of a replay."""

    instructions: int
    requests: int
    held_per_asked: float
    """Bytes up to the end of the object that reached furthest, for a byte of the most that lived."""


class Counts(Gathered[dict[str, Count]]):
    """Of each guest and machine, by allocator."""

    kind = dict[str, Count]


def guest_rows(
    bench: Bench, guest: Guest, machine: Machine, firmware: Path, allocators: Sequence[str], counts: Counts
) -> Found:
    """Rows of a guest, replayed with each allocator on the machine."""
    tree = Tree(firmware.resolve().parent.parent, firmware.resolve())
    folder = bench.scratch / "guests" / guest.name
    folder.mkdir(parents=True, exist_ok=True)
    program = built(guest, tree.root / "workloads/guests", folder)
    recorded(guest, program, LEARNED_SEED, folder / "learned.profile")
    judged = recorded(guest, program, JUDGED_SEED, folder / "judged.profile")
    bins = choose(HeapProfile.open(folder / "learned.profile", None).requests, TARGETS[machine.target])
    programs = Programs(tree, machine, folder, firmware.resolve() / "guests")
    found: dict[str, Count] = {}
    for allocator in allocators:
        bench.say(f"counting {guest.name} on {machine.name}: {allocator}")
        try:
            found[allocator] = count(programs.build(allocator, bins), judged, tree, machine, folder)
        except CommandError as error:
            bench.failed(allocator, error)
    place = (guest.name, machine.name)
    counts[place] = found
    return rows_of(place, found)


def count(program: Path, trace: Trace, tree: Tree, machine: Machine, folder: Path) -> Count:
    """What a replay of the trace takes. Raises CommandError where a request found no room."""
    data = folder / "operations"
    data.write_bytes(trace.encoded())
    printed, times = machine.times(tree, program, data)
    words = printed.split()
    fields = dict(zip(words[::2], map(int, words[1::2]), strict=True))
    if fields["failures"]:
        raise CommandError(f"{fields['failures']} requests found no room")
    return Count(counted(program, times), trace.requests, fields["held"] / trace.peak)


def rows_of(place: Place, found: Mapping[str, Count]) -> list[Row | Goal]:
    """Of each allocator, and of those in one language beside each other."""
    rows: list[Row | Goal] = []
    for name, each in found.items():
        rows.append(number_row(place, name, REQUEST, each.instructions / each.requests, each.requests))
        rows.append(number_row(place, name, HELD, each.held_per_asked, each.requests))
    for ours, peers in PAIRS:
        for peer in peers:
            if ours in found and peer in found:
                ratio = found[ours].instructions / found[peer].instructions
                rows.append(
                    row(place, ours, peer, ALLOCATOR_INSTRUCTIONS, exact(ratio), runs=found[ours].requests)
                )
    return rows


def goal_rows(counts: Counts, machine: Machine) -> Found:
    """What all but two guests reach: the third best ratio, against either bump pointer, and the third least
    memory."""
    found = [each for (_, name), each in counts.items() if name == machine.name]
    place = (f"{GOAL_GUESTS} of {len(found)} guests", machine.name)
    rows: list[Row | Goal] = []
    for peer in (BUMP, ZERO_BUMP):
        ratios = [
            each[BINS].instructions / each[peer].instructions for each in found if {BINS, peer} <= set(each)
        ]
        if len(ratios) >= GOAL_GUESTS:
            reached = exact(sorted(ratios)[GOAL_GUESTS - 1])
            rows.append(
                Goal(
                    row(place, BINS, peer, ALLOCATOR_INSTRUCTIONS, reached, runs=len(ratios)),
                    GOAL_INSTRUCTIONS,
                )
            )
    held = sorted(each[BINS].held_per_asked for each in found if BINS in each)
    if len(held) >= GOAL_GUESTS:
        reached = exact(held[GOAL_GUESTS - 1])
        rows.append(Goal(row(place, BINS, ONE, HELD, reached, runs=len(held)), GOAL_HELD))
    return rows
