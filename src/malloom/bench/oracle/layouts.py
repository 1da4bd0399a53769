"""Layouts that are raced: those of the very input, and what each rule learns from other inputs."""

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from malloom.bench.steps import Bench
from malloom.measure.interleaved import Budget
from malloom.measure.variants import as_run
from malloom.optimize.candidates import Candidate
from malloom.optimize.goal import Goal
from malloom.optimize.inputs import Inputs
from malloom.optimize.keeping import keep, setting_record
from malloom.optimize.learning import BESIDE, BOTH, LEARNED_POOLS, PREFETCHES
from malloom.optimize.limit import Limit, rank
from malloom.optimize.options import Options, Watcher
from malloom.optimize.recording import RecordedProfile
from malloom.optimize.training import Row
from malloom.optimize.verdict import Outcome, optimized

ORDINAL = "places of the very input"
"""The best plan that has a place for each request by its ordinal, learned on the input that is asked
about."""
SAME = "rule of the very input"
"""The best of all other plans that are learned on it."""
POOLS, WITHIN = LEARNED_POOLS, f"{LEARNED_POOLS} within mimalloc"
LIFETIMES, GROUPS = "lifetimes", "context-groups"
RULES = (POOLS, WITHIN, BESIDE, BOTH, PREFETCHES, LIFETIMES, GROUPS)
"""What several inputs can agree on."""


@dataclass(frozen=True)
class Raced:
    """What `malloom optimize` found of some inputs: the best plan of each kind, and what places nothing and
    may be kept, the best first: general settings, and the run time's own mimalloc. `recordings` are those
    that planning started from."""

    plans: Mapping[str, Candidate]
    settings: Sequence[Row]
    recordings: Sequence[RecordedProfile]


@contextmanager
def raced(
    bench: Bench, inputs: Inputs, seconds: float, kind_of: Callable[[Candidate], str]
) -> Iterator[Raced]:
    """Has its plans and recordings at hand within the block. Raises CommandError where there is no race."""
    with tempfile.TemporaryDirectory(dir=bench.scratch) as folder:
        plan = Path(folder) / "kept.plan"
        options = Options(plan, None, None, Budget(seconds=seconds), compare_output=True, demand_success=True)
        with optimized(inputs, options, Watcher(bench.say, bench.progress)) as outcome:
            if outcome.interrupted:
                raise KeyboardInterrupt
            recordings = outcome.sources.recordings if outcome.sources else ()
            yield Raced(_best_of_each(outcome, kind_of), _settings(outcome), recordings)


def kept_in(folder: Path, of: str, plans: Mapping[str, Candidate]) -> dict[str, Path]:
    """The plans as files that stay, each with what it was run with; `of` tells those of one program from
    another's."""
    files = {}
    for name, candidate in plans.items():
        files[name] = folder / f"{of}-{name.replace(' ', '-')}.plan"
        keep(candidate, setting_record(candidate), folder, files[name])
    return files


def settings_in(folder: Path, of: str, rows: Sequence[Row]) -> dict[str, Mapping[str, str]]:
    """The variables of what places nothing, by name; where that is a plan, of a file that stays."""
    plans = {row.name: row for row in rows if isinstance(row, Candidate)}
    files = kept_in(folder, of, plans)
    return {row.name: as_run(files[row.name]) if row.name in files else row.environment for row in rows}


def of_this_input(candidate: Candidate) -> str:
    """ORDINAL or SAME."""
    return ORDINAL if candidate.has_arena else SAME


def rule_of(candidate: Candidate) -> str:
    """One of RULES."""
    if candidate.strategy == LEARNED_POOLS:
        return WITHIN if candidate.is_in_mimalloc else POOLS
    return candidate.strategy


def with_both_homes(rules: Mapping[str, Candidate]) -> dict[str, Candidate]:
    """With pools within mimalloc where these were not raced: the pools that were, in huge pages."""
    if POOLS not in rules or WITHIN in rules:
        return dict(rules)
    home = replace(rules[POOLS], fallback=None, over=None, huge_pages=None, packed=None)
    return {**rules, WITHIN: replace(home, pools_in_mimalloc=True, fallback_huge_pages=True)}


def _best_of_each(outcome: Outcome, kind_of: Callable[[Candidate], str]) -> dict[str, Candidate]:
    assert outcome.training is not None
    results = outcome.training.results
    plans = [row for row in outcome.rows if isinstance(row, Candidate) and row.name in results]
    best: dict[str, Candidate] = {}
    for row in sorted(plans, key=lambda row: rank(Goal.time, results[row.name])):
        if not row.places_nothing:
            best.setdefault(kind_of(row), row)
    return best


def _settings(outcome: Outcome) -> list[Row]:
    assert outcome.training is not None
    results, limit = outcome.training.results, Limit()
    rows = [row for row in outcome.rows if row.kind == "setting" and row.name in results]
    allowed = [row for row in rows if limit.allows(row.name, results[row.name])]
    return sorted(allowed, key=lambda row: rank(Goal.time, results[row.name]))
