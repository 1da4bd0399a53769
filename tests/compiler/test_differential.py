"""Random programs do the same whether malloom-cc or another compiler makes them: csmith's, which never
allocate, and those of generator/, which do little else.

`make test` has a sample, of which each is made in one way; `make soak` thousands, made in every way.
"""

import collections
import itertools
from pathlib import Path

import pytest

from compiler.differential import Outcome, compare, compare_all, install
from compiler.generator import generate

THOUSAND = range(1, 1001)
IN_ONE_WAY = 16
TOGETHER = 8

OF_C = (
    "address-of-field",
    "alloca",
    "array-of-structures",
    "atomic",
    "bit-field",
    "bsearch",
    "by-value",
    "calloc",
    "cast",
    "container-of",
    "file",
    "flexible-member",
    "indirect-call",
    "inline-asm",
    "interior-free",
    "low-bit-tags",
    "malloc",
    "memalign",
    "aligned_alloc",
    "posix_memalign",
    "valloc",
    "memcmp",
    "memcpy",
    "memmove",
    "memset",
    "null",
    "addresses-in-initialisers",
    "link-by-bytes",
    "pointer-by-bytes",
    "searched-by-address",
    "wide",
    "object-size",
    "one-past-the-end",
    "packed",
    "pointer-arithmetic",
    "pointer-comparison",
    "pointer-difference",
    "pointers-as-integers",
    "qsort",
    "realloc",
    "rows",
    "setjmp",
    "several-threads",
    "signal",
    "spanning",
    "strdup",
    "struct-assignment",
    "threads",
    "union",
    "usable-size",
    "varargs",
    "volatile",
    "xor",
)
OF_CPP = (
    "vtable",
    "dynamic-cast",
    "second-base",
    "exception",
    "new",
    "array-new",
    "placement-new",
    "class-new",
    "sized-delete",
    "aligned-class",
    "relative-vtable",
)
"""What the analysis must prove or refuse, as the generator calls it."""


@pytest.fixture(scope="module")
def drivers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return install(tmp_path_factory.mktemp("native"))


def differences(outcomes: list[Outcome]) -> list[str]:
    return [f"{each.seed}: {each.difference}" for each in outcomes if each.difference]


def test_thousand_programs_have_each_construct() -> None:
    """Each in at least 20 of them; those of C++ in programs of C++."""
    found: collections.Counter[str] = collections.Counter()
    for seed in THOUSAND:
        program = generate(seed)
        assert not program.constructs & set(OF_CPP) or program.suffix == ".cpp"
        found.update(program.constructs)
    assert {name: found[name] for name in [*OF_C, *OF_CPP] if found[name] < 20} == {}


def test_a_seed_decides_the_program() -> None:
    assert [generate(seed).text for seed in range(20)] == [generate(seed).text for seed in range(20)]


@pytest.mark.parametrize("first", THOUSAND[:IN_ONE_WAY:TOGETHER])
def test_programs_made_in_one_way(drivers: Path, first: int) -> None:
    """Several in each test, for which workers have less to start than for one."""
    outcomes = [compare(drivers, "generated", seed, True) for seed in range(first, first + TOGETHER)]
    assert differences(outcomes) == []
    assert all(each.ends for each in outcomes)
    assert sum(each.has_split for each in outcomes) >= TOGETHER / 4


@pytest.mark.parametrize(("kind", "count"), [("generated", 2), ("csmith", 2)])
def test_programs_made_in_every_way(drivers: Path, kind: str, count: int) -> None:
    outcomes = [compare(drivers, kind, seed) for seed in THOUSAND[:count]]
    assert differences(outcomes) == []
    assert sum(each.ends for each in outcomes) >= count * 0.7


@pytest.mark.long
def test_two_thousand_generated_programs(drivers: Path) -> None:
    outcomes = compare_all(drivers, "generated", range(1, 2001))
    assert differences(outcomes) == []
    assert all(each.ends for each in outcomes)
    assert sum(each.has_split for each in outcomes) >= 1000


@pytest.mark.long
def test_thousand_programs_of_csmith(drivers: Path) -> None:
    """That end: some do not, however they are compiled."""
    outcomes: list[Outcome] = []
    for first in itertools.count(1, 100):
        outcomes += compare_all(drivers, "csmith", range(first, first + 100))
        assert differences(outcomes) == []
        if sum(each.ends for each in outcomes) >= 1000:
            break
