"""clang-tidy over every C and C++ source that the release build, the wheel's or the core's compiles:
all of the product.
The tests' sources and the analyzer have their turn in `make soak`.

A source is looked at again when it, or a file of the tree that it includes, has changed.
"""

import hashlib
import json
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from structure.source_tree import PRODUCT, ROOT, expect_silence, files_with, tree_files

IS_DEEP = "MALLOOM_SOAK" in os.environ
GCC_ALONE = ["--removed-arg=-fno-tree-loop-distribute-patterns", "--removed-arg=-misa-spec=2.2"]
"""What Clang does not know of a compiler's command line."""
CORE = {
    ROOT / "build/firmware/simulated_core": [],
    ROOT / "build/firmware/riscv_core": [*GCC_ALONE, "--extra-arg=--target=riscv32-unknown-elf"],
}
OTHER_BOARDS = {
    ROOT / "build/firmware/mps2_an385": [*GCC_ALONE, "--extra-arg=--target=thumbv7m-none-eabi"],
    ROOT / "build/firmware/linux_aarch64": [*GCC_ALONE, "--extra-arg=--target=aarch64-linux-gnu"],
}
BUILDS: dict[Path, list[str]] = {
    ROOT / "build/release": [],
    ROOT / "build/python": [],
    **CORE,
    **(OTHER_BOARDS if IS_DEEP else {}),
}
"""A source is looked at as the first of them compiles it, with these options. Only the wheel has the bindings
for Python; boards other than the simulated core are built for `make soak`."""
ELSEWHERE = () if IS_DEEP else ("firmware/boards/linux/", "firmware/boards/mps2_an385/")
CONTENT = ROOT / "build/clang-tidy"
"""One empty file per look that found nothing, named by the digest of all that was looked at."""


def compiled_sources() -> dict[str, Path]:
    """The tree's own sources that are compiled, each with the build that does."""
    names = [name for name in files_with(".cpp", ".c") if IS_DEEP or not name.startswith("tests/")]
    found = {build: compiled_by(build) for build in reversed(list(BUILDS))}
    return {name: build for build, compiled in found.items() for name in names if ROOT / name in compiled}


def compiled_by(build: Path) -> set[Path]:
    database = build / "compile_commands.json"
    return (
        {Path(entry["file"]) for entry in json.loads(database.read_text())} if database.is_file() else set()
    )


def dependencies(build: Path) -> dict[str, list[str]]:
    """Source -> the tree's files it is compiled from, as the build has noted them."""
    listing = subprocess.run(
        ["ninja", "-C", build, "-t", "deps"], check=True, capture_output=True, text=True
    ).stdout
    known = set(tree_files())
    found: dict[str, list[str]] = {}
    for block in listing.split("\n\n"):
        paths = [os.path.relpath(build / line.strip(), ROOT) for line in block.splitlines()[1:]]
        inside = sorted(path for path in paths if path in known)
        for path in inside:
            found.setdefault(path, []).extend(inside)
    return found


def digest(names: list[str]) -> str:
    content = hashlib.sha256()
    for name in [".clang-tidy", "tests/.clang-tidy", *sorted(set(names))]:
        content.update(name.encode() + (ROOT / name).read_bytes())
    content.update(bytes([IS_DEEP]))
    return content.hexdigest()


def depth_of(name: str) -> list[str]:
    """How deep the analyzer looks. Where it is asked for, without what makes it quick; else not at all, as
    sources take twice the time with it."""
    if not IS_DEEP:
        return ["--checks=-clang-analyzer-*"]
    if name.startswith("tests/"):
        return []
    lines = (ROOT / ".clang-tidy").read_text().splitlines()
    return ["--config=" + "\n".join(line for line in lines if not line.startswith("ExtraArgs"))]


def look_at(name: str, build: Path, depends_on: list[str]) -> str:
    """The complaints about one source; empty when there are none."""
    seen = CONTENT / digest([name, *depends_on])
    if seen.exists():
        return ""
    command = ["clang-tidy-22", "--quiet", "-p", build, *BUILDS[build], *depth_of(name), ROOT / name]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        seen.touch()
        return ""
    return done.stdout + done.stderr


@pytest.fixture(scope="session")
def complaints() -> dict[str, str]:
    CONTENT.mkdir(parents=True, exist_ok=True)
    sources = compiled_sources()
    includes = {build: dependencies(build) for build in set(sources.values())}

    def complaints_of(name: str) -> str:
        build = sources[name]
        return look_at(name, build, includes[build].get(name, []))

    with ThreadPoolExecutor(os.cpu_count()) as workers:
        return dict(zip(sources, workers.map(complaints_of, sources), strict=True))


@pytest.mark.parametrize("build", BUILDS)
def test_build_is_there(build: Path) -> None:
    assert compiled_by(build), f"{build} is missing: run 'make native' and 'setup/firmware.sh'"


def test_every_source_of_the_product_is_looked_at() -> None:
    sources = [name for name in files_with(".cpp", ".c") if not name.startswith(ELSEWHERE)]
    product = {name for name in sources if name.startswith(PRODUCT)}
    assert product - compiled_sources().keys() == set()


@pytest.mark.parametrize("name", compiled_sources())
def test_clang_tidy_is_content(name: str, complaints: dict[str, str]) -> None:
    expect_silence(complaints[name])
