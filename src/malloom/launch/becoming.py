"""How a command becomes the program that it runs."""

import os
import signal

from malloom.errors import CommandError
from malloom.launch.ignored_signals import to_default
from malloom.launch.program import CANNOT_RUN


def replace_process(path: str, command: list[str], environment: dict[str, str]) -> None:
    """Exec the program; raises CommandError where the kernel refuses."""
    for ignored in to_default():
        signal.signal(ignored, signal.SIG_DFL)
    try:
        os.execve(path, command, environment)
    except OSError as refusal:
        remedy = "does it run without malloom?"
        problem = f"cannot run {command[0]}: {refusal.strerror}"
        raise CommandError(problem, remedy=remedy, status=CANNOT_RUN) from refusal
