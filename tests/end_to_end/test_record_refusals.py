"""`malloom record` with what it cannot record: one line, a status, and nothing left behind."""

import os
import subprocess
from pathlib import Path

import pytest

from end_to_end.recording import COMMAND, assert_sound

EMPTY = "int main(void) { return 0; }"
OWN_ALLOCATOR = """
#include <stddef.h>
static char arena[1 << 16];
static size_t used;
void* malloc(size_t size) { used += (size + 15) & ~15ul; return arena + used - ((size + 15) & ~15ul); }
void free(void* object) { (void)object; }
int main(void) { return 0; }
"""


def assert_refused(done, status: int, words: str, folder: Path) -> None:
    assert done.returncode == status, done.stderr
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert words in done.stderr
    assert not list(folder.glob("profile*"))


def test_programs_that_cannot_be_recorded(malloom, compile_c, tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_text("no program")
    text.chmod(0o755)
    closed = tmp_path / "closed"
    closed.write_text("#!/bin/sh\n")
    for program, status, words in (
        ("no-such-program", 127, "no program in the PATH called no-such-program"),
        (tmp_path / "absent", 127, "there is no file"),
        (text, 126, "ELF"),
        (closed, 126, "not executable"),
        (tmp_path, 126, "is a folder"),
    ):
        assert_refused(malloom("record", "-o", "profile", "--", program), status, words, tmp_path)


@pytest.mark.parametrize(
    ("start", "words"),
    [
        ("#!", "no ELF file"),
        ("#! \n", "no ELF file"),
        ("#!/no/such/interpreter\n", "script, but its interpreter"),
    ],
)
def test_scripts_without_an_interpreter(malloom, tmp_path: Path, start: str, words: str) -> None:
    script = tmp_path / "script"
    script.write_text(start)
    script.chmod(0o755)
    assert_refused(malloom("record", "-o", "profile", "--", script), 126, words, tmp_path)


def test_what_is_no_program_in_the_path_is_passed_over(malloom, tmp_path: Path) -> None:
    (tmp_path / "true").write_text("no program")
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    assert malloom("run", "--", "true", env=environment).returncode == 0


@pytest.mark.parametrize(
    ("source", "flags", "words"),
    [
        (EMPTY, ["-static"], "statically linked"),
        (OWN_ALLOCATOR, ["-fno-builtin"], "carries its own allocator (malloc, free)"),
        (OWN_ALLOCATOR, ["-fno-builtin", "-fvisibility=hidden"], "carries its own allocator"),
    ],
)
def test_programs_out_of_reach(
    malloom, compile_c, tmp_path: Path, source: str, flags: list[str], words: str
) -> None:
    assert_refused(malloom("record", "-o", "profile", "--", compile_c(source, *flags)), 126, words, tmp_path)


def test_setuid_programs(malloom, compile_c, tmp_path: Path) -> None:
    program = compile_c(EMPTY)
    program.chmod(0o4755)
    assert_refused(malloom("record", "-o", "profile", "--", program), 126, "gains privileges", tmp_path)


def test_programs_that_cannot_be_read(compile_c, tmp_path: Path) -> None:
    program = compile_c(EMPTY)
    program.chmod(0o111)
    # Root reads everything, unless it gives that up.
    humble = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] if os.geteuid() == 0 else []

    def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
        command = [*humble, COMMAND, *arguments, "--", program]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert_refused(run("record", "-o", "profile"), 126, "record with --accesses none", tmp_path)
    assert "may be executed but not read" in run("doctor").stdout
    assert run("record", "-o", "profile", "--accesses", "none").returncode == 0


def test_32_bit_programs(malloom, compile_c, tmp_path: Path) -> None:
    program = compile_c(EMPTY)
    image = bytearray(program.read_bytes())
    image[4] = 1  # EI_CLASS: ELFCLASS32
    program.write_bytes(image)
    assert_refused(malloom("record", "-o", "profile", "--", program), 126, "32-bit", tmp_path)


def test_places_where_no_profile_can_be(malloom, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    for output, words in (("absent/profile", "there is no folder"), ("folder", "is a folder")):
        done = malloom("record", "-o", output, "--", "true")
        assert (done.returncode, words in done.stderr) == (2, True), done.stderr
    assert not list((tmp_path / "folder").iterdir())


def test_an_existing_profile_is_kept_unless_forced(malloom, tmp_path: Path) -> None:
    profile = tmp_path / "profile"
    assert malloom("record", "-o", profile, "--accesses", "none", "--", "ls").returncode == 0
    precious = profile.read_bytes()
    done = malloom("record", "-o", profile, "--accesses", "none", "--", "true")
    assert done.returncode == 2
    assert "exists already" in done.stderr
    assert profile.read_bytes() == precious
    assert malloom("record", "-o", profile, "--accesses", "none", "--force", "--", "true").returncode == 0
    assert profile.read_bytes() != precious
    assert_sound(profile)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--max-size", "lots"], "is no size"),
        (["--max-size", "10"], "too small"),
        (["--accesses", "some"], "there are no accesses 'some'"),
        (["--depth", "33"], "must be 32 or less"),
    ],
)
def test_options_out_of_range(malloom, tmp_path: Path, options: list[str], words: str) -> None:
    assert_refused(malloom("record", "-o", "profile", *options, "--", "true"), 2, words, tmp_path)


def test_scripts_are_recorded_through_their_interpreter(malloom, tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text("#!/bin/sh\necho from a script\n")
    script.chmod(0o755)
    done = malloom("record", "-o", "profile", "--accesses", "none", "--", "./script")
    assert (done.returncode, done.stdout) == (0, "from a script\n")
