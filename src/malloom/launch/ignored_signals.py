"""Which signals a program ignores from its start, as it would without malloom.

Python ignores some from its own start on, and what it starts would inherit that; whether its caller had
ignored them it does not know. So the command that becomes Python's tells it, in a variable.
"""

import os
import signal

VARIABLE = "MALLOOM_IGNORED_SIGNALS"
"""Numbers, with commas between them, as src/native/command/installation.cpp writes them. No program is to
see it."""

PYTHONS = (signal.SIGPIPE, signal.SIGXFSZ)
"""Those that Python ignores."""


def to_default() -> tuple[signal.Signals, ...]:
    """Signals that Python ignores and the program is not to."""
    told = os.environ.get(VARIABLE, "").split(",")
    return tuple(each for each in PYTHONS if str(each.value) not in told)
