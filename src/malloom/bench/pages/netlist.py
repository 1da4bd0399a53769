"""Netlists of the chunk unit before optimisation: gates by the boxes of the paper's figures, and the depth of
paths."""

import json
import re
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from malloom.errors import CommandError

LONGEST = 1200.0
"""Seconds that a tool may take."""
DELAYS = {"$_NOT_": 1, "$_AND_": 1, "$_OR_": 1, "$_XOR_": 2, "$_MUX_": 2}
"""Of a gate on a path; a multiplexer counts two."""
GATES = {"$_NOT_": 1, "$_AND_": 1, "$_OR_": 1, "$_XOR_": 4, "$_MUX_": 4}
"""Of simple gates that a cell is made of; flip-flops apart."""
NAMED = re.compile(r"(?:\$paramod(?:\$\w+)?\\)?(\w+)")
"""A module's name without its parameters."""


@dataclass(frozen=True)
class Design:
    """A module of the tree with values for its parameters, and the folder of its sources."""

    hardware: Path
    top: str
    parameters: tuple[tuple[str, int], ...] = ()

    def reading(self) -> str:
        """Commands of Yosys's that read it."""
        sources = [
            str(path) for room in ("rtl", "synth") for path in sorted((self.hardware / room).glob("*.v"))
        ]
        if not sources:
            raise CommandError(f"there is no Verilog in {self.hardware}", remedy="say where with --hardware")
        chosen = [f"chparam -set {name} {value} {self.top}" for name, value in self.parameters]
        return "; ".join([f"read_verilog {' '.join(sources)}", *chosen, f"hierarchy -check -top {self.top}"])

    def netlist(self, *commands: str) -> "Netlist":
        """What Yosys makes of it by further commands."""
        with tempfile.NamedTemporaryFile(prefix="malloom-netlist-", suffix=".json") as file:
            script = "; ".join([self.reading(), *commands, f"write_json {file.name}"])
            run_tool("yosys", "-q", "-p", script)
            return Netlist(self.top, json.loads(Path(file.name).read_bytes())["modules"])


def run_tool(*command: str) -> str:
    """Standard output. Raises CommandError where the tool is missing, fails, or takes too long."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=LONGEST)
    except FileNotFoundError:
        remedy = "install what setup/debian-packages.txt lists, as 'make bench' does"
        raise CommandError(f"there is no {command[0]}", remedy=remedy) from None
    except subprocess.TimeoutExpired:
        raise CommandError(f"{command[0]} did not end within {LONGEST:.0f} s") from None
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip().rpartition("\n")[2]
        raise CommandError(f"{command[0]} failed: {said}")
    return done.stdout


def simple(design: Design) -> "Netlist":
    """Simple gates, nothing optimised, each module by itself."""
    return design.netlist("proc", "simplemap")


def flat(design: Design) -> "Netlist":
    """The same as one module."""
    return design.netlist("proc", "simplemap", "flatten")


@dataclass(frozen=True, eq=False)
class Netlist:
    """Modules as Yosys writes them."""

    top: str
    modules: Mapping[str, Any]

    def cells(self) -> Counter[str]:
        """How many of each type there are below the top."""
        total: Counter[str] = Counter()
        for box in self.boxes().values():
            total.update(box)
        return total

    def boxes(self) -> dict[str, Counter[str]]:
        """The same by the name of the module that they stand in, all its instances together."""
        found: dict[str, Counter[str]] = {}
        self._count(self._named(self.top), found)
        return found

    def _named(self, name: str) -> str:
        """The module, also where values for parameters have changed its name."""
        if name in self.modules:
            return name
        return next(module for module in self.modules if plain(module) == name)

    def _count(self, module: str, found: dict[str, Counter[str]]) -> None:
        own = found.setdefault(plain(module), Counter())
        for cell in self.modules[module]["cells"].values():
            if self._is_ours(cell["type"]):
                self._count(cell["type"], found)
            else:
                own[cell["type"]] += 1

    def _is_ours(self, module: str) -> bool:
        """And not a cell of an FPGA's, of which Yosys writes the ports."""
        attributes = self.modules.get(module, {"attributes": {"blackbox": 1}})["attributes"]
        return not {"blackbox", "whitebox"} & attributes.keys()

    def ports(self) -> int:
        """Bits of all ports."""
        return sum(len(port["bits"]) for port in self.modules[self._named(self.top)]["ports"].values())

    def depth_to(self, output: str) -> int:
        """Delays from inputs and registers to an output, at most; of one module alone."""
        module = self.modules[self._named(self.top)]
        return Paths(module).deepest(module["ports"][output]["bits"])

    def depth_to_signal(self, name: str) -> int:
        """The same to a signal within."""
        module = self.modules[self._named(self.top)]
        return Paths(module).deepest(module["netnames"][name]["bits"])

    def depth_to_registers(self) -> int:
        """Delays from registers, and from inputs, to the input of a register, at most."""
        module = self.modules[self._named(self.top)]
        data = [cell["connections"]["D"][0] for cell in module["cells"].values() if is_register(cell["type"])]
        return Paths(module).deepest(data)


def plain(module: str) -> str:
    found = NAMED.match(module)
    return found[1] if found else module


def is_register(cell: str) -> bool:
    return cell.startswith(("$_DFF", "$_SDFF"))


class Paths:
    """The longest path to each bit of a flat module."""

    def __init__(self, module: Mapping[str, Any]) -> None:
        gates = [cell for cell in module["cells"].values() if not is_register(cell["type"])]
        self._drivers = {cell["connections"]["Y"][0]: cell for cell in gates}
        self._depths: dict[int | str, int] = {}

    def deepest(self, bits: Iterable[int | str]) -> int:
        return max(self._depth(bit) for bit in bits)

    def _depth(self, wanted: int | str) -> int:
        """Without recursion: paths are longer than Python's stack."""
        waiting = [wanted]
        while waiting:
            bit = waiting[-1]
            cell = self._drivers.get(bit)
            if cell is None:
                self._depths[bit] = 0
            inputs = (
                [] if cell is None else [name[0] for port, name in cell["connections"].items() if port != "Y"]
            )
            missing = [each for each in inputs if each not in self._depths]
            waiting += missing
            if missing:
                continue
            if cell is not None:
                self._depths[bit] = DELAYS[cell["type"]] + max(self._depths[each] for each in inputs)
            waiting.pop()
        return self._depths[wanted]


def gates_of(cells: Mapping[str, int]) -> int:
    """Simple gates: a multiplexer is two ANDs, an OR and an inverter. Raises KeyError for what is none."""
    return sum(GATES[name] * count for name, count in cells.items() if not is_register(name))


def registers_of(cells: Mapping[str, int]) -> int:
    return sum(count for name, count in cells.items() if is_register(name))
