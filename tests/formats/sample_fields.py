"""A small table of fields and site keys, made up by hand: with something of each kind of record."""

from __future__ import annotations

import numpy as np

from malloom import formats
from malloom.fields.table import OTHER_SIZES, FieldTable, Simulated
from malloom.sites.keys import Call, Site
from malloom.sites.table import NO_MODULE, Frame, KeyedContext, SiteModule, SiteTable

INNER = Call("make_node", "/opt/sample/list.c", 12, 20, 10)
OUTER = Call("_ZN4list4pushEi", "/opt/sample/list.cpp", 40, 5, 38)
SITES = SiteTable(
    modules=(
        SiteModule(0x1122334455667788, "/opt/sample/program", "00112233445566778899aabbccddeeff00112233"),
        SiteModule(0x99AABBCCDDEEFF00, "/opt/sample/libsample.so", ""),
    ),
    frames=(
        Frame(0, Site(0x1234, "malloc", (INNER, OUTER), twins=1, copies=2, ordinal=1, alike=3)),
        Frame(1, Site(0x4321)),
        Frame(NO_MODULE, Site(0x7F0000001000)),
    ),
    contexts=(
        KeyedContext(0xABCDEF, (0,), 100, 6400),
        KeyedContext(0xFEDCBA, (0, 1, 2), 7, 21),
    ),
    unknown_contexts=1,
)


def sample_table() -> FieldTable:
    """The table that the sample in samples/version_1.fields is."""
    return FieldTable(
        program=SITES.modules[0].hash,
        profile_created=1_700_000_000_000_000_000,
        flags=formats.load("fields").enums["FieldsFlag"]["sampled"],
        depth=3,
        simulated=Simulated("zen5", 3, 64, 48 << 10, 32 << 20),
        accesses=40,
        unattributed=1,
        sites=SITES,
        kinds=rows(
            "Kind",
            (64, 0, 0, 100, 9, 30, 5, 4, 2, 1, 0, 2, 0, 1),
            (OTHER_SIZES, 1, 0, 7, 3, 4, 1, 0, 0, 0, 2, 1, 1, 0),
        ),
        fields=rows("Field", (0, 8, 9, 20, 5, 4, 2, 1), (16, 4, 6, 10, 0, 0, 0, 0), (4, 1, 3, 4, 0, 0, 0, 0)),
        pairs=rows("Pair", (0, 1, 6)),
    )


def rows(struct: str, *values: tuple[int, ...]) -> np.ndarray:
    return np.array(list(values), dtype=formats.dtype("fields", struct))
