"""How a program is started under DynamoRIO, with a client or alone."""

import resource

from malloom.native_files import native_file

WITHOUT_TRACES = "-disable_traces"
"""Traces of blocks are built from instrumented code a second time, and seldom pay for that. But bursts of a
sampled recording end and begin only when a thread leaves code that is linked into a loop, which making traces
has it do."""


ROOMY = 16 << 30
"""DynamoRIO reserves 10 GiB of addresses, and ends the program where it does not get them."""


LETS_STREAMS_GO = "-no_dup_stdin_on_close -no_dup_stdout_on_close"
"""Otherwise a standard stream that the program closes stays open in DynamoRIO: who reads from the pipe whose
end it was waits for ever."""

LETS_ERRORS_GO = "-no_dup_stderr_on_close"
"""The same of standard error, which statistics at the end go to."""

LETS_CALLS_END = "-no_ignore_syscalls"
"""Otherwise calls of the system that DynamoRIO need not look at begin anew when a signal has interrupted
them, also where the handler was to end them (EINTR): a program that waits for that waits for ever. Each call
takes some 0.2 microseconds more."""


def launch_prefix(accesses: str) -> tuple[list[str], dict[str, str]]:
    """What comes before the program's path on the command line, and environment variables beside it.

    Raises CommandError where the installation lacks a part.
    """
    options = "limit=4000000 burst=1000000 gap=20" if accesses == "sampled" else ""
    core_options = LETS_ERRORS_GO if options else f"{LETS_ERRORS_GO} {WITHOUT_TRACES}"
    return under_dynamorio("libmalloom_accesses.so", options, core_options=core_options), {}


def under_dynamorio(client: str, options: str = "", *, core_options: str = "") -> list[str]:
    """What comes before the program's path to run it under DynamoRIO; `client` may be empty: DynamoRIO alone.

    Raises CommandError where the installation lacks a part.
    """
    reserving = reservations(resource.getrlimit(resource.RLIMIT_AS)[0])
    core_options = f"{LETS_STREAMS_GO} {LETS_CALLS_END} {core_options} {reserving}".strip()
    launcher, core = native_file("malloom_launch"), native_file("libdynamorio.so")
    library = str(native_file(client)) if client else ""
    return [str(launcher), str(core), core_options, library, options, "--"]


def reservations(address_space: int) -> str:
    """DynamoRIO's options for what it reserves at its start, as shares of the bytes that the user allows."""
    if address_space == resource.RLIM_INFINITY or address_space >= ROOMY:
        return ""
    mebibytes = address_space >> 20
    return f"-vm_size {mebibytes // 16}M -vmheap_size {mebibytes // 8}M"
