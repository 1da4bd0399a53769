"""Cycles of a loop in llvm-mca's models of processors, and loads that a program's own stores forward to."""

import re
import subprocess
from collections import deque
from collections.abc import Iterable

from malloom.errors import CommandError
from malloom.measure.process import Command, ended
from malloom.measure.valgrind import installed

SIMULATOR, PACKAGE = "llvm-mca-19", "llvm-19"
PROCESSORS = ("znver4", "sapphirerapids")
ITERATIONS = 1000
STORES_ON_THE_WAY = 64
"""The youngest stores that a load can be forwarded from: Zen 4's store queue, the smaller of the two."""
WORD = 8


def cycles(loop: str, processor: str) -> float:
    """For one round of the loop, when round follows round.

    Loads do not wait for stores to the same place: so it is left to a count what is forwarded.
    """
    options = [f"-mcpu={processor}", "-mtriple=x86_64", f"-iterations={ITERATIONS}"]
    command = [installed(SIMULATOR, PACKAGE), *options, "-instruction-info=false", "-resource-pressure=false"]
    done = subprocess.run(command, input=loop, capture_output=True, text=True, check=False)
    found = re.search(r"^Total Cycles:\s+(\d+)$", done.stdout, re.MULTILINE)
    if done.returncode != 0 or found is None:
        raise CommandError(f"{SIMULATOR} does not take the loop: {done.stderr.strip().partition(chr(10))[0]}")
    return int(found[1]) / ITERATIONS


def forwarded_loads_of(command: Command) -> int:
    """Of a whole run, as valgrind's lackey traces it."""
    with ended(command, [installed("valgrind"), "--tool=lackey", "--trace-mem=yes"]) as run:
        if run.status != 0:
            raise CommandError(f"{command.arguments[0]} failed under lackey")
        return forwarded_loads(run.errors)


def forwarded_loads(trace: Iterable[str]) -> int:
    """Loads of words that one of the youngest stores wrote.

    Lines are ` L ADDRESS,SIZE`: L loads, S stores, M does both. Others tell other things.
    """
    stores: deque[int] = deque(maxlen=STORES_ON_THE_WAY)
    count = 0
    for line in trace:
        kind = line[1:2]
        if line[:1] != " " or kind not in "LSM":
            continue
        word = int(line[3:].partition(",")[0], 16) // WORD
        count += kind in "LM" and word in stores
        if kind in "SM":
            stores.append(word)
    return count
