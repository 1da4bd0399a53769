"""Whose a gain is: the allocator's, the pages', the layout's, the prefetches', each measured by adding it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from malloom.layout.plan_header import has_pools
from malloom.measure import variants
from malloom.measure.allocators import Setting, Way, settings_of
from malloom.optimize.building import NONE, OVERHEAD_ONLY, POOL, Build
from malloom.optimize.candidates import Candidate
from malloom.optimize.settings import AllocatorRow
from malloom.optimize.training import Row, Training

ALLOCATOR, PAGES, RETURN, LAYOUT, PREFETCHES = (
    "allocator",
    "huge pages",
    "early return",
    "layout",
    "prefetches",
)
OF_BUILDS = {NONE: "link-time optimisation", OVERHEAD_ONLY: "inlining and copies", POOL: "pools"}
SPLITTING = "splitting"
OF_WAYS = {Way.plain: ALLOCATOR, Way.huge: PAGES, Way.early: RETURN}


@dataclass(frozen=True)
class Fallback:
    """The run time's own fallback alone."""

    name = "the fallback alone"
    kind = "setting"
    executable = None

    @property
    def environment(self) -> Mapping[str, str]:
        return variants.fallback()


def chain_of(choice: Row, rows: Sequence[Row] = ()) -> list[tuple[str, Row]]:
    """The parts of a choice in the order in which they are added, each with the row that has it and all
    before it; the last is the choice itself. Of a build, its simpler ones are among the rows."""
    if isinstance(choice, Build):
        return _of_build(choice, [row for row in rows if isinstance(row, Build)])
    if isinstance(choice, AllocatorRow):
        return _of_setting(choice.setting)
    if isinstance(choice, Candidate):
        return _of_plan(choice)
    return []


def measure_parts(training: Training, chain: Sequence[tuple[str, Row]], rounds: int) -> dict[str, float]:
    """By part, CPU time with it against that without it, on all training inputs; where a row cannot be run,
    only parts before it."""
    new = [row for _, row in chain if row.name not in next(iter(training.races.values())).commands]
    training.enter(new)
    # What is told of the rows elsewhere are their own races' figures, also after an interrupt.
    before = dict(training.results)
    try:
        training.run([row.name for _, row in chain], rounds)
        return _gains(training, chain)
    finally:
        training.results = before
        training.left = {name: why for name, why in training.left.items() if name not in before}


def _gains(training: Training, chain: Sequence[tuple[str, Row]]) -> dict[str, float]:
    found: dict[str, float] = {}
    so_far = 1.0
    for part, row in chain:
        if row.name not in training.results:
            break
        time = training.results[row.name].mean("cpu_time")
        found[part] = found.get(part, 1.0) * time / so_far
        so_far = time
    return found


def _of_setting(setting: Setting) -> list[tuple[str, Row]]:
    plain = settings_of(setting.allocator, (Way.plain,))[0]
    chain: list[tuple[str, Row]] = [(ALLOCATOR, AllocatorRow(plain))] if setting.allocator.file else []
    if setting.way is not Way.plain:
        chain.append((OF_WAYS[setting.way], AllocatorRow(setting)))
    return chain


def _of_build(build: Build, builds: Sequence[Build]) -> list[tuple[str, Row]]:
    alone = _found(replace(build, over=None, fallback="", huge=""), builds)
    simpler = takewhile(lambda policy: policy != build.policy, OF_BUILDS)
    by_policy = {each.policy: each for each in builds if _is_of_policy_alone(each)}
    chain: list[tuple[str, Row]] = [
        (OF_BUILDS[policy], by_policy[policy]) for policy in simpler if policy in by_policy
    ]
    chain.append((OF_BUILDS.get(build.policy, SPLITTING), alone))
    if build.fallback:
        chain.append((ALLOCATOR, _found(replace(build, over=None, huge=""), builds)))
    if build.huge:
        chain.append((PAGES, replace(build, over=None)))
    if build.over:
        for part, row in _of_setting(build.over):
            assert isinstance(row, AllocatorRow)
            chain.append((part, replace(build, over=row.setting)))
    return chain


def _is_of_policy_alone(build: Build) -> bool:
    return not (build.over or build.fields or build.mixed or build.fallback or build.huge)


def _found(build: Build, builds: Sequence[Build]) -> Build:
    """The one of that name, which has a program of its own, where there is one."""
    return next((each for each in builds if each.name == build.name), build)


def _of_plan(plan: Candidate) -> list[tuple[str, Row]]:
    chain: list[tuple[str, Row]] = []
    if plan.over:
        chain += _of_setting(plan.over)
    elif plan.served_by == "mimalloc":
        chain.append((ALLOCATOR, Fallback()))
    if plan.places_nothing:
        return [*chain, (PAGES, plan)] if plan.has_huge_fallback else chain
    bare = replace(plan, without_prefetches=True) if plan.has_prefetches else plan
    are_huge = has_pools(plan.plan) and plan.flags["huge_pages"]
    small = replace(bare, huge_pages=False) if are_huge else bare
    small = replace(small, fallback_huge_pages=False) if plan.has_huge_fallback else small
    if small != bare:
        chain.append((LAYOUT, small))
        chain.append((PAGES, bare))
    else:
        chain.append((LAYOUT, bare))
    if plan.has_prefetches:
        chain.append((PREFETCHES, plan))
    return chain
