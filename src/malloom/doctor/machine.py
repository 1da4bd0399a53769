"""What of this machine stands in the way of recording, running or measuring: components are tried."""

import os
import platform
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

from malloom.cache.calibration_file import calibration_of_host
from malloom.cache.geometry import shown_bytes
from malloom.doctor.finding import Finding, good, note, problem
from malloom.errors import CommandError
from malloom.huge_pages import chosen_huge_pages
from malloom.native_files import native_file
from malloom.settings import settings

LEAST_FREE_BYTES = 1 << 30
"""A profile with accesses of a minute's run takes some hundred megabytes."""

LEAST_OPEN_FILES = 256
LEAST_ADDRESS_SPACE = 128 << 30
"""Bytes: a plan's arena spans up to 64 GiB of addresses, DynamoRIO wants room beside it."""

PATIENCE = 60
"""Seconds that a component may take for a trial."""

BUSY = 0.5
"""Share of the cores that other programs may keep busy before timings suffer."""


def examine_machine() -> Iterator[Finding]:
    for check in CHECKS:
        yield check()


def system() -> Finding:
    name = f"{name_of_system()}, {platform.machine()}"
    if platform.machine() not in ("x86_64", "aarch64"):
        return problem("system", f"{name} is not supported", "use x86-64 or AArch64")
    if platform.machine() != "x86_64":
        return note(
            "system", f"{name}: requests are recorded, accesses only on x86-64", "record with --accesses none"
        )
    return good("system", name)


def name_of_system() -> str:
    """Small containers do not say it."""
    try:
        return platform.freedesktop_os_release().get("PRETTY_NAME", "Linux")
    except OSError:
        return "Linux"


def c_library() -> Finding:
    version = platform.libc_ver()
    if version[0] != "glibc":
        return problem(
            "C library", "this Python does not run on glibc", "use a glibc system, such as Debian 12"
        )
    return good("C library", " ".join(version))


def page_size() -> Finding:
    size = os.sysconf("SC_PAGE_SIZE")
    return good("page size", f"{size} bytes")


def huge_pages() -> Finding:
    setting = chosen_huge_pages()
    if setting == "always":
        return note(
            "huge pages", "always: clearing them can cost more than they save", "measure with 'madvise' too"
        )
    return good("huge pages", setting or "not offered by this kernel")


def run_time() -> Finding:
    return trial(
        "run time", "serves a program, with mimalloc as its fallback", "reinstall malloom", preload_trial
    )


def preload_trial() -> subprocess.CompletedProcess[str]:
    library = str(native_file("libmalloom.so"))
    environment = {**os.environ, "LD_PRELOAD": library, **settings(heap="fallback")}
    # A library that cannot be loaded is left out by the loader, and the program runs without it.
    return captured(["grep", "-q", "libmalloom.so", "/proc/self/maps"], environment)


def dynamorio() -> Finding:
    remedy = "record with --accesses none; in a container, allow ptrace and personality (seccomp)"
    return trial("DynamoRIO", "runs a program", remedy, dynamorio_trial)


def dynamorio_trial() -> subprocess.CompletedProcess[str]:
    """Records a run of `true`, accesses and all, into a folder that does not stay."""
    with tempfile.TemporaryDirectory(prefix="malloom-doctor-") as folder:
        command = [sys.executable, "-P", "-m", "malloom", "record", "-o", f"{folder}/profile", "--", "true"]
        return captured(command, dict(os.environ))


def trial(
    subject: str, success: str, remedy: str, attempt: Callable[[], subprocess.CompletedProcess[str]]
) -> Finding:
    """Whether a component really does what it is for, on this machine, now."""
    try:
        done = attempt()
    except subprocess.TimeoutExpired:
        return problem(subject, f"did not answer within {PATIENCE} s", remedy)
    except CommandError as missing:
        return problem(subject, str(missing), "")
    if done.returncode:
        said = done.stderr.strip().splitlines()[-1:] or [f"exit status {done.returncode}"]
        return problem(subject, f"fails: {said[0].removeprefix('malloom: ')}", remedy)
    return good(subject, success)


def captured(command: list[str], environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Runs a command, which is ended with all that it has started where it takes too long."""
    with subprocess.Popen(
        command,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            output, errors = process.communicate(timeout=PATIENCE)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
    return subprocess.CompletedProcess(command, process.returncode, output, errors)


def valgrind() -> Finding:
    if shutil.which("valgrind") is None:
        return note(
            "valgrind", "not installed; only 'malloom bench' counts misses with it", "install valgrind"
        )
    asked = partial(captured, ["valgrind", "--version"], dict(os.environ))
    return trial("valgrind", "answers", "reinstall it", asked)


def tracing() -> Finding:
    scope = read_number("/proc/sys/kernel/yama/ptrace_scope")
    if scope == 3:
        return note(
            "ptrace", "switched off for good on this machine (yama ptrace_scope 3): no debugger can attach"
        )
    return good("ptrace", "not restricted" if scope is None else f"yama ptrace_scope {scope}")


def confinement() -> Finding:
    filters = "\nSeccomp:\t2" in Path("/proc/self/status").read_text()
    container = any(Path(mark).exists() for mark in ("/.dockerenv", "/run/.containerenv"))
    if filters:
        text = "system calls are filtered" + (" by a container" if container else "")
        return note("seccomp", text, "where DynamoRIO fails, run without the filter")
    return good("seccomp", "a container without a filter" if container else "no filter")


def disk_space() -> Finding:
    free = shutil.disk_usage(".").free
    text = f"{free / (1 << 30):.1f} GiB free in this folder"
    if free < LEAST_FREE_BYTES:
        return problem("disk", text, "make room, or record with --max-size")
    return good("disk", text)


def open_files() -> Finding:
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    if limit != resource.RLIM_INFINITY and limit < LEAST_OPEN_FILES:
        return problem("open files", f"at most {limit}", f"try 'ulimit -n {LEAST_OPEN_FILES}'")
    return good("open files", "no limit" if limit == resource.RLIM_INFINITY else f"at most {limit}")


def address_space() -> Finding:
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    if limit != resource.RLIM_INFINITY and limit < LEAST_ADDRESS_SPACE:
        return problem(
            "addresses", f"at most {limit >> 20} MiB of address space", "try 'ulimit -v unlimited'"
        )
    if read_number("/proc/sys/vm/overcommit_memory") == 2:
        return note(
            "addresses", "strict overcommit: a plan's arena may be refused, and the fallback serves then"
        )
    return good("addresses", "no limit")


def cores() -> Finding:
    count = len(os.sched_getaffinity(0))
    busy = os.getloadavg()[0]
    text = f"{count}, load {busy:.1f}"
    if busy > BUSY * count:
        return note(
            "cores", f"{text}: other programs disturb timings", "wait until the machine is idle to measure"
        )
    return good("cores", text)


def latencies() -> Finding:
    found = calibration_of_host(tuple(shown_bytes()))
    if isinstance(found, str):
        return note("latencies", f"not known: {found}", "try again when the machine is idle")
    return good("latencies", str(found))


def read_number(file: str) -> int | None:
    try:
        return int(Path(file).read_text())
    except (OSError, ValueError):
        return None


CHECKS = (
    system,
    c_library,
    page_size,
    huge_pages,
    run_time,
    dynamorio,
    valgrind,
    tracing,
    confinement,
    disk_space,
    open_files,
    address_space,
    cores,
    latencies,
)
