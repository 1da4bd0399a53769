"""Tables of hosts, made of a few numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from malloom.fleet.origin import CodeFile, Origin
from malloom.fleet.table_file import write_table
from malloom.fleet.tables import FIELD_COUNTS, KIND_COUNTS, SITE_COUNTS, Columns, HostTable
from malloom.sites.keys import Call, Site
from malloom.sites.rebase import context_hash
from malloom.sites.table import Frame, KeyedContext, SiteModule, SiteTable

FUNCTIONS = ("parse", "insert", "read_line")


class Made:
    """The table of a host that runs a build: contexts of two frames, one for each of FUNCTIONS.

    `build` moves the text: another build has other addresses, and lines that differ by ten.
    """

    def __init__(
        self,
        build: int = 1,
        *,
        requests: tuple[int, ...] = (100, 50, 10),
        sizes: tuple[int, ...] = (32, 48, 100),
        **origin: object,
    ) -> None:
        self.modules = (SiteModule(build, "/bin/program", f"{build:02x}"),)
        self.requests = requests
        self.sizes = sizes
        frames = [self._frame(build, place, function) for place, function in enumerate(FUNCTIONS)]
        frames.append(self._frame(build, len(FUNCTIONS), "main"))
        self.sites = SiteTable(
            self.modules,
            tuple(frames),
            tuple(
                KeyedContext(
                    context_hash(self.modules, [frames[place], frames[-1]]), (place, len(FUNCTIONS)), count, 0
                )
                for place, count in enumerate(requests)
            ),
        )
        known = Origin(
            program="program", build_id=self.modules[0].build_id, architecture="x86_64", page_size=4096,
            depth=5, geometry="zen5", accesses="full",
            files=(CodeFile("/bin/program", self.modules[0].build_id, f"{build:016x}"),),
            requests=sum(requests), bytes=int(np.dot(requests, sizes)), live_peak=1000, accesses_count=30,
            keyed=1.0, host="one", executable="/bin/program",
        )  # fmt: skip
        self.origin = replace(known, **origin)  # type: ignore[arg-type]

    def _frame(self, build: int, place: int, function: str) -> Frame:
        line = 10 * build + place
        call = Call(function, f"/src/{build}/program.c", line, 5, line - 1)
        return Frame(0, Site(64 * place + build, "malloc", (call,), 1, 1, 1, 1))

    def rename(self, function: str, other: str, file: str = "program.c") -> None:
        """Calls a function otherwise, in the source and for the linker."""
        self._change(
            lambda call: replace(call, function=other, file=file) if call.function == function else call
        )

    def forget_keys(self) -> None:
        """As where the program has no debug information."""
        self._change(lambda call: None)

    def ask_in_library(self, *places: int, from_program: bool = False) -> None:
        """Contexts whose request is in a library that all builds have, and so is who calls that, unless it is
        the program. The library has keys."""
        self.modules = (*self.modules, SiteModule(99, "/lib/library.so", "63"))
        call = Call("grow", "/src/library.c", 5, 5, 4)
        outer = Frame(1, Site(8192, "grow", (replace(call, function="append"),), 1, 1, 1, 1))
        frames = [*self.sites.frames, outer]
        contexts = list(self.sites.contexts)
        for place in places:
            frames.append(Frame(1, Site(4096 + 64 * place, "malloc", (call,), 1, 1, 1, 1)))
            above = place if from_program else len(self.sites.frames)
            chain = (len(frames) - 1, above)
            hash_ = context_hash(self.modules, [frames[each] for each in chain])
            contexts[place] = replace(contexts[place], hash=hash_, frames=chain)
        self.sites = SiteTable(self.modules, tuple(frames), tuple(contexts))
        library = CodeFile("/lib/library.so", "63", f"{99:016x}")
        self.origin = replace(self.origin, files=(*self.origin.files, library))

    def _change(self, changed: Callable[[Call], Call | None]) -> None:
        frames = []
        for frame in self.sites.frames:
            calls = tuple(each for call in frame.site.calls if (each := changed(call)) is not None)
            frames.append(replace(frame, site=replace(frame.site, calls=calls)))
        self.sites = replace(self.sites, frames=tuple(frames))

    @property
    def table(self) -> HostTable:
        count = len(self.requests)
        zero: Columns = {name: np.zeros(count, dtype=np.uint64) for name in ("live_peak", *SITE_COUNTS)}
        requests = np.array(self.requests, dtype=np.uint64)
        sizes = np.array(self.sizes, dtype=np.uint64)
        hashes = np.array([context.hash for context in self.sites.contexts], dtype=np.uint64)
        rows = np.arange(count, dtype=np.uint32)
        ten = np.full(count, 10, dtype=np.uint64)
        numbers = {
            **zero, "site": hashes, "requests": requests, "bytes": requests * sizes, "lived_256": requests,
            "accesses": ten, "uses": ten, "live_peak": sizes * ten,
        }  # fmt: skip
        kinds = {name: np.zeros(count, dtype=np.uint64) for name in KIND_COUNTS}
        kinds = {
            **kinds,
            "row": rows,
            "size": sizes,
            "live_peak": sizes * ten,
            "requests": requests,
            "loads": ten,
        }
        fields = {name: np.zeros(count, dtype=np.uint64) for name in FIELD_COUNTS}
        fields = {
            **fields, "row": rows, "size": sizes, "offset": rows * 8,
            "width": np.full(count, 8, dtype=np.uint32), "loads": ten,
        }  # fmt: skip
        co_use = {"row": rows[:2], "site": hashes[[1, 0]], "uses": ten[:2]}
        return HostTable(self.origin, self.sites, numbers, kinds, fields, co_use)

    def write(self, path: Path) -> Path:
        """The table on disk."""
        path.parent.mkdir(exist_ok=True)
        write_table(self.table, path)
        return path
