"""The program that a command is given: where it is, what it is, what keeps a library from its heap."""

import os
import platform
import shutil
import stat
from dataclasses import dataclass
from pathlib import Path

from malloom.errors import CommandError, UsageProblem
from malloom.launch.elf_file import ElfFile, NotElf, read_elf

NOT_FOUND = 127
CANNOT_RUN = 126
"""Exit statuses, as shells have them: no such program; a program that cannot be run."""

SANITIZERS = (
    "libasan.",
    "libhwasan.",
    "libtsan.",
    "libclang_rt.asan",
    "libclang_rt.hwasan",
    "libclang_rt.tsan",
)
"""Run times of gcc's sanitizers that end, or crash, where a library with a malloc comes before them."""

DEEPEST_SCRIPT = 4
"""Interpreters of interpreters that the kernel follows."""


@dataclass(frozen=True)
class Program:
    """A program as it is typed, and the ELF file that the kernel runs for it."""

    name: str
    path: str
    """What to exec, spelled as the user does: a script sees it, and a Path would lose a leading ./."""
    binary: Path
    """The ELF file: `path` itself, or the interpreter of a script."""
    elf: ElfFile
    is_readable: bool = True
    """What may be executed but not read: `elf` is a guess."""


@dataclass(frozen=True)
class Obstacle:
    """Why malloom cannot reach a program's heap, and what can be done about it."""

    problem: str
    remedy: str


def open_program(name: str) -> Program:
    """Find the program as a shell would and read what it is.

    Raises CommandError where there is no such program, or where it is neither an ELF file nor a script.
    """
    path = find_program(name)
    binary = interpreter_of(Path(path))
    try:
        return Program(name, path, binary, read_elf(binary))
    except NotElf as reason:
        remedy = "give an ELF program, or a script that begins with #! and its interpreter"
        raise CommandError(f"{binary} is {reason}", remedy=remedy, status=CANNOT_RUN) from reason
    except PermissionError:
        # What may be executed but not read is run without a look at it.
        guess = ElfFile(bits=64, machine=platform.machine(), loader="unknown")
        return Program(name, path, binary, guess, is_readable=False)


def find_program(name: str) -> str:
    """The file that execvp would run; raises CommandError with the status a shell would give."""
    if not name:
        raise UsageProblem("the program's name is empty", remedy="name a program after --")
    found = name if "/" in name else shutil.which(name) or shutil.which(name, mode=os.F_OK)
    # The PATH has no folders, and what it lacks may be one that is here.
    if found is None and Path(name).is_dir():
        found = name
    if found is None or not Path(found).exists():
        where = "there is no file" if "/" in name else "there is no program in the PATH called"
        raise CommandError(f"{where} {name}", remedy="check the name after --", status=NOT_FOUND)
    if Path(found).is_dir():
        raise CommandError(f"{name} is a folder", remedy="name the program inside it", status=CANNOT_RUN)
    if not Path(found).is_file():
        raise CommandError(f"{name} is no ordinary file", remedy="name a program", status=CANNOT_RUN)
    if not os.access(found, os.X_OK):
        raise CommandError(f"{name} is not executable", remedy=f"try 'chmod +x {name}'", status=CANNOT_RUN)
    return found


def interpreter_of(path: Path) -> Path:
    """The ELF file behind a script: follows #! lines, and `env`, which finds the interpreter in the PATH."""
    for _ in range(DEEPEST_SCRIPT):
        words = shebang(path)
        if not words:
            return path
        if Path(words[0]).name == "env":
            words = [word for word in words[1:] if not word.startswith("-") and "=" not in word] or words
        path = Path(find_interpreter(words[0], path))
    raise CommandError(
        f"{path} is a script of a script of a script", remedy="run its interpreter", status=CANNOT_RUN
    )


def find_interpreter(name: str, script: Path) -> str:
    """The file of a script's interpreter; the CommandError names the script as well."""
    try:
        return find_program(name)
    except CommandError as reason:
        problem = f"{script} is a script, but its interpreter is not to be had"
        raise CommandError(problem, remedy=str(reason).partition(";")[0], status=CANNOT_RUN) from reason


def shebang(path: Path) -> list[str]:
    """The words after #! in a script's first line; empty for what is no script."""
    try:
        with path.open("rb") as file:
            start = file.read(256)
    except PermissionError:
        return []
    if not start.startswith(b"#!"):
        return []
    return os.fsdecode(start[2:].partition(b"\n")[0]).split()


def obstacles(program: Program) -> list[Obstacle]:
    """All that keeps a preloaded library from the program's heap; empty for a program that can be reached."""
    if program.elf.bits != 64:
        return [Obstacle(f"{program.binary} is a 32-bit program", "build it for 64 bits")]
    if program.elf.machine != platform.machine():
        problem = f"{program.binary} is for another processor ({program.elf.machine})"
        return [Obstacle(problem, f"build it for {platform.machine()}")]
    found = []
    if not program.elf.loader and not program.elf.is_own_command:
        remedy = "link it dynamically (without -static), so that a library can be preloaded"
        found.append(Obstacle(f"{program.binary} is statically linked", remedy))
    elif Path(program.elf.loader).name.startswith("ld-musl-"):
        remedy = "build it with glibc: a process has one C library, and malloom's libraries need glibc"
        found.append(Obstacle(f"{program.binary} is linked with musl", remedy))
    # A static program has the C library's allocator inside, which is no reason of its own.
    elif own := sorted(program.elf.allocator, reverse=True):
        remedy = "build it without that allocator, or link the allocator as a shared library"
        found.append(Obstacle(f"{program.binary} carries its own allocator ({', '.join(own)})", remedy))
    if any(library.startswith(SANITIZERS) for library in program.elf.needed):
        remedy = "build it without -fsanitize: the sanitizer wants the heap for itself"
        found.append(Obstacle(f"{program.binary} is built with a sanitizer", remedy))
    if gains_privileges(program.binary):
        remedy = (
            "the loader ignores preloaded libraries there; run a copy without the setuid bit and capabilities"
        )
        found.append(Obstacle(f"{program.binary} gains privileges when it starts", remedy))
    return found


def gains_privileges(path: Path) -> bool:
    """Whether the program is setuid, setgid or has file capabilities."""
    if path.stat().st_mode & (stat.S_ISUID | stat.S_ISGID):
        return True
    try:
        return bool(os.getxattr(path, "security.capability"))
    except OSError:
        return False


def require_reachable(program: Program) -> None:
    """Raise CommandError for the first obstacle, if there is one."""
    for obstacle in obstacles(program):
        raise CommandError(obstacle.problem, remedy=obstacle.remedy, status=CANNOT_RUN)
