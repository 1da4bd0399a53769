"""The analysis core (src/native), as Python sees it. Each folder's bindings.cpp has a section."""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

I64 = npt.NDArray[np.int64]
U32 = npt.NDArray[np.uint32]
U64 = npt.NDArray[np.uint64]

# accesses/bindings.cpp

class AccessSource:
    def next_batch(self) -> tuple[U32, U32, U64]: ...

class AddressSource: ...

class KeptAccesses:
    def serves(self, skip: int, take: int) -> bool: ...
    def open(self, skip: int, take: int) -> AccessSource: ...

def array_accesses(request: U32, packed: U64, skip: int, take: int) -> AccessSource: ...
def read_so_far() -> tuple[int, int]: ...

# bins/bindings.cpp

def lay_out_bins(begins: U32, counts: U32, end: int, granule: int, wanted: int) -> U32: ...
def replay_bins(
    sizes: U64,
    alignments: U32,
    events: I64,
    begins: U32,
    region_bytes: int,
    alignment: int,
    bounded: bool,
) -> tuple[int, int, int, bool, U64]: ...
def bin_code(begins: U32, weights: U32, target: str) -> bytes: ...

# profile/bindings.cpp

class Recording:
    def __init__(self, path: str) -> None: ...
    @property
    def created(self) -> int: ...
    def notes(self) -> list[str]: ...
    def export_text(self, descriptor: int) -> str: ...
    def processes(self) -> list[dict[str, Any]]: ...
    def read_process(
        self, identity: int
    ) -> tuple[
        dict[str, Any],
        dict[str, int | bool],
        tuple[U64, U32, U64, U64],
        list[tuple[str, str, int, int, int, int]],
    ]: ...
    def accesses(self, identity: int, skip: int = 0, take: int = 0) -> AccessSource: ...
    def accesses_here_and_there(self, identity: int, skip: int, take: int) -> AccessSource: ...
    def addresses(self, identity: int) -> AddressSource: ...

def import_text(input: int, output: int) -> str: ...
def chain_hashes(
    offsets: U64, frame_modules: U32, frame_offsets: U64, module_hashes: U64, depth: int
) -> U64: ...
def refold_contexts(context: U32, hashes: U64) -> tuple[U32, U64, U32]: ...
def create_profile(path: str, created: int) -> str: ...
def recover_profile(
    path: str, maximum_bytes: int, finish: bool, is_window: bool = False
) -> dict[str, Any]: ...
def check_profile(path: str) -> list[str]: ...

# survey/bindings.cpp

def survey(
    source: AccessSource,
    requests: int,
    expected: int,
    steadiness: tuple[int, int, int],
    kept: tuple[int, int],
) -> tuple[tuple[U64, U64, U64], U64, tuple[U64, U32, U32], KeptAccesses]: ...
def context_affinity(
    source: AccessSource, context: U32, contexts: int, distance: int
) -> tuple[tuple[U64, U32, U32], U64]: ...
def use_of_lines(source: AccessSource, layouts: list[U64]) -> list[tuple[U64, U64]]: ...

# report/bindings.cpp

def lifetimes(size: U64, birth: U64, death: U64, context: U32, contexts: int) -> tuple[U64, U64]: ...
def demangle(name: str) -> str: ...

# fields/bindings.cpp

def count_fields(
    source: AccessSource,
    recorded: U64,
    sizes: U64,
    kind_of_request: U32,
    kinds: int,
    caches: list[tuple[int, int, int]],
    tlbs: list[tuple[int, int, int]],
    replacement: str,
    sampled: bool,
) -> tuple[bytes, bytes, bytes, int, int, bytes]: ...
def fields_problem(data: bytes) -> str: ...
def sites_problem(data: bytes) -> str: ...
def word_checksum(data: bytes, left_out: int) -> int: ...

# debug/bindings.cpp

def call_places(sections: dict[str, bytes], addresses: U64) -> tuple[U32, U32, U32, U32, U64]: ...

# orders/bindings.cpp

def depth_first(offsets: U64, targets: U32, weights: U32, roots: U32) -> U32: ...
def grouped(offsets: U64, targets: U32, weights: U32, hubs: U32) -> U32: ...
def in_order_of_use(offsets: U64, targets: U32, weights: U32, rank: U64) -> U32: ...
def affinity_chains(offsets: U64, targets: U32, weights: U32, rank: U64, levels: int) -> U32: ...
def avoid_conflicts(
    offsets: U64,
    targets: U32,
    weights: U32,
    order: U32,
    granules: U32,
    sets: int,
    ways: int,
    line_granules: int,
) -> U32: ...
def usage_tree(offsets: U64, targets: U32, weights: U32, rank: U64) -> I64: ...
def subtree_clusters(
    parent: I64, rank: U64, granules: U32, page_granules: int, line_granules: int
) -> U32: ...

# packing/bindings.cpp

class Timeline:
    @property
    def generations(self) -> int: ...
    def generation_of_requests(self) -> npt.NDArray[np.uint8]: ...

def form_timeline(
    birth: U64,
    death: U64,
    size: U64,
    alignment: U32,
    accesses: U64,
    maximum_bytes: int,
    generations: int,
) -> Timeline: ...
def place_in_order(timeline: Timeline, order: U32, lines: str, line_bytes: int) -> tuple[I64, int]: ...

# pages/bindings.cpp

def place_in_pages(sizes: U64, alignments: U32, events: I64, bytes: int) -> I64: ...

# plan/bindings.cpp

def check_plan(path: str) -> tuple[str, bytes]: ...
def checksum(bytes: npt.NDArray[np.uint8]) -> int: ...

# simulation/bindings.cpp

class Simulation:
    def __init__(
        self,
        recorded: U64,
        sizes: U64,
        accesses: U64,
        first_access: U64,
        contexts: U32,
        context_count: int,
        caches: list[tuple[int, int, int]],
        tlbs: list[tuple[int, int, int]],
        replacement: str,
    ) -> None: ...
    def add(self, offsets: I64, huge_bytes: int) -> tuple[int, int]: ...
    def add_moved(
        self, offsets: I64, second: I64, places: U32, first_bytes: int, second_bytes: int
    ) -> None: ...
    def offsets(self, number: int) -> I64: ...
    def retain(self, numbers: list[int]) -> None: ...
    def run(
        self,
        source: AccessSource,
        window: int,
        warm_up: int,
        skip: int,
        progress: Callable[[int], None] | None,
    ) -> None: ...
    def counts(self) -> list[list[tuple[int, int, int]]]: ...
    def counts_by_context(self, number: int) -> U64: ...

def simulate_addresses(
    source: AddressSource,
    machines: list[tuple[list[tuple[int, int, int]], list[tuple[int, int, int]]]],
    prefetchers: list[list[tuple[int, int, int]]],
) -> tuple[int, int, int, list[list[tuple[int, int, int]]], list[tuple[int, int, int]]]: ...

# latency/bindings.cpp

def cycle_nanoseconds() -> float: ...
def page_walk_nanoseconds() -> float: ...

class MemoryLatency:
    def __init__(self, bytes: int) -> None: ...
    def random_access(self, working_set: int, nearer: int) -> float: ...
    def sequential_access(self, working_set: int, nearer: int) -> float: ...
