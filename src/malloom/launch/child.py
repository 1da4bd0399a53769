"""Starts the program under a recorder and waits for it, passing signals on."""

import os
import signal
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, suppress
from types import MappingProxyType, TracebackType

from malloom.errors import CommandError
from malloom.launch.ignored_signals import to_default
from malloom.launch.program import CANNOT_RUN

FORWARDED = (signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2, signal.SIGINT, signal.SIGQUIT)
"""What is passed on to the program when it was sent to malloom alone."""

FROM_KERNEL = 0x80
"""si_code of a signal from the terminal, which has reached the program already."""

SWEEP_SECONDS = 1.0
"""How often what ended processes have staged is taken in."""


def _has_had(received: signal.struct_siginfo, child: int) -> bool:
    """Whether the program has had a signal already: from the terminal, or it has sent it itself."""
    return received.si_code == FROM_KERNEL or received.si_pid == child


class SignalsHeld(AbstractContextManager["SignalsHeld"]):
    """Blocks the signals that are passed on, so that they are waited for and not acted on."""

    cpu_seconds = 0.0
    """Of the child that was waited for, with those that it has waited for."""

    def __enter__(self) -> "SignalsHeld":
        # Ignored it would not come, and the child's status would be lost.
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        self.before = signal.pthread_sigmask(signal.SIG_BLOCK, {*FORWARDED, signal.SIGCHLD})
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        signal.pthread_sigmask(signal.SIG_SETMASK, self.before)

    def start(self, path: str, arguments: list[str], environment: dict[str, str]) -> int:
        """Start the program with the signal mask and dispositions that malloom was started with, but that it
        does not ignore SIGCHLD; its pid."""
        try:
            return os.posix_spawn(
                path,
                arguments,
                environment,
                setsigmask=self.before,
                setsigdef=to_default(),
            )
        except OSError as refusal:
            problem = f"cannot run {path}: {refusal.strerror}"
            raise CommandError(problem, remedy="does it run without malloom?", status=CANNOT_RUN) from refusal

    def wait(
        self,
        child: int,
        sweep: Callable[[], object],
        pause: Callable[[], float] = lambda: SWEEP_SECONDS,
        heard: Mapping[int, Callable[[], object]] = MappingProxyType({}),
    ) -> int:
        """Wait for the child's end, and call `sweep` after each pause, in seconds; its wait status. Signals
        among those `heard` are answered here, and not passed on."""
        while True:
            received = signal.sigtimedwait({*FORWARDED, signal.SIGCHLD}, pause())
            if received is None:
                sweep()
            elif received.si_signo in heard:
                heard[received.si_signo]()
            elif received.si_signo != signal.SIGCHLD and not _has_had(received, child):
                # It may be another user's by now, as by sudo.
                with suppress(PermissionError):
                    os.kill(child, received.si_signo)
            ended, status, used = os.wait4(child, os.WNOHANG)
            if ended:
                self.cpu_seconds = used.ru_utime + used.ru_stime
                return status
