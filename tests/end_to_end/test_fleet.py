"""`malloom record --tables`, `malloom merge`, and what reads a fleet."""

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

from end_to_end.conftest import Finished, done_well
from malloom.fleet.origin import KEY
from malloom.layout.plan_file import read_plan
from malloom.sites.table import decode

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
        done_well(folder, "record", "--tables", *options, "-o", table, "--", program)
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


def test_a_table_is_not_replaced_by_its_fleet(malloom: Callable[..., Finished], fleet: Path) -> None:
    table = fleet / "tables/a.parquet"
    before = table.read_bytes()
    done = malloom("merge", fleet / "tables", "-o", table, "--force")
    assert done.returncode == 2
    assert done.stderr == f"malloom: {table} is what is to be read; choose another\n"
    assert table.read_bytes() == before


@pytest.mark.parametrize(
    "command", [["merge", "-o", "out"], ["report"], ["report", "--json"], ["plan", "-o", "out"], ["diff"]]
)
@pytest.mark.parametrize("selection", ["* exclude (chain)", "* replace (null::ubigint as requests)", ""])
def test_a_bad_table_is_refused_in_a_line_by_its_name(
    malloom: Callable[..., Finished], fleet: Path, tmp_path: Path, command: list[str], selection: str
) -> None:
    good, bad = fleet / "tables/a.parquet", tmp_path / "bad\n\x1b.parquet"
    rewritten(good, bad, selection)
    done = malloom(*command, *([good] if command[0] in ("merge", "diff") else []), bad)
    assert done.returncode == 1
    assert re.fullmatch(r"malloom: .*/bad .*\.parquet is damaged.*; .*\n", done.stderr)
    assert "a.parquet" not in done.stderr
    assert not (tmp_path / "out").exists()


def rewritten(good: Path, bad: Path, selection: str) -> None:
    """A table with other rows; without a selection one that lacks bytes in the middle."""
    data = good.read_bytes()
    if not selection:
        bad.write_bytes(data[:100] + data[500:])
        return
    value = duckdb.execute("select value from parquet_kv_metadata(?)", [str(good)]).fetchall()[0][0].decode()
    text = value.replace("'", "''")
    options = f"format parquet, compression zstd, kv_metadata {{{KEY}: '{text}'}}"
    duckdb.execute(f"copy (select {selection} from read_parquet('{good}')) to '{bad}' ({options})")


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


def pooled(malloom: Callable[..., Finished], plan: str, program: Path) -> int:
    """Objects that a run with the plan placed in pools, by its statistics."""
    done = malloom("run", "--plan", plan, "--statistics", "--", program)
    succeeded(done)
    found = re.search(r"pooled (\d+) ", done.stderr)
    return int(found[1]) if found else 0


def test_a_fleets_plan_is_good_for_each_of_its_builds(malloom: Callable[..., Finished], fleet: Path) -> None:
    succeeded(malloom("merge", fleet / "tables", "-o", "web.fleet"))
    told = json.loads(succeeded(malloom("plan", "web.fleet", "-o", "web.plan", "--json")))
    assert told["pools"] == 4
    assert len(told["builds"]) == 2
    report = succeeded(malloom("report", "web.plan"))
    assert "made from a fleet of 2 hosts, good for the builds" in report
    for build in ("old", "new"):
        assert pooled(malloom, "web.plan", fleet / build / "service") >= 4000
    succeeded(malloom("deploy", "web.plan", "-o", "deployed"))


def keys_of(section: bytes) -> dict[int, tuple[object, ...]]:
    """Of each context its call sites, in whatever order the section has them."""
    table = decode(section, "the plan")
    return {
        each.hash: (each.requests, *(table.frames[frame].site for frame in each.frames))
        for each in table.contexts
    }


def test_one_hosts_table_gives_the_plan_of_its_profile(
    malloom: Callable[..., Finished], fleet: Path, tmp_path: Path
) -> None:
    succeeded(malloom("record", "-o", "run.profile", "--", fleet / "old/service"))
    told = succeeded(malloom("report", "run.profile", "--format", "parquet"))
    assert "run.profile.parquet" in told
    succeeded(malloom("plan", "run.profile", "-o", "own.plan", "--strategy", "pools"))
    succeeded(malloom("plan", "run.profile.parquet", "-o", "table.plan"))
    own, of_table = (read_plan(tmp_path / name) for name in ("own.plan", "table.plan"))
    assert sorted(own.contexts.tolist()) == sorted(of_table.contexts.tolist())
    assert own.header["program"] == of_table.header["program"]
    assert keys_of(own.sites) == keys_of(of_table.sites)


def test_a_table_is_read_by_duckdb(fleet: Path) -> None:
    query = f"select sum(requests) from read_parquet('{fleet}/tables/*.parquet')"
    assert duckdb.sql(query).fetchall() == [(12000,)]


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--strategy", "first-use"], "not planned by first-use"),
        (["--match", "sequence"], "--match means nothing for a fleet"),
        (["--scheduler", "local"], "--scheduler means nothing for a fleet"),
        (["--depth", "2"], "--depth means nothing for a fleet"),
    ],
)
def test_what_a_fleet_cannot_plan(
    malloom: Callable[..., Finished], fleet: Path, arguments: list[str], reason: str
) -> None:
    done = malloom("plan", fleet / "tables/a.parquet", "-o", "x.plan", *arguments)
    assert done.returncode == 2
    assert reason in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.long
def test_a_fleets_plans_race(malloom: Callable[..., Finished], fleet: Path) -> None:
    succeeded(malloom("merge", fleet / "tables", "-o", "web.fleet"))
    quick = ["--seconds", "2", "--runs", "6", "--json"]
    done = malloom("optimize", "--fleet", "web.fleet", *quick, "--", fleet / "old/service")
    answer = json.loads(succeeded(done))
    names = {each["name"] for each in answer["rows"]}
    assert "pools of the fleet" in names
    assert not [name for name in names if name.startswith(("first-use", "sequential"))]


def test_the_fleets_plan_is_matched_to_a_build_that_it_does_not_know(
    malloom: Callable[..., Finished], fleet: Path
) -> None:
    succeeded(malloom("merge", fleet / "tables/a.parquet", "-o", "old.fleet"))
    quick = ["--seconds", "2", "--runs", "6", "--json"]
    done = malloom("optimize", "--fleet", "old.fleet", *quick, "--", fleet / "new/service")
    answer = json.loads(succeeded(done))
    assert any("is of another build, and was matched to this one" in note for note in answer["notes"])


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--fleet", "old/service"], "old/service is no fleet; make one with 'malloom merge'"),
        (["--fleet", "tables/a.parquet", "--strategy", "pools"], "--fleet goes with none of --strategy"),
    ],
)
def test_what_cannot_race(
    malloom: Callable[..., Finished], fleet: Path, arguments: list[str], reason: str
) -> None:
    done = malloom("optimize", *arguments, "--", "old/service", cwd=fleet)
    assert done.returncode == 2
    assert reason in done.stderr
