"""Made-up runs of a program: their text form, and what a plain reading of them says."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from hypothesis import strategies as st

from malloom.profile.text_form import from_text

NEVER = 2**64 - 1
HEADER = "malloom profile text 1\nprofile version=1 created=1700000000000000000\n"
PROCESS = (
    "chunk process process=7 thread=0 sequence=0 ticket=0 records=1 codec=plain\n"
    " pid=7\n executable=/bin/made-up\n"
    "chunk module process=7 thread=0 sequence=0 ticket=0 records=1 codec=plain\n"
    " index=0\n base=1000\n end=9000\n bias=1000\n build_id=aabb\n path=/bin/made-up\n"
    "chunk contexts process=7 thread=0 sequence=0 ticket=0 records=4 codec=plain\n"
    " 0 0+10 0+90\n 1 0+10 0+a0\n 2 0+20 0+90\n 3 0+30\n"
)
END = "chunk end process=7 thread=0 sequence=0 ticket=0 records=1 codec=plain\n reason=exit\n"
SLOT = 4096


@dataclass(frozen=True)
class Step:
    """One thing that a thread does: `what` is allocate, release, reallocate, load or store."""

    thread: int
    what: str
    slot: int
    """Where in the heap: the object at slot * SLOT."""
    size: int
    context: int


@dataclass
class Reading:
    """What HeapProfile has to say about a run, found out step by step."""

    size: list[int] = field(default_factory=list)
    context: list[int] = field(default_factory=list)
    ordinal: list[int] = field(default_factory=list)
    thread: list[int] = field(default_factory=list)
    birth: list[int] = field(default_factory=list)
    death: list[int] = field(default_factory=list)
    address: list[int] = field(default_factory=list)
    accesses: list[tuple[int, int]] = field(default_factory=list)
    """(request, offset) in time order."""


steps = st.builds(
    Step,
    thread=st.integers(0, 2),
    what=st.sampled_from(["allocate", "allocate", "release", "reallocate", "load", "load", "store"]),
    slot=st.integers(1, 6),
    size=st.integers(0, 200),
    context=st.integers(0, 3),
)
runs = st.lists(steps, min_size=1, max_size=60)


class Run:
    """Turns steps into events and accesses of threads, and reads them plainly on the way."""

    def __init__(self, steps: list[Step]) -> None:
        self.reading = Reading()
        self.events: dict[int, list[str]] = {}
        self.entries: dict[int, list[str]] = {}
        self.first: dict[int, int] = {}
        self._live: dict[int, int] = {}
        self._counts: dict[int, int] = {}
        self._threads: list[int] = []
        self._ticket = 0
        for step in steps:
            self._take(step)

    def _take(self, step: Step) -> None:
        address = step.slot * SLOT
        live = step.slot in self._live
        if step.what == "allocate" and not live:
            self._allocate(step, "allocate")
        elif step.what == "release" and live:
            self._release(step, "release")
        elif step.what == "reallocate" and live:
            self._release(step, "reallocate_release")
            self._allocate(step, "reallocate")
        elif step.what in {"load", "store"}:
            # A marker of the time before each access fixes the order among threads.
            entries = self.entries.setdefault(step.thread, [])
            entries += [f" time {self._ticket}", f" {step.what} {address + step.size:x} 1"]
            self._access(step)

    def _access(self, step: Step) -> None:
        request = self._live.get(step.slot)
        if request is not None and step.size < max(self.reading.size[request], 1):
            self.reading.accesses.append((request, step.size))

    def _event(self, step: Step, kind: str, attributes: str = "") -> None:
        self._ticket += 1
        self.first.setdefault(step.thread, self._ticket)
        text = f" {self._ticket} {kind} {step.slot * SLOT:x}{attributes}"
        self.events.setdefault(step.thread, []).append(text)
        self.entries.setdefault(step.thread, []).append(f" event {self._ticket}")

    def _allocate(self, step: Step, kind: str) -> None:
        size = f" size={step.size}" if step.size else ""
        self._event(step, kind, size + (f" context={step.context}" if step.context else ""))
        if step.thread not in self._threads:
            self._threads.append(step.thread)
        reading = self.reading
        self._live[step.slot] = len(reading.size)
        reading.size.append(step.size)
        reading.context.append(step.context)
        reading.ordinal.append(self._counts.get(step.context, 0))
        self._counts[step.context] = self._counts.get(step.context, 0) + 1
        reading.thread.append(self._threads.index(step.thread))
        reading.birth.append(self._ticket)
        reading.death.append(NEVER)
        reading.address.append(step.slot * SLOT)

    def _release(self, step: Step, kind: str) -> None:
        self._event(step, kind)
        self.reading.death[self._live.pop(step.slot)] = self._ticket

    def text(self, chunk: int) -> str:
        """The text form, with chunks of `chunk` records."""
        parts = [HEADER, PROCESS]
        for thread, lines in self.events.items():
            parts += self._chunks("events", thread, lines, chunk)
        for thread, lines in self.entries.items():
            parts += self._chunks("accesses", thread, lines, chunk)
        return "".join([*parts, END])

    def _chunks(self, kind: str, thread: int, lines: list[str], chunk: int) -> list[str]:
        parts = []
        for sequence, start in enumerate(range(0, len(lines), chunk)):
            records = lines[start : start + chunk]
            ticket = records[0].split()[0] if kind == "events" else 0
            parts.append(
                f"chunk {kind} process=7 thread={thread + 100} sequence={sequence} ticket={ticket} "
                f"records={len(records)} codec=plain\n" + "".join(f"{line}\n" for line in records)
            )
        return parts


def write_profile(text: str, path: Path) -> Path:
    """Makes the profile that `text` describes."""
    source = path.with_suffix(".txt")
    source.write_text(text)
    with source.open("rb") as file:
        from_text(file, path)
    return path
