"""`malloom record --accesses`: programs behave as without it, and the accesses are there."""

import itertools
import shutil
import subprocess
from pathlib import Path

import pytest

from end_to_end.recording import COMMAND, assert_sound
from malloom.profile import HeapProfile
from some import some

SOURCE = '#include <stdio.h>\nint main(void) { printf("hello\\n"); return 0; }\n'
THREADS = (
    "import json, threading\n"
    "work = lambda: json.dumps([str(n) for n in range(500)])\n"
    "threads = [threading.Thread(target=work) for _ in range(20)]\n"
    "[t.start() for t in threads]; [t.join() for t in threads]; print('done')\n"
)
PROGRAMS = {
    "ls": ["/bin/ls", "-l", "/usr"],
    "python": ["/usr/bin/python3", "-c", "print(sorted(str(n) for n in range(2000)))"],
    "gcc": ["gcc", "-O2", "-S", "-o", "-", "hello.c"],
    "shell": ["/bin/sh", "-c", "ls /; (echo child; exit 4); exit $?"],
    "threads": ["/usr/bin/python3", "-c", THREADS],
    "killed": ["/bin/sh", "-c", "echo before; kill -TERM $$"],
}


def run(arguments: list[str], folder: Path) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(arguments, cwd=folder, capture_output=True, check=False, timeout=300)


@pytest.mark.parametrize(
    ("name", "accesses"),
    some(
        *[("ls", "full"), ("shell", "sampled"), ("threads", "full"), ("gcc", "sampled"), ("killed", "full")],
        of=itertools.product(PROGRAMS, ["full", "sampled"]),
    ),
)
def test_a_program_behaves_as_without_recording(name: str, accesses: str, tmp_path: Path) -> None:
    (tmp_path / "hello.c").write_text(SOURCE)
    profile = tmp_path / "run.profile"
    alone = run(PROGRAMS[name], tmp_path)
    recording = [str(COMMAND), "record", "-o", str(profile), "--accesses", accesses, "--"]
    recorded = run(recording + PROGRAMS[name], tmp_path)
    assert recorded.stdout == alone.stdout
    expected = alone.returncode if alone.returncode >= 0 else 128 - alone.returncode
    assert recorded.returncode in (alone.returncode, expected)
    assert_sound(profile)


@pytest.mark.parametrize("accesses", ["full", "none"])
def test_a_program_in_the_current_folder_is_recorded(accesses: str, tmp_path: Path) -> None:
    shutil.copy("/bin/echo", tmp_path / "program")
    recording = [str(COMMAND), "record", "-o", "run.profile", "--accesses", accesses, "--"]
    recorded = run([*recording, "./program", "hello"], tmp_path)
    assert (recorded.returncode, recorded.stdout) == (0, b"hello\n"), recorded.stderr


def test_no_configuration_of_dynamorio_is_left_behind(tmp_path: Path) -> None:
    before = sorted(Path.home().glob(".dynamorio*"))
    recorded = run([str(COMMAND), "record", "-o", str(tmp_path / "p"), "--", "/bin/ls"], tmp_path)
    assert recorded.returncode == 0
    assert sorted(Path.home().glob(".dynamorio*")) == before


def test_accesses_reach_the_requests_of_the_program(tmp_path: Path) -> None:
    profile = tmp_path / "run.profile"
    script = "import array; numbers = array.array('q', range(30000)); print(sum(numbers))"
    arguments = [str(COMMAND), "record", "-o", str(profile), "--accesses", "full", "--"]
    assert run([*arguments, "/usr/bin/python3", "-c", script], tmp_path).returncode == 0
    requests = HeapProfile.open(profile).requests
    numbers = requests.accesses[requests.size >= 240000]
    # Every number is stored and loaded at least once.
    assert int(numbers.max()) >= 60000


def test_the_text_form_of_recorded_accesses_brings_back_every_byte(tmp_path: Path) -> None:
    profile, text, again = (tmp_path / name for name in ("run.profile", "run.text", "again.profile"))
    arguments = [str(COMMAND), "record", "-o", str(profile), "--accesses", "full", "--", "/bin/ls", "/"]
    assert run(arguments, tmp_path).returncode == 0
    text.write_bytes(run([str(COMMAND), "profile", "to-text", str(profile)], tmp_path).stdout)
    assert run([str(COMMAND), "profile", "from-text", str(text), "-o", str(again)], tmp_path).returncode == 0
    assert again.read_bytes() == profile.read_bytes()
    lines = text.read_text().splitlines()
    assert any(line.startswith(" block ") for line in lines)
    assert "chunk raw" not in lines
