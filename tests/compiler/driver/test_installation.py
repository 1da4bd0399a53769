"""Where the driver finds its files, what it says where it cannot, and how soon it starts."""

import os
import shutil
import statistics
import sys
import time
from pathlib import Path

import pytest

from compiler.driver.driving import SOURCES, SUM, is_transformed, output_of, run

MOST_MILLISECONDS = 3.0
"""That the driver may add to each compilation."""


PACKAGES = f"lib/python{sys.version_info.major}.{sys.version_info.minor}/dist-packages"


@pytest.mark.parametrize("package", [f"{PACKAGES}/malloom/native", "malloom/native"])
def test_scripts_find_the_package(native: Path, tmp_path: Path, package: str) -> None:
    """Copied into a folder of scripts, as pip does, and called through a link."""
    (tmp_path / "bin").mkdir()
    shutil.copy2(native / "malloom-cc", tmp_path / "bin")
    shutil.copytree(native, tmp_path / package)
    (tmp_path / "cc").symlink_to("bin/malloom-cc")
    output_of("./cc", "-O2", *SOURCES, "-o", "program", cwd=tmp_path)
    assert output_of(tmp_path / "program") == SUM
    assert is_transformed(tmp_path / "program")


def test_folders_may_have_any_name(native: Path, tmp_path: Path) -> None:
    folder = tmp_path / "with, comma and $blank"
    shutil.copytree(native, folder)
    output_of(folder / "malloom-cc", "-O2", *SOURCES, "-o", "program", cwd=tmp_path)
    assert is_transformed(tmp_path / "program")


@pytest.mark.parametrize("missing", ["malloom_plugin.so", "libmalloom_pools.a"])
def test_a_missing_file_is_named(native: Path, tmp_path: Path, missing: str) -> None:
    """Where it is needed: at a link that transforms."""
    shutil.copytree(native, tmp_path / "native")
    (tmp_path / "native" / missing).unlink()
    driver = tmp_path / "native/malloom-cc"
    output_of(driver, "-O2", "-c", *SOURCES, cwd=tmp_path)
    done = run(driver, "nodes.o", "main.o", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith("malloom-cc: error: this installation of malloom lacks ")
    assert missing in done.stderr
    assert len(done.stderr.splitlines()) == 1
    output_of(driver, "-O0", *SOURCES, "-o", "program", cwd=tmp_path)


def test_the_driver_by_clangs_name_finds_clang(native: Path, tmp_path: Path) -> None:
    """As folders of compilers have it that stand before others in the PATH."""
    shutil.copytree(native, tmp_path / "native")
    (tmp_path / "native/clang-19").symlink_to("malloom-cc")
    path = f"{tmp_path}/native:{os.environ['PATH']}"
    done = run("clang-19", "--version", environment={**os.environ, "PATH": path})
    assert "clang version 19" in done.stdout


def test_a_missing_clang_is_said(native: Path, tmp_path: Path) -> None:
    done = run(native / "malloom-c++", "-c", "a.cpp", environment={"PATH": str(tmp_path)})
    assert done.returncode == 1
    assert done.stderr == "malloom-c++: error: there is no clang++-19 in the PATH; install clang-19\n"


def test_a_missing_lld_is_said(native: Path, tmp_path: Path) -> None:
    (tmp_path / "clang-19").write_text("#!/bin/sh\n")
    (tmp_path / "clang-19").chmod(0o755)
    done = run(native / "malloom-cc", "a.o", environment={"PATH": str(tmp_path)})
    assert done.returncode == 1
    assert done.stderr == "malloom-cc: error: there is no ld.lld-19 in the PATH; install lld-19\n"


def test_a_command_too_long_for_the_system_is_explained(
    native: Path, tmp_path: Path, echoing: dict[str, str]
) -> None:
    """Only where options in files have to be taken out of them."""
    words = tmp_path / "words"
    words.write_text("-fmalloom-policy=pool -c a.c " + "x" * (1 << 18))
    done = run(native / "malloom-cc", f"@{words}", environment=echoing)
    assert done.returncode == 1
    assert "put them into a file" in done.stderr


def milliseconds(*command: str | Path, environment: dict[str, str]) -> float:
    """The median time of a command."""
    words = [str(word) for word in command]
    times = []
    for _ in range(40):
        begin = time.perf_counter()
        os.waitpid(os.posix_spawn(words[0], words, environment), 0)
        times.append((time.perf_counter() - begin) * 1000)
    return statistics.median(times)


@pytest.mark.alone
def test_it_starts_at_once(native: Path, tmp_path: Path) -> None:
    shutil.copy2("/bin/true", tmp_path / "clang-19")
    environment = {"PATH": str(tmp_path)}
    arguments = ["-O2", "-c", "a.c", *[f"-I/usr/include/{number}" for number in range(50)]]
    direct = milliseconds(tmp_path / "clang-19", *arguments, environment=environment)
    driven = milliseconds(native / "malloom-cc", *arguments, environment=environment)
    assert driven - direct < MOST_MILLISECONDS
