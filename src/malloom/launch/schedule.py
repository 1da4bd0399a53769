"""When windows are opened and closed: recording shall take no more than a part of the program's CPU time."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from malloom.launch.stepping import Sampled, Stepping
from malloom.launch.windows import Window, Windows

LATER = 5.0
"""Seconds until a window that the budget had no room for is tried again."""
SHORTEST, LOOK_AGAIN, LONGEST = 0.02, 0.5, 60.0
"""Seconds of a pause; the second is the longest while a window is open, as ended processes have staged what
waits to be taken in."""
LEAST_EVENTS = 100_000
"""A window is opened where the budget has room for so many, as each takes a table that costs something by
itself; and what a table takes for each event is learned from windows that had so many."""


@dataclass(frozen=True)
class Wanted:
    """Windows of so many `seconds`, one `every` so many seconds from the start of the last, or one alone;
    `budget` is the share of the program's CPU time that all of recording may take, None: all that it does.
    With the signal `until` malloom records nothing more."""

    seconds: float
    every: float | None = None
    budget: float | None = None
    until: int | None = None


@dataclass(frozen=True)
class Closed:
    """A window that is over: its profile, how that stands, and the program's CPU time in nanoseconds since
    the last window, and in this one."""

    profile: Path
    state: dict[str, int | bool]
    cpu_time: int
    recorded_cpu_time: int
    sampled: Sampled | None = None
    """Of accesses, where those were asked for."""


@dataclass
class Spending:
    """CPU seconds that recording has taken: `own` of what malloom does for it, and `event` for each event."""

    event: float
    """What recording one takes (malloom.launch.event_cost)."""
    table: float
    """What a table is expected to take, however small: the least that one took, once there is one."""
    table_event: float
    """And for each event of its window."""
    own: Callable[[], float]
    events: int = 0
    _largest: tuple[float, int] = (0.0, LEAST_EVENTS - 1)
    """Seconds and events of the table that had the most."""

    def seconds(self, more_events: int = 0) -> float:
        return self.own() + (self.events + more_events) * self.event

    def room(self, budget: float | None, program: float, more_events: int = 0) -> float:
        """For how many events beside so many more there is room within the share of the program's CPU
        seconds, with what comes after their window."""
        if budget is None:
            return math.inf
        left = budget * program - self.seconds(more_events) - self.table - more_events * self.table_event
        return left / (self.event + self.table_event)

    def learn(self, table: float, events: int) -> None:
        """What the table of a window of so many events has taken."""
        self.table = min(self.table, table)
        if events > self._largest[1]:
            self._largest = (table, events)
        seconds, most = self._largest
        if most >= LEAST_EVENTS:
            self.table_event = max(seconds - self.table, 0.0) / most


@dataclass
class Schedule:
    """Opens and closes windows as `step` is called, some times a second.

    `cpu_time` has the program's CPU seconds since the schedule began; `over` takes what a window has
    recorded.
    """

    windows: Windows
    wanted: Wanted
    spending: Spending
    cpu_time: Callable[[], float]
    over: Callable[[Closed], None]
    stepping: Stepping | None = None
    """Samples accesses while a window is open."""
    window: Window | None = None
    next_opening: float = field(default_factory=time.monotonic)
    count: int = 0
    program_seconds: float = 0.0
    """What the program had used when it was last looked at."""
    _at_opening: float = 0.0
    _at_last_closing: float = 0.0

    def give_up(self) -> None:
        """Opens no further window."""
        self.next_opening = math.inf

    @property
    def is_given_up(self) -> bool:
        return self.window is None and self.next_opening == math.inf

    @property
    def is_done(self) -> bool:
        """Whether no window is open, and none will be."""
        return self.window is None and self.wanted.every is None and self.count > 0

    @property
    def pause(self) -> float:
        """Seconds until something is due; looking more often would cost CPU time itself."""
        now = time.monotonic()
        if self.window is not None:
            until = self.window.opened + self.wanted.seconds
            return min(max(min(until - now, self._until_spent(self.window, now)), SHORTEST), LOOK_AGAIN)
        if self.is_done:
            return LONGEST
        return min(max(self.next_opening - now, SHORTEST), LONGEST)

    def _until_spent(self, window: Window, now: float) -> float:
        """Half of the seconds after which the budget has no room for more, if events come as they did."""
        if self.wanted.budget is None:
            return math.inf
        events = window.events()
        rate = events / max(now - window.opened, SHORTEST)
        room = self.spending.room(self.wanted.budget, self.program_seconds, events)
        return room / rate / 2 if rate else SHORTEST

    def program(self) -> float:
        """The program's CPU seconds. A child whose parent does not wait for it takes its own along."""
        self.program_seconds = max(self.cpu_time(), self.program_seconds)
        return self.program_seconds

    def step(self) -> None:
        """Opens or closes a window, if it is time. Raises CommandError where there is no room for one."""
        now = time.monotonic()
        if self.window is not None:
            self.windows.take_in(self.window)
            if now - self.window.opened >= self.wanted.seconds or self._room(self.window.events()) <= 0:
                self.close()
        elif not self.is_done and now >= self.next_opening:
            self._open(now)

    def _open(self, now: float) -> None:
        if self._room() < LEAST_EVENTS:
            self.next_opening = now + LATER
            return
        self.next_opening = now + (self.wanted.every or 0.0)
        self._at_opening = self.program()
        self.window = self.windows.open(sampled=self.stepping is not None)
        if self.stepping is not None:
            self.stepping.start(self.window.profile)

    def _room(self, events: int = 0) -> float:
        return self.spending.room(self.wanted.budget, self.program(), events)

    def close(self) -> None:
        """Closes the window that is open, if any."""
        if self.window is None:
            return
        window, self.window = self.window, None
        self.count += 1
        program = self.program()
        sampled = None if self.stepping is None else self.stepping.stop()
        state = self.windows.close(window)
        self.spending.events += int(state["events"])
        total, recorded = program - self._at_last_closing, program - self._at_opening
        self._at_last_closing = program
        self.over(Closed(window.profile, state, round(1e9 * total), round(1e9 * recorded), sampled))
