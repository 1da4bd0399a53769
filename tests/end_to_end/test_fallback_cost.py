"""Where nothing is pooled a request takes what it takes in mimalloc of the same source, preloaded itself."""

import itertools
import subprocess
from pathlib import Path

import pytest

from end_to_end.conftest import ROOT
from malloom.measure import variants
from malloom.measure.process import Command
from malloom.measure.valgrind import count_instructions
from some import some

SOURCE = Path(__file__).with_name("mixed_sizes.cpp")
MIMALLOC = ROOT / ".venv/lib/malloom/allocators/mimalloc-3.so"
MOST = 1.02
FEW, MANY = 20_000, 80_000


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    built = tmp_path_factory.mktemp("mixed") / "mixed_sizes"
    subprocess.run(["g++", "-O2", SOURCE, "-pthread", "-o", built], check=True)
    return built


def instructions(program: Path, how: str, threads: int, environment: dict[str, str]) -> int:
    """Without what a process takes to begin and to end."""
    few, many = (
        count_instructions(Command([str(program), how, str(rounds), str(threads)], environment))
        for rounds in (FEW, MANY)
    )
    return many - few


@pytest.mark.parametrize(
    ("how", "threads"),
    some(("malloc", 2), ("new", 1), of=itertools.product(["malloc", "new"], [1, 2])),
)
def test_mixed_sizes_take_no_more_than_in_mimalloc_itself(program: Path, how: str, threads: int) -> None:
    mimalloc = {"LD_PRELOAD": str(MIMALLOC), "MIMALLOC_ALLOW_THP": "0"}
    ours = instructions(program, how, threads, variants.fallback())
    assert ours <= MOST * instructions(program, how, threads, mimalloc)


@pytest.mark.parametrize("how", ["calloc", "aligned", "realloc"])
def test_the_other_functions_neither(program: Path, how: str) -> None:
    mimalloc = {"LD_PRELOAD": str(MIMALLOC), "MIMALLOC_ALLOW_THP": "0"}
    ours = instructions(program, how, 1, variants.fallback())
    assert ours <= MOST * instructions(program, how, 1, mimalloc)
