"""Recorded guests replayed with an allocator each: on the simulated core, and as RV64 under qemu-user."""

from pathlib import Path

import pytest

from malloom.bench.bins.guest_machines import (
    C_BINS,
    C_BUMP,
    IN_RUST,
    RV32,
    RV64,
    TLSF,
    Machine,
    Programs,
    Tree,
)
from malloom.bench.bins.guest_traces import GUESTS, LEARNED_SEED, Guest, built, recorded
from malloom.bench.bins.guests import ALLOCATORS, Count, count
from malloom.layout.bin_layout import TARGETS
from malloom.layout.exact_bins import choose
from malloom.profile import HeapProfile
from structure.source_tree import ROOT

FEW = Guest("json", "a JSON parser", 4)
TREE = Tree(ROOT, ROOT / "build/firmware")


def counts(machine: Machine, allocators: tuple[str, ...], folder: Path) -> dict[str, Count]:
    program = built(FEW, ROOT / "workloads/guests", folder)
    trace = recorded(FEW, program, LEARNED_SEED, folder / "profile")
    bins = choose(HeapProfile.open(folder / "profile", None).requests, TARGETS[machine.target])
    programs = Programs(TREE, machine, folder / "programs", folder / "rust")
    return {each: count(programs.build(each, bins), trace, TREE, machine, folder) for each in allocators}


def test_a_bump_pointer_takes_fewest_instructions_and_most_memory(tmp_path: Path) -> None:
    found = counts(RV32, (C_BINS, C_BUMP), tmp_path)
    bins, bump = found[C_BINS], found[C_BUMP]
    assert bump.instructions < bins.instructions < 2 * bump.instructions
    assert 1.0 < bins.held_per_asked < 1.5 < bump.held_per_asked


@pytest.mark.long
@pytest.mark.parametrize("machine", [RV32, RV64], ids=lambda machine: machine.name)
def test_every_allocator_serves_a_guest(machine: Machine, tmp_path: Path) -> None:
    found = counts(machine, ALLOCATORS, tmp_path)
    assert set(IN_RUST) < set(found)
    assert all(each.held_per_asked >= 1.0 for each in found.values())
    assert found[TLSF].instructions > 3 * found[C_BINS].instructions


@pytest.mark.parametrize("guest", GUESTS, ids=lambda guest: guest.name)
def test_guests_end_well(guest: Guest, tmp_path: Path) -> None:
    """And ask for some thousands of objects, which they free."""
    program = built(guest, ROOT / "workloads/guests", tmp_path)
    trace = recorded(guest, program, LEARNED_SEED, tmp_path / "profile")
    assert 5_000 < trace.requests < 100_000
