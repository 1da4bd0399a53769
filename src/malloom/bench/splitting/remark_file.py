"""What malloom's compiler remarks at a link, read from the optimisation record (YAML) that LLVM writes."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

REMARK = re.compile(r"^--- !\w+\n(.*?)^\.\.\.$", re.MULTILINE | re.DOTALL)
NAME = re.compile(r"^Name: +'?(\w+)", re.MULTILINE)
ARGUMENT = re.compile(r"^  - (\w+): +(.*)$", re.MULTILINE)
SET = "AliasSet"
"""The remark that every alias set with objects of the heap has."""
MISSED = "NotPooled"
UNTREATED = "left as it was"


@dataclass(frozen=True)
class AliasSets:
    """How many there are, of how many enough is proven, and what is done with them."""

    found: int
    proven: int
    pooled: int
    split: int
    reasons: Counter[str]
    """Why sets have no pools: how many sets each reason holds for."""


def alias_sets(record: str) -> AliasSets:
    """Of a whole program."""
    remarks = [remark for remark in _remarks(record) if remark[0] in (SET, MISSED)]
    sets = [arguments for name, arguments in remarks if name == SET]
    treatments = Counter(each.get("Treatment") for each in sets)
    return AliasSets(
        found=len(sets),
        proven=sum(each.get("Proven") != "nothing" for each in sets),
        pooled=treatments["pooled"] + treatments["packed"],
        split=treatments["split"],
        reasons=Counter(arguments["Reason"] for name, arguments in remarks if name == MISSED),
    )


@dataclass(frozen=True)
class RemarkedSet:
    """What is remarked of one alias set: whether it has pools, and why it may have none."""

    has_pools: bool
    reasons: frozenset[str]


def remarked_sets(record: str) -> dict[int, RemarkedSet]:
    """Of a whole program, by the sets' numbers. The reasons of a set are remarked behind it."""
    found: dict[int, RemarkedSet] = {}
    for name, arguments in _remarks(record):
        if name == SET:
            last = int(arguments["Number"])
            found[last] = RemarkedSet(arguments["Treatment"] != UNTREATED, frozenset())
        elif name == MISSED:
            found[last] = replace(found[last], reasons=found[last].reasons | {arguments["Reason"]})
    return found


def _remarks(record: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Name, and arguments that have one."""
    for remark in REMARK.findall(record):
        name = NAME.search(remark)
        arguments = {key: _plain(value) for key, value in ARGUMENT.findall(remark) if key != "String"}
        yield name[1] if name else "", arguments


def _plain(value: str) -> str:
    """A scalar without its quotes."""
    if value[:1] == "'":
        return value[1:-1].replace("''", "'")
    return value.strip('"')
