"""Files that find no room, temporary ones of `malloom optimize` too: one line, and nothing left behind."""

import os
import shlex
import subprocess
from pathlib import Path

import pytest

from end_to_end.conftest import COMMAND, Finished, done_well

# Prints as many KiB as it is told; makes as many objects, and one less each round.
PRINTING = """
#include <stdio.h>
#include <stdlib.h>
int main(int count, char** arguments) {
    long kibibytes = atol(arguments[1]), objects = atol(arguments[2]);
    void** made = malloc(objects * sizeof *made);
    for (int round = 0; round < 3; ++round) {
        for (long i = 0; i < objects; ++i) made[i] = calloc(1, 16 + (size_t)i % 64);
        for (long i = 0; i < objects; ++i) free(made[i]);
    }
    for (long i = 0; i < kibibytes * 16; ++i) printf("%63ld\\n", i);
    return 0;
}
"""


ONE_PLAN = ("--strategy", "sequential", "--accesses", "none")


def on_small_disk(folder: Path, size: str, *arguments: object) -> Finished:
    """The command with temporary files on a disk of its own, and then what is left there."""
    mounted = f"mount -t tmpfs -o size={size} none {shlex.quote(str(folder))}"
    run = shlex.join(map(str, (COMMAND, *arguments)))
    listed = f"status=$?; ls -A {shlex.quote(str(folder))}; exit $status"
    command = ["unshare", "--mount", "--map-root-user", "sh", "-c", f"{mounted} && {{ {run}; {listed}; }}"]
    environment = {**os.environ, "TMPDIR": str(folder)}
    return subprocess.run(
        command, check=False, capture_output=True, text=True, env=environment, cwd=folder.parent, timeout=300
    )


@pytest.mark.parametrize(
    ("size", "arguments", "options", "words"),
    [
        pytest.param("64k", ("200", "10"), ONE_PLAN, "there is no room left in", id="what it prints"),
        pytest.param("120k", ("1", "200000"), ONE_PLAN, "there is no room left in", id="a recording"),
        pytest.param("120k", ("1", "200000"), (), "there is no room left in", id="the least of recordings"),
        pytest.param("1m", ("1", "200000"), ONE_PLAN, "No space left", id="a plan"),
    ],
)
def test_one_line_says_so_and_nothing_stays(  # type: ignore[no-untyped-def]
    compile_c, tmp_path: Path, size: str, arguments: tuple[str, str], options: tuple[str, ...], words: str
) -> None:
    program, folder = compile_c(PRINTING), tmp_path / "small"
    folder.mkdir()
    always = ("--seconds", "0", "-o", "made.plan")
    done = on_small_disk(folder, size, "optimize", *options, *always, "--", program, *arguments)
    # Standard output would have what is left on the disk.
    assert (done.returncode, done.stdout) == (1, "")
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith("malloom: ") and words in last
    assert "Traceback" not in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == [program.name, folder.name]


def test_tables_of_hosts_say_so_as_all_other_files(compile_c, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    program, folder = compile_c(PRINTING), tmp_path / "small"
    folder.mkdir()
    done_well(tmp_path, "record", "-o", "run.profile", "--", program, "1", "10")
    done_well(tmp_path, "report", "run.profile", "--format", "parquet", "-o", "run.parquet")
    for words in (("report", "run.profile", "--format", "parquet"), ("merge", "run.parquet")):
        done = on_small_disk(folder, "4k", *words, "-o", folder / "made.parquet")
        assert (done.returncode, done.stdout) == (1, "")
        said = f"malloom: cannot write {folder}/made.parquet: No space left on device; nothing was written"
        assert done.stderr.strip().splitlines()[-1] == said
