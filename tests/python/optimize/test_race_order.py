"""Which rows are raced and for how long, and which are raced again, with measurements made by hand."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from malloom.cache.geometry import geometry_from
from malloom.layout.plan import make_plan
from malloom.layout.plan_file import write_plan
from malloom.layout.registry import strategy
from malloom.measure.allocators import KNOWN, Allocator, Version, Way, settings_of
from malloom.measure.interleaved import Race, no_progress
from malloom.measure.process import Command, Run
from malloom.optimize.candidates import OWN_MIMALLOC, Candidate
from malloom.optimize.choosing import FEWEST_PLANS, Choice, Chooser
from malloom.optimize.forms import Forms
from malloom.optimize.goal import Goal
from malloom.optimize.keeping import write_empty
from malloom.optimize.learning import Learned
from malloom.optimize.limit import Limit
from malloom.optimize.options import Watcher
from malloom.optimize.racing import Racing
from malloom.optimize.settings import AllocatorRow
from malloom.optimize.sources import Sources
from malloom.optimize.training import AS_IT_IS, Measured, Row, Training
from malloom.profile import HeapProfile

LARGE = 100 << 20
"""Bytes: with less, what is allowed beside a ratio counts."""
SETTINGS = [
    AllocatorRow(each)
    for known in KNOWN
    for each in settings_of(Allocator(known, known.library, Version(known.name, ""), known.library or ""))
    if known.library or each.variables
]
PLANS = [Candidate(f"plan {number}", Path("/none")) for number in range(12)]
LIKELY = [row for row in SETTINGS if row.setting.way is not Way.early]


def runs_of(time: float, peak: float, rounds: int) -> list[Run]:
    return [Run(0, time, 0.0, time, int(peak * LARGE), {}, "", b"", int(peak * LARGE))] * rounds


@dataclass
class ByHand(Training):
    """The first race's times and peaks, and those of later ones for the rows that are raced again. `raced`
    has the rows of each race and its rounds, `rounds` how many each row ran in the last one."""

    first: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    later: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    raced: list[tuple[list[str], int]] = field(default_factory=list)
    rounds: dict[str, int] = field(default_factory=dict)

    def enter(self, rows: Sequence[Row]) -> None:
        """Nothing is run."""

    def run(self, names: Sequence[str], rounds: int, anew: bool = True) -> None:
        first, before = self.raced[-1] if self.raced and not anew else (list(names), 0)
        self.raced = [*(self.raced if anew else self.raced[:-1]), (first, before + rounds)]
        known = {**self.first, **self.later} if len(self.raced) > 1 else self.first
        for name in names:
            self.rounds[name] = rounds + (0 if anew else self.rounds[name])
            runs = runs_of(*known.get(name, (1.0, 1.0)), self.rounds[name])
            self.results[name] = Measured({"one": runs}, {"one": runs_of(1.0, 1.0, self.rounds[name])})


def training(**figures: Mapping[str, tuple[float, float]]) -> ByHand:
    return ByHand({"one": Race({AS_IT_IS: Command(["true"])})}, **figures)  # type: ignore[arg-type]


def chooser(found: ByHand, run_time: float, goal: Goal = Goal.time) -> Chooser:
    watcher = Watcher(lambda line: None, no_progress, 8)
    return Chooser(
        Racing(found, Limit(goal), 75.0, run_time, [*SETTINGS, *PLANS]), Sources(Learned(), ()), watcher
    )


def choose_without_forms(
    chosen: Chooser, settings: Sequence[AllocatorRow], plans: Sequence[Candidate]
) -> Choice:
    """Of plans without files, of which nothing is known but what they take."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Forms, "race", lambda forms, plans, settings: [])
        patched.setattr(Chooser, "_gain_of_placing", lambda chooser, finalists, plans: None)
        return chosen.choose(settings, plans)


def first_race(run_time: float, goal: Goal = Goal.time) -> tuple[list[str], int, Mapping[str, str]]:
    """The rows of the first race, its rounds, and why others are left out."""
    found = training(first={PLANS[0].name: (9.0, 1.0)})
    chosen = chooser(found, run_time, goal)
    choose_without_forms(chosen, SETTINGS, PLANS)
    return *found.raced[0], found.left


@pytest.mark.parametrize("run_time", [0.001, 1.0, 2.2, 6.5, 100.0])
def test_every_allocator_is_raced_as_it_is_and_with_huge_pages_however_long_that_takes(
    run_time: float,
) -> None:
    rows, rounds, _ = first_race(run_time)
    assert {row.name for row in LIKELY} <= {*rows}
    assert {plan.name for plan in PLANS[:FEWEST_PLANS]} <= {*rows}
    assert rounds >= 3


def test_one_row_of_each_allocator_comes_before_second_ways_and_plans() -> None:
    rows, *_ = first_race(6.5)
    names = {row.setting.allocator.titled for row in SETTINGS}
    first = [next(row for row in SETTINGS if row.name == name) for name in rows[: len(names)]]
    assert {row.setting.allocator.titled for row in first} == names
    assert rows[len(LIKELY) :] == [plan.name for plan in PLANS[:FEWEST_PLANS]]


def test_what_is_left_out_says_how_long_it_would_take() -> None:
    rows, _, left = first_race(6.5)
    there: list[Row] = [*SETTINGS, *PLANS]
    assert {*left} == {row.name for row in there} - {*rows}
    late = len(there) - len(rows)
    assert {*left.values()} == {f"no time: together some {3 * late * 6.52:.0f} s; --seconds gives more"}
    assert not first_race(2.2)[2], "two inputs of a second each"


def test_for_less_memory_early_return_comes_first() -> None:
    rows, *_ = first_race(6.5, Goal.memory)
    early = [row.name for row in SETTINGS if row.setting.way is Way.early]
    assert {*rows[: len(early)]} == {*early}
    huge = {row.name for row in SETTINGS if row.setting.way is Way.huge}
    assert not huge & {*rows}


def rounds_of(times: Mapping[str, float], run_time: float) -> Mapping[str, int]:
    """How often each plan ran that takes what is given, beside two settings."""
    rows: list[Row] = [*SETTINGS[:2], *PLANS[: len(times)]]
    first = {SETTINGS[0].name: 0.9, SETTINGS[1].name: 1.0, **times}
    found = training(first={name: (time, 1.0) for name, time in first.items()})
    chooser(found, run_time).racing.race_first(rows)
    return {row.name: found.rounds[row.name] for row in rows}


def test_where_runs_are_long_what_is_out_of_reach_of_the_best_of_its_kind_ends_early() -> None:
    best, near, far = (plan.name for plan in PLANS[:3])
    times = {best: 0.5, near: 0.6, far: 0.7}
    found = rounds_of(times, 20.0)
    assert found == {SETTINGS[0].name: 3, SETTINGS[1].name: 3, best: 3, near: 2, far: 1}
    assert {*rounds_of(times, 0.5).values()} == {6}, "where there is time for all"


@pytest.mark.parametrize(("known", "rounds"), [(1.0, [3, 3, 2, 1, 1, 1]), (0.45, [3, 2, 1, 1, 1, 1])])
def test_the_better_half_of_forms_runs_on_as_far_as_it_may_be_better_than_what_is_known(
    known: float, rounds: list[int]
) -> None:
    forms = PLANS[1:7]
    times = {row.name: (0.5 + 0.05 * number, 1.0) for number, row in enumerate(forms)}
    found = training(first=times)
    found.results[PLANS[0].name] = Measured({"one": runs_of(known, 1.0, 3)}, {"one": runs_of(1.0, 1.0, 3)})
    racing = chooser(found, 20.0).racing
    racing.has_time = False
    racing.race_forms(forms, PLANS[:1], 2)
    assert [found.rounds[row.name] for row in forms] == rounds


def test_a_plan_runs_anew_where_the_setting_that_left_it_behind_is_refused() -> None:
    first, second = SETTINGS[:2]
    times = {first.name: (0.6, 1.0), second.name: (0.95, 1.0), PLANS[0].name: (0.75, 1.0)}
    found = training(first=times, later={**times, first.name: (0.6, 1.3)})
    choice = choose_without_forms(chooser(found, 20.0), [first, second], PLANS[:1])
    assert choice.choice is PLANS[0] and choice.best_setting is second


def test_for_less_memory_one_lucky_run_of_the_program_refuses_nothing() -> None:
    """All seem to take 6 % more time in their first runs, and one, which needs least, takes 40 % more."""
    lean, leaner, slow = (row.name for row in PLANS[:3])
    first = {lean: (1.06, 0.98), leaner: (1.06, 0.75), slow: (1.40, 0.50)}
    racing = chooser(training(first=first), 20.0, Goal.memory).racing
    racing.race_first(PLANS[:3])
    rounds = racing.training.rounds  # type: ignore[attr-defined]
    assert [rounds[name] for name in (lean, leaner, slow)] == [1, 3, 3]


def test_plans_that_are_out_of_reach_of_the_best_setting_do_not_run_anew() -> None:
    found = training(
        first={SETTINGS[0].name: (0.5, 1.0), PLANS[0].name: (0.6, 1.0), PLANS[1].name: (0.57, 1.0)}
    )
    choice = choose_without_forms(chooser(found, 20.0), SETTINGS[:1], PLANS[:2])
    assert found.raced[-1][0] == [SETTINGS[0].name, PLANS[1].name]
    assert choice.choice is choice.best_setting is SETTINGS[0]


def test_of_long_runs_only_what_may_be_the_best_of_its_kind_runs_to_the_end_of_the_last_race() -> None:
    first = {row.name: (0.5 + number / 100, 1.0) for number, row in enumerate(SETTINGS[:3])}
    found = training(first=first)
    chooser(found, 20.0).choose(SETTINGS[:3], [])
    assert [found.rounds[row.name] for row in SETTINGS[:3]] == [6, 3, 3], "of settings alone too"
    first[PLANS[0].name] = (0.4, 1.0)
    found = training(first=first)
    choice = choose_without_forms(chooser(found, 20.0), SETTINGS[:3], PLANS[:1])
    assert [found.rounds[row.name] for row in (*SETTINGS[:3], PLANS[0])] == [6, 3, 3, 6]
    assert choice.choice is PLANS[0] and choice.best_setting is SETTINGS[0]


def final_choice(later: Mapping[str, tuple[float, float]]) -> tuple[Choice, ByHand]:
    """Of five settings that win by their number, and need in the new runs what is given."""
    settings = SETTINGS[:5]
    first = {row.name: (0.5 + number / 10, 1.0) for number, row in enumerate(settings)}
    found = training(first=first, later=later)
    return chooser(found, 1.0).choose(settings, []), found


def test_where_no_finalist_obeys_the_limit_any_more_the_next_ones_run_anew() -> None:
    greedy = {row.name: (0.5, 1.3) for row in SETTINGS[:3]}
    choice, found = final_choice(greedy)
    assert choice.choice is choice.best_setting is SETTINGS[3]
    assert found.raced[-1][0] == [row.name for row in SETTINGS[3:5]]
    assert choice.rivals == (), "a setting has none"
    choice, found = final_choice({SETTINGS[0].name: (0.5, 1.3)})
    assert choice.choice is SETTINGS[1] and len(found.raced) == 2
    assert [row.name for row in choice.others] == [row.name for row in SETTINGS[2:5]]


def test_where_nothing_obeys_the_limit_the_best_is_still_named() -> None:
    choice, _ = final_choice({row.name: (0.5 + number, 1.3) for number, row in enumerate(SETTINGS[:5])})
    assert choice.choice is choice.best_setting and choice.choice is not None


def test_a_plan_must_beat_the_best_setting_that_runs() -> None:
    best, *others = SETTINGS[:3]
    assert Choice(PLANS[0], best, best, tuple(others)).rivals == (best, *others)
    assert Choice(PLANS[0], None, None).rivals == ()


@pytest.fixture
def layouts(tmp_path: Path) -> tuple[Candidate, Candidate]:
    """Places by ordinal, and nothing."""
    profile = HeapProfile.from_arrays([64, 64], accesses=[0, 1])
    places, empty = tmp_path / "places.plan", tmp_path / "empty.plan"
    write_plan(make_plan(profile, strategy("sequential").place(profile, geometry_from("zen5"))), places)
    write_empty(empty)
    return Candidate("sequential", places), Candidate(OWN_MIMALLOC, empty)


def gain(
    layouts: tuple[Candidate, ...], times: Mapping[str, float], goal: Goal = Goal.time, final: bool = True
) -> float | None:
    found = training()
    for name, time in times.items():
        found.results[name] = Measured({"one": runs_of(time, 1.0, 6)}, {"one": runs_of(1.0, 1.0, 6)})
    rows = [SETTINGS[0], *layouts]
    finalists = rows if final else [row for row in rows if row is not layouts[0]]
    return chooser(found, 1.0, goal)._gain_of_placing(finalists, layouts)


def test_what_a_layout_gains_is_told_against_the_best_that_places_nothing(
    layouts: tuple[Candidate, Candidate],
) -> None:
    name, (places, alone) = SETTINGS[0].name, layouts
    times = {name: 0.8, places.name: 0.72, alone.name: 0.9}
    assert gain(layouts, times) == pytest.approx(0.9)
    assert gain(layouts, {**times, alone.name: 0.6}) == pytest.approx(1.2)
    assert gain(layouts, {**times, name: 1.3, alone.name: 1.2}) == pytest.approx(0.72), "the program itself"
    assert gain(layouts, times, final=False) == pytest.approx(0.9), "by what was known of it before"
    assert gain(layouts, times, Goal.memory) is None
    assert gain((alone,), {name: 0.8, alone.name: 0.9}) is None, "no layout was raced"
