"""The allocator that a plan's record asks for, if it is one: a plan may come from anywhere, and its record
must not bring code or variables of its own into a program."""

import os
import re
import sys
from pathlib import Path

from malloom.errors import UsageProblem
from malloom.layout.plan_record import PlanSetting, read_record
from malloom.measure.allocators import DEFAULT_FOLDER, INSTALLED_FOLDER, KNOWN, allocator_of, preloaded_file

FOLDERS = (INSTALLED_FOLDER, Path(sys.prefix).parent / DEFAULT_FOLDER)
"""Where built allocators may lie: with the command, or in the source tree around it. Never by the working
directory."""

MOST_BYTES = 10**18 - 1
"""More than any machine has: as many digits as the run time reads."""

POOLS_HEAP = "pools"
"""What a record says of the heap, where it says anything."""

VARIABLES = frozenset(
    name
    for known in KNOWN
    for variables in (known.small_pages, known.huge_pages or {}, known.early_return or {})
    for name in variables
)
"""Those that set a known allocator."""

VALUE = re.compile(r"[\w.:,=-]*", re.ASCII)
"""No value of an allocator needs more; without slashes none names a file in another folder."""


def setting_of(plan: Path) -> PlanSetting | None:
    """The allocator under a plan that has passed check_plan; None where it is the plan's own fallback.

    Its library is a file that this machine has for the allocator of that name, or is gone. Raises
    UsageProblem for another library and for variables that set no allocator.
    """
    told = read_record(plan).get("setting")
    if told is None:
        return None
    if not isinstance(told, dict) or not _has_types(told):
        raise _refused(plan, "its record names no allocator")
    for name, value in told["variables"].items():
        if name not in VARIABLES:
            raise _refused(plan, f"its record sets {name}, which sets no allocator")
        if not isinstance(value, str) or not VALUE.fullmatch(value):
            raise _refused(plan, f"its record gives {name} a value that no allocator has")
    library = _file_here(told["library"])
    if library is None:
        raise _refused(plan, f"its library {told['library']} is no allocator that malloom finds here")
    up_to = told.get("up_to", 0)
    if type(up_to) is not int or not 0 <= up_to <= MOST_BYTES:
        raise _refused(plan, "its record says no number of bytes up to which its allocator serves")
    if type(huge_beyond := told.get("huge_beyond", False)) is not bool:
        raise _refused(plan, "its record does not say whether huge pages are wanted")
    return PlanSetting(told["allocator"], library, told["variables"], up_to, huge_beyond)


def described_here(setting: PlanSetting) -> str:
    """The allocator of a setting_of as it is on this machine, in the words of Allocator.described. Raises
    CommandError where it does not serve a program's malloc."""
    name = Path(setting.library).name if setting.library else None
    known = next(each for each in KNOWN if each.library == name)
    return allocator_of(known, Path(setting.library).parent).described


def wants_pools(plan: Path) -> bool:
    """Whether a plan that has passed check_plan is run with `--heap pools`: pools of their sizes serve small
    requests of call sites that it does not name. Raises UsageProblem for another heap."""
    told = read_record(plan).get("heap")
    if told not in (None, POOLS_HEAP):
        raise _refused(plan, "its record names a heap that no plan runs with")
    return told is not None


def is_gone(setting: PlanSetting) -> bool:
    """Whether the allocator's file is there no more, or cannot be read."""
    return bool(setting.library) and not os.access(setting.library, os.R_OK)


def _has_types(told: dict[str, object]) -> bool:
    texts = all(isinstance(told.get(key), str) for key in ("allocator", "library"))
    return texts and isinstance(told.get("variables"), dict)


def _refused(plan: Path, problem: str) -> UsageProblem:
    return UsageProblem(f"{plan}: {problem}", remedy="do not trust it; make it again with 'malloom optimize'")


def _file_here(library: str) -> str | None:
    """The file that the loader is given for a record's library, which itself stands for one that is gone;
    None where malloom would not load it by itself."""
    if not library:
        return ""
    known = next((each for each in KNOWN if each.library == Path(library).name), None)
    if known is None or not Path(library).is_absolute() or not library.isprintable():
        return None
    if not os.access(library, os.R_OK):
        return library
    name = str(known.library)
    found = [folder / name for folder in FOLDERS] if known.is_built else [Path(preloaded_file(name))]
    return next((str(file) for file in found if file.exists() and file.samefile(library)), None)
