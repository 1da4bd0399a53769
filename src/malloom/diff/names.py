"""What call sites are called: the calls that the program makes there, the innermost first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from malloom.report.names import count_of_program, demangle, is_of_library, short_name
from malloom.sites.keys import Call
from malloom.sites.table import KeyedContext, SiteTable

Known = tuple[SiteTable, KeyedContext]
"""A call site, and the table that it is in."""


@dataclass(frozen=True)
class SitePlace:
    """A call of a chain, for people."""

    function: str
    file: str
    line: int


def calls_of(sites: SiteTable, context: KeyedContext) -> tuple[SitePlace, ...]:
    """The calls that the program itself makes, of those whose place is known."""
    return tuple(
        SitePlace(short_name(demangle(call.function)), call.file, call.line)
        for call in _own_calls((sites, context))
    )


def names_of(known: Sequence[Known]) -> list[str]:
    """What each call site is called. Where several would have one name, theirs have more in them, as far as
    it is known: the columns of the calls, template arguments, what a library calls in itself, at last the
    number of the call site."""
    names = [_short(each) for each in known]
    for way in (_with_columns, _whole, _with_library, _numbered):
        count = Counter(names)
        names = [way(each) if count[name] > 1 else name for name, each in zip(names, known, strict=True)]
    return names


def _short(known: Known) -> str:
    return _joined(_own_calls(known), _short_function, _place) or " < ".join(_by_symbols(known))


def _with_columns(known: Known) -> str:
    return _joined(_own_calls(known), _short_function, _exact_place) or _by_addresses(known)


def _whole(known: Known) -> str:
    return _joined(_own_calls(known), _whole_function, _exact_place) or _by_addresses(known)


def _with_library(known: Known) -> str:
    return _joined(_calls(known)[0], _whole_function, _exact_place) or _by_addresses(known)


def _joined(calls: Sequence[Call], function: Callable[[Call], str], place: Callable[[Call], str]) -> str:
    return " < ".join(f"{function(call) or '?'} {place(call)}" for call in calls)


def _whole_function(call: Call) -> str:
    return demangle(call.function)


def _short_function(call: Call) -> str:
    return short_name(_whole_function(call))


def _numbered(known: Known) -> str:
    return f"{_short(known)} ({known[1].hash:016x})"


def _place(call: Call) -> str:
    return f"{call.file_name}:{call.line}"


def _exact_place(call: Call) -> str:
    return f"{_place(call)}:{call.column}" if call.column else _place(call)


def _by_symbols(known: Known) -> list[str]:
    """The functions of a site without debug information; where no symbol tells, the address."""
    sites, context = known
    frames = [sites.frames[number] for number in context.frames]
    functions = [next((call.function for call in frame.site.calls), "") for frame in frames]
    return [
        short_name(demangle(function)) if function else sites.address(frame)
        for frame, function in zip(frames, functions, strict=True)
    ] or ["?"]


def _by_addresses(known: Known) -> str:
    """The same joined, each with its address."""
    sites, context = known
    return " < ".join(sites.address(sites.frames[number]) for number in context.frames) or "?"


def _own_calls(known: Known) -> list[Call]:
    calls, names = _calls(known)
    own = [call for call, name in zip(calls, names, strict=True) if not is_of_library(name, call.file)]
    return own or calls


def _calls(known: Known) -> tuple[list[Call], list[str]]:
    """Those whose place is known, as far as the program makes them, and the names of their functions."""
    sites, context = known
    calls = [call for frame in context.frames for call in sites.frames[frame].site.calls if call.line]
    names = [short_name(demangle(call.function)) for call in calls]
    count = count_of_program(names)
    return calls[:count], names[:count]
