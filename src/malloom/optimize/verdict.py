"""The main job: learn from a program, race settings and plans on training inputs, judge on others."""

import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from malloom.errors import CommandError, UsageProblem
from malloom.launch.program import find_program
from malloom.measure.host import host_takes_free_memory
from malloom.measure.process import Command, Run, time_limit
from malloom.optimize.after_pause import (
    HOST_TAKES_BACK,
    AfterPause,
    may_be_in_huge_pages,
    measure_after_pauses,
    seconds_after_pauses,
    seconds_expected,
)
from malloom.optimize.as_it_is import exit_status, plain_runs
from malloom.optimize.building import Build, Builder, Builds, build_all, fields_of
from malloom.optimize.candidates import Candidate, sparing, without_places
from malloom.optimize.checking import Judged, judge, why_refused, why_unfit
from malloom.optimize.choosing import FINAL_ROUNDS, FINALISTS, Choice, Chooser
from malloom.optimize.goal import Goal
from malloom.optimize.inputs import Input, Inputs
from malloom.optimize.keeping import keep, keep_choice, known_faults, record_of, setting_record, write_empty
from malloom.optimize.learning import Learned
from malloom.optimize.limit import Limit, rank
from malloom.optimize.of_fleet import fleet_candidates
from malloom.optimize.options import Options, Watcher
from malloom.optimize.parts import chain_of, measure_parts
from malloom.optimize.racing import STARTING, Racing
from malloom.optimize.reach import notes_on_served, shares_served
from malloom.optimize.recording import record_for_planning
from malloom.optimize.settings import AllocatorRow, allocator_rows
from malloom.optimize.sources import Sources, Trained, candidates_of, sources_of
from malloom.optimize.training import AS_IT_IS, FEWEST_ROUNDS, Row, Training
from malloom.optimize.trust import as_kept, trusted_up_to
from malloom.quantities import counted
from malloom.temporary import having_room

CHOOSING_SHARE = 0.5
"""Of the time for measuring: what choosing among the rows may take. The verdict gets the rest."""
VARIANTS = 4
"""Other forms of the best plan that are thought to be raced, for the time that is expected."""
FEWEST_MADE = 12
"""Plans that are made, however few of them there is time to race."""
STEPS = ("as it is", "learning", "planning", "racing", "variants", "final", "parts", "judging", "pauses")
ALONE = "no allocator's setting could be chosen: the plan is compared with the program as it is alone"
"""A note where a plan has no rival."""
SKIPPED = "interrupted while pauses were measured; what is kept was judged before"


@dataclass
class Outcome:
    """What came out, and what is known of it when it is interrupted.

    `choice` is what the training inputs say, `kept` what the judged inputs let its user have: the choice, the
    best setting, or None. `refused` says why, by row. `after_pause` is None where pauses change nothing.
    `best_plan` is which plan was written as the best. `builds` came of a build command; `choice_file` has the
    policies of the one that is kept. `unwritten` says that a plan could not be written to its place.
    """

    inputs: Inputs
    options: Options
    rows: list[Row] = field(default_factory=list)
    training: Training | None = None
    choice: Choice | None = None
    parts: dict[str, float] = field(default_factory=dict)
    judged: Judged = field(default_factory=Judged)
    refused: dict[str, str] = field(default_factory=dict)
    kept: Row | None = None
    after_pause: AfterPause | None = None
    plan: Path | None = None
    best_plan: str | None = None
    builds: Builds = field(default_factory=Builds)
    choice_file: Path | None = None
    sources: Sources | None = None
    limit: Limit = field(default_factory=Limit)
    notes: list[str] = field(default_factory=list)
    exit_status: int = 0
    interrupted: bool = False
    unwritten: bool = False
    seconds: float = 0.0

    @property
    def told(self) -> Row | None:
        """The row that the verdict is of: what is kept, else what was chosen."""
        return self.kept or (self.choice.choice if self.choice else None)


@contextmanager
def optimized(inputs: Inputs, options: Options, watcher: Watcher) -> Iterator[Outcome]:
    """Does it all, and has the plans that were raced at hand within the block. An interrupt (SIGINT) ends it
    early, and what is known is answered.

    Raises CommandError where the program cannot be measured or recorded, or where nothing can be run, and
    UsageProblem where two inputs have one name.
    """
    _require_names(inputs)
    watcher.steps = len(STEPS) + (options.build is not None)
    outcome = Outcome(inputs, options, limit=Limit(options.goal, options.most_memory))
    with tempfile.TemporaryDirectory(prefix="malloom-optimize-") as folder:
        try:
            with having_room():
                _optimize(outcome, Path(folder), watcher)
        except KeyboardInterrupt:
            outcome.interrupted = True
        outcome.seconds = watcher.gone
        yield outcome


def _require_names(inputs: Inputs) -> None:
    """All that is measured is kept by the inputs' names: of two that are alike, one would stand for both."""
    names = [each.text for each in (*inputs.train, *inputs.check)]
    for name in names:
        if names.count(name) > 1:
            raise UsageProblem(f"two inputs are called '{name}'", remedy="write one of them in another way")


def _optimize(outcome: Outcome, folder: Path, watcher: Watcher) -> None:
    inputs, options = outcome.inputs, outcome.options
    plain = plain_runs(inputs, options, watcher)
    outcome.exit_status = exit_status(inputs, plain)
    settings, candidates = _rows(outcome, plain, folder, watcher)
    outcome.builds = _builds(outcome, plain, folder, watcher)
    outcome.rows = [*settings, *candidates, *outcome.builds.rows]
    began = time.monotonic()
    commands = {each.text: _limited(inputs, each, plain) for each in (*inputs.train, *inputs.check)}
    training, judged = (
        {each.text: commands[each.text] for each in of} for of in (inputs.train, inputs.judged)
    )
    outcome.training = Training.on(training, watcher.run, options.compare_output)
    outcome.training.left |= outcome.builds.left
    chooser = _chooser(outcome, plain, watcher, settings, candidates)
    outcome.choice = chooser.choose(settings, candidates)
    _measure_parts(outcome, watcher)
    # Choosing may have taken longer than its share; the verdict keeps its own.
    left = options.budget.seconds - (time.monotonic() - began)
    left = max(left, options.budget.seconds * (1 - CHOOSING_SHARE))
    _judge(outcome, judged, left, watcher)
    decide(outcome)
    measure_afterwards(outcome, commands, watcher)
    keep_decided(outcome, folder)
    _write_best_plan(outcome, folder)
    # Last: an interrupt ends no more than this.
    outcome.judged.served = shares_served(outcome.kept, judged, watcher.say)
    outcome.notes += notes_on_served(outcome.judged.served)


def _chooser(
    outcome: Outcome,
    plain: dict[str, Run],
    watcher: Watcher,
    settings: Sequence[AllocatorRow],
    candidates: Sequence[Candidate],
) -> Chooser:
    """Tells the watcher what is to be expected as well."""
    options, inputs = outcome.options, outcome.inputs
    run_time = sum(plain[each.text].wall_time for each in inputs.train)
    assert outcome.training is not None and outcome.sources is not None
    seconds = options.budget.seconds * CHOOSING_SHARE
    racing = Racing(outcome.training, outcome.limit, seconds, run_time, outcome.rows)
    chooser = Chooser(racing, outcome.sources, watcher, outcome.builds)
    judged = 3 * (1 + options.budget.fewest) * sum(plain[each.text].wall_time for each in inputs.judged)
    watcher.expect(
        {
            "racing": chooser.expected(settings, candidates),
            "variants": racing.expected(VARIANTS),
            "final": racing.expected(2 * FINALISTS, FINAL_ROUNDS),
            "parts": racing.expected(2),
            "judging": max(judged, options.budget.seconds * (1 - CHOOSING_SHARE)),
            "pauses": seconds_expected(
                max(plain[each.text].wall_time for each in inputs.judged),
                options.budget.seconds * CHOOSING_SHARE,
            ),
        }
    )
    return chooser


def _rows(
    outcome: Outcome, plain: dict[str, Run], folder: Path, watcher: Watcher
) -> tuple[list[AllocatorRow], list[Candidate]]:
    """The settings, and the plans that are made of the training inputs. With a strategy, its plan alone."""
    inputs, options = outcome.inputs, outcome.options
    if options.fleet is not None:
        return _rows_of_fleet(outcome, options.fleet, folder, watcher)
    watcher.step("learning", f"learning and recording, {counted(len(inputs.train), 'training input')}")
    trained = {}
    for number, each in enumerate(inputs.train):
        own = folder / f"input {number}"
        own.mkdir()
        trained[each.text] = Trained(inputs.command(each), plain[each.text], own)
    settings, missing = ([], []) if options.strategy else allocator_rows(options.allocators)
    outcome.sources = sources_of(trained, folder, options, watcher.say)
    watcher.step("planning", "planning")
    most = _affordable_plans(options, sum(plain[each.text].wall_time for each in inputs.train))
    candidates, notes = candidates_of(outcome.sources, options, most, watcher.say)
    outcome.notes += [*missing, *notes]
    return settings, candidates if options.strategy else _beside_own_heap(candidates, options.goal, folder)


def _beside_own_heap(candidates: list[Candidate], goal: Goal, folder: Path) -> list[Candidate]:
    """With the run time's own heap alone. First, as there may be no time for all."""
    empty = folder / "empty.plan"
    write_empty(empty)
    first = sparing(candidates, empty) if goal is Goal.memory else without_places(empty)
    return [*first, *candidates]


def _rows_of_fleet(
    outcome: Outcome, fleet: Path, folder: Path, watcher: Watcher
) -> tuple[list[AllocatorRow], list[Candidate]]:
    """The settings, and the plans of the fleet."""
    watcher.step("learning", "nothing is learned: the fleet was")
    settings, missing = allocator_rows(outcome.options.allocators)
    outcome.sources = Sources(Learned(), ())
    watcher.step("planning", "planning")
    program = Path(find_program(outcome.inputs.program[0]))
    candidates, notes = fleet_candidates(fleet, program, folder, watcher.say)
    outcome.notes += [*missing, *notes]
    return settings, _beside_own_heap(candidates, outcome.options.goal, folder)


def _builds(outcome: Outcome, plain: dict[str, Run], folder: Path, watcher: Watcher) -> Builds:
    """The program as each policy of the compiler builds it; none without a build command."""
    inputs, options = outcome.inputs, outcome.options
    if options.build is None:
        return Builds()
    watcher.step("building", "building the program by each policy")
    own = folder / "builds"
    own.mkdir()
    first = inputs.train[0]

    def record(executable: Path) -> Path | None:
        """The table of fields of the first training input: a build goes by one."""
        command = inputs.command(first)
        built = replace(command, arguments=[str(executable), *command.arguments[1:]])
        try:
            found = record_for_planning(
                built, plain[first.text], own / "profile", options.accesses, watcher.say
            )
            return fields_of(found.profile, own / "fields")
        except CommandError as error:
            outcome.notes.append(f"builds go by no profile: {error}")
            return None

    return build_all(Builder(options.build, Path(inputs.program[0]), own, watcher.say), record)


def _limited(inputs: Inputs, given: Input, plain: dict[str, Run]) -> Command:
    return inputs.command(given).limited(time_limit(plain[given.text]))


def _affordable_plans(options: Options, run_time: float) -> int:
    """How many plans can be raced once within half of the time; FEWEST_MADE whatever that is."""
    return max(FEWEST_MADE, int(options.budget.seconds * CHOOSING_SHARE / (2 * (run_time + STARTING))))


def _measure_parts(outcome: Outcome, watcher: Watcher) -> None:
    assert outcome.choice is not None and outcome.training is not None
    chain = chain_of(outcome.choice.choice, outcome.rows)
    if chain:
        watcher.step("parts", f"measuring what each part of {outcome.choice.choice.name} gains")
        outcome.parts = measure_parts(outcome.training, chain, FEWEST_ROUNDS)


def _judge(outcome: Outcome, commands: dict[str, Command], seconds: float, watcher: Watcher) -> None:
    """New pairs of what was chosen, of the best setting and of the program as it is."""
    assert outcome.choice is not None
    options, choice = outcome.options, outcome.choice
    names = " and ".join(row.name for row in (choice.choice, *choice.rivals[:1]))
    watcher.step("judging", f"measuring {names} against the program as it is, up to {seconds:.0f} s")
    budget = replace(options.budget, seconds=seconds)
    # A rival is kept where the choice is refused, so it is judged as it would be kept too.
    row, *rivals = (as_kept(each, options.goal) for each in (choice.choice, *choice.rivals))
    judge(outcome.judged, commands, [row], budget, watcher.run, options.compare_output, rivals)
    if names := ", ".join(outcome.judged.figures_of_some):
        outcome.notes.append(f"not every run's client printed {names}: nothing is said of it")


def decide(outcome: Outcome) -> None:
    """The choice is to be kept where the judged inputs do not refuse it, else the setting that it was
    compared with, on the same terms. It need not beat a setting that nobody may have."""
    choice, judged = outcome.choice, outcome.judged
    assert choice is not None
    rival = next((row for row in choice.rivals if row.name == judged.rival), None)
    if choice.best_setting is None:
        outcome.notes.append(ALONE)
    failed = [row.name for row in choice.rivals if row.name in judged.left]
    outcome.notes += [f"{name} fails when it is judged ({judged.left[name]})" for name in failed]
    # Where no rival runs, the best one stands for all in the reason of the refusal.
    must_beat: Row | None = rival or next(iter(choice.rivals), None)
    if rival and judged.has(rival.name) and (unfit := why_unfit(judged, rival.name, outcome.limit)):
        outcome.notes.append(f"{rival.name} need not be beaten: {unfit}")
        must_beat = None
    for row in [choice.choice, *([rival] if rival else [])]:
        against = must_beat.name if must_beat and must_beat is not row else None
        why = why_refused(judged, row.name, against, outcome.options.goal, outcome.limit)
        if not why:
            outcome.kept = row
            break
        outcome.refused[row.name] = why


def measure_afterwards(outcome: Outcome, commands: Mapping[str, Command], watcher: Watcher) -> None:
    """How what is to be kept does after pauses, where they change anything, on the judged input on which the
    program needs most memory. An interrupt ends no more than this, as all else is decided."""
    row, judged, options = outcome.kept, outcome.judged, outcome.options
    if row is None or not may_be_in_huge_pages(row) or not host_takes_free_memory():
        return
    given = max(judged.rounds, key=lambda each: judged.memory(each, AS_IT_IS))
    times = [run.wall_time for run in judged.rounds[given].of(AS_IT_IS)]
    seconds = seconds_after_pauses(float(np.median(times)))
    if seconds > options.budget.seconds * CHOOSING_SHARE:
        said = f"--seconds {seconds / CHOOSING_SHARE:.0f} gives the time to measure it"
        outcome.notes.append(f"{HOST_TAKES_BACK}, and {row.name} may be slower after a pause: {said}")
        return
    watcher.step("pauses", f"measuring {row.name} after pauses, some {seconds:.0f} s")
    try:
        outcome.after_pause = measure_after_pauses(
            as_kept(row, options.goal), given, commands[given], watcher.run, options.compare_output
        )
    except CommandError as error:
        outcome.notes.append(f"{row.name} after a pause: {error}")
    except KeyboardInterrupt:
        outcome.notes.append(SKIPPED)


def keep_decided(outcome: Outcome, folder: Path) -> None:
    """Writes what is to be kept to its place."""
    place = outcome.options.plan
    if outcome.kept:
        outcome.notes += known_faults(outcome.kept)
        process = _processes(outcome, outcome.kept)
        goal = outcome.options.goal
        up_to = trusted_up_to(outcome.kept, goal, outcome.training, outcome.judged)
        record = record_of(outcome.inputs, outcome.judged, outcome.kept, goal, process, up_to)
        with _told_if_unwritten(outcome):
            _keep(outcome, outcome.kept, record, folder)
    earlier = {"plan": place if outcome.plan is None else None}
    if outcome.options.build and outcome.choice_file is None:
        earlier["choice"] = outcome.options.choice
    for what, file in earlier.items():
        if file and file.exists():
            outcome.notes.append(
                f"{file} is the {what} of an earlier run; it was neither measured nor replaced"
            )


@contextmanager
def _told_if_unwritten(outcome: Outcome) -> Iterator[None]:
    """What was measured for minutes is told also where its file cannot be written."""
    try:
        yield
    except CommandError as error:
        outcome.unwritten = True
        outcome.notes.append(str(error))


def _processes(outcome: Outcome, row: Row) -> str | None:
    """Which executables below the program a row's plans are for."""
    if not isinstance(row, Candidate) or outcome.sources is None:
        return None
    return outcome.sources.processes_of(row.plan)


def _keep(outcome: Outcome, row: Row, record: Mapping[str, Any], folder: Path) -> None:
    """A build as its policies, and where it runs over another allocator that as a plan too, without a record
    of what was measured: the plan alone was not. All else as a plan."""
    if isinstance(row, Build):
        keep_choice(row, outcome.options.choice)
        outcome.choice_file = outcome.options.choice
        record = setting_record(row)
    if not isinstance(row, Build) or row.over:
        keep(row, record, folder, outcome.options.plan)
        outcome.plan = outcome.options.plan


def _write_best_plan(outcome: Outcome, folder: Path) -> None:
    """The plan with the best training runs, where its user wants to look at it whatever becomes of it."""
    place, training = outcome.options.best_plan, outcome.training
    assert training is not None
    results = training.results
    plans = [row for row in outcome.rows if isinstance(row, Candidate) and row.name in results]
    if place and plans:
        goal = outcome.options.goal
        best = min(plans, key=lambda row: (row.places_nothing, rank(goal, results[row.name])))
        with _told_if_unwritten(outcome):
            keep(best, setting_record(best), folder, place)
            outcome.best_plan = best.name
    elif place and place.exists():
        outcome.notes.append(f"{place} is the plan of an earlier run: there was none to take its place")
