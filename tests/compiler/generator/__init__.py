"""Random programs that build, change, sort, split and free linked structures, and print sums of what they
hold.

A program is decided by its seed. None has undefined behaviour, and none prints what depends on an address.
Each says in its first line which constructs it has.
"""

from compiler.generator.program import Program


def generate(seed: int) -> Program:
    return Program(seed)
