"""Signals that end a long measurement: temporary folders and running programs must not outlive it."""

import errno
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

ENDING = (signal.SIGTERM, signal.SIGHUP)


@contextmanager
def ended_in_order() -> Iterator[None]:
    """Within the block these signals raise SystemExit, as SIGINT raises KeyboardInterrupt: all is cleaned up.

    One that is ignored, as under nohup, stays ignored. For the main thread.
    """
    before = {number: signal.getsignal(number) for number in ENDING}
    changed = [number for number, handler in before.items() if handler is signal.SIG_DFL]
    for number in changed:
        signal.signal(number, _exit)
    try:
        yield
    finally:
        for number in changed:
            signal.signal(number, signal.SIG_DFL)


def _exit(number: int, _frame: FrameType | None) -> None:
    if number == signal.SIGHUP:
        _let_go_of_a_lost_terminal()
    raise SystemExit(128 + number)


def _let_go_of_a_lost_terminal() -> None:
    """Has standard output and error go nowhere where their terminal is gone: what was found is still written
    to files, and no line about it may fail."""
    for descriptor in (1, 2):
        try:
            os.tcgetpgrp(descriptor)
        except OSError as error:
            if error.errno == errno.EIO:
                os.dup2(os.open(os.devnull, os.O_WRONLY), descriptor)
