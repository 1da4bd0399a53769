"""Plans from a fleet: by context, size and kind only, as hosts share no single requests.

A pool is decided on for each build, since an object may have another size there; who is used with whom for
all builds together, as the rows of a fleet stand for all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from malloom import formats
from malloom.errors import CommandError, UsageProblem
from malloom.fleet.contexts import MOST, FleetContexts
from malloom.fleet.origin import Origin
from malloom.layout.grouping import LARGEST, chunk_bytes, deepest_of, group_contexts, shallowest
from malloom.layout.layout import NO_GROUP, Groups
from malloom.layout.level import Level
from malloom.layout.plan import MATCHINGS, Plan, empty_sections, group_table, hash_table, pool_contexts
from malloom.layout.pooling import MOST_FRAMES, Kinds, choose_pools
from malloom.profile import AffinityGraph
from malloom.profile.requests import I64, U32
from malloom.sites.table import KeyedContext, SiteTable, encode

MOST_WEIGHT = 2**32 - 1
"""Of an edge of a graph; larger ones are scaled down together."""


@dataclass(frozen=True)
class Decided:
    """What a plan says of contexts: `contexts` and `groups` are its sections."""

    depth: int
    contexts: npt.NDArray[Any]
    groups: npt.NDArray[Any]


@dataclass(frozen=True)
class FleetPlan:
    """A plan, and the fleet that it is of."""

    plan: Plan
    origin: Origin
    builds: tuple[str, ...]
    """Build-ids of the program for which it is good, that with the most weight first."""

    @property
    def record(self) -> Mapping[str, Any]:
        """What the plan's record says of the fleet."""
        origin = self.origin
        told = {"hosts": origin.hosts, "tables": origin.tables, "weight": origin.weight}
        return {"fleet": {**told, "builds": list(self.builds)}}


def plan_fleet(path: Path, strategy: str) -> FleetPlan:
    """A plan by one of STRATEGIES. Raises UsageProblem for another, and CommandError where the fleet is not
    good or has nothing that is worth a place."""
    if strategy not in STRATEGIES:
        known = " or ".join(STRATEGIES)
        raise UsageProblem(
            f"a fleet is not planned by {strategy}, which needs single requests", remedy=f"use {known}"
        )
    contexts = FleetContexts.of(path)
    decided = STRATEGIES[strategy](contexts)
    if not len(decided.contexts):
        raise CommandError(f"{path}: no context is worth a place by {strategy}")
    origin = contexts.origin
    builds = tuple(build.build_id for build in origin.builds) or (origin.build_id,)
    sections = {**empty_sections(), "contexts": decided.contexts, "groups": decided.groups}
    plan = Plan(
        strategy=strategy,
        # 0 is any program: a plan for several builds is for none alone.
        program=int(origin.files[0].hash, 16) if len(builds) == 1 and origin.files else 0,
        matching=1 + MATCHINGS.index("context"),
        depth=decided.depth,
        arena_bytes=0,
        planned_requests=0,
        profile_created=origin.created,
        flags=0,
        racy_requests=0,
        sites=_sites(contexts, decided) if len(builds) == 1 else b"",
        **sections,
    )
    return FleetPlan(plan, origin, builds)


def _pools(contexts: FleetContexts) -> Decided:
    """A pool for every context whose requests agree in size (malloom.layout.pooling)."""
    kinds = [(place, kind) for place, each in enumerate(contexts.variants) for kind in each.kinds]
    of_variant = np.array([place for place, _ in kinds], dtype=np.int64)
    is_aligned = contexts.numbers("aligned")[contexts.row_of_variant()] > 0
    has_frames = np.array([bool(each.frames) for each in contexts.variants], dtype=np.bool_)
    known = Kinds(
        np.array([kind["size"] for _, kind in kinds], dtype=np.uint64),
        np.array([min(kind["requests"], MOST) for _, kind in kinds], dtype=np.int64),
        is_aligned[of_variant],
        has_frames[of_variant],
    )
    levels = contexts.levels(min(contexts.depth, MOST_FRAMES))
    of_kinds = ((depth, Level(level.of_row[of_variant], level.hashes)) for depth, level in levels)
    pools, _ = choose_pools(known, of_kinds)
    return Decided(pools.depth, pool_contexts(pools), empty_sections()["groups"])


def _groups(contexts: FleetContexts) -> Decided:
    """Contexts that are used together (malloom.layout.grouping)."""
    if contexts.origin.accesses == "none" or not contexts.origin.accesses_count:
        raise CommandError(
            "the hosts recorded no accesses, so nothing tells what is used together",
            remedy="use --strategy pools, or record with --accesses sampled",
        )
    deepest = deepest_of(contexts.depth)
    of_row, count = contexts.of_rows(deepest)
    wanted = group_contexts(*_use(contexts, of_row, count))[of_row]
    row_of_variant = contexts.row_of_variant()
    weights = np.array([each.requests for each in contexts.variants], dtype=np.int64)
    levels = contexts.levels(deepest)
    depth, of_context = shallowest(levels, wanted[row_of_variant], weights)
    level = levels[depth - 1][1]
    group = np.full(len(contexts.rows), NO_GROUP, dtype=np.uint32)
    group[row_of_variant] = of_context[level.of_row]
    entries = np.zeros(len(of_context), dtype=formats.dtype("plan", "PlanContext"))
    entries["hash"], entries["group"] = level.hashes, of_context
    groups = group_table(_described(contexts, depth, of_context, group))
    return Decided(depth, hash_table(entries[of_context != NO_GROUP]), groups)


STRATEGIES: Mapping[str, Callable[[FleetContexts], Decided]] = {"pools": _pools, "context-groups": _groups}
"""What a fleet can be planned by: those whose plans name contexts and sizes, no single requests."""


def _use(
    contexts: FleetContexts, of_row: U32, count: int
) -> tuple[AffinityGraph, npt.NDArray[np.float64], I64]:
    """Which contexts' objects are used together, how often each context's are used, and its requests."""
    of_site = {row["site"]: int(context) for row, context in zip(contexts.rows, of_row, strict=True)}
    weights: dict[tuple[int, int], int] = {}
    for row, context in zip(contexts.rows, of_row.tolist(), strict=True):
        for each in row["co_use"]:
            if (other := of_site.get(each["site"])) is not None:
                weights[context, other] = weights.get((context, other), 0) + each["uses"]
    # A row tells of its strongest neighbours only, so that the other one may know what it does not.
    both = {(a, b): max(weight, weights.get((b, a), 0)) for (a, b), weight in weights.items()}
    both |= {(b, a): weight for (a, b), weight in both.items()}
    uses = np.bincount(of_row, weights=contexts.numbers("uses"), minlength=count).astype(np.float64)
    requests = np.bincount(of_row, weights=contexts.numbers("requests"), minlength=count)
    return _graph(both, count), uses, requests.astype(np.int64)


def _graph(weights: Mapping[tuple[int, int], int], nodes: int) -> AffinityGraph:
    scale = max(max(weights.values(), default=0) / MOST_WEIGHT, 1.0)
    edges = sorted(weights.items(), key=lambda each: (each[0][0], -each[1], each[0][1]))
    degrees = np.bincount(np.array([a for (a, _), _ in edges], dtype=np.int64), minlength=nodes)
    return AffinityGraph(
        np.concatenate(([0], np.cumsum(degrees))).astype(np.uint64),
        np.array([b for (_, b), _ in edges], dtype=np.uint32),
        np.array([int(weight / scale) for _, weight in edges], dtype=np.uint32),
    )


def _described(contexts: FleetContexts, depth: int, of_context: U32, of_row: U32) -> Groups:
    """The groups; each is expected to hold what its kinds held at their peaks on any host, at most."""
    groups = int(of_context[of_context != NO_GROUP].astype(np.int64).max(initial=-1)) + 1
    expected = np.zeros(groups, dtype=np.uint64)
    for row, group in zip(contexts.rows, of_row.tolist(), strict=True):
        if group != NO_GROUP:
            peaks = (kind["live_peak"] for kind in row["kinds"] if kind["size"] <= LARGEST)
            expected[group] += np.uint64(min(sum(peaks), MOST))
    maximum = np.full(groups, LARGEST, dtype=np.uint64)
    small = np.zeros(len(expected), dtype=np.bool_)
    return Groups(depth, of_context, chunk_bytes(expected), maximum, expected, small)


def _sites(contexts: FleetContexts, decided: Decided) -> bytes:
    """The keys of the plan's contexts, of a fleet of one build, by which a build to come can take it over."""
    wanted = set(decided.contexts["hash"].tolist()) - {0}
    sites, rows = contexts.read.sites, contexts.rows
    numbers: dict[int, int] = {}
    keyed = []
    for depth, level in contexts.levels(decided.depth):
        for context, hash_ in enumerate(level.hashes.tolist()):
            if hash_ not in wanted:
                continue
            wanted.discard(hash_)
            of_it = [contexts.variants[place].row for place in np.flatnonzero(level.of_row == context)]
            chain = sites.contexts[of_it[0]].frames[:depth]
            frames = tuple(numbers.setdefault(frame, len(numbers)) for frame in chain)
            requests, size = (int(sum(rows[row][name] for row in of_it)) for name in ("requests", "bytes"))
            keyed.append(KeyedContext(hash_, frames, requests, size))
    return encode(SiteTable(sites.modules, tuple(sites.frames[old] for old in numbers), tuple(keyed)))
