"""Other forms of the best build, raced: with one structure otherwise, with mimalloc linked in, over an
allocator."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from malloom.optimize.building import EARLY, MIMALLOC, WITH_POOLS, Build, Builds
from malloom.optimize.options import Watcher
from malloom.optimize.racing import Racing, first_of
from malloom.optimize.settings import AllocatorRow

MOST_MIXED = 8
"""Structures that are tried by another policy one by one."""
FEWEST_PAIRED = 6
"""Rounds of a build and the best one: with these pairs have an interval."""


@dataclass
class BuildForms:
    """Has them built, and races them."""

    racing: Racing
    builds: Builds
    watcher: Watcher

    def race(self, settings: Sequence[AllocatorRow]) -> list[Build]:
        """All builds that may be kept, once the forms of the best have been raced as well."""
        self._mix()
        self._link_otherwise()
        kept = [row for row in self.builds.rows if row.may_be_kept]
        return [*kept, *self._over(kept, settings)]

    def _mix(self) -> None:
        """Races the best build with one structure after the other by the next best policy; then with all of
        these where several help, as no policy is best for every structure."""
        by_time = self.racing.best(self.builds.rows)
        pooled = [row for row in by_time if row.structures and row.policy in WITH_POOLS]
        best = first_of(pooled)
        other = first_of([row for row in pooled if row.policy != pooled[0].policy])
        if best is None or other is None or not self._is_mixable(best):
            return
        self.watcher.say(f"trying {other.policy} for one structure of {best.name} after the other")
        helps = self._raced_beside(best, [{each: other.policy} for each in range(len(best.structures or ()))])
        if len(helps) > 1:
            together = {number: policy for each in helps for number, policy in each.items()}
            self._raced_beside(best, [together])

    def _is_mixable(self, best: Build) -> bool:
        """Whether it has several structures, and there is time to build it for each, and to run all of these
        beside it."""
        count, racing = len(best.structures or ()), self.racing
        if count < 2:
            return False
        building = count * self.builds.builder.seconds if self.builds.builder else 0.0
        running = (count + 2) * FEWEST_PAIRED * racing.one_round
        if count > MOST_MIXED or max(building, running) > racing.seconds:
            why = f"its {count} structures are too many to be built and run one by one in the time"
            racing.training.left[f"{best.name}, but for one structure"] = why
            return False
        return True

    def _raced_beside(self, best: Build, mixtures: Sequence[dict[int, str]]) -> list[dict[int, str]]:
        """Races the best build with other policies, and says which of these are worth more than itself."""
        racing, training = self.racing, self.racing.training
        made = [(policies, self.builds.mixed(best, policies)) for policies in mixtures]
        training.left |= self.builds.left
        there = [(policies, build) for policies, build in made if build]
        new = [build for _, build in there]
        racing.rows += new
        training.enter(new)
        names = [best.name, *(build.name for build in new)]
        training.run(names, max(FEWEST_PAIRED, racing.rounds(len(names))))
        return [
            policies
            for policies, build in there
            if {build.name, best.name} <= training.results.keys() and racing.is_worth_more(build, best)
        ]

    def _link_otherwise(self) -> None:
        """Races the best build with mimalloc linked in, as what it does not pool need not be the C library's;
        and the best then, where it has pools, with pools that ask for huge pages early."""
        if best := self._best_to_keep():
            self._race_linked(replace(best, fallback=MIMALLOC))
        if (best := self._best_to_keep()) and best.policy in WITH_POOLS:
            self._race_linked(replace(best, huge=EARLY))

    def _best_to_keep(self) -> Build | None:
        return first_of([row for row in self.racing.best(self.builds.rows) if row.may_be_kept])

    def _race_linked(self, build: Build) -> None:
        linked = self.builds.linked(build) if self.builds.builder else None
        self.racing.training.left |= self.builds.left
        if linked:
            self.racing.rows.append(linked)
            self.racing.race([linked])

    def _over(self, builds: Sequence[Build], settings: Sequence[AllocatorRow]) -> list[Build]:
        """The best build over the best setting, raced: what it does not pool comes from there. A malloc that
        is linked in would come before it."""
        best = first_of(self.racing.best([row for row in builds if not row.fallback]))
        under = first_of(self.racing.best(settings))
        if best is None or under is None:
            return []
        over = replace(best, over=under.setting)
        self.racing.rows.append(over)
        self.racing.race([over])
        return [over]
