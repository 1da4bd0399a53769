"""Why the heaps of real programs are not proven: the reasons against pools, each by the bytes that the sets
for which it holds request at run time."""

import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from malloom.bench.gathered import Gathered
from malloom.bench.goals import Goal, against_limit
from malloom.bench.numbers import number_rows
from malloom.bench.splitting import debian_programs, further_programs
from malloom.bench.splitting.builds import toolchain_of
from malloom.bench.splitting.compilers import DEFAULT
from malloom.bench.splitting.debian import SAME_DATE
from malloom.bench.splitting.debian_builds import NAMED, configured, made_with_remarks
from malloom.bench.splitting.debian_programs import DebianProgram
from malloom.bench.splitting.heap_share import bytes_of_sets
from malloom.bench.splitting.remark_file import RemarkedSet, remarked_sets
from malloom.bench.steps import Bench
from malloom.errors import CommandError
from malloom.measure.process import Command
from malloom.measure.rows import Place, Row

PROGRAMS = (*debian_programs.PROGRAMS, *further_programs.PROGRAMS)
NAMES = tuple(program.name for program in PROGRAMS)
REACH, AGAINST, TOTALS = "reach", "share_of_reason", "reasons"
MEGABYTES, PROVEN, POOLED, ELSEWHERE = "MB requested", "proven", "in pools", "of other code"
HOLDING, ALONE, MEAN, LARGEST = "programs", "alone in", "mean share", "largest share"
WANTED_SHARE, WANTED_PROGRAMS = 0.1, 6
"""At least so many programs have at least such a part of their heap's bytes in sets that are proven."""
SMALL = 0.01
"""Of a program's bytes: a reason for less is not counted as one of the program's."""


@dataclass(frozen=True)
class HeapReach:
    """What was requested in one run, and the parts of that which are proven, have pools, and are requested by
    no code of the program; of each reason, the part of the sets for which it holds, and of those for which it
    alone does."""

    bytes: int
    proven: float
    pooled: float
    elsewhere: float
    reasons: Mapping[str, float]
    alone: Mapping[str, float]


class Reached(Gathered[HeapReach]):
    """Of the programs so far."""

    kind = HeapReach


def reason_rows(bench: Bench, program: DebianProgram, size: int, reached: Reached) -> list[Row | Goal]:
    """Of one program, of which nothing stays. Raises CommandError where it cannot be built or recorded."""
    try:
        found = _reach(bench, program, size)
    finally:
        shutil.rmtree(bench.scratch / "debian" / program.name, ignore_errors=True)
    place = program.place(size)
    reached[place] = found
    return [*number_rows(place, REACH, facts_of(found)), *number_rows(place, AGAINST, found.reasons)]


def _reach(bench: Bench, program: DebianProgram, size: int) -> HeapReach:
    tree = configured(bench, program, toolchain_of(bench.workloads), (NAMED,))[NAMED]
    bench.say(f"building {program.name}, {NAMED}")
    sets = remarked_sets(made_with_remarks(tree))
    arguments = program.work.prepared(bench.scratch / "debian" / program.name, size)
    command = Command([str(tree.binary), *arguments], SAME_DATE)
    what = f"requests of {program.name}"
    counted = bench.counted(what, {NAMED: command}, partial(bytes_of_sets, bench.scratch))
    if NAMED not in counted:
        raise CommandError(f"the {what} could not be counted")
    return reach_of(sets, counted[NAMED])


def reach_of(sets: Mapping[int, RemarkedSet], requested: Mapping[int | None, int]) -> HeapReach:
    """From what is remarked of each set, and the bytes that each requested; None: of no set. Raises
    CommandError where nothing was requested, or a set that is not remarked did."""
    total = sum(requested.values())
    if total == 0:
        raise CommandError("nothing was requested")
    shares = {number: count / total for number, count in requested.items() if number is not None}
    if unknown := shares.keys() - sets.keys():
        raise CommandError(f"the compiler says nothing of the sets {sorted(unknown)}")
    names = {reason for number in shares for reason in sets[number].reasons}

    def share_of(holds: Callable[[RemarkedSet], bool]) -> float:
        return sum(share for number, share in shares.items() if holds(sets[number]))

    reasons = {name: share_of(partial(_holds, name)) for name in names}
    alone = {name: share_of(partial(_holds_alone, name)) for name in names}
    return HeapReach(
        bytes=total,
        proven=share_of(lambda each: not each.reasons),
        pooled=share_of(lambda each: each.has_pools),
        elsewhere=requested.get(None, 0) / total,
        reasons=dict(sorted(reasons.items(), key=lambda each: (-each[1], each[0]))),
        alone=alone,
    )


def _holds(reason: str, of: RemarkedSet) -> bool:
    return reason in of.reasons


def _holds_alone(reason: str, of: RemarkedSet) -> bool:
    return of.reasons == {reason}


def facts_of(found: HeapReach) -> dict[str, float]:
    return {
        MEGABYTES: found.bytes / 1e6,
        PROVEN: found.proven,
        POOLED: found.pooled,
        ELSEWHERE: found.elsewhere,
    }


def total_rows(reached: Mapping[Place, HeapReach]) -> list[Row | Goal]:
    """Of all programs: each reason, those that hold for most first; and whether enough programs have enough
    of their heaps proven."""
    return [*_total_rows(reached), *_goals(reached)]


def _total_rows(reached: Mapping[Place, HeapReach]) -> list[Row]:
    if not reached:
        return []
    names = {reason for each in reached.values() for reason in each.reasons}
    shares = {name: [each.reasons.get(name, 0.0) for each in reached.values()] for name in names}
    rows = []
    for name in sorted(names, key=lambda each: (-sum(shares[each]), each)):
        alone = [each.alone.get(name, 0.0) for each in reached.values()]
        numbers = {
            HOLDING: sum(share >= SMALL for share in shares[name]),
            MEAN: sum(shares[name]) / len(reached),
            LARGEST: max(shares[name]),
            ALONE: sum(share >= SMALL for share in alone),
        }
        rows += number_rows((name, ""), TOTALS, numbers)
    return rows


def _goals(reached: Mapping[Place, HeapReach]) -> list[Goal]:
    """The program that must has its share held against the part that is wanted."""
    if len(reached) < WANTED_PROGRAMS:
        return []
    share = sorted((each.proven for each in reached.values()), reverse=True)[WANTED_PROGRAMS - 1]
    place = ("proven share", f"program {WANTED_PROGRAMS} of {len(reached)}")
    return [against_limit(place, DEFAULT, "wanted_proven_share", [WANTED_SHARE], max(share, 1e-6))]
