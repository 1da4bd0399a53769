"""Real programs behave under every front as they do alone: same results, nothing lost."""

import itertools
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from end_to_end import real_programs
from end_to_end.conftest import COMMAND
from some import some

FRONTS = {
    "pools": [str(COMMAND), "run", "--heap", "pools", "--"],
    "dynamic": [str(COMMAND), "run", "--dynamic", "--"],
}
WORK: dict[str, Callable[[Sequence[str], Path], str]] = {
    "sqlite3": lambda prefix, folder: real_programs.sqlite(prefix, folder, rows=3000),
    "git": lambda prefix, folder: real_programs.git(prefix, folder, commits=3),
    "gcc": lambda prefix, folder: real_programs.compiler(prefix, folder, functions=30),
    "redis": lambda prefix, folder: real_programs.redis(prefix, folder, requests=5000),
}
LONG_WORK: dict[str, Callable[[Sequence[str], Path], str]] = {
    "sqlite3": lambda prefix, folder: real_programs.sqlite(prefix, folder, rows=100_000),
    "git": lambda prefix, folder: real_programs.git(prefix, folder, commits=60),
    "gcc": lambda prefix, folder: real_programs.compiler(prefix, folder, functions=4000),
    "redis": lambda prefix, folder: real_programs.redis(prefix, folder, requests=300_000),
}
# Of CPython's tests those that use the heap in many ways, with threads, forks and signals among them.
MODULES = ["list", "dict", "deque", "struct", "re"]
MORE_MODULES = [
    *MODULES,
    *["set", "gc", "weakref", "bytes", "json", "ctypes", "pickle"],
    *[
        "fork1",
        "thread",
        "threading",
        "queue",
        "signal",
        "subprocess",
        "mmap",
        "io",
        "os",
        "tempfile",
        "asyncio",
    ],
    *[
        "unicode",
        "array",
        "memoryview",
        "buffer",
        "decimal",
        "fractions",
        "hashlib",
        "zlib",
        "bz2",
        "lzma",
    ],
    *[
        "itertools",
        "functools",
        "generators",
        "coroutines",
        "descr",
        "class",
        "dataclasses",
        "typing",
    ],
    *[
        "ast",
        "compile",
        "grammar",
        "tokenize",
        "exceptions",
        "traceback",
        "import",
        "importlib",
        "zipfile",
        "csv",
    ],
    *[
        "xml_etree_c",
        "minidom",
        "datetime",
        "random",
        "statistics",
        "heapq",
        "bisect",
        "copy",
        "enum",
        "long",
        "float",
    ],
    *[
        "multiprocessing_fork",
        "multiprocessing_spawn",
        "concurrent_futures",
        "faulthandler",
        "selectors",
        "poll",
    ],
]


def both_ways(work: Callable[[Sequence[str], Path], str], front: str, folder: Path) -> tuple[str, str]:
    """What the work gives alone and under a front, each in a folder of its own."""
    answers = []
    for name, prefix in (("alone", []), (front, FRONTS[front])):
        (folder / name).mkdir()
        answers.append(work(prefix, folder / name))
    return answers[0], answers[1]


@pytest.mark.parametrize(
    ("name", "front"),
    some(
        *[("sqlite3", "dynamic"), ("redis", "dynamic"), ("git", "pools"), ("gcc", "pools")],
        of=itertools.product(WORK, FRONTS),
    ),
)
def test_results_are_the_same(name: str, front: str, tmp_path: Path) -> None:
    alone, under = both_ways(WORK[name], front, tmp_path)
    assert alone
    assert under == alone


@pytest.mark.parametrize("front", some("pools", "record", of=[*FRONTS, "record"]))
def test_the_tests_of_cpython_pass(front: str, tmp_path: Path) -> None:
    recording = [str(COMMAND), "record", "--accesses", "none", "-o", str(tmp_path / "profile"), "--"]
    prefix = FRONTS.get(front, recording)
    answer = real_programs.cpython(prefix, tmp_path, [f"test_{module}" for module in MODULES])
    assert f"All {len(MODULES)} tests OK." in answer


@pytest.mark.long
@pytest.mark.parametrize("front", FRONTS)
@pytest.mark.parametrize("name", LONG_WORK)
def test_results_of_much_work_are_the_same(name: str, front: str, tmp_path: Path) -> None:
    alone, under = both_ways(LONG_WORK[name], front, tmp_path)
    assert alone
    assert under == alone


# DynamoRIO alone may fail where handlers change while signals arrive, as in test_signal.
CPYTHON_CASES = [
    (front, module) for front in FRONTS for module in MORE_MODULES if (front, module) != ("dynamic", "signal")
]


# Nor does it keep what is ignored or blocked across exec (docs/guide/dynamic.md).
LEFT_OUT = {
    ("dynamic", "subprocess"): ("--ignore", "test_restore_signals"),
    ("dynamic", "multiprocessing_fork"): ("--ignore", "test_resource_tracker_sig*"),
    ("dynamic", "multiprocessing_spawn"): ("--ignore", "test_resource_tracker_sig*"),
}


@pytest.mark.long
@pytest.mark.parametrize(("front", "module"), CPYTHON_CASES)
def test_more_tests_of_cpython_pass(front: str, module: str, tmp_path: Path) -> None:
    options = LEFT_OUT.get((front, module), ())
    assert real_programs.cpython(FRONTS[front], tmp_path, [f"test_{module}"], *options) == "1 test OK."
