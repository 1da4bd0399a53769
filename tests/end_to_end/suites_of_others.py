"""The test suites of other people's programs, whole, alone and under malloom: which tests end otherwise?

    PYTHONPATH=tests .venv/bin/python -m end_to_end.suites_of_others cpython pools --folder FOLDER

runs one suite in one way, `alone` first, keeps what each test came to in FOLDER, and prints the tests that
ended otherwise than alone. With `--table` it prints what is kept there as a table. A suite takes 3 to 20
minutes; the sources of redis and postgres are fetched and built the first time.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from xml.etree import ElementTree

from end_to_end.conftest import COMMAND
from malloom.bench.debian_sources import Package, unpack

SECONDS = 3600
"""That a suite may take in one way; one that hangs is ended."""
REDIS = Package(
    "redis",
    "5:7.0.15-1~deb12u10",
    "redis_7.0.15.orig.tar.gz",
    "4b1dc4ee6d622a09fff9c6777191209750fb5e5a725ef78ea012d6eef4c22982",
)
POSTGRES = Package(
    "postgresql-15",
    "15.18-0+deb12u1",
    "postgresql-15_15.18.orig.tar.bz2",
    "11df0df97fe3ea4ba9a791faaf39cee1d2fe571e78885b5b55d8517d27c323b4",
)
ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8"}
"""Tests of interpreters count on nobody having set their variables."""
Outcomes = Mapping[str, str]
"""What each test came to, by its name."""


@dataclass(frozen=True)
class Suite:
    """`prepare` makes what the tests need in a folder; `command` runs them there; `outcomes` are read from
    that folder and from what the command printed."""

    prepare: Callable[[Path], None]
    command: tuple[str, ...]
    outcomes: Callable[[Path, str], Outcomes]
    as_user: bool = False
    """The tests refuse to be root's."""


@dataclass(frozen=True)
class Came:
    """One suite in one way. `status` is None where it had to be ended."""

    status: int | None
    seconds: float
    outcomes: dict[str, str]


def shell(command: str, folder: Path) -> None:
    """Raises CalledProcessError where it fails, with what it said last."""
    done = subprocess.run(command, shell=True, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.stderr.write(done.stdout[-2000:] + done.stderr[-2000:])
        done.check_returncode()


def prepare_cpython(folder: Path) -> None:
    """Debian's package libpython3.11-testsuite has all."""
    folder.mkdir(exist_ok=True)


def prepare_redis(folder: Path) -> None:
    """With the C library's malloc, which malloom takes the place of."""
    if not folder.exists():
        unpack(REDIS, folder)
        shell("make -j2 MALLOC=libc", folder)


def prepare_postgres(folder: Path) -> None:
    """Owned by nobody, who runs the tests."""
    if not folder.exists():
        unpack(POSTGRES, folder)
        shell("./configure --without-readline --without-zlib CFLAGS=-O1 && make -s -j2", folder)
        shell("chown -R nobody .", folder)


def cpython_outcomes(folder: Path, _printed: str) -> Outcomes:
    """Of each test function. What a skipped one says is left out: it names folders and process numbers."""
    found: dict[str, str] = {}
    for case in ElementTree.parse(folder / "cpython.xml").iter("testcase"):
        kinds = [child.tag for child in case if child.tag in ("failure", "error", "skipped")]
        found[case.attrib["name"]] = kinds[0] if kinds else case.attrib.get("result", "passed")
    return found


def redis_outcomes(_folder: Path, printed: str) -> Outcomes:
    """Tests of one name count together: bad where one of them is."""
    found: dict[str, str] = {}
    for kind, name in re.findall(
        r"\[(ok|err|exception|ignore|skip|TIMEOUT)\S*\]:? (.*?)(?: in |\s*\(\d+ ms\))", plain(printed)
    ):
        name = re.sub(r"#?\d+", "N", name)  # noqa: PLW2901  (numbers are drawn by chance)
        bad = found.get(name) not in (None, "ok")
        found[name] = found[name] if bad else kind
    return found


def plain(text: str) -> str:
    """Without colours."""
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def postgres_outcomes(_folder: Path, printed: str) -> Outcomes:
    """Lines such as `test boolean ... ok` and, in groups, `     boolean ... ok`."""
    return dict(re.findall(r"^(?:test)?\s+(\w+)\s+\.\.\. (ok|FAILED)", printed, re.MULTILINE))


SUITES = {
    "cpython": Suite(
        prepare_cpython,
        ("/usr/bin/python3", "-m", "test", "-j2", "--timeout", "600", "--junit-xml", "cpython.xml"),
        cpython_outcomes,
    ),
    "redis": Suite(prepare_redis, ("./runtest", "--clients", "4"), redis_outcomes),
    "postgres": Suite(prepare_postgres, ("make", "check"), postgres_outcomes, as_user=True),
}
SAMPLE = ("/usr/bin/python3", "-m", "test", "test_dict", "test_json")
"""What the plan is learned from."""


def plan_for(folder: Path) -> Path:
    """A plan of groups by context, learned from one program and run with all."""
    plan = folder / "suites.plan"
    if not plan.exists():
        profile = folder / "sample.profile"
        recorded = [COMMAND, "record", "--accesses", "none", "-o", profile, "--", *SAMPLE]
        subprocess.run(recorded, check=True, capture_output=True, cwd=folder)
        made = [COMMAND, "plan", profile, "-o", plan, "--strategy", "context-groups"]
        subprocess.run(made, check=True, capture_output=True)
    return plan


def prefix(way: str, folder: Path, suite: str) -> list[str | Path]:
    """What comes before the command. A profile of a whole suite is cut off where it is large: the programs
    go on as they were."""
    if way == "alone":
        return []
    if way == "plan":
        return [COMMAND, "run", "--plan", plan_for(folder), "--"]
    if way == "record":
        profile = folder / f"{suite}.profile"
        return [COMMAND, "record", "--accesses", "none", "--max-size", "4G", "-o", profile, "--"]
    return [COMMAND, "run", "--heap", way, "--"]


WAYS = ("alone", "pools", "plan", "record", "bins", "pages", "fallback")


def run(name: str, way: str, folder: Path) -> Came:
    """One suite in one way, in a folder of the suite's own."""
    suite, place = SUITES[name], folder / name
    suite.prepare(place)
    # A shell that starts this in the background has SIGINT ignored, which tests of signals notice.
    command = ["env", "--default-signal=INT", *prefix(way, folder, name), *suite.command]
    if suite.as_user:
        folder.chmod(0o755)
        command = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups", *command]
    log = folder / f"{name}-{way}.log"
    began = time.monotonic()
    environment = {**ENVIRONMENT, "HOME": str(place)}
    with log.open("w") as output:
        options = {"cwd": place, "env": environment, "stdin": subprocess.DEVNULL, "start_new_session": True}
        started = subprocess.Popen(command, stdout=output, stderr=output, **options)  # type: ignore[call-overload]
        try:
            status = started.wait(SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(started.pid, 9)
            status = None
    return Came(
        status, time.monotonic() - began, dict(suite.outcomes(place, log.read_text(errors="replace")))
    )


def differences(alone: Outcomes, other: Outcomes) -> dict[str, tuple[str, str]]:
    """Tests that passed alone and did not, or were not met, in the other way."""
    good = ("passed", "ok", "run", "completed")
    return {
        name: (came, other.get(name, "not met"))
        for name, came in sorted(alone.items())
        if came in good and other.get(name) != came
    }


def kept(folder: Path) -> dict[tuple[str, str], Came]:
    found = {}
    for name in SUITES:
        for way in WAYS:
            file = folder / f"{name}-{way}.json"
            if file.exists():
                found[name, way] = Came(**json.loads(file.read_text()))
    return found


def table(folder: Path) -> str:
    """A line for each suite and way."""
    lines = [
        "| suite | way | tests | passed | passed alone and not here | seconds |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    found = kept(folder)
    for (name, way), came in found.items():
        other = differences(found[name, "alone"].outcomes, came.outcomes)
        passed = sum(each in ("passed", "ok", "run", "completed") for each in came.outcomes.values())
        lines.append(
            f"| {name} | {way} | {len(came.outcomes)} | {passed} | {len(other)} | {came.seconds:.0f} |"
        )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("suite", choices=SUITES, nargs="?")
    parser.add_argument("way", choices=WAYS, nargs="?")
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--table", action="store_true")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    if given.table:
        print(table(given.folder))
        return
    came = run(given.suite, given.way, given.folder)
    (given.folder / f"{given.suite}-{given.way}.json").write_text(json.dumps(asdict(came)))
    alone = kept(given.folder).get((given.suite, "alone"), came)
    print(
        f"{given.suite} {given.way}: status {came.status}, {len(came.outcomes)} tests, {came.seconds:.0f} s"
    )
    for name, (before, after) in differences(alone.outcomes, came.outcomes).items():
        print(f"  {name}: {before} alone, {after} here")


if __name__ == "__main__":
    main()
