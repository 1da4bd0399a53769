"""Facts of ELF files agree with binutils, and no file can make the reader fail in a way of its own."""

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from malloom.launch.elf_file import NotElf, read_elf

PROGRAMS = [Path("/bin/true"), Path("/bin/bash"), Path("/usr/bin/dot")]
WHOLE = Path("/bin/true").read_bytes()


def readelf(*arguments: str | Path) -> str:
    return subprocess.check_output(["readelf", "--wide", *arguments], text=True)


@pytest.mark.parametrize("program", PROGRAMS)
def test_agrees_with_readelf(program: Path) -> None:
    found = read_elf(program)
    assert found.bits == 64
    assert f"[Requesting program interpreter: {found.loader}]" in readelf("--segments", program)
    assert f"Build ID: {found.build_id}" in readelf("--notes", program)
    assert found.allocator == frozenset()
    dynamic = readelf("--dynamic", program)
    assert [name for name in found.needed if f"Shared library: [{name}]" not in dynamic] == []
    assert dynamic.count("(NEEDED)") == len(found.needed)


@pytest.mark.parametrize(
    ("source", "flags", "functions"),
    [
        ("void* malloc(unsigned long n) { return (void*)n; }", [], {"malloc"}),
        ("void free(void* object) { (void)object; }", ["-fvisibility=hidden"], {"free"}),
        ("void* xmalloc(unsigned long n) { return (void*)n; }", [], set()),
        ("void* malloc(unsigned long); void* keep(void) { return malloc(1); }", [], set()),
        ("void* malloc_free; int free_;", [], set()),
    ],
)
def test_finds_the_programs_own_allocator(
    tmp_path: Path, source: str, flags: list[str], functions: set[str]
) -> None:
    program = tmp_path / "program"
    command = ["gcc", "-fno-builtin", *flags, "-x", "c", "-", "-o", program]
    subprocess.run(command, input=f"{source}\nint main(void) {{ return 0; }}", text=True, check=True)
    assert read_elf(program).allocator == functions


@given(changes=st.lists(st.tuples(st.integers(0, 0x800), st.integers(0, 255)), max_size=8))
def test_damage_is_noticed_or_harmless(
    tmp_path_factory: pytest.TempPathFactory, changes: list[tuple[int, int]]
) -> None:
    content = bytearray(WHOLE)
    for place, value in changes:
        content[place] = value
    assert_readable_or_no_elf(tmp_path_factory, bytes(content))


@given(size=st.integers(0, len(WHOLE)))
def test_cut_is_noticed_or_harmless(tmp_path_factory: pytest.TempPathFactory, size: int) -> None:
    assert_readable_or_no_elf(tmp_path_factory, WHOLE[:size])


def assert_readable_or_no_elf(folders: pytest.TempPathFactory, content: bytes) -> None:
    file = folders.mktemp("elf") / "file"
    file.write_bytes(content)
    try:
        read_elf(file)
    except NotElf as reason:
        assert str(reason) in ("no ELF file", "an ELF file with damaged headers")
