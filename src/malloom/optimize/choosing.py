"""The fastest of the candidates, each run as it can be run, and together with what was learned."""

from collections.abc import Sequence
from dataclasses import replace

from malloom.errors import CommandError
from malloom.measure import stages
from malloom.measure.interleaved import Race
from malloom.measure.process import Run
from malloom.optimize.candidates import Candidate
from malloom.optimize.learning import BOTH, LEARNED_POOLS, OF_ITS_PLACES, PREFETCHES
from malloom.optimize.memory_limit import MemoryLimit
from malloom.optimize.options import Watcher
from malloom.optimize.selection import fastest_by_halving, rounds_per_stage, worth_more_than
from malloom.optimize.sources import Sources

AS_IT_IS = "as it is"


def choose(
    race: Race,
    candidates: Sequence[Candidate],
    sources: Sources,
    plain: Run,
    seconds: float,
    watcher: Watcher,
    limit: MemoryLimit,
) -> tuple[Candidate, list[str]]:
    """The fastest candidate, in the setup that suits it; and why others left the race.

    Those that left it for their memory are in the limit.
    """
    watcher.stage(f"racing the plans, up to {max(seconds, 3 * len(candidates) * plain.wall_time):.0f} s")
    race.warm_up(AS_IT_IS)
    failures: dict[str, CommandError] = {}
    running = _entered(race, candidates, failures)
    if not running:
        name, error = next(iter(failures.items()))
        raise CommandError(f"no plan can be run, {name} because {error}", remedy="none is kept")
    best, rounds = _best_setup(race, running, plain, seconds, limit, failures)
    if combined := _combined(best, sources, watcher, failures):
        watcher.stage(f"racing {', '.join(each.name for each in (best, *combined))}")
        best = _fastest(race, [best, *_entered(race, combined, failures)], rounds, limit)
    allowed = [candidate for candidate in running if candidate.name not in limit.left]
    best = _unless_nothing_is_as_good(race, best, allowed, 2 * rounds)
    left_out = failures | race.left
    return best, [f"the plan of {name} is left out ({error})" for name, error in left_out.items()]


def _best_setup(
    race: Race,
    running: list[Candidate],
    plain: Run,
    seconds: float,
    limit: MemoryLimit,
    failures: dict[str, CommandError],
) -> tuple[Candidate, int]:
    """The fastest of the running candidates and of their other setups, which join those that run where
    there is time for all; and how many rounds there were time for."""
    others = [setup for each in running if not each.places_nothing for setup in each.other_setups()]
    if rounds_per_stage(plain.wall_time, 2 * len([*running, *others]), seconds) > 1:
        running += _entered(race, others, failures)
    rounds = rounds_per_stage(plain.wall_time, 2 * len(running) + 2, seconds)
    best = _fastest(race, running, rounds, limit)
    if best.places_nothing:
        return best, rounds
    # There may have been no time for all setups; and of two choices both may be worth changing.
    known = {candidate.setup for candidate in running}
    setups = [candidate for candidate in best.other_setups() if candidate.setup not in known]
    return _fastest(race, [best, *_entered(race, setups, failures)], rounds, limit), rounds


def _combined(
    best: Candidate, sources: Sources, watcher: Watcher, failures: dict[str, CommandError]
) -> list[Candidate]:
    """The places of a strategy together with what can be learned.

    First the pools beyond them and the prefetches that are known, then the prefetches of these very places.
    """
    if best.strategy in sources.learned.plans or best.places_nothing:
        return []
    candidates = (_with_learned(best, sources, watcher, failures), _with_its_own(best, sources, failures))
    return [candidate for candidate in candidates if candidate]


def _with_learned(
    best: Candidate, sources: Sources, watcher: Watcher, failures: dict[str, CommandError]
) -> Candidate | None:
    learned = sources.learned.plans
    if not learned:
        return None
    name = next(each for each in (BOTH, LEARNED_POOLS, PREFETCHES) if each in learned)
    watcher.stage(f"joining the places of {best.strategy} with {name}")
    plan = best.plan.with_name("combined.plan")
    try:
        stages.plan(sources.recording.profile, plan, best.strategy, "--with", str(learned[name]))
    except CommandError as error:
        failures[f"{best.strategy} with {name}"] = error
        return None
    return replace(best, strategy=f"{best.strategy} with {name}", plan=plan)


def _with_its_own(best: Candidate, sources: Sources, failures: dict[str, CommandError]) -> Candidate | None:
    # Where no accesses could be recorded the program does not run under DynamoRIO.
    if sources.learner is None or sources.recording.accesses == "none" or not best.has_arena:
        return None
    found = sources.learner.learn_of_places(best.plan)
    failures |= {f"{best.strategy} with its own": CommandError(note) for note in found.notes}
    if OF_ITS_PLACES not in found.plans:
        return None
    return replace(best, strategy=f"{best.strategy} with {OF_ITS_PLACES}", plan=found.plans[OF_ITS_PLACES])


def _entered(
    race: Race, candidates: Sequence[Candidate], failures: dict[str, CommandError]
) -> list[Candidate]:
    """The candidates that run as the program does, as commands of the race."""
    entered = []
    for candidate in candidates:
        try:
            command = race.commands[AS_IT_IS].with_environment(candidate.environment)
            race.enter(candidate.name, command)
            entered.append(candidate)
        except CommandError as error:
            failures[candidate.name] = error
    return entered


def _fastest(race: Race, candidates: Sequence[Candidate], rounds: int, limit: MemoryLimit) -> Candidate:
    by_name = {candidate.name: candidate for candidate in candidates if candidate.name in race.commands}
    race.restart()
    return by_name[fastest_by_halving(race, list(by_name), rounds, limit)]


def _unless_nothing_is_as_good(
    race: Race, best: Candidate, candidates: Sequence[Candidate], rounds: int
) -> Candidate:
    """The best candidate, or the fallback alone, if it is among them and hardly slower."""
    alone = next((each for each in candidates if each.places_nothing), None)
    if alone is None or alone is best or worth_more_than(race, alone.name, best.name, rounds):
        return best
    return alone
