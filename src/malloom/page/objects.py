"""What the page knows of the objects that a call site makes: their type, and how each field is used."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from malloom.fields.arrangement import Arrangement, arrangement_of
from malloom.fields.named import COUNTS, KindTypes, name_at, summed
from malloom.fields.table import OTHER_SIZES, FieldTable, Rows
from malloom.predictions.fields import Saved, Structure
from malloom.profile.requests import U32
from malloom.sites.table import KeyedContext, SiteTable
from malloom.types.evidence import is_library
from malloom.types.object_types import ObjectType

MOST_OBJECTS = 200
"""Kinds of objects that the page shows, those with the most misses."""
MOST_FIELDS = 256
"""Of a kind, those that are used most."""
MOST_PAIRS = 512
"""Of a kind, those with the most visits."""
MOST_MOVED, LARGEST_MOVED = 3, 4096
"""Kinds of objects for which other places of their fields are simulated, those with the most misses, and
bytes of such an object: limits of cost."""
SLIGHTLY_FEWER = 0.01
"""Lines of a visit: no more is not worth telling; as in objects.js."""
HEAVIEST_BY = ("last_misses", "first_misses", "loads", "stores")
"""Sums by which those with the most are found: the later ones where the earlier are equal."""
COLUMNS = ("offset", "bytes", "loads", "stores", "visits", "first_misses", "last_misses", "hidden_misses")


@dataclass(frozen=True)
class PageObject:
    """The objects of one size and type that call sites of one name make."""

    name: str
    """Of the call sites."""
    site: int
    """Index of one of them."""
    size: int | None
    """Bytes; None: objects of further sizes."""
    type: str
    """Empty where it is not known; with a question mark where it is a guess."""
    how: str
    elements: int
    requests: int
    visits: int
    loads: int
    stores: int
    first_misses: int
    misses: int
    exposed: int
    fields: list[list[int]]
    """COLUMNS of each."""
    names: list[str]
    together: list[list[int]]
    """Two fields and the visits that use both."""
    arrangement: dict[str, Any] | None
    """Lines of a visit (Arrangement) with the names of its fields; None where there is nothing to move. Of
    MOST_MOVED with what that saves (Saved)."""


Saving = Callable[[Sequence[Structure]], list[Saved]]
"""Simulates; may give nothing."""


def objects_of(
    table: FieldTable,
    types: KindTypes,
    site_of: Mapping[int, tuple[str, int]],
    saving: Saving = lambda structures: [],
) -> list[PageObject]:
    """Those with the most misses first; `site_of` has name and index of a context's call site by its hash."""
    used = table.kinds[table.kinds["loads"] + table.kinds["stores"] > 0]
    keys = np.empty(len(used), dtype=[("place", "u4"), ("size", "u8")])
    keys["place"], keys["size"] = (
        _place_of_context(table, used["context"], site_of)[used["context"]],
        used["size"],
    )
    groups, of_kind = np.unique(keys, return_inverse=True)
    weights = [-np.bincount(of_kind, used[name], minlength=len(groups)) for name in reversed(HEAVIEST_BY)]
    heaviest = np.lexsort(weights)[:MOST_OBJECTS]
    made = [part for group in heaviest for part in _of_one_type(list(used[of_kind == group]), types)]
    made = sorted(made, key=_weight, reverse=True)[:MOST_OBJECTS]
    objects = [_object(table, kinds, types, site_of) for kinds in made]
    movable = [at for at, each in enumerate(objects) if _may_gain(each)][:MOST_MOVED]
    saved = saving([_structure(table, made[at]) for at in movable]) if movable else []
    for at, each in zip(movable, saved, strict=False):
        arrangement = {**(objects[at].arrangement or {}), "saved": asdict(each)}
        objects[at] = replace(objects[at], arrangement=arrangement)
    return objects


def _of_one_type(kinds: list[Any], types: KindTypes) -> Iterator[list[Any]]:
    """Call sites of one name may be of several instances of a template, with objects of several types."""
    found: dict[str | None, list[Any]] = {}
    for kind in kinds:
        known = types.of(kind)
        found.setdefault(None if known is None else known.name, []).append(kind)
    yield from found.values()


def _weight(kinds: list[Any]) -> tuple[int, ...]:
    return tuple(sum(int(kind[name]) for kind in kinds) for name in HEAVIEST_BY)


def _type_of(kinds: list[Any], types: KindTypes) -> ObjectType | None:
    """Of kinds that have one: a guess where it is one of any of them."""
    every = [types.of(kind) for kind in sorted(kinds, key=lambda kind: -int(kind["visits"]))]
    return next((each for each in every if each is not None and not each.is_sure), every[0])


def _may_gain(each: PageObject) -> bool:
    """Whether other places of its fields take fewer lines."""
    found = each.arrangement
    if found is None or not each.misses or each.size is None or each.size > LARGEST_MOVED:
        return False
    saved = found["as_it_is"]["apart"] - found["together"]["apart"]
    return bool(saved > SLIGHTLY_FEWER or found["kept_together"])


def _structure(table: FieldTable, kinds: list[Any]) -> Structure:
    most = _most_visited(kinds)
    found = arrangement_of(table, most, kinds)
    assert found is not None
    return Structure(
        [table.sites.contexts[int(kind["context"])].hash for kind in kinds], int(most["size"]), found
    )


def _most_visited(kinds: list[Any]) -> Any:
    return max(kinds, key=lambda kind: int(kind["visits"]))


def _place_of_context(table: FieldTable, used: Rows, site_of: Mapping[int, tuple[str, int]]) -> U32:
    """Equal for the contexts whose call sites have one name and stand in one column."""
    numbers: dict[tuple[str, int], int] = {}
    found = np.zeros(len(table.sites.contexts), dtype=np.uint32)
    for at in np.unique(used).tolist():
        context = table.sites.contexts[at]
        key = site_of[context.hash][0], column_of(table.sites, context)
        found[at] = numbers.setdefault(key, len(numbers))
    return found


def column_of(sites: SiteTable, context: KeyedContext) -> int:
    """Where in its line the program's own call stands: one line may make objects of several types."""
    calls = (call for number in context.frames for call in sites.frames[number].site.calls)
    own = (call.column for call in calls if call.line and not is_library(call))
    return next(own, 0)


def _object(
    table: FieldTable, kinds: list[Any], types: KindTypes, site_of: Mapping[int, tuple[str, int]]
) -> PageObject:
    most = _most_visited(kinds)
    known, size = _type_of(kinds, types), int(most["size"])
    name, site = site_of[table.sites.contexts[int(most["context"])].hash]
    sums = {column: sum(int(kind[column]) for kind in kinds) for column in ("requests", *COUNTS)}
    fields, pairs = joined(table, kinds)
    elements = known.elements(size) if known is not None and size != OTHER_SIZES else 1
    return PageObject(
        name=name,
        site=site,
        size=None if size == OTHER_SIZES else size,
        type=known.marked if known is not None else "",
        how=known.how if known is not None else "",
        elements=elements,
        requests=sums["requests"],
        visits=sums["visits"],
        loads=sums["loads"],
        stores=sums["stores"],
        first_misses=sums["first_misses"],
        misses=sums["last_misses"],
        exposed=sums["last_misses"] - sums["hidden_misses"],
        fields=[[int(field[column]) for column in COLUMNS] for field in fields],
        names=[name_at(known, field) for field in fields],
        together=pairs,
        arrangement=_arrangement(arrangement_of(table, most, kinds) if elements == 1 else None, known),
    )


def joined(table: FieldTable, kinds: list[Any]) -> tuple[Rows, list[list[int]]]:
    """The fields of several kinds as those of one, the most used of them in their order, and the pairs of
    these."""
    every = np.concatenate([table.fields_of(kind) for kind in kinds])
    rows, of_field = summed(every, every["offset"])
    kept = np.sort(
        np.argsort(-(rows["loads"] + rows["stores"]).astype(np.int64), kind="stable")[:MOST_FIELDS]
    )
    place = np.full(len(rows), -1)
    place[kept] = np.arange(len(kept))
    return rows[kept], _pairs(table, kinds, place[of_field])


def _pairs(table: FieldTable, kinds: list[Any], places: Any) -> list[list[int]]:
    """`places` has the place of each field of the kinds, one kind after the other; -1: it is not shown."""
    sums: dict[tuple[int, int], int] = {}
    start = 0
    for kind in kinds:
        pairs = table.pairs_of(kind)
        first, second = places[start + pairs["first"]], places[start + pairs["second"]]
        for one, other, visits in zip(first.tolist(), second.tolist(), pairs["visits"].tolist(), strict=True):
            if one >= 0 and other >= 0:
                sums[one, other] = sums.get((one, other), 0) + visits
        start += int(kind["fields"])
    most = sorted(sums.items(), key=lambda each: (-each[1], each[0]))[:MOST_PAIRS]
    return [[one, other, visits] for (one, other), visits in most]


def _arrangement(found: Arrangement | None, known: ObjectType | None) -> dict[str, Any] | None:
    if found is None:
        return None
    names = [name_at(known, {"offset": offset, "bytes": 1}) or str(offset) for offset in found.order]
    return {**asdict(found), "names": names}
