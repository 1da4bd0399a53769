"""The tables that a command names: files, folders, patterns, and places that fsspec knows, as s3://."""

from __future__ import annotations

import glob
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from malloom.errors import CommandError, UsageProblem
from malloom.extra import EXTRA, needed
from malloom.fleet.origin import KEY, MAKE_AGAIN, Origin, decoded
from malloom.input_file import opened_ordinary
from malloom.output_file import BEGINNINGS

SUFFIX = ".parquet"
"""Of the tables that a folder is looked through for."""
REMOTE = "://"
HERE = "file://"
"""Before the path of a local file."""
SMALLEST = 12
"""Bytes of a file that Parquet's marks at its begin and end fit into."""


@dataclass(frozen=True)
class Table:
    """A table, and what it says of itself."""

    name: str
    """As the user knows it."""
    path: str
    """As DuckDB opens it."""
    origin: Origin


def named_files(names: Iterable[str], connection: Any, folder: Path) -> list[tuple[str, str]]:
    """Name and path of every file, each once, however it is spelled. Links to local ones lie in `folder`, as
    DuckDB would take their names for patterns. Raises CommandError where there is nothing of a name."""
    remote: dict[str, str] = {}
    local: dict[Path, str] = {}
    for name in names:
        here = name.removeprefix(HERE)
        if REMOTE in here:
            remote |= dict.fromkeys(_remote(name, connection), "")
            continue
        for each in _local(here):
            local.setdefault(Path(each).resolve(), each)
    files = [(name, name) for name in remote]
    for number, (path, name) in enumerate(local.items()):
        _check_ends(name)
        link = folder / f"{number}{SUFFIX}"
        link.symlink_to(path)
        files.append((name, str(link)))
    return files


def check_not_read(output: Path, files: Iterable[tuple[str, str]]) -> None:
    """Raises UsageProblem where writing to `output` would replace one of the named_files."""
    written = output.resolve()
    if any(REMOTE not in path and Path(path).readlink() == written for _, path in files):
        raise UsageProblem(f"{output} is what is to be read", remedy="choose another")


def _local(name: str) -> list[str]:
    path = Path(name)
    if path.is_dir():
        files = sorted(str(each) for each in path.iterdir() if each.name.endswith(SUFFIX))
        if not files:
            raise CommandError(
                f"{name} holds no table", remedy=f"tables are files whose names end in {SUFFIX}"
            )
        return files
    if path.exists():
        return [name]
    files = sorted(glob.glob(name))  # noqa: PTH207  (a pattern may be absolute)
    if not files:
        raise UsageProblem(f"there is no table {name}", remedy="name a folder, files or a pattern")
    return files


def _remote(name: str, connection: Any) -> list[str]:
    """The same by fsspec, whose file systems raise whatever their libraries do."""
    fsspec = needed("fsspec", f"reading {name}")
    protocol = name.partition(REMOTE)[0]
    try:
        system, path = fsspec.core.url_to_fs(name)
    except (ImportError, ValueError) as problem:
        raise CommandError(f"{name} cannot be read: {problem}", remedy=EXTRA) from None
    try:
        files = _listed(system, path)
    except Exception as problem:
        reason = str(problem).partition("\n")[0] or type(problem).__name__
        raise CommandError(
            f"{name} cannot be read: {reason}", remedy="check its address and access"
        ) from None
    if not files:
        raise CommandError(f"there is no table at {name}", remedy=f"tables are files named *{SUFFIX}")
    if not connection.filesystem_is_registered(protocol):
        connection.register_filesystem(system)
    return [f"{protocol}{REMOTE}{file.removeprefix(f'{protocol}{REMOTE}')}" for file in files]


def _listed(system: Any, path: str) -> list[str]:
    if glob.has_magic(path):
        return sorted(system.glob(path))
    if system.isdir(path):
        return sorted(system.glob(f"{path.rstrip('/')}/*{SUFFIX}"))
    return [path] if system.exists(path) else []


def _check_ends(name: str) -> None:
    """Raises CommandError for a file that has not both marks of Parquet: that is something else, or cut."""
    mark = BEGINNINGS["table of a host"]
    try:
        with opened_ordinary(Path(name)) as file:
            begin = file.read(len(mark))
            size = file.seek(0, 2)
            file.seek(max(size - len(mark), 0))
            end = file.read(len(mark))
    except OSError as error:
        raise CommandError(f"{name}: cannot be read: {error.strerror}") from None
    if begin != mark:
        raise CommandError(f"{name} is no table of a host", remedy="name what 'malloom record' wrote")
    if size < SMALLEST or end != mark:
        raise CommandError(f"{name} is cut short", remedy="copy it again, or leave it out")


def read_origins(connection: Any, files: list[tuple[str, str]]) -> list[Table]:
    """The tables with what each says of itself. Raises CommandError where one is no table, or of another
    version."""
    names = {path: name for name, path in files}
    query = f"select file_name, value from parquet_kv_metadata(?) where key = '{KEY}'"
    rows = connection.execute(query, [list(names)]).fetchall()
    texts = {path: value for path, value in rows}
    tables = []
    for path, name in names.items():
        if path not in texts:
            raise CommandError(f"{name} is no table of a host", remedy=MAKE_AGAIN)
        origin = decoded(texts[path].decode(errors="replace"), name)
        tables.append(Table(name, path, origin))
    return tables
