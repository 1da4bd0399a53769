"""A plan per strategy and profile, each profile read but once: in processes of their own, so that their
memory goes back, and as many at once as processors and memory allow.

Run as `python -m malloom.layout.plan_each WANTED PROCESS LEADS`, where WANTED is a JSON object of profiles,
each with an object of strategies and the plans to write, an empty PROCESS is the program's own, and LEADS are
hashes of contexts with commas between; prints what failed, as JSON by strategy.
"""

import json
import os
import sys
from collections.abc import Collection, Mapping
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from malloom.cache.geometry import geometry_from
from malloom.errors import CommandError
from malloom.layout.plan import make_plan
from malloom.layout.plan_file import write_plan
from malloom.layout.plan_sites import with_site_keys
from malloom.layout.ranking import place
from malloom.layout.registry import strategy
from malloom.memory import available_memory
from malloom.profile import HeapProfile

LEAST_MEMORY, OF_PROFILE = 2.0e9, 4
"""Bytes that planning one profile is given, and at least so many times its size: a profile of 466 MB took
1.2 GB, and a million requests take 300 MB."""
SMALL = 8 << 20
"""Bytes of profiles that are planned one after the other: another process takes half a second to start, in
which so much is planned."""

Plans = Mapping[str, Path]
"""Where each strategy's plan goes."""


def plan_each(
    profile: Path, plans: Plans, process: str | None = None, leads: Collection[int] = ()
) -> dict[str, str]:
    """Writes the plan of every strategy; what went wrong, by strategy. `leads` as make_plan has them."""
    opened = HeapProfile.open(profile, process)
    geometry = geometry_from("host")
    problems = {}
    for name, path in plans.items():
        try:
            made = make_plan(opened, place(strategy(name), opened, geometry), leads=leads)
            write_plan(with_site_keys(opened, made), path)
        except CommandError as error:
            problems[name] = str(error)
    return problems


def plan_every(
    wanted: Mapping[Path, Plans], process: str | None = None, leads: Collection[int] = ()
) -> dict[str, str]:
    """Writes the plans of every profile; what went wrong with any of them, by strategy. Raises CommandError
    where a profile cannot be read, or its process ends before it is done."""
    planned = partial(_planned, process=process, leads=leads)
    if (at_once := planners([_size(each) for each in wanted])) == 1:
        answers = list(map(planned, wanted, wanted.values()))
    else:
        try:
            with ProcessPoolExecutor(at_once, get_context("spawn"), max_tasks_per_child=1) as pool:
                answers = list(pool.map(planned, wanted, wanted.values()))
        except BrokenProcessPool:
            raise CommandError("a process that planned has ended; is there too little memory?") from None
    problems: dict[str, str] = {}
    for answer in answers:
        if isinstance(answer, str):
            raise CommandError(answer)
        problems |= answer
    return problems


def planners(sizes: Collection[int], memory: float | None = None) -> int:
    """How many profiles of such sizes in bytes are planned at once, at least one. `memory` are the bytes that
    programs can have; None: those of this machine."""
    if sum(sizes) <= SMALL:
        return 1
    left = available_memory() if memory is None else memory
    fit = int(left // max(LEAST_MEMORY, OF_PROFILE * max(sizes)))
    return max(1, min(len(sizes), len(os.sched_getaffinity(0)), fit))


def _size(profile: Path) -> int:
    """0 where there is none, which reading it tells."""
    return profile.stat().st_size if profile.is_file() else 0


def _planned(
    profile: Path, plans: Plans, process: str | None, leads: Collection[int]
) -> dict[str, str] | str:
    """As plan_each; an error as its words, which go from one process to another."""
    try:
        return plan_each(profile, plans, process, leads)
    except CommandError as error:
        return str(error)


def main() -> None:
    """See the module. Fails in one line where a profile cannot be read."""
    wanted, process, leads = sys.argv[1:]
    profiles = {
        Path(profile): {name: Path(plan) for name, plan in plans.items()}
        for profile, plans in json.loads(wanted).items()
    }
    try:
        found = [int(hash_) for hash_ in leads.split(",") if hash_]
        print(json.dumps(plan_every(profiles, process or None, found)))
    except CommandError as error:
        sys.exit(f"malloom: {error}")


if __name__ == "__main__":
    main()
