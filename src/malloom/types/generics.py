"""Rust: the types that containers of its library are made for."""

from __future__ import annotations

import re
from collections.abc import Iterator

from malloom.report.names import demangle, short_name
from malloom.sites.keys import Call
from malloom.types.asked import Asked, Found
from malloom.types.entries import RUST, Entry, language_of, parameters_of, size_of
from malloom.types.names import arguments_of

CONTAINERS = re.compile(
    r"/library/alloc/src/(?:collections/)?"
    r"(boxed|rc|sync|raw_vec|vec_deque|vec|slice|binary_heap|collections)\b"
    r"|/hashbrown-[\d.]+/src/raw/"
)
"""Files of Rust's library in which memory is asked for on behalf of a type."""
INNER_FILES = re.compile(
    r"/library/alloc/src/(?:alloc|boxed|rc|sync|raw_vec|vec|slice|collections)\b|/hashbrown-[\d.]+/src/"
    r"|\blibrary/core/src/alloc/|\blibrary/std/src/(?:alloc\.rs|sys/(?:\w+/){0,3}alloc\b)"
)
INNER_NAMES = re.compile(
    r"<*(?:alloc::(?:raw_vec|alloc)::|std::alloc::|std::sys::(?:\w+::){0,3}alloc::|(?:__rustc::)?__r)"
)
"""Of the functions through which containers get memory, and by which those are known that have no file."""
ARRAYS = {"raw_vec", "vec", "slice", "vec_deque", "binary_heap"}
"""Those that ask for several at once."""
VECTORS = (" in raw_vec", " in vec")
HASH_TABLE, GROUP = "hashbrown", 16
"""Rust's hash tables, and the bytes that these look at together."""
PRIMITIVES = {"bool": 1, "u8": 1, "i8": 1, "u16": 2, "i16": 2, "u32": 4, "i32": 4, "f32": 4, "char": 4}
PRIMITIVES |= {"u64": 8, "i64": 8, "usize": 8, "isize": 8, "f64": 8, "u128": 16, "i128": 16}
"""Rust's own types, and their sizes."""


def is_inner(call: Call) -> bool:
    """Whether what the call gets may be for the container whose function calls there: `collect` may as well
    call what makes one of the elements."""
    if call.file:
        return INNER_FILES.search(call.file) is not None
    return INNER_NAMES.match(demangle(call.function)) is not None


def is_for_another(asked: Asked) -> bool:
    """Whether it is a container's, and not for its T: then it is for no T of a container around it. An
    Rc<[T]> has counts, too."""
    has_own = _container(asked) is not None and bool(parameters_of(asked.scope.entry, "T"))
    return has_own and next(of_generic(asked), None) is None


def _container(asked: Asked) -> re.Match[str] | None:
    """Its name, where a file of Rust's library has the call."""
    return CONTAINERS.search(asked.call.file) if language_of(asked.scope.entry) == RUST else None


def confirms(found: Found, shared: Found) -> bool:
    """Whether a caller, whose code is no other's, says of which type a vector's code was used: all that have
    the same code have the same size."""
    sizes = [each.named[1] if each.kind is None else size_of(each.kind) for each in (found, shared)]
    in_vectors = all(each.how.endswith(VECTORS) for each in (found, shared))
    return found.is_sure and in_vectors and sizes[0] == sizes[1]


def of_generic(asked: Asked) -> Iterator[Found]:
    """Rust: the T that a box, a vector or another container of its library is made for."""
    place = _container(asked)
    if place is None or not asked.is_inner:
        return
    container = place[1] or HASH_TABLE
    for kind in parameters_of(asked.scope.entry, "T"):
        if _is_made_for(asked, kind, container):
            how = f"the T of {short_name(asked.scope.name)} in {container}"
            yield Found(kind, how, is_sure=not asked.is_shared, is_shared=asked.is_shared)
            return


def of_generic_name(asked: Asked) -> Iterator[Found]:
    """The same of Rust's precompiled library, whose functions only have it in their names."""
    place = _container(asked)
    if place is None or place[1] not in ARRAYS or not asked.is_inner:
        return
    for name in arguments_of(asked.scope.name)[:1]:
        if name in PRIMITIVES and (asked.size is None or asked.size % PRIMITIVES[name] == 0):
            how = f"the T of {short_name(asked.scope.name)} in {place[1]}"
            told = (name, PRIMITIVES[name])
            yield Found(None, how, is_sure=not asked.is_shared, named=told, is_shared=asked.is_shared)


def _is_made_for(asked: Asked, kind: Entry, container: str) -> bool:
    """Whether the container's memory for its T has this size. Other collections have nodes, and Rc counts:
    what is theirs is never a T alone."""
    if container == HASH_TABLE:
        return _is_hash_table(asked, kind)
    return asked.fits(kind) if container in ARRAYS else container == "boxed" and asked.is_one(kind)


def _is_hash_table(asked: Asked, kind: Entry) -> bool:
    """Whether a table of hashbrown has this size: entries, a power of two, a byte for each and a group."""
    if asked.size is None or not size_of(kind):
        return False
    sizes = (-(-(size_of(kind) << power) // GROUP) * GROUP + (1 << power) + GROUP for power in range(2, 48))
    return asked.size in sizes
