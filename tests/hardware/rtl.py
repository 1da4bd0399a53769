"""The Verilog of hardware/rtl, as it stands or with a fault seeded, and the tools that take it."""

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from structure.source_tree import ROOT

RTL = ROOT / "hardware/rtl"
UNIT = tuple(sorted(path for path in RTL.glob("*.v") if not path.name.endswith("function_unit.v")))
"""The units, without their adapters."""

Done = subprocess.CompletedProcess[str]


@dataclass(frozen=True)
class Fault:
    """A text of one file that stands there once, and what stands there instead."""

    file: str
    right: str
    wrong: str


def with_fault(fault: Fault, folder: Path) -> list[Path]:
    """The unit's files, of which one is a copy with the fault."""
    text = (RTL / fault.file).read_text()
    assert text.count(fault.right) == 1, f"{fault.file} has not once: {fault.right}"
    damaged = folder / fault.file
    damaged.write_text(text.replace(fault.right, fault.wrong))
    return [damaged if path.name == fault.file else path for path in UNIT]


def run(command: Sequence[str | Path], **options: object) -> Done:
    return subprocess.run(
        [str(each) for each in command], capture_output=True, text=True, check=False, timeout=300, **options
    )
