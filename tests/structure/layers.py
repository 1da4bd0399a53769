"""The order of the rooms, read from the table in docs/architecture.md, and what breaks it."""

import functools
import re
from pathlib import PurePosixPath

from structure.source_tree import ROOT, text_of

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
IMPORT = re.compile(r"^\s*(?:from|import)\s+(malloom(?:\.\w+)*)(?:\s+import\s+(\w+))?", re.MULTILINE)

GROUND = "src/malloom"
"""Modules directly in the package (errors, formats, native_files): every Python room may import them, and they
import no room. The package's entry alone starts the command line."""
ENTRY = "src/malloom/__main__.py"


@functools.cache
def table() -> dict[str, str]:
    """Room -> the last column of the table of rooms."""
    rows = re.findall(r"^\| `([\w/]+)/` \|.*\| ([^|]+) \|$", text_of("docs/architecture.md"), re.MULTILINE)
    return dict(rows)


def named_rooms(room: str) -> set[str]:
    """The rooms that the table's row names directly."""
    allowed = table()[room]
    if allowed == "nothing":
        return set()
    if allowed.startswith("all"):
        excluded = allowed.removeprefix("all").removeprefix(" but ")
        return {other for other in table() if not excluded or not other.endswith(excluded)}
    names = [name.strip().strip("`") for name in allowed.split(",")]
    found = {other for other in table() for name in names if matches(name, other, room)}
    assert len(found) >= len(names), f"docs/architecture.md: unknown room among {names}"
    return found


def matches(name: str, other: str, room: str) -> bool:
    """Whether a name of the last column means `other`: by its path, as a neighbour, or as a part of it.

    A part that names its whole means what all parts share, and none of them.
    """
    if name == "native core":
        return other == "src/native"
    neighbour = str(PurePosixPath(room).parent / name)
    is_part = other.startswith(name + "/") and not room.startswith(name + "/")
    return other in (name, neighbour) or is_part


@functools.cache
def reachable(room: str) -> frozenset[str]:
    """The room itself and all rooms below it."""
    below = set(named_rooms(room))
    if not table()[room].startswith("all"):
        below |= {deep for name in named_rooms(room) for deep in reachable(name)}
    return frozenset({room} | below)


def room_of(name: str) -> str | None:
    """The innermost room that a file lies in."""
    holders = [room for room in table() if name.startswith(room + "/")]
    return max(holders, key=len, default=None)


def included_room(name: str, include: str) -> str | None:
    """The room that an #include reaches: from the root, or from beside; public headers as users do."""
    if ((ROOT / name).parent / include).is_file():
        return room_of(name)
    return "include/malloom" if include.startswith("malloom/") else room_of(include)


def imported_room(module: str, member: str) -> str | None:
    """The room of an import; `import x.y` has no member. None for what is no module of the tree."""
    path = f"src/{module}.{member}".strip(".").replace(".", "/")
    found = room_of(f"{path}/")
    if found != GROUND or module == member == "":
        return found
    # A member may be a name in its module.
    modules = (path, str(PurePosixPath(path).parent))
    there = any((ROOT / name).with_suffix(kind).is_file() for name in modules for kind in (".py", ".pyi"))
    return GROUND if there or module == "malloom" else None


def violations(name: str, text: str) -> list[str]:
    """The upward includes or imports of one file."""
    room = room_of(name)
    if room is None or name == ENTRY:
        return []
    if name.endswith((".py", ".pyi")):
        targets = [(module, imported_room(module, member)) for module, member in IMPORT.findall(text)]
        allowed = reachable(room) | {GROUND}
    else:
        targets = [(include, included_room(name, include)) for include in INCLUDE.findall(text)]
        allowed = reachable(room)
    return [f"{name} reaches for {target}" for target, reached in targets if reached not in allowed]
