"""`malloom record --tables`, `malloom merge`, and what reads a fleet."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from end_to_end.conftest import COMMAND, Finished
from malloom.fleet.origin import KEY

PROGRAM = """
#include <stdlib.h>
struct node { struct node* next; long value[SIZE]; };
static struct node* push(struct node* next, long value) {
    struct node* made = malloc(sizeof *made);
    made->next = next;
    made->value[0] = value;
    return made;
}
static long* row(long value) {
    long* made = malloc(200);
    made[3] = value;
    return made;
}
int main(void) {
    long sum = 0;
    for (int round = 0; round < 5; round++) {
        struct node* all = 0;
        long* rows[400];
        for (int i = 0; i < 400; i++) {
            all = push(all, i);
            rows[i] = row(i);
        }
        for (int i = 0; i < 400; i++) {
            struct node* next = all->next;
            sum += all->value[0] + rows[i][3];
            free(all);
            free(rows[i]);
            all = next;
        }
    }
    return sum == 42;
}
"""


def built(folder: Path, text: str, size: int) -> Path:
    folder.mkdir()
    (folder / "service.c").write_text(text)
    flags = ["-g", "-O1", f"-DSIZE={size}", "-fno-inline"]
    subprocess.run(["gcc", *flags, "service.c", "-o", "service"], cwd=folder, check=True)
    return folder / "service"


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with tables of two builds in `tables`, and both builds."""
    folder = tmp_path_factory.mktemp("fleet")
    (folder / "tables").mkdir()
    old = built(folder / "old", PROGRAM, 3)
    new = built(folder / "new", PROGRAM.replace("int main", "\n\n\nint main"), 7)
    for name, program, options in (("a", old, []), ("b", old, ["--anonymous"]), ("c", new, ["--anonymous"])):
        table = folder / f"tables/{name}.parquet"
        command = [COMMAND, "record", "--tables", *options, "-o", table, "--", program]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    return folder


def succeeded(done: Finished) -> str:
    assert done.returncode == 0, done.stderr
    return str(done.stdout)


def test_tables_of_two_builds_become_a_fleet(malloom: Callable[..., Finished], fleet: Path) -> None:
    told = succeeded(malloom("merge", fleet / "tables", "-o", "web.fleet"))
    assert "3 tables of 2 hosts and 2 builds" in told
    assert "100% of its requests found in the builds before" in told
    assert "1 context with objects of another size" in told
    report = succeeded(malloom("report", "web.fleet"))
    assert "push service.c:5 < main" in report
    assert "6,000" in report
    document = json.loads(succeeded(malloom("report", "web.fleet", "--json")))
    first = max(document["contexts"], key=lambda each: each["bytes"])
    assert [kind["size"] for kind in first["kinds"]] == [200]
    assert document["requests"] == 12000


def test_an_anonymous_table_tells_of_no_folder_host_or_argument(fleet: Path) -> None:
    data = (fleet / "tables/b.parquet").read_bytes()
    assert KEY.encode() in data
    host = subprocess.run(["hostname"], capture_output=True, check=True).stdout.strip()
    assert str(fleet).encode() not in data
    assert b'"host": "' + host + b'"' not in data
    assert b'"arguments": []' in data
    assert str(fleet).encode() in (fleet / "tables/a.parquet").read_bytes()


def test_fleets_are_compared_for_one_host(malloom: Callable[..., Finished], fleet: Path) -> None:
    succeeded(malloom("merge", fleet / "tables/a.parquet", "-o", "old.fleet"))
    succeeded(malloom("merge", fleet / "tables/c.parquet", "-o", "new.fleet"))
    found = json.loads(succeeded(malloom("diff", "old.fleet", "new.fleet", "--json")))
    sites = {site["name"].split()[0]: site for site in found["sites"]}
    assert sites["push"]["old"]["bytes"] == 2000 * 32
    assert sites["push"]["new"]["bytes"] == 2000 * 64
    assert sites["push"]["match"] == "moved"
    assert "grew" in sites["push"]["words"]
    assert sites["row"]["words"] == []


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["nothing"], "there is no table nothing; name a folder, files or a pattern"),
        (["tables", "--weight", "size"], "there is no weight 'size'"),
        (["tables", "--program", "other"], "no table is of the program 'other'; they are of service"),
        (["tables", "--build", "xyz"], "no table is of these builds"),
        (["tables", "-o", "tables/a.parquet"], "exists already"),
        (["nothing://place"], "nothing://place cannot be read"),
        (["old/service"], "old/service is no table of a host"),
    ],
)
def test_what_cannot_be_merged_is_refused_in_a_line(
    malloom: Callable[..., Finished], fleet: Path, tmp_path: Path, arguments: list[str], reason: str
) -> None:
    where = [] if "-o" in arguments else ["-o", str(tmp_path / "fleet")]
    done = malloom("merge", *arguments, *where, cwd=fleet)
    assert done.returncode in (1, 2)
    assert reason in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "fleet").exists()


def test_what_a_table_cannot_be_asked_is_refused(malloom: Callable[..., Finished], fleet: Path) -> None:
    table = fleet / "tables/a.parquet"
    assert "no report as csv" in malloom("report", table, "--format", "csv").stderr
    assert "leave out --anonymous" in malloom("record", "--anonymous", "-o", "p", "--", "true").stderr


def test_a_program_without_requests_leaves_no_table(malloom: Callable[..., Finished], tmp_path: Path) -> None:
    (tmp_path / "empty.c").write_text("int main(void) { return 0; }")
    subprocess.run(["gcc", "empty.c", "-o", "empty"], cwd=tmp_path, check=True)
    done = malloom("record", "--tables", "-o", "table.parquet", "--", "./empty")
    assert done.returncode == 1
    assert "made no request" in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["empty", "empty.c"]
