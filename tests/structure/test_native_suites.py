"""The C++ tests of each build; every one counts here by itself.

Under a sanitizer it takes longer to start a process than most tests take, so in `make test` tests of one
executable share processes. What does not pass there is run by ctest, in a process of its own, and that
counts. In `make soak` ctest runs every test so, and finds those that pass only after others.
"""

import functools
import json
import os
import signal
import subprocess
import xml.etree.ElementTree as xml
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from structure.source_tree import ROOT, expect_silence

# The sanitizers' first, as these take longest.
BUILDS = ("checked", "threads", "release", "hardware")
FILTER = "--gtest_filter="
# Few enough that a process that dies leaves few to run alone, and that no core waits long for the last one.
TESTS_OF_A_PROCESS = 25
SECONDS = 300
# Of tests with any other property ctest knows what to do.
KNOWN_PROPERTIES = {"ENVIRONMENT", "SKIP_REGULAR_EXPRESSION", "TIMEOUT", "WORKING_DIRECTORY"}


@dataclass(frozen=True)
class Registered:
    """A test as ctest knows it: it counts them from 1."""

    build: str
    number: int
    name: str
    command: tuple[str, ...]
    properties: dict[str, Any]

    @property
    def in_gtest(self) -> str:
        """Its name there; empty where it is none of gtest's."""
        names = [word.removeprefix(FILTER) for word in self.command if word.startswith(FILTER)]
        return names[0] if len(names) == 1 else ""

    @property
    def process(self) -> tuple[list[str], str, list[str]]:
        """What it has in common with those that may share a process: command, folder and environment."""
        command = [word for word in self.command if not word.startswith(FILTER)]
        folder = self.properties.get("WORKING_DIRECTORY", ROOT / "build" / self.build)
        return command, str(folder), self.properties.get("ENVIRONMENT", [])

    @property
    def may_share(self) -> bool:
        return bool(self.in_gtest) and self.properties.keys() <= KNOWN_PROPERTIES


def ctest(build: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = ["ctest", "--test-dir", str(ROOT / "build" / build), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@functools.cache
def registered(build: str) -> tuple[Registered, ...]:
    """A build's tests; none where the build is missing."""
    listing = ctest(build, "--show-only=json-v1")
    tests = json.loads(listing.stdout)["tests"] if listing.returncode == 0 else []
    return tuple(
        Registered(
            build,
            number,
            test["name"],
            tuple(test.get("command", ())),
            {each["name"]: each["value"] for each in test["properties"]},
        )
        for number, test in enumerate(tests, start=1)
    )


def groups(tests: list[Registered]) -> Iterator[tuple[Registered, ...]]:
    """Those that share a process."""
    for _, same in groupby(tests, key=lambda test: test.process):
        group = tuple(same)
        for begin in range(0, len(group), TESTS_OF_A_PROCESS):
            yield group[begin : begin + TESTS_OF_A_PROCESS]


def ends_well(group: tuple[Registered, ...], report: Path) -> bool:
    """Runs tests in one process. What a sanitizer finds when it ends may be any test's."""
    command, folder, changes = group[0].process
    names = ":".join(test.in_gtest for test in group)
    process = subprocess.Popen(
        [*command, FILTER + names, f"--gtest_output=json:{report}"],
        cwd=folder,
        env=os.environ | dict(change.split("=", 1) for change in changes),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        return process.wait(SECONDS) == 0
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return False


def passed(report: Path) -> set[str]:
    """The tests that gtest ran, did not skip and found nothing wrong in."""
    return {
        f"{suite['name']}.{test['name']}"
        for suite in json.loads(report.read_text(encoding="utf-8"))["testsuites"]
        for test in suite["testsuite"]
        if test["result"] == "COMPLETED" and "failures" not in test
    }


def pass_together(tests: list[Registered], folder: Path) -> Iterator[Registered]:
    """Those that pass in processes that they share."""
    sharing = list(groups([test for test in tests if test.may_share]))
    reports = [folder / f"{number}.json" for number in range(len(sharing))]
    with ThreadPoolExecutor(os.cpu_count()) as cores:
        ends = cores.map(ends_well, sharing, reports)
    for group, report, is_well in zip(sharing, reports, ends, strict=True):
        names = passed(report) if is_well and report.is_file() else set()
        yield from (test for test in group if test.in_gtest in names)


def failure_of(case: xml.Element) -> str:
    """Why a test did not pass; empty when it did. A test that was not run has not passed."""
    if case.get("status") == "run" and case.find("skipped") is None:
        return ""
    return case.findtext("system-out") or f"{case.get('name')}: {case.get('status')}"


def failures_alone(build: str, tests: list[Registered]) -> Iterator[tuple[str, str]]:
    """What ctest says of a build's tests, each in a process of its own."""
    report = ROOT / "build" / build / "tests.xml"
    report.unlink(missing_ok=True)
    if not tests:
        return
    chosen = ",".join(["0,0,0", *(str(test.number) for test in tests)])
    done = ctest(
        build, f"-j{os.cpu_count()}", "--timeout", str(SECONDS), "-I", chosen, "--output-junit", str(report)
    )
    assert report.is_file(), done.stdout + done.stderr
    for case in xml.parse(report).getroot().iter("testcase"):
        yield case.get("name", ""), failure_of(case)


@pytest.fixture(scope="session")
def failures(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], str]:
    tests = [test for build in BUILDS for test in registered(build)]
    is_soak = "MALLOOM_SOAK" in os.environ
    good = [] if is_soak else pass_together(tests, tmp_path_factory.mktemp("gtest"))
    found = {(test.build, test.name): "" for test in good}
    for build in BUILDS:
        alone = [test for test in registered(build) if (build, test.name) not in found]
        found |= {(build, name): failure for name, failure in failures_alone(build, alone)}
    return found


@pytest.mark.parametrize("build", BUILDS)
def test_build_has_tests(build: str) -> None:
    assert registered(build), (
        f"the {build} build is missing or has no tests: run 'make native' and 'setup/hardware.sh'"
    )


@pytest.mark.parametrize(
    ("build", "name"), [(build, test.name) for build in BUILDS for test in registered(build)]
)
def test_native(build: str, name: str, failures: dict[tuple[str, str], str]) -> None:
    expect_silence(failures[build, name])
