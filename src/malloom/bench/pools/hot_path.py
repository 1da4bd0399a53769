"""The instructions that a pair of allocation and free executes, in their order.

They are those that callgrind counts once a pair or nearly so, from the beginning of the workload's loop round
to it.
"""

import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from malloom.errors import CommandError
from malloom.measure.process import Command
from malloom.measure.valgrind import installed, output_of_valgrind

LOOP = "run_now"
"""The function of workloads/pairs/pairs.c whose loop is looked at: one pair at a time."""
SELDOM = 0.5
"""Executions for each pair below which an instruction belongs to a slow path."""
LONGEST = 1000
COUNTED = re.compile(r"^0x([0-9a-f]+) \d+ (\d+)$")
DISASSEMBLED = re.compile(r"^\s*([0-9a-f]+):\t([^#<]*?)\s*(?:<[^>]*>)?\s*(?:#.*)?$")


@dataclass(frozen=True)
class Instruction:
    address: int
    text: str
    after: int
    """The address of the next one in memory."""

    @property
    def mnemonic(self) -> str:
        words = [word for word in self.text.split() if word not in ("lock", "rep", "bnd", "notrack")]
        return words[0] if words else ""

    @property
    def target(self) -> int | None:
        """Where a direct jump or call goes."""
        found = re.search(r"\s([0-9a-f]+)$", self.text)
        return int(found[1], 16) if found and self.mnemonic.startswith(("j", "call")) else None


def hot_path(program: Command, pairs: int) -> list[Instruction]:
    """Of `pool_pairs now BYTES PAIRS 1`. Raises CommandError where no path round the loop is found."""
    options = ("--dump-instr=yes", "--compress-pos=no", "--compress-strings=no")
    counts = executions(output_of_valgrind(program, "callgrind", *options), program.arguments[0])
    code = disassembled(Path(program.arguments[0]))
    hot = {address for address, count in counts.items() if count >= SELDOM * pairs and address in code}
    begin, end = _function(Path(program.arguments[0]), LOOP)
    return loop_path(code, hot, min((each for each in hot if begin <= each < end), default=-1))


def executions(profile: str, program: str) -> dict[int, int]:
    """How often callgrind saw each instruction of the program itself, by its address in the file."""
    counts: dict[int, int] = {}
    is_ours = is_call = False
    for line in profile.splitlines():
        if line.startswith("ob="):
            is_ours = line[3:] == str(Path(program).resolve())
        found = COUNTED.match(line)
        # The line after a call counts what it called.
        if found and is_ours and not is_call:
            counts[int(found[1], 16)] = counts.get(int(found[1], 16), 0) + int(found[2])
        is_call = line.startswith("calls=")
    return counts


def disassembled(program: Path) -> dict[int, Instruction]:
    """By address."""
    text = _output(installed("objdump", "binutils"), "-d", "--no-show-raw-insn", str(program))
    found = [match for line in text.splitlines() if (match := DISASSEMBLED.match(line))]
    addresses = [int(match[1], 16) for match in found]
    after = [*addresses[1:], addresses[-1] + 1] if addresses else []
    return {
        address: Instruction(address, match[2], following)
        for address, match, following in zip(addresses, found, after, strict=True)
    }


def loop_path(code: Mapping[int, Instruction], hot: set[int], begin: int) -> list[Instruction]:
    """From the begin through calls and hot jumps until it comes again."""
    path: list[Instruction] = []
    returns: list[int] = []
    at = begin
    while at in hot and len(path) < LONGEST:
        instruction = code[at]
        path.append(instruction)
        at = _next(instruction, hot, returns)
        if at == begin:
            return path
    raise CommandError(f"the loop of {LOOP} is not followed beyond {at:#x} after {len(path)} instructions")


def _next(instruction: Instruction, hot: set[int], returns: list[int]) -> int:
    """Where a pair goes from there; a branch goes where it is hot."""
    kind, target = instruction.mnemonic, instruction.target
    if kind.startswith("call") and target is not None:
        returns.append(instruction.after)
        return target
    if kind.startswith("ret") and returns:
        return returns.pop()
    if kind.startswith("jmp") and target is not None:
        return target
    if target is not None and instruction.after not in hot:
        return target
    return instruction.after


def _function(program: Path, name: str) -> tuple[int, int]:
    """First address of a function, and the one behind its last."""
    for line in _output(installed("nm", "binutils"), "-S", str(program)).splitlines():
        fields = line.split()
        if len(fields) == 4 and fields[3] == name:
            return int(fields[0], 16), int(fields[0], 16) + int(fields[1], 16)
    raise CommandError(f"{program} has no function {name}")


def _output(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


VALUE_RETURNING = re.compile(r"(?:cmp)?xchg\w*|xadd\w*")


def returns_what_it_changed(instruction: Instruction) -> bool:
    """Whether it reads a word of memory, writes it, and gives back what was there: neither vendor forwards
    both, and Zen 5 neither."""
    in_memory = "(" in instruction.text
    return in_memory and VALUE_RETURNING.fullmatch(instruction.mnemonic) is not None


def for_simulation(path: Sequence[Instruction]) -> str:
    """As an assembler takes it: without calls and returns, which the simulation knows nothing of, and with
    branches that go nowhere."""
    kept = [each for each in path if not each.mnemonic.startswith(("call", "ret"))]
    return "\n".join(_without_target(each) for each in kept) + "\n"


def _without_target(instruction: Instruction) -> str:
    return f"{instruction.mnemonic} elsewhere" if instruction.target is not None else instruction.text
