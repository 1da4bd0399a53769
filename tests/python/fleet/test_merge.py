"""Tables of hosts and builds that become one: what is added up, what is found again, what is refused."""

import json
import shutil
from pathlib import Path
from typing import Any

import duckdb
import pytest

from malloom.errors import CommandError
from malloom.fleet.merge import Wanted, merge
from malloom.fleet.origin import KEY, Origin
from malloom.fleet.reading import median_lifetime, read_rows
from malloom.fleet.summary import summary_of
from malloom.sites.keys import CERTAIN, LEVELS
from python.fleet.made import FUNCTIONS, Made
from python.fleet.synthetic import write_tables

COLUMNS = ["live_peak", "accesses", "kinds", "fields", "co_use"]


def merged(folder: Path, **wanted: Any) -> Origin:
    return merge([str(folder)], folder / "fleet", Wanted(**wanted))


def rows_of(folder: Path) -> list[dict[str, Any]]:
    return read_rows(folder / "fleet", COLUMNS, ("tables", "variants")).rows


def functions_of(folder: Path) -> list[str]:
    sites = read_rows(folder / "fleet", []).sites
    return [sites.frames[context.frames[0]].site.calls[0].function for context in sites.contexts]


def test_counts_of_one_build_are_added_up(tmp_path: Path) -> None:
    for number in range(3):
        Made(host=f"host{number}").write(tmp_path / f"{number}.parquet")
    origin = merged(tmp_path)
    rows = rows_of(tmp_path)
    assert [row["requests"] for row in rows] == [300, 150, 30]
    assert [row["bytes"] for row in rows] == [9600, 7200, 3000]
    assert [row["live_peak"] for row in rows] == [320, 480, 1000], "that of the host with the most"
    assert [(kind["size"], kind["requests"], kind["loads"]) for kind in rows[0]["kinds"]] == [(32, 300, 30)]
    assert [(field["size"], field["offset"], field["loads"]) for field in rows[1]["fields"]] == [(48, 8, 30)]
    assert [(each["site"], each["uses"]) for each in rows[0]["co_use"]] == [(rows[1]["site"], 30)]
    assert [row["tables"] for row in rows] == [3, 3, 3]
    assert (origin.hosts, origin.tables, origin.requests, len(origin.builds)) == (3, 3, 480, 1)
    assert functions_of(tmp_path) == list(FUNCTIONS)


def test_call_sites_of_another_build_are_found_by_their_keys(tmp_path: Path) -> None:
    Made(1, requests=(1000, 500, 100)).write(tmp_path / "old.parquet")
    Made(2, sizes=(40, 48, 100), host="two").write(tmp_path / "new.parquet")
    origin = merged(tmp_path)
    rows = rows_of(tmp_path)
    assert [row["requests"] for row in rows] == [1100, 550, 110]
    assert [(kind["size"], kind["requests"]) for kind in rows[0]["kinds"]] == [(32, 1000), (40, 100)]
    assert [[kind["size"] for kind in each["kinds"]] for each in rows[0]["variants"]] == [[32], [40]]
    assert [[frame["module"] for frame in each["chain"]] for each in rows[0]["variants"]] == [[1, 1], [0, 0]]
    old, new = origin.builds
    assert (old.build_id, old.matched, old.resized) == ("01", {}, 0)
    assert (new.build_id, new.matched, new.resized) == ("02", {"moved": 1.0}, 1)
    assert rows[0]["co_use"] == [{"site": rows[1]["site"], "uses": 20}]


def test_what_only_one_build_has_stays_and_is_told(tmp_path: Path) -> None:
    Made(1, requests=(1000, 500, 100)).write(tmp_path / "old.parquet")
    made = Made(2, requests=(100, 50, 50), host="two")
    made.rename("read_line", "read_page")
    made.write(tmp_path / "new.parquet")
    origin = merged(tmp_path, levels=[level for level in LEVELS if level in CERTAIN])
    assert functions_of(tmp_path) == ["parse", "insert", "read_line", "read_page"]
    assert origin.builds[1].matched == {"moved": 0.75}
    assert origin.builds[1].found == 0.75


def test_without_debug_information_a_site_is_found_in_its_own_build_only(tmp_path: Path) -> None:
    Made(1).write(tmp_path / "keyed.parquet")
    for name in ("a", "b"):
        made = Made(2, host=name, keyed=0.0, requests=(20, 10, 10))
        made.forget_keys()
        made.write(tmp_path / f"{name}.parquet")
    origin = merged(tmp_path)
    assert [row["requests"] for row in rows_of(tmp_path)] == [100, 50, 40, 20, 20, 10]
    assert (origin.builds[1].found, origin.builds[1].keyless) == (0, 1)
    assert any("no debug information" in note for note in origin.notes)


def test_contexts_in_a_library_count_for_each_build_that_has_them(tmp_path: Path) -> None:
    for build, requests in ((1, (1000, 1, 1)), (2, (900, 5, 5))):
        made = Made(build, host=f"host {build}", requests=requests)
        if build == 2:
            for place, function in enumerate((*FUNCTIONS, "main")):
                made.rename(function, f"other_{place}", file=f"{place}.c")
        made.ask_in_library(0)
        made.write(tmp_path / f"{build}.parquet")
    first, other = merged(tmp_path).builds
    assert (first.requests, other.requests) == (1002, 910)
    assert other.matched == {"same": pytest.approx(900 / 910)}


def test_builds_without_keys_are_one_program_though_their_library_has_some(tmp_path: Path) -> None:
    for build in (1, 2):
        made = Made(build, host=f"host {build}", keyed=0.0)
        made.forget_keys()
        made.ask_in_library(0, 1, 2, from_program=True)
        made.write(tmp_path / f"{build}.parquet")
    assert [build.keyless for build in merged(tmp_path).builds] == [1, 1]


def test_a_table_without_keys_has_those_of_another_of_its_build(tmp_path: Path) -> None:
    made = Made(keyed=0.0)
    made.forget_keys()
    made.write(tmp_path / "a.parquet")
    Made(host="two").write(tmp_path / "b.parquet")
    merged(tmp_path)
    assert functions_of(tmp_path) == list(FUNCTIONS)


def test_a_host_counts_as_much_as_another_by_host(tmp_path: Path) -> None:
    Made(requests=(300, 0, 0), host="busy", cpu_time=3000).write(tmp_path / "busy.parquet")
    Made(requests=(0, 100, 0), host="idle", cpu_time=1000).write(tmp_path / "idle.parquet")
    merged(tmp_path, weight="host")
    assert sorted(row["requests"] for row in rows_of(tmp_path)) == [0, 200, 200]


def test_of_a_part_that_was_recorded_the_whole_is_counted_by_cpu_time(tmp_path: Path) -> None:
    Made(requests=(100, 0, 0), host="a", cpu_time=1000, recorded_cpu_time=100).write(tmp_path / "a.parquet")
    Made(requests=(0, 100, 0), host="b", cpu_time=1000, recorded_cpu_time=1000).write(tmp_path / "b.parquet")
    merged(tmp_path)
    assert [row["requests"] for row in rows_of(tmp_path)] == [1000, 100, 0]


def test_the_same_tables_give_the_same_bytes(tmp_path: Path) -> None:
    write_tables(tmp_path / "tables", 6, 2000, 3)
    for name in ("one", "two"):
        merge([str(tmp_path / "tables")], tmp_path / name, Wanted(weight="host"))
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_a_large_merge_is_the_sum_of_its_tables(tmp_path: Path) -> None:
    paths = write_tables(tmp_path, 12, 1000, 3)
    origin = merged(tmp_path)
    files = [str(path) for path in paths]
    query = "select sum(requests), sum(bytes), sum(list_sum(list_transform(fields, lambda f: f.loads)))"
    tables, fleet = (
        duckdb.execute(f"{query} from read_parquet(?)", [source]).fetchone()
        for source in (files, [str(tmp_path / "fleet")])
    )
    assert fleet == tables
    assert origin.hosts == 12
    assert all(build.found == pytest.approx(1, abs=0.02) for build in origin.builds[1:])
    assert max(build.resized for build in origin.builds) == pytest.approx(1000 / 7, rel=0.05)


def test_a_summary_is_that_of_one_host(tmp_path: Path) -> None:
    for number in range(4):
        Made(host=f"host{number}").write(tmp_path / f"{number}.parquet")
    merged(tmp_path)
    whole, one = summary_of(tmp_path / "fleet"), summary_of(tmp_path / "0.parquet")
    assert whole.numbers == one.numbers
    assert whole.totals == one.totals
    assert whole.numbers[0].lifetime == 64


def test_a_median_lies_where_half_of_the_objects_have_lived_shorter() -> None:
    counts = dict.fromkeys(("lived_16", "lived_256", "lived_4k", "lived_64k", "lived_1m", "lived_16m"), 0)
    assert median_lifetime({**counts, "lived_longer": 0}) is None
    assert median_lifetime({**counts, "lived_256": 10, "lived_longer": 0}) == 64
    assert median_lifetime({**counts, "lived_16": 30, "lived_4k": 10, "lived_longer": 0}) == 6


@pytest.mark.parametrize(
    ("origin", "reason"),
    [
        ({"architecture": "aarch64"}, "2 architectures: x86_64 (1, as"),
        ({"page_size": 16384}, "2 page sizes"),
        ({"depth": 8}, "2 depths of contexts"),
        ({"program": "other"}, "2 programs"),
        ({"geometry": "p4"}, "2 simulated machines"),
    ],
)
def test_tables_that_are_not_alike_are_refused(tmp_path: Path, origin: dict[str, Any], reason: str) -> None:
    Made().write(tmp_path / "a.parquet")
    Made(host="two", **origin).write(tmp_path / "b.parquet")
    with pytest.raises(CommandError) as raised:
        merged(tmp_path)
    assert reason in str(raised.value)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.parquet", "b.parquet"]


def test_two_programs_of_one_name_are_refused(tmp_path: Path) -> None:
    Made(1).write(tmp_path / "a.parquet")
    made = Made(2, host="two")
    for place, function in enumerate((*FUNCTIONS, "main")):
        made.rename(function, f"other_{place}", file=f"{place}.c")
    made.write(tmp_path / "b.parquet")
    with pytest.raises(CommandError, match="two programs of the name program: 0% of the requests"):
        merged(tmp_path)
    assert merged(tmp_path, builds=["02"]).requests == 160


def damaged(path: Path, kind: str) -> None:
    data = path.read_bytes()
    if kind == "cut":
        path.write_bytes(data[: len(data) // 2])
    elif kind == "empty":
        path.write_bytes(b"")
    elif kind == "text":
        path.write_text("this is something else")
    elif kind == "both ends":
        path.write_bytes(data[:100] + data[-100:])
    elif kind == "other":
        duckdb.execute(f"copy (select 1 as x) to '{path}' (format parquet)")
    elif kind == "no columns":
        text = duckdb.execute("select value from parquet_kv_metadata(?)", [str(path)]).fetchone()
        assert text is not None
        value = text[0].decode().replace("'", "''")
        duckdb.execute(f"copy (select 1 as x) to '{path}' (format parquet, kv_metadata {{{KEY}: '{value}'}})")


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("cut", "b.parquet is cut short"),
        ("empty", "b.parquet is no table"),
        ("text", "b.parquet is no table"),
        ("both ends", "b.parquet is damaged or cut short"),
        ("other", "b.parquet is no table"),
        ("no columns", "b.parquet is damaged"),
    ],
)
def test_a_damaged_table_is_refused_by_its_name(tmp_path: Path, kind: str, reason: str) -> None:
    for name in ("a", "b", "c"):
        Made(host=name).write(tmp_path / f"{name}.parquet")
    damaged(tmp_path / "b.parquet", kind)
    with pytest.raises(CommandError) as raised:
        merged(tmp_path)
    assert reason in str(raised.value)
    assert "\n" not in str(raised.value)
    assert not (tmp_path / "fleet").exists()


def with_text(path: Path, text: str) -> None:
    """The same rows with another text in the metadata."""
    copy = path.with_suffix(".copy")
    value = text.replace("'", "''")
    duckdb.execute(
        f"copy (from read_parquet('{path}')) to '{copy}' (format parquet, kv_metadata {{{KEY}: '{value}'}})"
    )
    shutil.move(copy, path)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"version": 2}, "is of table version 2, and this malloom reads version 1"),
        ({"requests": 1}, "its rows do not add up"),
        ({"requests": -1}, "makes no sense"),
        ({"files": [{}]}, "makes no sense"),
        ({"files": []}, "its call sites are of no file"),
        ({"more": 1}, "makes no sense"),
        ("{}", "makes no sense"),
        ("[", "makes no sense"),
        ("[" * 100000, "makes no sense"),
    ],
)
def test_a_table_that_says_nonsense_of_itself_is_refused(
    tmp_path: Path, change: dict[str, Any] | str, reason: str
) -> None:
    path = Made().write(tmp_path / "a.parquet")
    values = duckdb.execute("select value from parquet_kv_metadata(?)", [str(path)]).fetchone()
    assert values is not None
    text = change if isinstance(change, str) else json.dumps({**json.loads(values[0]), **change})
    with_text(path, text)
    with pytest.raises(CommandError) as raised:
        merged(tmp_path)
    assert reason in str(raised.value)
    assert not (tmp_path / "fleet").exists()


def test_names_that_look_like_patterns_are_files(tmp_path: Path) -> None:
    path = Made().write(tmp_path / "a[1]*'.parquet")
    assert merge([str(path)], tmp_path / "fleet", Wanted()).requests == 160


def test_tables_are_found_by_folder_pattern_and_file_each_once(tmp_path: Path) -> None:
    folder = tmp_path / "tables"
    for name in ("a", "b"):
        Made(host=name).write(folder / f"{name}.parquet")
    names = [str(folder), str(folder / "*.parquet"), str(folder / "a.parquet")]
    assert merge(names, tmp_path / "fleet", Wanted()).tables == 2
    for name, reason in ((str(tmp_path / "none"), "there is no table"), (str(tmp_path), "holds no table")):
        with pytest.raises(CommandError, match=reason):
            merge([name], tmp_path / "other", Wanted())


def test_a_fleet_is_not_merged_again(tmp_path: Path) -> None:
    Made().write(tmp_path / "a.parquet")
    merged(tmp_path)
    with pytest.raises(CommandError, match="is a fleet already"):
        merge([str(tmp_path / "fleet")], tmp_path / "other", Wanted())
