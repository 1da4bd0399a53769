"""A step of a suite, measured by itself: `python -m malloom.bench.one_step FILE`, with what is wanted as JSON
on standard input. FILE then holds the finished step, as that of `malloom bench --state`."""

import fcntl
import inspect
import json
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from malloom.bench.general import described
from malloom.bench.running import run
from malloom.bench.state import VERSION, Keeper, State
from malloom.bench.suite import Suite
from malloom.bench.suites import found_suites
from malloom.errors import CommandError
from malloom.measure.allocators import without_settings_of_users
from malloom.measure.host import measured_on


def main(written: Path) -> int:
    """Measures; exit status 1 and a line where that cannot be done."""
    try:
        with alone():
            measure(json.load(sys.stdin), written)
    except CommandError as error:
        print(f"malloom: {error}", file=sys.stderr)
        return 1
    return 0


def measure(wanted: dict[str, Any], written: Path) -> None:
    """The step of that part and name, of the suite with those options. Raises CommandError where there is
    none here."""
    name, options = wanted["suite"], wanted["options"]
    suite = found_suites().get(name)
    if suite is None:
        raise CommandError(f"there is no suite '{name}' here")
    workloads = Path(options["workloads"])
    without_settings_of_users()
    prepared = suite.prepare(**_as_declared(suite, options))
    prepared.check(workloads)
    steps = [step for step in prepared.steps_of([wanted["part"]]) if step.what == wanted["what"]]
    if not steps:
        raise CommandError(f"the suite '{name}' has no step '{wanted['what']}' here")
    keeper = Keeper(written, State(VERSION, name, options), is_new=True)
    host = {**measured_on(workloads), **described(workloads)}
    run(steps[:1], workloads, say, host=host, last_level=prepared.last_level, keeper=keeper)


def _as_declared(suite: Suite, options: dict[str, Any]) -> dict[str, Any]:
    """Those of the suite, with the files and folders that JSON has as text."""
    parameters = inspect.signature(suite.prepare).parameters
    return {
        name: Path(value) if isinstance(parameters[name].default, Path) else value
        for name, value in options.items()
        if name in parameters
    }


def say(line: str) -> None:
    print(line, file=sys.stderr)


@contextmanager
def alone() -> Iterator[None]:
    """Waits until no other such step is measured on this machine."""
    with (Path(tempfile.gettempdir()) / "malloom-bench.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
