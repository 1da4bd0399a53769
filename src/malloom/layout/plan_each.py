"""A plan per strategy, with the profile read but once: a process of its own, so that its memory goes back.

Run as `python -m malloom.layout.plan_each PROFILE PROCESS LEADS STRATEGY=PLAN...`, where an empty PROCESS is
the program's own, and LEADS are hashes of contexts with commas between; prints what failed, as JSON by
strategy.
"""

import json
import sys
from collections.abc import Collection, Mapping
from pathlib import Path

from malloom.cache.geometry import geometry_from
from malloom.errors import CommandError
from malloom.layout.plan import make_plan
from malloom.layout.plan_file import write_plan
from malloom.layout.plan_sites import with_site_keys
from malloom.layout.ranking import place
from malloom.layout.registry import strategy
from malloom.profile import HeapProfile


def plan_each(
    profile: Path, plans: Mapping[str, Path], process: str | None = None, leads: Collection[int] = ()
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


def main() -> None:
    """See the module. Fails in one line where the profile cannot be read."""
    profile, process, leads, *wanted = sys.argv[1:]
    plans = {name: Path(path) for name, _, path in (each.partition("=") for each in wanted)}
    try:
        found = [int(hash_) for hash_ in leads.split(",") if hash_]
        print(json.dumps(plan_each(Path(profile), plans, process or None, found)))
    except CommandError as error:
        sys.exit(f"malloom: {error}")


if __name__ == "__main__":
    main()
