"""The C++ tests: ctest runs those of each build in parallel, and every one counts here by itself."""

import json
import os
import subprocess
import xml.etree.ElementTree as xml

import pytest

from structure.source_tree import ROOT, expect_silence

BUILDS = ("release", "checked", "threads", "hardware")


def ctest(build: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = ["ctest", "--test-dir", str(ROOT / "build" / build), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def registered(build: str) -> list[str]:
    """The names of a build's tests; none where the build is missing."""
    listing = ctest(build, "--show-only=json-v1")
    return [test["name"] for test in json.loads(listing.stdout)["tests"]] if listing.returncode == 0 else []


def failure_of(case: xml.Element) -> str:
    """Why a test did not pass; empty when it did. A test that was not run has not passed."""
    if case.get("status") == "run" and case.find("skipped") is None:
        return ""
    return case.findtext("system-out") or f"{case.get('name')}: {case.get('status')}"


@pytest.fixture(scope="session")
def failures() -> dict[tuple[str, str], str]:
    found = {}
    for build in BUILDS:
        report = ROOT / "build" / build / "tests.xml"
        report.unlink(missing_ok=True)
        done = ctest(build, f"-j{os.cpu_count()}", "--timeout", "300", "--output-junit", str(report))
        assert report.is_file(), done.stdout + done.stderr
        for case in xml.parse(report).getroot().iter("testcase"):
            found[build, case.get("name", "")] = failure_of(case)
    return found


@pytest.mark.parametrize("build", BUILDS)
def test_build_has_tests(build: str) -> None:
    assert registered(build), (
        f"the {build} build is missing or has no tests: run 'make native' and 'setup/hardware.sh'"
    )


@pytest.mark.parametrize(("build", "name"), [(build, name) for build in BUILDS for name in registered(build)])
def test_native(build: str, name: str, failures: dict[tuple[str, str], str]) -> None:
    expect_silence(failures[build, name])
