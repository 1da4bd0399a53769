"""Tables of fields on disk: written whole or not at all, and read back (formats/fields.def)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from malloom import _native, formats
from malloom.errors import CommandError
from malloom.fields.table import FieldTable, Simulated
from malloom.input_file import opened_ordinary
from malloom.output_file import written_whole
from malloom.sites.table import checked_file, decode, encode

NAME_BYTES = 31


def write_table(table: FieldTable, path: Path) -> None:
    """Writes the table: whoever opens `path` sees a whole one, old or new."""
    data = encoded(table)
    with written_whole(path) as file:
        file.write(data)


def encoded(table: FieldTable) -> bytes:
    """The file's bytes."""
    sites = encode(table.sites)
    values: dict[str, Any] = {
        "magic": formats.magic("MALLFLDS"),
        "version": formats.load("fields").newest_version,
        "program": table.program,
        "profile_created": table.profile_created,
        "flags": table.flags,
        "depth": table.depth,
        "levels": table.simulated.levels,
        "line_bytes": table.simulated.line_bytes,
        "first_level_bytes": table.simulated.first_level_bytes,
        "last_level_bytes": table.simulated.last_level_bytes,
        "geometry": table.simulated.geometry.encode()[:NAME_BYTES],
        "accesses": table.accesses,
        "unattributed": table.unattributed,
        "sites_bytes": len(sites),
        "kinds_count": len(table.kinds),
        "fields_count": len(table.fields),
        "pairs_count": len(table.pairs),
    }
    header = np.zeros(1, dtype=formats.dtype("fields", "FieldsHeader"))
    values["header_bytes"] = header.itemsize
    sections = {
        "sites": sites,
        "kinds": table.kinds.tobytes(),
        "fields": table.fields.tobytes(),
        "pairs": table.pairs.tobytes(),
    }
    return checked_file(header, values, sections, "file_bytes")


def read_table(path: Path) -> FieldTable:
    """Checks and reads a table. Raises CommandError where it is not good."""
    try:
        with opened_ordinary(path) as file:
            data = file.read()
    except OSError as error:
        raise CommandError(
            f"{path}: cannot be read: {error.strerror}",
            remedy="name a table made by 'malloom profile fields'",
        ) from None
    return decoded(data, str(path))


def decoded(data: bytes, where: str) -> FieldTable:
    """The same from the file's bytes; `where` is its name in what is said."""
    if problem := _native.fields_problem(data):
        raise CommandError(f"{where}: {problem}", remedy="make it again with 'malloom profile fields'")
    row = np.frombuffer(data, dtype=formats.dtype("fields", "FieldsHeader"), count=1)[0]
    header = {name: row[name].item() for name in row.dtype.names}

    def rows(struct: str, name: str) -> Any:
        dtype = formats.dtype("fields", struct)
        return np.frombuffer(data, dtype, header[f"{name}_count"], header[f"{name}_offset"])

    sites = data[header["sites_offset"] : header["sites_offset"] + header["sites_bytes"]]
    sizes = (header[name] for name in ("levels", "line_bytes", "first_level_bytes", "last_level_bytes"))
    return FieldTable(
        program=header["program"],
        profile_created=header["profile_created"],
        flags=header["flags"],
        depth=header["depth"],
        simulated=Simulated(header["geometry"].decode(errors="replace"), *sizes),
        accesses=header["accesses"],
        unattributed=header["unattributed"],
        sites=decode(sites, where),
        kinds=rows("Kind", "kinds"),
        fields=rows("Field", "fields"),
        pairs=rows("Pair", "pairs"),
    )
