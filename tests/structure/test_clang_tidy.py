"""clang-tidy over the C and C++ sources that the release build, the wheel's or the core's compiles.

In `make test` over those of the product that the last commits have changed, or that include what these have
changed; in `make soak` over all, the tests' too, and with the analyzer.

What found nothing is kept in the user's cache folder. A source is looked at again when it, a file that it
includes, its command line, the settings or clang-tidy have changed.
"""

import hashlib
import json
import os
import shlex
import subprocess
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from malloom.cache.calibration_file import cache_folder
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
    ROOT / "build/hardware": [],
    **(OTHER_BOARDS if IS_DEEP else {}),
}
"""A source is looked at as the first of them compiles it, with these options. Only the wheel has the bindings
for Python; boards other than the simulated core are built for `make soak`."""
ELSEWHERE = () if IS_DEEP else ("firmware/boards/linux/", "firmware/boards/mps2_an385/")
RECENT_COMMITS = 10
"""How many commits back `make test` looks for changes: what is pushed at once is hardly more."""
TIDY = "clang-tidy-22"
CLANG = "clang++-22"
CONTENT = (cache_folder() or ROOT / "build/cache") / "clang-tidy"
"""One empty file per look that found nothing, named by the digest of all that was looked at."""
OF_HEADERS = "readability-function-size", "bugprone-assignment-in-if-condition"
"""Checks that go through each function of LLVM's headers, which takes half the time of a source of the
compiler. These have their turn in `make soak`."""

OF_BOARDS = "clang-analyzer-core.FixedAddressDereference", "clang-analyzer-security.MmapWriteExec"
"""Checks of the analyzer that find what is meant: registers of boards, which lie at fixed addresses (LLVM's
marks do, too), and memory for code that is made at run time."""


@dataclass(frozen=True)
class Source:
    """A source as one of the builds compiles it."""

    name: str
    build: Path
    command: tuple[str, ...]
    output: str

    @property
    def precompiled(self) -> Path | None:
        """The header whose precompiled form the build includes in it."""
        included = [self.command[i + 1] for i, word in enumerate(self.command) if word == "-include"]
        return next((Path(path) for path in included if path.endswith("cmake_pch.hxx")), None)

    def includes(self) -> list[Path]:
        """All files that it is compiled from, as the build has noted them."""
        notes = dependencies(self.build)
        outputs = [self.output]
        if self.precompiled:
            outputs.append(os.path.relpath(f"{self.precompiled}.gch", self.build))
        return [path for output in outputs for path in notes.get(output, ())]


@cache
def sources() -> dict[str, Source]:
    """The tree's own sources that are compiled, as the first of the builds does."""
    names = {name for name in files_with(".cpp", ".c") if IS_DEEP or not name.startswith("tests/")}
    compiled = [source for build in BUILDS for source in compiled_by(build) if source.name in names]
    return {source.name: source for source in reversed(compiled)}


@cache
def compiled_by(build: Path) -> tuple[Source, ...]:
    database = build / "compile_commands.json"
    entries = json.loads(database.read_text()) if database.is_file() else []
    return tuple(source_of(build, entry) for entry in entries)


def source_of(build: Path, entry: dict[str, str]) -> Source:
    command = tuple(shlex.split(entry["command"]))
    output = command[command.index("-o") + 1]
    return Source(os.path.relpath(entry["file"], ROOT), build, command, output)


@cache
def dependencies(build: Path) -> dict[str, tuple[Path, ...]]:
    """Object file -> what it was compiled from."""
    command = ["ninja", "-C", build, "-t", "deps"]
    listing = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    found = {}
    for block in listing.split("\n\n"):
        first, *paths = block.splitlines() or [""]
        found[first.partition(":")[0]] = tuple(build / path.strip() for path in paths)
    return found


@cache
def name_of(path: Path) -> str:
    """Relative to the root. Kept, as most sources include the same headers."""
    return os.path.relpath(path, ROOT)


@cache
def digest_of(path: Path) -> bytes:
    """Of a file of the tree its content; of one of the system when it was last changed."""
    resolved = os.path.realpath(path)
    name = os.path.relpath(resolved, ROOT)
    if name in tree_files():
        return name.encode() + Path(resolved).read_bytes()
    if name.startswith("build/"):
        return b""
    state = path.stat()
    return f"{path} {state.st_size} {state.st_mtime_ns}".encode()


@cache
def version() -> bytes:
    return subprocess.run([TIDY, "--version"], check=True, capture_output=True).stdout


def digest(source: Source) -> str:
    content = hashlib.sha256(version() + bytes([IS_DEEP]))
    content.update(" ".join(options(source)).encode())
    content.update(" ".join(source.command).replace(str(ROOT), "").encode())
    settings = [ROOT / name for name in (".clang-tidy", "tests/.clang-tidy", source.name)]
    for path in [*settings, *source.includes()]:
        content.update(digest_of(path))
    return content.hexdigest()


def options(source: Source) -> list[str]:
    """How deep it looks. Where it is asked for, the analyzer too, without what makes it quick; else not at
    all, as sources take twice the time with it."""
    if not IS_DEEP:
        costly = ["-clang-analyzer-*"]
        if source.name.startswith("compiler/"):
            costly += [f"-{check}" for check in OF_HEADERS]
        return ["--checks=" + ",".join(costly)]
    if source.name.startswith("tests/"):
        return []
    lines = (ROOT / ".clang-tidy").read_text().splitlines()
    config = "\n".join(line for line in lines if not line.startswith("ExtraArgs"))
    return [f"--config={config}", "--checks=" + ",".join(f"-{check}" for check in OF_BOARDS)]


@cache
def changed_files() -> frozenset[str] | None:
    """What the last commits and the working tree have changed; None where no history tells."""
    base = git("rev-parse", "--verify", "--quiet", f"HEAD~{RECENT_COMMITS}")
    if base is None:
        return None
    changed = git("diff", "--name-only", "--no-renames", base.strip()) or ""
    untracked = git("ls-files", "--others", "--exclude-standard") or ""
    return frozenset([*changed.splitlines(), *untracked.splitlines()])


def git(*arguments: str) -> str | None:
    """What git says of the tree; None where it fails, as in an archive or in a clone without the history."""
    done = subprocess.run(["git", "-C", ROOT, *arguments], capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else None


def is_changed(source: Source) -> bool:
    changed = changed_files()
    if changed is None or {".clang-tidy", "tests/.clang-tidy"} & changed:
        return True
    return source.name in changed or not changed.isdisjoint(map(name_of, source.includes()))


def looked_at() -> list[str]:
    """At least one, so that it shows where nothing can be looked at."""
    return [name for name, source in sources().items() if IS_DEEP or is_changed(source)] or [*sources()][:1]


def precompile(chosen: Iterable[Source]) -> None:
    """Makes clang's own form of the headers that GCC has precompiled; clang finds it beside them."""
    users = {source.precompiled: source for source in chosen if source.precompiled}
    for header, user in users.items():
        flags = [word for word in user.command if word.startswith(("-D", "-I", "-O", "-f", "-std"))]
        system = [
            word for i, word in enumerate(user.command) if "-isystem" in user.command[max(i - 1, 0) : i + 1]
        ]
        made = ["-x", "c++-header", header, "-o", f"{header}.pch"]
        subprocess.run([CLANG, "-w", *flags, *system, *made], check=True, cwd=user.build)


def look_at(source: Source) -> str:
    """The complaints about one source; empty when there are none."""
    command = [
        TIDY,
        "--quiet",
        "-p",
        source.build,
        *BUILDS[source.build],
        *options(source),
        ROOT / source.name,
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        (CONTENT / digest(source)).touch()
        return ""
    return done.stdout + done.stderr


@pytest.fixture(scope="session")
def complaints() -> dict[str, str]:
    CONTENT.mkdir(parents=True, exist_ok=True)
    chosen = [sources()[name] for name in looked_at()]
    new = [source for source in chosen if not (CONTENT / digest(source)).exists()]
    precompile(new)
    with ThreadPoolExecutor(os.cpu_count()) as workers:
        found = dict(zip(new, workers.map(look_at, new), strict=True))
    return {source.name: found.get(source, "") for source in chosen}


@pytest.mark.parametrize("build", BUILDS)
def test_build_is_there(build: Path) -> None:
    assert compiled_by(build), (
        f"{build} is missing: run 'make native', 'setup/firmware.sh' and 'setup/hardware.sh'"
    )


def test_every_source_of_the_product_is_compiled() -> None:
    names = [name for name in files_with(".cpp", ".c") if not name.startswith(ELSEWHERE)]
    product = {name for name in names if name.startswith(PRODUCT)}
    assert product - sources().keys() == set()


def test_what_a_source_includes_is_known() -> None:
    """Else a change of a header would not have those looked at again that include it."""
    for name, source in sources().items():
        assert ROOT / name in {Path(os.path.realpath(path)) for path in source.includes()}, name


@pytest.mark.parametrize("name", looked_at())
def test_clang_tidy_is_content(name: str, complaints: dict[str, str]) -> None:
    expect_silence(complaints[name])
