"""Progress on the terminal, if standard error is one: the step by its name, the time gone, and the time
expected where something is counted."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from malloom import _native

PATIENCE = 1.0
"""Seconds: what has ended by then shows nothing."""
REFRESHES = 4
"""A second: enough for times in seconds, at no cost for the command."""
WRITERS = ("csv", "folded", "json", "perfetto", "pprof", "speedscope")
"""Formats of a report that go to a file."""
STEPS = {
    "malloom.profile.heap_profile.HeapProfile.open": "reading requests",
    "malloom.profile.survey.Survey._surveyed": "reading accesses",
    "malloom.profile.heap_profile.HeapProfile.context_affinity": "finding what is used together",
    "malloom.page.heap_lines.uses_of_lines": "reading accesses",
    "malloom.page.walk.walks_of": "drawing walks",
    "malloom.fields.table.field_table": "simulating",
    "malloom.layout.ranking.place": "placing",
    "malloom.layout.ranking.rank": "simulating",
    "malloom.predictions.fields.saved_by_moving": "simulating",
    "malloom.report.symbols.Symbols.places": "looking up functions",
    "malloom.sites.recorded.site_table": "looking up functions",
    "malloom.types.object_types.ObjectTypes.of": "looking up types",
    "malloom.diff.changes.difference": "comparing",
    "malloom.fields.file.write_table": "writing",
    "malloom.fleet.table_file.write_table": "writing",
    "malloom.page.file.write_file": "writing",
    **{f"malloom.report.{name}.write": "writing" for name in WRITERS},
}
"""What is said while a function runs, or what it calls. So no room has to tell of its steps, and what nobody
looks at costs nothing."""


class Watch:
    """What a watched thread does: the step that it is in, or was in last, and how far its reading is."""

    def __init__(self, thread: int) -> None:
        self._thread = thread
        self.step = "starting"
        self.done = self.expected = 0
        self._began: tuple[float, int] = (0.0, 0)

    def look(self) -> None:
        self.step = step_of(self._thread) or self.step
        done, expected = _native.read_so_far()
        if done < self.done or expected != self.expected:
            self._began = time.monotonic(), done
        self.done, self.expected = done, expected

    def seconds_left(self) -> float | None:
        """Of the stream that is being read, by how fast it was; None where that cannot be told."""
        since, first = self._began
        gone, read = time.monotonic() - since, self.done - first
        return gone / read * max(self.expected - self.done, 0) if self.expected and read else None


class StepColumn(ProgressColumn):
    """What a task is called; of a watched thread also the step."""

    def render(self, task: Task) -> Text:
        watch: Watch | None = task.fields.get("watch")
        if watch is None:
            return Text(task.description)
        watch.look()
        task.total, task.completed = watch.expected or None, watch.done
        return Text(": ".join(filter(None, (task.description, watch.step))))


class ExpectedColumn(TimeRemainingColumn):
    """The time expected of a task that is counted, or of a watched thread's pass over accesses."""

    def render(self, task: Task) -> Text:
        if task.total is None:
            return Text()
        watch: Watch | None = task.fields.get("watch")
        if watch is None:
            return super().render(task).append(" expected")
        left = watch.seconds_left()
        return Text() if left is None else Text(f"{timedelta(seconds=round(left))} expected")


COLUMNS = (StepColumn(), BarColumn(bar_width=16), TimeElapsedColumn(), TextColumn("gone"), ExpectedColumn())


def step_of(thread: int) -> str | None:
    """The innermost of STEPS that the thread of this identity is in."""
    frame = sys._current_frames().get(thread)
    while frame is not None:
        found = STEPS.get(f"{frame.f_globals.get('__name__')}.{frame.f_code.co_qualname}")
        if found:
            return found
        frame = frame.f_back
    return None


@contextmanager
def bars_shown() -> Iterator[Progress | None]:
    """Bars that come after PATIENCE and are gone in the end, however it ends; None where nobody looks.

    What is printed on standard output must wait until then.
    """
    console = Console(stderr=True)
    # Variables as FORCE_COLOR make a log look like a terminal to the library.
    if not (sys.stderr.isatty() and console.is_interactive):
        yield None
        return
    bars = Progress(
        *COLUMNS, console=console, transient=True, refresh_per_second=REFRESHES, redirect_stdout=False
    )
    later = threading.Timer(PATIENCE, bars.start)
    later.daemon = True
    later.start()
    try:
        yield bars
    finally:
        try:
            later.cancel()
            later.join()  # it may just be starting them
        finally:
            bars.stop()


@contextmanager
def watched(bars: Progress | None, what: str = "") -> Iterator[None]:
    """Shows which step this thread is in, of `what` if that is said."""
    if bars is None:
        yield
        return
    task = bars.add_task(what, total=None, watch=Watch(threading.get_ident()))
    try:
        yield
    finally:
        bars.remove_task(task)


@contextmanager
def steps_shown() -> Iterator[None]:
    """Shows which step the command is in."""
    with bars_shown() as bars, watched(bars):
        yield
