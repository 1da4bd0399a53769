"""clang-tidy over every C and C++ source of the release build.

A source is looked at again when it, or a file of the tree that it includes, has changed.
"""

import hashlib
import json
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from structure.source_tree import ROOT, expect_silence, files_with, tree_files

BUILD = ROOT / "build/release"
CONTENT = ROOT / "build/clang-tidy"
"""One empty file per look that found nothing, named by the digest of all that was looked at."""


def compiled_sources() -> list[str]:
    """The tree's own sources that the release build compiles."""
    database = BUILD / "compile_commands.json"
    if not database.is_file():
        return []
    compiled = {Path(entry["file"]) for entry in json.loads(database.read_text())}
    return [name for name in files_with(".cpp", ".c") if ROOT / name in compiled]


def dependencies() -> dict[str, list[str]]:
    """Source -> the tree's files it is compiled from, as the build has noted them."""
    listing = subprocess.run(
        ["ninja", "-C", BUILD, "-t", "deps"], check=True, capture_output=True, text=True
    ).stdout
    known = set(tree_files())
    found: dict[str, list[str]] = {}
    for block in listing.split("\n\n"):
        paths = [os.path.relpath(BUILD / line.strip(), ROOT) for line in block.splitlines()[1:]]
        inside = sorted(path for path in paths if path in known)
        for path in inside:
            found.setdefault(path, []).extend(inside)
    return found


def digest(names: list[str]) -> str:
    content = hashlib.sha256()
    for name in [".clang-tidy", "tests/.clang-tidy", *sorted(set(names))]:
        content.update(name.encode() + (ROOT / name).read_bytes())
    return content.hexdigest()


def look_at(name: str, depends_on: list[str]) -> str:
    """The complaints about one source; empty when there are none."""
    seen = CONTENT / digest([name, *depends_on])
    if seen.exists():
        return ""
    command = ["clang-tidy-19", "--quiet", "-p", BUILD, ROOT / name]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        seen.touch()
        return ""
    return done.stdout + done.stderr


@pytest.fixture(scope="session")
def complaints() -> dict[str, str]:
    CONTENT.mkdir(parents=True, exist_ok=True)
    includes = dependencies()
    sources = compiled_sources()
    with ThreadPoolExecutor(os.cpu_count()) as workers:
        looks = workers.map(lambda name: look_at(name, includes.get(name, [])), sources)
        return dict(zip(sources, looks, strict=True))


def test_release_build_is_there() -> None:
    assert compiled_sources(), "the release build is missing: run 'make native'"


@pytest.mark.parametrize("name", compiled_sources())
def test_clang_tidy_is_content(name: str, complaints: dict[str, str]) -> None:
    expect_silence(complaints[name])
