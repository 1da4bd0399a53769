"""A plan per strategy and profile, each profile read but once: in processes of their own, so that their
memory goes back, and as many at once as processors and memory allow.

Run as `python -m malloom.layout.plan_each FILE`, where the file is JSON: `profiles`, each with its strategies
and the plans to write, the `process` that is meant, null for the program's own, and `leads`, hashes of
contexts. Prints what failed, as JSON by strategy. With a profile's number behind it, from 0, it plans that
alone.
"""

import json
import os
import subprocess
import sys
from collections.abc import Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
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
PREFIX = "malloom: "

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


@dataclass(frozen=True)
class Task:
    """What the file asks for."""

    profiles: tuple[tuple[Path, Plans], ...]
    process: str | None
    leads: tuple[int, ...]

    @classmethod
    def of(cls, file: Path) -> "Task":
        asked = json.loads(file.read_bytes())
        profiles = tuple(
            (Path(profile), {name: Path(plan) for name, plan in plans.items()})
            for profile, plans in asked["profiles"].items()
        )
        return cls(profiles, asked["process"], tuple(asked["leads"]))

    def planned(self, number: int) -> dict[str, str]:
        """What went wrong with that profile, by strategy."""
        return plan_each(*self.profiles[number], self.process, self.leads)


def plan_every(file: Path) -> dict[str, str]:
    """Writes the plans of every profile of a file; what went wrong with any of them, by strategy. Raises
    CommandError where a profile cannot be read, or the process that plans it is ended twice."""
    task = Task.of(file)
    sizes = [_size(profile) for profile, _ in task.profiles]
    if len(sizes) == 1 or sum(sizes) <= SMALL:
        answers = list(map(task.planned, range(len(sizes))))
    else:
        answers = _planned_apart(file, len(sizes), planners(sizes))
    return {name: problem for answer in answers for name, problem in answer.items()}


def _planned_apart(file: Path, count: int, at_once: int) -> list[dict[str, str]]:
    """Those whose process was ended, as where there is too little memory, are planned once more, alone."""
    with ThreadPoolExecutor(at_once) as starters:
        ran = list(starters.map(_in_a_process, [file] * count, range(count)))
    ran = [_in_a_process(file, n) if each.returncode < 0 else each for n, each in enumerate(ran)]
    for each in ran:
        if each.returncode != 0:
            raise CommandError(_why(each))
    return [json.loads(each.stdout) for each in ran]


def _why(failed: "subprocess.CompletedProcess[str]") -> str:
    if failed.returncode < 0:
        return f"planning ended by signal {-failed.returncode}; is there too little memory?"
    said = failed.stderr.strip().rpartition("\n")[2]
    return said.removeprefix(PREFIX) or f"planning ended with status {failed.returncode}"


def _in_a_process(file: Path, number: int) -> "subprocess.CompletedProcess[str]":
    """Of this session, so that it ends with it."""
    command = [sys.executable, "-P", "-m", "malloom.layout.plan_each", str(file), str(number)]
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)


def planners(sizes: Collection[int], memory: float | None = None) -> int:
    """How many profiles of such sizes in bytes are planned at once, at least one. `memory` are the bytes that
    programs can have; None: those of this machine."""
    left = available_memory() if memory is None else memory
    fit = int(left // max(LEAST_MEMORY, OF_PROFILE * max(sizes)))
    return max(1, min(len(sizes), len(os.sched_getaffinity(0)), fit))


def _size(profile: Path) -> int:
    """0 where there is none, which reading it tells."""
    return profile.stat().st_size if profile.is_file() else 0


def main() -> None:
    """See the module. Fails in one line where a profile cannot be read."""
    file, *numbers = sys.argv[1:]
    try:
        task = Path(file)
        found = Task.of(task).planned(int(numbers[0])) if numbers else plan_every(task)
        print(json.dumps(found))
    except CommandError as error:
        sys.exit(f"{PREFIX}{error}")


if __name__ == "__main__":
    main()
