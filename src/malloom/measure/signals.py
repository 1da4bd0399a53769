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
    """Within the block these signals raise SystemExit, and SIGINT KeyboardInterrupt: all is cleaned up, which
    no further one interrupts.

    One that is ignored, as under nohup, stays ignored. For the main thread.
    """
    before = {number: signal.getsignal(number) for number in (*ENDING, signal.SIGINT)}
    changed = {
        number: handler
        for number, handler in before.items()
        if handler in (signal.SIG_DFL, signal.default_int_handler)
    }
    for number in changed:
        signal.signal(number, _exit)
    try:
        yield
    finally:
        for number, handler in changed.items():
            signal.signal(number, handler)


def _exit(number: int, frame: FrameType | None) -> None:
    for each in (*ENDING, signal.SIGINT):
        signal.signal(each, signal.SIG_IGN)
    if number == signal.SIGINT:
        signal.default_int_handler(number, frame)
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
