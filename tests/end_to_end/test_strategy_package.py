"""A strategy from a package of a user's own is found, listed, and used, without a change to malloom."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent / "strategy_package"

Finished = subprocess.CompletedProcess[str]

USE_IT = """
import numpy as np
from malloom.cache.geometry import geometry_from
from malloom.layout.ranking import rank
from malloom.layout.registry import strategy
from malloom.profile import HeapProfile

profile = HeapProfile.from_arrays([48] * 4, context=[0, 1, 0, 1], accesses=[1, 3, 1, 3, 0])
ranked = rank(profile, [strategy("by-context"), strategy("sequential")], geometry_from("p4"))
assert {each.strategy for each in ranked} == {"by-context", "sequential"}
layout = strategy("by-context").place(profile, geometry_from("p4"))
assert np.argsort(layout.offset).tolist() == [1, 3, 0, 2], layout.offset
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment in which the package is installed beside malloom."""
    target = tmp_path_factory.mktemp("installed")
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*command, "--target", target, PACKAGE], check=True)
    path = os.pathsep.join(filter(None, [str(target), os.environ.get("PYTHONPATH", "")]))
    return {**os.environ, "PYTHONPATH": path}


def test_it_is_listed(malloom: Callable[..., Finished], installed: dict[str, str]) -> None:
    listed = malloom("strategies", "--json", env=installed)
    assert listed.returncode == 0, listed.stderr
    summaries = {each["name"]: each["summary"] for each in json.loads(listed.stdout)}
    assert summaries["by-context"] == "each context's objects together, the busiest context first"
    assert "sequential" in summaries


def test_help_names_it(malloom: Callable[..., Finished], installed: dict[str, str]) -> None:
    assert "by-context" in malloom("plan", "--help", env=installed).stdout


def test_without_the_package_it_is_not_there(malloom: Callable[..., Finished]) -> None:
    assert "by-context" not in malloom("strategies").stdout


def test_it_places_and_is_ranked(installed: dict[str, str]) -> None:
    subprocess.run([sys.executable, "-c", USE_IT], env=installed, check=True)


def test_a_package_that_does_not_load_is_named(malloom: Callable[..., Finished], tmp_path: Path) -> None:
    metadata = tmp_path / "broken-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("[malloom.strategies]\nbroken = no_such_module:Strategy\n")
    listed = malloom("strategies", env={**os.environ, "PYTHONPATH": str(tmp_path)})
    assert listed.returncode == 1
    assert listed.stderr.startswith("malloom: strategy 'broken' does not load (ModuleNotFoundError")
    assert listed.stderr.count("\n") == 1
