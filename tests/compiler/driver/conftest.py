"""The driver as an installation has it, with clang, and with a clang that only says what it was asked for."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from compiler.driver.driving import BUILT, MIMALLOC, NATIVE_FILES, Run, output_of, run


@pytest.fixture(scope="session")
def native(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The drivers, the plugin and the archives in one folder."""
    folder = tmp_path_factory.mktemp("native")
    for name in NATIVE_FILES:
        assert (BUILT / name).is_file(), f"{name} is missing: run 'make native'"
        shutil.copy2(BUILT / name, folder)
    assert MIMALLOC.is_file(), f"{MIMALLOC} is missing: run 'make native'"
    shutil.copy2(MIMALLOC, folder)
    return folder


@pytest.fixture
def compile(native: Path, tmp_path: Path) -> Callable[..., str]:
    """malloom-cc in a folder of the test's own; it must succeed, and what it prints is returned."""
    return lambda *arguments: output_of(native / "malloom-cc", *arguments, cwd=tmp_path)


@pytest.fixture
def try_compile(native: Path, tmp_path: Path) -> Run:
    """The same, however it ends."""
    return lambda *arguments: run(native / "malloom-cc", *arguments, cwd=tmp_path)


@pytest.fixture(scope="session")
def echoing(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An environment with a clang that prints its arguments, a line each."""
    folder = tmp_path_factory.mktemp("echoing")
    for name in ("clang-19", "clang++-19", "ld.lld"):
        (folder / name).write_text("#!/bin/sh\nprintf '%s\\n' \"$@\"\n")
        (folder / name).chmod(0o755)
    return {**os.environ, "PATH": str(folder)}


@pytest.fixture
def asked(native: Path, tmp_path: Path, echoing: dict[str, str]) -> Callable[..., list[str]]:
    """What malloom-cc asks of clang."""

    def ask(*arguments: str) -> list[str]:
        command = (native / "malloom-cc", *arguments)
        return output_of(*command, cwd=tmp_path, environment=echoing).splitlines()

    return ask
