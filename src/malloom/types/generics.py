"""Rust: the types that containers of its library are made for."""

from __future__ import annotations

import re
from collections.abc import Iterator

from malloom.report.names import short_name
from malloom.types.asked import Asked, Found
from malloom.types.entries import Entry, language_of, parameters_of, size_of
from malloom.types.names import arguments_of

RUST = 0x1C
"""DW_LANG_Rust."""
CONTAINERS = re.compile(
    r"/library/alloc/src/(boxed|rc|sync|raw_vec|vec|slice|collections)\b|/hashbrown-[\d.]+/src/raw/"
)
"""Files of Rust's library in which memory is asked for on behalf of a type."""
ARRAYS = {"raw_vec", "vec", "slice", "collections"}
"""Those that ask for several at once."""
VECTORS = (" in raw_vec", " in vec")
HASH_TABLE, GROUP = "hashbrown", 16
"""Rust's hash tables, and the bytes that these look at together."""
PRIMITIVES = {"bool": 1, "u8": 1, "i8": 1, "u16": 2, "i16": 2, "u32": 4, "i32": 4, "f32": 4, "char": 4}
PRIMITIVES |= {"u64": 8, "i64": 8, "usize": 8, "isize": 8, "f64": 8, "u128": 16, "i128": 16}
"""Rust's own types, and their sizes."""


def is_generic(function: Entry) -> bool:
    """Whether a function of Rust, not inlined, has types as parameters. The compiler merges copies of such
    whose code is the same (LLVM's MergeFunctions): debug information has the parameters of one of them."""
    return language_of(function) == RUST and bool(parameters_of(function))


def confirms(found: Found, shared: Found) -> bool:
    """Whether a caller, whose code is no other's, says of which type a vector's code was used: all that have
    the same code have the same size."""
    sizes = [each.named[1] if each.kind is None else size_of(each.kind) for each in (found, shared)]
    in_vectors = all(each.how.endswith(VECTORS) for each in (found, shared))
    return found.is_sure and in_vectors and sizes[0] == sizes[1]


def of_generic(asked: Asked) -> Iterator[Found]:
    """Rust: the T that a box, a vector or another container of its library is made for."""
    place = CONTAINERS.search(asked.call.file) if language_of(asked.scope.entry) == RUST else None
    if place is None:
        return
    container = place[1] or HASH_TABLE
    for kind in parameters_of(asked.scope.entry, "T"):
        is_several = asked.fits(kind) if container in ARRAYS else _is_hash_table(asked, kind, container)
        if asked.is_one(kind) or is_several:
            how = f"the T of {short_name(asked.scope.name)} in {container}"
            yield Found(kind, how, is_sure=not asked.is_shared, is_shared=asked.is_shared)
            return


def of_generic_name(asked: Asked) -> Iterator[Found]:
    """The same of Rust's precompiled library, whose functions only have it in their names."""
    place = CONTAINERS.search(asked.call.file) if language_of(asked.scope.entry) == RUST else None
    if place is None or place[1] not in ARRAYS:
        return
    for name in arguments_of(asked.scope.name)[:1]:
        if name in PRIMITIVES and (asked.size is None or asked.size % PRIMITIVES[name] == 0):
            how = f"the T of {short_name(asked.scope.name)} in {place[1]}"
            told = (name, PRIMITIVES[name])
            yield Found(None, how, is_sure=not asked.is_shared, named=told, is_shared=asked.is_shared)


def _is_hash_table(asked: Asked, kind: Entry, container: str) -> bool:
    """Whether a table of hashbrown has this size: entries, a power of two, a byte for each and a group."""
    if container != HASH_TABLE or asked.size is None or not size_of(kind):
        return False
    sizes = (-(-(size_of(kind) << power) // GROUP) * GROUP + (1 << power) + GROUP for power in range(2, 48))
    return asked.size in sizes
