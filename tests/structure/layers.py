"""The order of the rooms, read from the table in docs/architecture.md, and what breaks it."""

import ast
import functools
import os
import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from structure.source_tree import ROOT, text_of

INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)', re.MULTILINE)
DYNAMIC = ("import_module", "__import__")
"""Functions that import what their first argument names. What is not spelt there cannot be judged."""

GROUND = "src/malloom"
"""Modules directly in the package (errors, formats, native_files): every Python room may import them, and
they import no room. The package's entry alone starts the command line."""
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


def included_room(name: str, quoted: str, bracketed: str) -> str | None:
    """The room that an #include reaches; None where there is no such file in the tree.

    As the compiler looks: beside the file, from the root, and for public headers as users do.
    """
    include = quoted or bracketed
    beside = [str(PurePosixPath(name).parent / quoted)] if quoted else []
    paths = [os.path.normpath(path) for path in (*beside, include, f"include/{include}")]
    return next((room_of(path) for path in paths if (ROOT / path).is_file()), None)


def imported_names(name: str, text: str) -> list[str]:
    """All that a Python file imports, wherever in it, as full names: modules, or names in modules."""
    package = PurePosixPath(name).parent.relative_to("src").parts
    return [each.removesuffix(".*") for node in ast.walk(ast.parse(text)) for each in _names(node, package)]


def _names(node: ast.AST, package: tuple[str, ...]) -> Iterator[str]:
    match node:
        case ast.Import(names=names):
            yield from (each.name for each in names)
        case ast.ImportFrom(module=module, names=names, level=level):
            start = [*_above(package, level), *filter(None, [module])]
            yield from (".".join([*start, each.name]) for each in names)
        case ast.Call(func=ast.Name(id=called) | ast.Attribute(attr=called), args=[first, *_]):
            spelt = _spelt(first) if called in DYNAMIC else ""
            relative = spelt.lstrip(".")
            yield ".".join([*_above(package, len(spelt) - len(relative)), relative])


def _above(package: tuple[str, ...], level: int) -> tuple[str, ...]:
    """What a name with so many dots before it begins with."""
    return package[: len(package) + 1 - level] if level else ()


def _spelt(argument: ast.expr) -> str:
    """The module's name as far as it is spelt: of an f-string, the packages before its first value."""
    match argument:
        case ast.JoinedStr(values=[ast.Constant(value=str(begin)), *_]):
            return begin.rpartition(".")[0]
        case ast.Constant(value=str(whole)):
            return whole
    return ""


def imported_room(name: str) -> str | None:
    """The room of an imported name of the package. None for what is no module of the tree."""
    path = f"src/{name}".replace(".", "/")
    found = room_of(f"{path}/")
    if found != GROUND or name == "malloom":
        return found
    # The last part may be a name in its module, or in the package itself.
    module, _, last = path.rpartition("/")
    files = [f"{each}{suffix}" for each in (path, module) for suffix in (".py", ".pyi")]
    in_package = module == GROUND and re.search(rf"^{last}\b", text_of(f"{GROUND}/__init__.py"), re.MULTILINE)
    return GROUND if in_package or any((ROOT / file).is_file() for file in files) else None


def reached_rooms(name: str, text: str) -> list[tuple[str, str | None]]:
    """What a file includes or imports of the tree, each with its room."""
    if name.endswith((".py", ".pyi")):
        imported = [each for each in imported_names(name, text) if re.match(r"malloom\b", each)]
        return [(each, imported_room(each)) for each in imported]
    rooms = [(each, included_room(name, *each)) for each in INCLUDE.findall(text)]
    # A name in brackets that is none of the tree's is the system's.
    return [(quoted or bracketed, room) for (quoted, bracketed), room in rooms if room or quoted]


def violations(name: str, text: str) -> list[str]:
    """The upward includes or imports of one file."""
    room = room_of(name)
    if room is None or name == ENTRY:
        return []
    allowed = reachable(room) | ({GROUND} if room.startswith(GROUND) else set())
    return [
        f"{name} reaches for {target}"
        for target, reached in reached_rooms(name, text)
        if reached not in allowed
    ]
