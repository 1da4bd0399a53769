"""What plans are made from, learning runs and recordings of the training inputs, and the plans themselves."""

import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from malloom.errors import CommandError
from malloom.layout.plan_agreement import write_agreed
from malloom.layout.plan_file import join_plans, read_plan
from malloom.layout.plan_flags import write_with_flags
from malloom.layout.plan_header import has_flag, header_of, headers_of, places_nothing
from malloom.layout.stepwise import leads_of
from malloom.measure import stages
from malloom.measure.process import Command, Run
from malloom.optimize.candidates import BY_CONTEXT, WITHOUT_ACCESSES, Candidate, chosen_from
from malloom.optimize.learning import LEARNED_POOLS, PREFETCHES, Learned, Learner, contents_of, drop_twins
from malloom.optimize.options import Options
from malloom.optimize.predicting import foretold_of, ranking_of
from malloom.optimize.recording import (
    LARGEST,
    MOST_EVENTS,
    RecordedProfile,
    is_affordable,
    record_for_planning,
)
from malloom.optimize.worker import workers_of_all
from malloom.temporary import NoRoom, require_room

FEWEST_PLANNED = 2
"""The likeliest strategies, beside what was learned."""

Say = Callable[[str], None]


@dataclass(frozen=True)
class Sources:
    """What the plans of a program are made from: what runs of every input have learned and agree on, and the
    recordings, one for each input, or none.

    `learner` can learn more of a plan; None where nothing is to be learned, or the inputs or executables are
    several. `processes` are the executables that the plans are for, by their file names, the busiest first;
    none: the program's own. The recordings are of the first.
    """

    learned: Learned
    recordings: tuple[RecordedProfile, ...]
    learner: Learner | None = None
    notes: list[str] = field(default_factory=list)
    processes: tuple[str, ...] = ()
    named: dict[int, str] = field(default_factory=dict)
    """Which of them plans are for, by their headers' `program`."""

    def processes_of(self, plan: Path) -> str | None:
        """Those that a file has plans for, for people."""
        programs = (int(header.fields["program"]) for header in headers_of(plan))
        names = [self.named[program] for program in programs if program in self.named]
        return " and ".join(names) or None

    @property
    def are_whole(self) -> bool:
        """Whether the recordings tell of the whole run."""
        return not any(each.is_cut for each in self.recordings)

    @property
    def accesses(self) -> str:
        """The least that was recorded of an input."""
        order = ("none", "annotated", "sampled", "full")
        return min((each.accesses for each in self.recordings), key=order.index, default="none")


@dataclass(frozen=True)
class Trained:
    """A training input's command, the program's run on it as it is, and a folder for what is made of it."""

    command: Command
    plain: Run
    folder: Path


def sources_of(trained: Mapping[str, Trained], folder: Path, options: Options, say: Say) -> Sources:
    """What the plans are made from. Where one strategy is asked for, nothing is learned."""
    processes, notes = workers_of_all(
        {name: (each.command, each.plain) for name, each in trained.items()}, say
    )
    learners = {
        process: {name: _learner(each, process, say, place == 0) for name, each in trained.items()}
        for place, process in enumerate(processes or (None,))
    }
    named: dict[int, str] = {}
    learned, more = (Learned(), []) if options.strategy else _learned(learners, folder, named)
    notes += more
    if options.accesses is None and not is_affordable(learned.requests):
        notes.append(
            f"the program is not recorded: it makes {learned.requests} requests, too many to place each"
        )
        return Sources(learned, (), None, notes, processes, named)
    first, largest = next(iter(learners)), LARGEST // max(len(trained), 1)
    try:
        recordings = tuple(_recorded(each, first, options, say, largest) for each in trained.values())
    except CommandError as problem:
        with tempfile.TemporaryFile(dir=folder) as file:
            require_room(file)
        if options.strategy or options.accesses or isinstance(problem, NoRoom):
            raise
        return Sources(learned, (), None, [*notes, f"no places are planned: {problem}"], processes, named)
    notes += [note for recording in recordings for note in recording.notes]
    every = [learner for of_inputs in learners.values() for learner in of_inputs.values()]
    only = every[0] if len(every) == 1 and not options.strategy else None
    return Sources(learned, recordings, only, notes, processes, named)


def _learner(trained: Trained, process: str | None, say: Say, is_busiest: bool) -> Learner:
    folder = _own(trained.folder, process)
    return Learner(trained.command, trained.plain, folder, say, process, is_busiest)


def _own(folder: Path, process: str | None) -> Path:
    """A folder for what is made of one executable."""
    own = folder / f"of {process}" if process else folder
    own.mkdir(exist_ok=True)
    return own


def _learned(
    learners: Mapping[str | None, Mapping[str, Learner]], folder: Path, named: dict[int, str]
) -> tuple[Learned, list[str]]:
    """What runs of the inputs agree on, of all executables together; what to note. `named` as Sources has
    it."""
    found, notes = [], []
    for process, of_inputs in learners.items():
        lessons = {name: learner.learn() for name, learner in of_inputs.items()}
        learned, more = _together(lessons, _own(folder, process))
        _name(named, process, learned.plans.values())
        found.append(learned)
        notes += more
    return of_all_executables(found, folder), list(dict.fromkeys(notes))


def _name(named: dict[int, str], process: str | None, plans: Iterable[Path]) -> None:
    if process is not None:
        named.update((int(header_of(plan).fields["program"]), process) for plan in plans)


def _join(plans: Sequence[Path], written: Path) -> None:
    """Plans of several executables as one file. Where two are of one build, as a file may have two names,
    the first is it. All have their arenas as the first has, as what is kept does."""
    of_builds: dict[int, Path] = {}
    for plan in plans:
        of_builds.setdefault(int(header_of(plan).fields["program"]), plan)
    join_plans(list(of_builds.values()), written)
    write_with_flags(written, written, {"preallocate": has_flag(written, "preallocate")})


def of_all_executables(found: Sequence[Learned], folder: Path) -> Learned:
    """Plans of one name as one file; where an executable has none of that name, its pools."""
    if len(found) == 1:
        return found[0]
    joined = Learned(requests=max((each.requests or 0 for each in found), default=0) or None)
    for name in dict.fromkeys(name for each in found for name in each.plans):
        instead = name if name == PREFETCHES else LEARNED_POOLS
        parts = [each.plans.get(name) or each.plans.get(instead) for each in found]
        written = folder / f"learned {name} of all.plan"
        _join([part for part in parts if part], written)
        joined.plans[name], joined.contents[name] = written, contents_of(written)
    return joined


def _recorded(
    trained: Trained, process: str | None, options: Options, say: Say, largest: int
) -> RecordedProfile:
    profile = trained.folder / "profile"
    most = MOST_EVENTS if options.strategy is None else None
    made = record_for_planning(trained.command, trained.plain, profile, options.accesses, say, largest, most)
    return replace(made, process=process)


def candidates_of(
    sources: Sources, options: Options, most: int, say: Say
) -> tuple[list[Candidate], list[str]]:
    """The plans that were learned, and one for each strategy worth a race, at most so many; what to note."""
    plans, notes = dict(sources.learned.plans), list(sources.notes)
    if not sources.recordings:
        return [Candidate(name, plan) for name, plan in plans.items()], notes
    wanted = max(most - len(plans), FEWEST_PLANNED)
    names, foretold = _worth_planning(sources, options, say, notes.append)
    unplanned = [name for name in names if name not in plans][:wanted]
    try:
        planned, more = _planned(sources, unplanned, say)
    except CommandError as error:
        if options.strategy:
            raise
        planned, more = {}, [f"no places are planned ({error})"]
    if options.strategy and not planned:
        raise CommandError(f"there is no plan to try: {more[-1]}")
    made = [Candidate(name, plan) for name, plan in plans.items()]
    made += [Candidate(name, plan, foretold=foretold.get(name)) for name, plan in planned.items()]
    return made, [*notes, *more]


def _together(lessons: Mapping[str, Learned], folder: Path) -> tuple[Learned, list[str]]:
    """What the lessons of all inputs agree on: that of one input is all of it."""
    found = list(lessons.values())
    if len(found) <= 1:
        return (found[0], list(found[0].notes)) if found else (Learned(), [])
    notes = list(dict.fromkeys(note for lesson in found for note in lesson.notes))
    agreed = Learned(requests=max((each.requests or 0 for each in found), default=0) or None)
    for name in dict.fromkeys(name for lesson in found for name in lesson.plans):
        plans = [lesson.plans[name] for lesson in found if name in lesson.plans]
        if len(plans) < len(found):
            notes.append(f"{name}: not every training input has them")
            continue
        written = folder / f"agreed {name}.plan"
        if note := _agree(name, plans, written):
            notes.append(note)
        if written.exists() and not places_nothing(written):
            agreed.plans[name], agreed.contents[name] = written, contents_of(written)
    drop_twins(agreed)
    return agreed, notes


def _agree(name: str, plans: list[Path], written: Path) -> str:
    """Writes what the plans say alike; what to tell of the rest."""
    try:
        agreement = write_agreed(plans, written)
    except CommandError as error:
        return f"{name}: the training inputs do not agree ({error})"
    if not agreement.left_out:
        return ""
    return f"{name}: the training inputs agree on {agreement.kept}, and {agreement.left_out} are left out"


def _worth_planning(
    sources: Sources, options: Options, say: Say, note: Say
) -> tuple[list[str], dict[str, tuple[str, float]]]:
    """The strategies, likely best first, and what simulation foretells of each, as far as it does. Of several
    inputs only those that these can agree on: of what they agree on nothing is simulated."""
    if len(sources.recordings) > 1:
        if options.scheduler:
            note("of several training inputs nothing is simulated, so no worker is asked")
        several = [name for name in BY_CONTEXT if sources.accesses != "none" or name in WITHOUT_ACCESSES]
        return ([options.strategy] if options.strategy else several), {}
    recording = sources.recordings[0]
    if options.strategy:
        names, at = [options.strategy], options.scheduler
        ranking = ranking_of(recording, say, note, names, scheduler=at) if recording.has_time else []
        return [options.strategy], foretold_of(ranking)
    ranking = ranking_of(recording, say, note, scheduler=options.scheduler)
    return chosen_from(ranking), foretold_of(ranking)


def _planned(sources: Sources, names: list[str], say: Say) -> tuple[dict[str, Path], list[str]]:
    """A plan for each of the strategies, and what went wrong."""
    say(f"planning, {'strategy' if len(names) == 1 else 'strategies'} {', '.join(names)}")
    parts: dict[str, list[Path]] = {name: [] for name in names}
    notes = []
    for process in sources.processes or (None,):
        of = f" of {process}" if process else ""
        recordings = [replace(each, process=process) for each in sources.recordings]
        try:
            made, problems = _made(recordings, names, of)
        except CommandError as error:
            if len(sources.processes) < 2:
                raise
            made, problems = {}, dict.fromkeys(names, str(error))
        notes += [f"strategy {name}{of} is left out ({problem})" for name, problem in problems.items()]
        _name(sources.named, process, made.values())
        for name, plan in made.items():
            parts[name].append(plan)
    folder = sources.recordings[0].profile.parent.parent
    return {
        name: _one_file(plans, folder / f"{name} of all.plan") for name, plans in parts.items() if plans
    }, notes


def _one_file(plans: Sequence[Path], written: Path) -> Path:
    """The plans of several executables."""
    if len(plans) == 1:
        return plans[0]
    _join(plans, written)
    return written


def _made(
    recordings: Sequence[RecordedProfile], names: list[str], of: str
) -> tuple[dict[str, Path], dict[str, str]]:
    """The plan by each strategy, what all recordings agree on; and what went wrong. `of` tells files of
    several executables apart."""
    of_each = [
        {name: recording.profile.with_name(f"{name}{of}.plan") for name in names} for recording in recordings
    ]
    wanted = {recording.profile: plans for recording, plans in zip(recordings, of_each, strict=True)}
    problems = stages.plan_each(wanted, recordings[0].process)
    good = [name for name in names if name not in problems]
    if len(recordings) == 1:
        return {name: of_each[0][name] for name in good}, problems
    made = {}
    for name in good:
        written = recordings[0].profile.parent.with_name(f"{name}{of}.plan")
        try:
            write_agreed(leading_alike(recordings, name, [plans[name] for plans in of_each]), written)
            made[name] = written
        except CommandError as error:
            problems[name] = str(error)
    nothing = [name for name, plan in made.items() if places_nothing(plan)]
    problems |= dict.fromkeys(nothing, "the training inputs agree on nothing")
    return {name: plan for name, plan in made.items() if name not in problems}, problems


def leading_alike(recordings: Sequence[RecordedProfile], name: str, plans: list[Path]) -> list[Path]:
    """The plans, those made anew in which a call site leads to one group and in another to several: what its
    callers have in common would be lost. Raises CommandError where that fails."""
    own = [leads_of(read_plan(plan)) for plan in plans]
    every = set().union(*own)
    anew = {
        recording.profile: {name: plan}
        for recording, plan, known in zip(recordings, plans, own, strict=True)
        if known != every
    }
    if anew and (failed := stages.plan_each(anew, recordings[0].process, sorted(every))):
        raise CommandError(failed[name])
    return plans
