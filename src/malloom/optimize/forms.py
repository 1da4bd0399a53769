"""Other forms of the best plan, raced: as it can be run, joined with what was learned, over an allocator."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from malloom.errors import CommandError
from malloom.layout.plan_header import has_flag
from malloom.measure import stages
from malloom.optimize.candidates import Candidate
from malloom.optimize.learning import BESIDE, BOTH, BY_SITE, LEARNED_POOLS, OF_ITS_PLACES, PREFETCHES
from malloom.optimize.options import Watcher
from malloom.optimize.racing import Racing, first_of
from malloom.optimize.settings import AllocatorRow
from malloom.optimize.sources import Sources

FEWEST_FORMS = 2
"""That run as often as all else, where there is no time for all forms of a plan to do so."""


@dataclass
class Forms:
    """Makes them of what was learned, and races them."""

    racing: Racing
    sources: Sources
    watcher: Watcher

    def race(self, plans: Sequence[Candidate], settings: Sequence[AllocatorRow]) -> list[Candidate]:
        """Other forms of the best plan, raced; then of the best of these, as two choices may both be worth
        changing, though not of one that the best setting leaves far behind where time is short."""
        ranked = self.racing.ranked
        best = first_of(ranked([plan for plan in plans if not plan.places_nothing]))
        if best is None:
            return []
        self.watcher.step("variants", f"racing other forms of {best.name}")
        others = [*best.other_setups(), *self._combined(best), *self._over(best, settings)]
        found = self._race(others, plans)
        better = first_of(ranked([best, *found]))
        if better is None or better is best:
            return found
        if self.racing.has_time or self.racing.near([better], first_of(self.racing.best(settings))):
            found += self._race(better.other_setups(), [*plans, *found])
        return found

    def _race(self, forms: Sequence[Candidate], plans: Sequence[Candidate]) -> list[Candidate]:
        """Races those that run otherwise than the plans do."""
        known = {plan.setup for plan in plans}
        new = [form for form in forms if form.setup not in known]
        self.racing.rows += new
        self.racing.race_forms(new, plans, FEWEST_FORMS)
        return new

    def _over(self, best: Candidate, settings: Sequence[AllocatorRow]) -> list[Candidate]:
        under = first_of(self.racing.best(settings))
        if under is None:
            return []
        return [replace(best, over=under.setting, fallback=None, pools_in_mimalloc=None)]

    def _combined(self, best: Candidate) -> list[Candidate]:
        """The places of a strategy together with what can be learned: first the pools beyond them and the
        prefetches that are known, then the prefetches of these very places."""
        has_learned = best.small_in_pools or best.strategy in self.sources.learned.plans
        if has_learned or len(self.sources.recordings) != 1 or len(self.sources.processes) > 1:
            return []
        found = (self._with_learned(best), self._with_its_own(best))
        return [candidate for candidate in found if candidate]

    def _with_learned(self, best: Candidate) -> Candidate | None:
        learned = self.sources.learned.plans
        there = [each for each in (BOTH, LEARNED_POOLS, BY_SITE, BESIDE, PREFETCHES) if each in learned]
        name = next((each for each in there if not has_flag(learned[each], "by_token")), None)
        if name is None:
            return None
        self.watcher.say(f"joining the places of {best.strategy} with {name}")
        plan = best.plan.with_name("combined.plan")
        recording = self.sources.recordings[0]
        try:
            options = ("--with", str(learned[name]), *recording.chosen)
            stages.plan(recording.profile, plan, best.strategy, *options)
        except CommandError as error:
            self.racing.training.left[f"{best.strategy} with {name}"] = str(error)
            return None
        return replace(best, strategy=f"{best.strategy} with {name}", plan=plan)

    def _with_its_own(self, best: Candidate) -> Candidate | None:
        # Where no accesses could be recorded the program does not run under DynamoRIO.
        if self.sources.learner is None or self.sources.accesses == "none" or not best.has_arena:
            return None
        found = self.sources.learner.learn_of_places(best.plan)
        self.racing.training.left |= {f"{best.strategy} with its own": note for note in found.notes}
        if OF_ITS_PLACES not in found.plans:
            return None
        name = f"{best.strategy} with {OF_ITS_PLACES}"
        return replace(best, strategy=name, plan=found.plans[OF_ITS_PLACES])
