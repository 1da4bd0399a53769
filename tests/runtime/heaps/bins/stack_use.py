"""How much stack calls take at most, from the call graphs that gcc writes (-fcallgraph-info=su)."""

import re
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

NODE = re.compile(r'^node: \{ title: "([^"]*)" label: "([^"]*)"')
EDGE = re.compile(r'^edge: \{ sourcename: "([^"]*)" targetname: "([^"]*)"')
SIZE = re.compile(r"(\d+) bytes \((static|dynamic|dynamic,bounded)\)")

INDIRECT = "__indirect_call"
EMITTED = ("compare", "return_constant", "return_run", "cost_of_comparing")
"""What the tree of comparisons calls of its instruction set."""


class CallGraph:
    """The functions of several sources, and which calls which."""

    def __init__(self, files: Iterable[Path], instruction_set: str) -> None:
        self.bytes: dict[str, int] = {}
        self.calls: defaultdict[str, set[str]] = defaultdict(set)
        self.instruction_set = instruction_set
        for file in files:
            # Whole objects and parts of others are made by the same functions, under two names.
            text = re.sub(r"([CD])1E", r"\g<1>2E", file.read_text(encoding="utf-8"))
            for line in text.splitlines():
                self._take(line, file.stem)

    def _take(self, line: str, source: str) -> None:
        if (node := NODE.match(line)) and (size := SIZE.search(node[2])):
            assert size[2] == "static", line
            self.bytes[node[1]] = int(size[1])
        elif edge := EDGE.match(line):
            called = f"{INDIRECT} of {source}" if edge[2] == INDIRECT else edge[2]
            self.calls[edge[1]].add(called)

    def _pointed_to(self, source: str) -> list[str]:
        """What functions of that source call by pointers. Hooks, which are the owner's, take none here."""
        if source == "range_tree":
            return [name for name in self.bytes if self._is_of_instruction_set(name, EMITTED)]
        if source == self.instruction_set:
            return [name for name in self.bytes if self._is_of_instruction_set(name, ("cost_of_adding",))]
        return ["malloom_bins_original", "malloom_bins_variable"]

    def _is_of_instruction_set(self, name: str, functions: Iterable[str]) -> bool:
        in_source = f"bins/{self.instruction_set}.cpp:" in name
        return in_source and any(f"{len(each)}{each}E" in name for each in functions)

    def most(self, function: str, callers: tuple[str, ...] = ()) -> int:
        """Bytes of stack of the function and all that it calls. It must not come back to itself."""
        assert function not in callers, f"{function} calls itself"
        called: Iterable[str] = self.calls[function]
        if function.startswith(INDIRECT):
            called = self._pointed_to(function.rsplit(" ", 1)[1])
        own = 0 if function.startswith(INDIRECT) else self.bytes[function]
        return own + max((self.most(each, (*callers, function)) for each in called), default=0)
