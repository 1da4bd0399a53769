"""What of a program stands in the way of recording it, running it with a plan, or reading its report."""

from collections.abc import Iterator
from pathlib import Path

from malloom.doctor.finding import Finding, good, note, problem
from malloom.launch.elf_file import ElfFile
from malloom.launch.program import Program, obstacles
from malloom.report.debug_files import find_debug_information

OTHER_ALLOCATORS = ("jemalloc", "tcmalloc", "mimalloc", "tbbmalloc")

MANAGED = {
    "Go": "Go's own heap holds its objects; only what it asks of C is seen",
    "Java": "the Java heap holds its objects; only what native code asks for is seen",
    "JavaScript": "the JavaScript heap holds its objects; only what native code asks for is seen",
    "Python": "CPython keeps small objects in pools of its own",
}


def examine_program(program: Program) -> Iterator[Finding]:
    if not program.is_readable:
        text = f"{program.binary} may be executed but not read: what it is cannot be told"
        yield note("program", text, "record with --accesses none; DynamoRIO must read what it runs")
        return
    kind = "a script for " if program.binary != Path(program.path) else ""
    yield good("program", f"{kind}{program.binary}, {program.elf.bits}-bit {program.elf.machine}")
    hurdles = obstacles(program)
    yield from (problem("program", hurdle.problem, hurdle.remedy) for hurdle in hurdles)
    if not hurdles:
        yield good("heap", "a preloaded library reaches it")
    yield from other_allocators(program.elf)
    yield from language(program)
    yield identity(program.elf)
    yield debug_information(program.binary, program.elf)


def other_allocators(elf: ElfFile) -> Iterator[Finding]:
    for library in elf.needed:
        if any(name in library for name in OTHER_ALLOCATORS):
            text = (
                f"linked with {library}: malloom comes before it; calls of its own interface still go to it"
            )
            yield note("allocator", text)


def language(program: Program) -> Iterator[Finding]:
    """A word on programs whose objects do not come from malloc."""
    found = managed_language(program.binary.resolve().name, program.elf)
    if found:
        remedy = "record with PYTHONMALLOC=malloc to see them" if found == "Python" else ""
        yield note("language", f"{found}: {MANAGED[found]}", remedy)


def managed_language(name: str, elf: ElfFile) -> str:
    """The language whose run time the program is; empty for C, C++ and their like."""
    if ".go.buildinfo" in elf.sections or ".note.go.buildid" in elf.sections:
        return "Go"
    if name == "java" or any(library.startswith(("libjvm", "libjli")) for library in elf.needed):
        return "Java"
    if name in ("node", "deno", "bun"):
        return "JavaScript"
    if name.startswith(("python", "pypy")) or any(library.startswith("libpython") for library in elf.needed):
        return "Python"
    return ""


def identity(elf: ElfFile) -> Finding:
    if not elf.build_id:
        text = "none: a plan fits this very file and not its next build"
        return note("build-id", text, "link with -Wl,--build-id")
    return good("build-id", elf.build_id)


def debug_information(binary: Path, elf: ElfFile) -> Finding:
    """Whether a report will find files and lines."""
    found = find_debug_information(binary, elf.build_id)
    if found is None:
        return note(
            "debug info",
            "none: reports show functions where there are symbols",
            "build with -g, or install -dbgsym",
        )
    where = "in the program" if found.path == binary else str(found.path)
    if found.lies_apart:
        text = (
            f"{where}, and the rest in other files, which are not read: reports show functions without lines"
        )
        return note("debug info", text, "build without -gsplit-dwarf")
    return good("debug info", f"{where}: reports show files and lines")
