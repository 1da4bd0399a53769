"""Chains of calls as text, the innermost frame first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import pairwise, takewhile, zip_longest

from malloom.printable import printable
from malloom.report.names import demangle, is_of_library, short_name
from malloom.report.symbols import Place

CALLERS = 3
"""Frames of a chain that a row shows."""

SHORTEST = 20
"""Columns that a function has on however small a terminal, which then wraps the lines."""

CALLED_BY = " < "
MORE = " < ..."
"""For further frames."""
CALLER = "< "
"""Begins a line with a caller."""


def chain_text(chain: list[Place], room: int) -> str:
    """The innermost frames of a chain, callers to the right: as many as fit, up to CALLERS."""
    shown = without_libraries_own(chain)
    frames = [frame_text(place, room) for place in shown[:CALLERS]]
    for count in range(len(frames), 0, -1):
        text = CALLED_BY.join(frames[:count]) + (MORE if count < len(shown) else "")
        if len(text) <= room:
            return text
    return frame_text(shown[0], room - len(MORE)) + MORE if len(shown) > 1 else "".join(frames) or "?"


def without_libraries_own(chain: list[Place]) -> list[Place]:
    """The chain without what a standard library calls in itself: of it there is what the program called."""
    library = [is_of_library(short_name(place.function), place.file) for place in chain]
    calls_itself = [inner and outer for inner, outer in pairwise(library)]
    return [place for place, left_out in zip(chain, [*calls_itself, False], strict=False) if not left_out]


def frame_text(place: Place, room: int, is_whole: bool = False) -> str:
    """A frame in so many columns: its name may lose its beginning, its file and line are always whole. Its
    template arguments are folded unless `is_whole`."""
    where = f" {place.where}" if place.where else ""
    function = demangle(place.function) if is_whole else short_name(place.function)
    name = printable(function if place.function else str(place))
    left = max(room - len(where), SHORTEST)
    return (name if len(name) <= left else "…" + name[len(name) - left + 1 :]) + printable(where)


def told_apart(chains: Sequence[list[Place]], room: int) -> list[list[str]]:
    """Each chain as chain_text has it; where another reads the same, in further lines with what tells them
    apart, if anything does."""
    texts = [chain_text(chain, room) for chain in chains]
    alike: dict[str, list[int]] = {text: [] for text in texts}
    for number, text in enumerate(texts):
        alike[text].append(number)
    told = [[text] for text in texts]
    for numbers in alike.values():
        if len(numbers) > 1:
            apart = _apart([chains[number] for number in numbers], room - len(CALLER))
            shared = _shared_with_others(apart)
            for number, frames in zip(numbers, apart, strict=True):
                told[number] = list(_broken(_telling(frames, shared[tuple(frames)]), room))
    return told


def _apart(chains: list[list[Place]], room: int) -> list[list[str]]:
    """The frames of chains that read the same, in no more detail than tells all of them apart: further
    callers, template arguments, what the library calls in itself, addresses."""
    own = [without_libraries_own(chain) for chain in chains]
    ways = (
        partial(_frames, own, room),
        partial(_frames, own, room, is_whole=True),
        partial(_frames, chains, room, is_whole=True),
        partial(_with_addresses, own, room),
        partial(_with_addresses, chains, room),
    )
    frames: list[list[str]] = []
    for way in ways:
        frames = way()
        if len(set(map(tuple, frames))) == len(chains):
            break
    return frames


def _frames(chains: list[list[Place]], room: int, is_whole: bool = False) -> list[list[str]]:
    return [[frame_text(place, room, is_whole) for place in chain] for chain in chains]


def _with_addresses(chains: list[list[Place]], room: int) -> list[list[str]]:
    """The frames, those with their addresses that differ in nothing else, as calls of one line."""
    by_depth = [{place.offset for place in places if place} for places in zip_longest(*chains)]
    told = []
    for chain in chains:
        frames = []
        for place, offsets in zip(chain, by_depth, strict=False):
            address = f" +{place.offset:#x}" if len(offsets) > 1 else ""
            frames.append(frame_text(place, room - len(address)) + address)
        told.append(frames)
    return told


def _telling(frames: list[str], apart: int) -> list[str]:
    """The innermost frames, and the first that sets this chain apart, at that place, where it lies further
    out."""
    if apart < CALLERS or apart >= len(frames):
        shown = frames[:CALLERS]
        return shown if len(shown) == len(frames) else [*shown, "..."]
    further = ["..."] if apart + 1 < len(frames) else []
    return [*frames[: CALLERS - 1], "...", frames[apart], *further]


def _shared_with_others(chains: list[list[str]]) -> dict[tuple[str, ...], int]:
    """Of each chain how many innermost frames it shares with the one that is most like it: in their order a
    neighbour. There may be thousands, where a function calls itself."""
    ordered = sorted(set(map(tuple, chains)))
    shared = [0, *(_shared(one, other) for one, other in pairwise(ordered)), 0]
    return {frames: max(shared[at], shared[at + 1]) for at, frames in enumerate(ordered)}


def _shared(one: Sequence[str], other: Sequence[str]) -> int:
    """How many innermost frames are the same."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _broken(frames: list[str], room: int) -> Iterator[str]:
    """The frames in lines of so many columns, as many in each as fit."""
    line = ""
    for frame in frames:
        part = f"{CALLER}{frame}" if line else frame
        if line and len(line) + 1 + len(part) > room:
            yield line
            line = part
        else:
            line = f"{line} {part}" if line else part
    yield line or "?"
