"""Commands of malloom as children of a process that has imported it already, since imports are most of what a
command takes. `make soak` starts each by itself, as its user does.
"""

import atexit
import functools
import gc
import importlib
import json
import os
import pkgutil
import signal
import socket
import subprocess
import sys
import threading
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from some import IS_SOAK

COMMAND = "from malloom.commands.main import main; main()"
"""What the installed `malloom-python` does."""
NATIVE = ("run", "cc", "c++")
"""Verbs that are, or become, other programs than Python."""
MOST_BYTES = 1 << 17
"""Of a command with its environment, which is one message."""

Finished = subprocess.CompletedProcess[str]


class Parent:
    """The process that forks: this one when it is run as a program, by each worker of the tests."""

    def __init__(self) -> None:
        self.connection, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        nothing = subprocess.DEVNULL
        with theirs:
            subprocess.Popen(
                [sys.executable, __file__, str(theirs.fileno())],
                stdin=nothing,
                stdout=nothing,
                pass_fds=[theirs.fileno()],
            )

    def run(self, message: bytes, seconds: float) -> Finished:
        """What becomes of the child that the message asks for."""
        readers, files = [], [os.open(os.devnull, os.O_RDONLY)]
        for _ in range(2):
            reading, writing = os.pipe()
            readers.append(Reader(reading))
            files.append(writing)
        socket.send_fds(self.connection, [message], files)
        for file in files:
            os.close(file)
        child = int(self.connection.recv(MOST_BYTES))
        self.connection.settimeout(seconds)
        try:
            status = int(self.connection.recv(MOST_BYTES))
        except TimeoutError:
            os.kill(child, signal.SIGKILL)
            self.connection.recv(MOST_BYTES)
            raise subprocess.TimeoutExpired(message.decode(), seconds) from None
        return subprocess.CompletedProcess([], status, *(reader.text(seconds) for reader in readers))


class Reader(threading.Thread):
    """Reads what a child prints, as subprocess does."""

    def __init__(self, file: int) -> None:
        super().__init__(daemon=True)
        self.file = file
        self.found = ""
        self.start()

    def run(self) -> None:
        with os.fdopen(self.file) as stream:
            self.found = stream.read()

    def text(self, seconds: float) -> str:
        self.join(seconds)
        assert not self.is_alive(), "a process that the command has left behind prints on"
        return self.found


@functools.cache
def parent() -> Parent:
    return Parent()


def run(code: str, words: Sequence[str | bytes | Path], folder: Path, seconds: float = 300) -> Finished:
    """What becomes of `python -c CODE WORDS` in the folder, where malloom may be imported already."""
    told = [os.fsdecode(word) for word in words]
    message = json.dumps([code, told, str(folder), dict(os.environ)]).encode()
    if IS_SOAK or len(message) > MOST_BYTES:
        command = [sys.executable, "-c", code, *told]
        return subprocess.run(
            command, cwd=folder, capture_output=True, text=True, check=False, timeout=seconds
        )
    return parent().run(message, seconds)


IMPORTED_LATE = (
    "difflib",
    "duckdb",
    "fsspec.implementations.local",
    "google.protobuf.descriptor_pb2",
    "google.protobuf.descriptor_pool",
    "google.protobuf.message_factory",
    "importlib.readers",
    "numpy.ma",
    "plotly",
    "pydantic.fields",
    "pydantic.functional_validators",
    "pydantic.type_adapter",
    "pydantic.types",
    "rich.console",
    "rich.table",
    "rich.text",
    "zoneinfo",
)
"""What commands import where they first need it."""


def import_all() -> None:
    """All that commands import sooner or later."""
    import malloom  # noqa: PLC0415  (its user has only `run` to import)

    for found in pkgutil.walk_packages(malloom.__path__, "malloom."):
        if found.name != "malloom.__main__":
            importlib.import_module(found.name)
    for name in IMPORTED_LATE:
        importlib.import_module(name)


def message_in_child(connection: socket.socket) -> tuple[str, list[str], str, dict[str, str]]:
    """Forks for each message; what it says, in the child."""
    while True:
        data, files, _, _ = socket.recv_fds(connection, MOST_BYTES, 3)
        if not data:  # the tests have ended
            sys.exit()
        child = os.fork()
        for stream, file in enumerate(files):
            if child == 0:
                os.dup2(file, stream)
            os.close(file)
        if child == 0:
            connection.close()
            code, words, folder, variables = json.loads(data)
            return code, words, folder, variables
        connection.send(b"%d" % child)
        _, status = os.waitpid(child, 0)
        connection.send(b"%d" % os.waitstatus_to_exitcode(status))


def execute_and_exit(code: str) -> NoReturn:
    """As the interpreter would, but that it takes nothing down, which would be as slow as the imports."""
    status: object = 0
    try:
        exec(code, {"__name__": "__main__"})
    except SystemExit as left:
        status = left.code or 0
    except BaseException:
        traceback.print_exc()
        status = 1
    assert isinstance(status, int)
    threading._shutdown()  # type: ignore[attr-defined]  # waits for threads that are no daemons
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


if __name__ == "__main__":
    # A command finds what the interpreter does, and not what lies beside the tests.
    sys.path[0] = str(Path(sys.executable).parent)
    import_all()
    gc.freeze()
    code, words, folder, variables = message_in_child(socket.socket(fileno=int(sys.argv[1])))
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(variables)
    # Those of the parent know where they were in what it writes to.
    sys.stdin, sys.stdout = os.fdopen(0, closefd=False), os.fdopen(1, "w", closefd=False)
    sys.stderr = os.fdopen(2, "w", buffering=1, errors="backslashreplace", closefd=False)
    sys.argv = ["malloom", *words]
    execute_and_exit(code)
