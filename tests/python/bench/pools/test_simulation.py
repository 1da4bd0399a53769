"""Cycles by the real llvm-mca, and forwarded loads of a trace."""

import pytest

from malloom.bench.pools.simulation import PROCESSORS, STORES_ON_THE_WAY, cycles, forwarded_loads
from malloom.errors import CommandError


@pytest.mark.parametrize("processor", PROCESSORS)
def test_a_chain_takes_a_cycle_for_each_addition(processor: str) -> None:
    assert cycles("add %rbx, %rax\n" * 8, processor) == pytest.approx(8, abs=0.1)


def test_what_is_no_code_is_one_error() -> None:
    with pytest.raises(CommandError, match="does not take the loop"):
        cycles("weave %rax\n", PROCESSORS[0])


def test_loads_of_what_was_just_stored_are_counted() -> None:
    trace = [
        "I  00401000,3",
        " S 1000,8",
        " L 1004,4",
        " L 2000,8",
        " M 2000,8",
        " L 2000,8",
        "==1== L 1000,8",
    ]
    assert forwarded_loads(trace) == 2


def test_old_stores_are_in_the_cache_by_then() -> None:
    others = [f" S {8 * (100 + i):x},8" for i in range(STORES_ON_THE_WAY)]
    assert forwarded_loads([" S 8,8", *others[1:], " L 8,8"]) == 1
    assert forwarded_loads([" S 8,8", *others, " L 8,8"]) == 0
