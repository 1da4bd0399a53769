"""What plans are made from, learning runs and a recording, and the plans that are made of it."""

from dataclasses import dataclass
from pathlib import Path

from malloom.errors import CommandError
from malloom.measure import stages
from malloom.measure.process import Command, Run
from malloom.optimize.candidates import Candidate, at_most, candidate_strategies, fallback_alone
from malloom.optimize.learning import Learned, Learner
from malloom.optimize.options import Options, Watcher
from malloom.optimize.recording import RecordedProfile, is_affordable, record_for_planning

FEWEST_PLANNED = 2
"""The likeliest strategy and the fallback alone, beside what was learned."""


@dataclass(frozen=True)
class Sources:
    """What plans are made from: runs that learn, and a recording, which may not be there.

    `learner` can learn more of a plan; None where nothing is to be learned.
    """

    learned: Learned
    recording: RecordedProfile
    is_recorded: bool = True
    learner: Learner | None = None


def sources_of(program: Command, plain: Run, folder: Path, options: Options, watcher: Watcher) -> Sources:
    """What the plans are made from. Where one strategy is asked for, nothing is learned."""
    learner = Learner(program, plain, folder, watcher.stage) if options.strategy is None else None
    learned = learner.learn() if learner else Learned()
    if options.strategy is None and options.accesses is None and not is_affordable(learned.requests):
        note = f"the program is not recorded: it makes {learned.requests} requests, too many to place each"
        return Sources(learned, RecordedProfile(folder / "profile", "none", (note,)), is_recorded=False)
    recording = record_for_planning(program, plain, folder / "profile", options.accesses, watcher.stage)
    return Sources(learned, recording, learner=learner)


def candidates_of(
    sources: Sources, strategy: str | None, most: int, watcher: Watcher
) -> tuple[list[Candidate], list[str]]:
    """The plans that were learned, and one for each strategy worth a race, at most so many; what to note."""
    learned = sources.learned
    own = [Candidate(name, plan) for name, plan in learned.plans.items()]
    notes = [*learned.notes, *sources.recording.notes]
    if not sources.is_recorded:
        return [*own, fallback_alone(sources.recording.profile.with_name("nothing.plan"))], notes
    planned, more = _planned(sources, strategy, max(most - len(own), FEWEST_PLANNED), watcher)
    if not own and not planned:
        raise CommandError(f"there is no plan to try: {more[-1]}")
    return [*own, *planned], [*notes, *more]


def _planned(
    sources: Sources, strategy: str | None, most: int, watcher: Watcher
) -> tuple[list[Candidate], list[str]]:
    """A plan of the recording for each strategy that is worth it, and what went wrong."""
    recording = sources.recording
    notes: list[str] = []
    found = [strategy] if strategy else candidate_strategies(recording, watcher.stage, notes.append)
    names = at_most(most, [name for name in found if name not in sources.learned.plans])
    watcher.stage(f"planning, {'strategy' if len(names) == 1 else 'strategies'} {', '.join(names)}")
    made = {name: Candidate(name, recording.profile.with_name(f"{name}.plan")) for name in names}
    problems = stages.plan_each(recording.profile, {name: made[name].plan for name in names})
    notes += [f"strategy {name} is left out ({problem})" for name, problem in problems.items()]
    return [candidate for name, candidate in made.items() if name not in problems], notes
