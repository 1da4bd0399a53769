"""A table of fields for another build of its program."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from malloom import formats
from malloom.fields.table import FieldTable
from malloom.sites.rebase import Rebased


def rebased_table(table: FieldTable, rebased: Rebased) -> FieldTable:
    """The kinds of the contexts that the new build has, as it has them."""
    number = {context.hash: at for at, context in enumerate(rebased.table.contexts)}
    there = [number.get(rebased.hashes.get(context.hash, 0), -1) for context in table.sites.contexts]
    places = np.array(there, dtype=np.int64)[table.kinds["context"]]
    kinds = table.kinds[places >= 0].copy()
    kinds["context"] = places[places >= 0]
    flag = formats.load("fields").enums["FieldsFlag"]["rebased"]
    return replace(
        table,
        program=rebased.program,
        flags=table.flags | flag,
        sites=rebased.table,
        kinds=kinds,
        sets=table.sets[:0],
    )
