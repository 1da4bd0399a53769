"""Tables that are not good: each is refused in one line by its own name, whoever reads it."""

import json
import os
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import duckdb
import pytest

from malloom.errors import CommandError, UsageProblem
from malloom.fleet.columns import FLEET, TABLE, sql_type
from malloom.fleet.database import database
from malloom.fleet.merge import Wanted, merge
from malloom.fleet.origin import KEY, Build, decoded, encoded
from malloom.fleet.planning import plan_fleet
from malloom.fleet.reading import read_rows
from malloom.fleet.shown import build_lines, read_shown
from malloom.fleet.summary import summary_of
from python.fleet.made import Made

READERS: dict[str, Callable[[Path], object]] = {
    "report": lambda path: read_shown(path, "requests", 30, 0),
    "plan": lambda path: plan_fleet(path, "pools"),
    "groups": lambda path: plan_fleet(path, "context-groups"),
    "diff": summary_of,
}


def rewritten(path: Path, selection: str = "*", **said: Any) -> Path:
    """The table with other rows, a selection from `good`, or with other values in what it says of itself."""
    text = duckdb.execute("select value from parquet_kv_metadata(?)", [str(path)]).fetchone()
    assert text is not None
    value = json.dumps({**json.loads(text[0]), **said}).replace("'", "''")
    copy = path.with_suffix(".copy")
    duckdb.execute(
        f"copy (select {selection} from read_parquet('{path}') good) to '{copy}' "
        f"(format parquet, compression zstd, kv_metadata {{{KEY}: '{value}'}})"
    )
    return copy.replace(path)


def refused(told: pytest.ExceptionInfo[CommandError], name: str, reason: str) -> None:
    """The one line names that table and no other."""
    text = str(told.value)
    assert f"{name}.parquet is " in text
    assert reason in text
    assert "; " in text
    assert "\n" not in text
    assert "good" not in text


def all_refuse(folder: Path, bad: Path, reason: str) -> None:
    """Merges where the bad table is first, last or alone, and all that read one table."""
    good = [Made(host=name).write(folder / f"{name}.parquet") for name in ("a_good", "z_good")]
    for names in ([*good, bad], [bad]):
        with pytest.raises(CommandError) as told:
            merge(list(map(str, names)), folder / "fleet", Wanted())
        refused(told, bad.stem, reason)
    with pytest.raises(CommandError) as told:
        read_rows(bad, [])
    refused(told, bad.stem, reason)
    assert not (folder / "fleet").exists()


CHAIN = "* replace (list_transform(chain, lambda f: struct_update(f, {0})) as chain)"
KINDS = "* replace (list_transform(kinds, lambda k: struct_update(k, {0})) as kinds)"
MISSING = "values are missing"
OTHER_TYPE = "has another type"


@pytest.mark.parametrize(
    ("selection", "reason"),
    [
        ("* exclude (requests)", "no column requests"),
        ("* exclude (chain)", "no column chain"),
        ("* exclude (kinds)", "no column kinds"),
        ("* exclude (co_use)", "no column co_use"),
        ("*, 1 as file_index", "no table has its column file_index"),
        ("* replace (requests::varchar as requests)", f"column requests {OTHER_TYPE}"),
        ("* replace (-requests::bigint as requests)", f"column requests {OTHER_TYPE}"),
        ("* replace (site::varchar as site)", f"column site {OTHER_TYPE}"),
        ("* replace (null as kinds)", f"column kinds {OTHER_TYPE}"),
        (CHAIN.format("module := f.module::bigint"), f"column chain {OTHER_TYPE}"),
        ("* replace (null::ubigint as site)", MISSING),
        ("* replace (nullif(requests, 100) as requests)", MISSING),
        ("* replace (nullif(never, 0) as never)", MISSING),
        ("* replace (if(requests = 50, null, kinds) as kinds)", MISSING),
        ("* replace (if(requests = 50, null, chain) as chain)", MISSING),
        ("* replace (if(requests = 50, null, fields) as fields)", MISSING),
        ("* replace (if(requests = 50, null, co_use) as co_use)", MISSING),
        (KINDS.format("requests := nullif(k.requests, 50)"), MISSING),
        (CHAIN.format("callee := null::varchar"), MISSING),
        ("* replace (list_append(fields, null) as fields)", MISSING),
        ("* replace (1::ubigint as site)", "a context twice"),
        ("* replace (requests + 1 as requests)", "do not add up"),
    ],
)
def test_rows_that_no_table_has_are_refused(tmp_path: Path, selection: str, reason: str) -> None:
    all_refuse(tmp_path, rewritten(Made().write(tmp_path / "m_bad.parquet"), selection), reason)


@pytest.mark.parametrize(
    "selection", [CHAIN.format("module := 99::uinteger"), CHAIN.format("calls := if(false, f.calls, null)")]
)
def test_call_sites_that_lead_nowhere_are_refused_where_they_are_read(tmp_path: Path, selection: str) -> None:
    bad = rewritten(Made(2).write(tmp_path / "m_bad.parquet"), selection)
    all_refuse(tmp_path, bad, "damaged")


BUILD = asdict(Build("", "1", hosts=1, tables=1, requests=1, matched={}, keyless=0.0, resized=0))


@pytest.mark.parametrize(
    "said",
    [
        {"keyed": "x"}, {"keyed": float("nan")}, {"keyed": 5.0}, {"keyed": True}, {"accesses": "some"},
        {"depth": 0}, {"depth": 5.0}, {"program": ""}, {"program": 5}, {"hosts": 0}, {"hosts": 3},
        {"cpu_time": 1 << 70}, {"cpu_time": 1 << 60, "recorded_cpu_time": 1}, {"requests": 0},
        {"keyed": 10**400}, {"program": "\ud800"},
        {"is_cut": 1}, {"gaps": "text"}, {"gaps": [1]}, {"build_id": "a\nb"}, {"build_id": "ab "},
        {"files": [{"path": "p", "build_id": "", "hash": "-1"}]}, {"files": {"path": "p"}}, {"notes": None},
        {"builds": [{**BUILD, "matched": {"same": "b"}}]}, {"builds": [{**BUILD, "hosts": -1}]},
    ],
)  # fmt: skip
def test_what_no_table_says_of_itself_is_refused(tmp_path: Path, said: dict[str, Any]) -> None:
    text = json.dumps({**json.loads(encoded(Made().origin)), **said})
    with pytest.raises(CommandError) as told:
        decoded(text, "bad.parquet")
    refused(told, "bad", "makes no sense")


def holed(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[:100] + data[400:])


def flipped(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[:100] + bytes(byte ^ 255 for byte in data[100:400]) + data[400:])


@pytest.mark.parametrize("damage", [holed, flipped])
def test_bytes_that_are_missing_or_others_are_refused(tmp_path: Path, damage: Callable[[Path], None]) -> None:
    bad = Made().write(tmp_path / "m_bad.parquet")
    damage(bad)
    all_refuse(tmp_path, bad, "is damaged")


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("selection", ["* exclude (kinds)", "* replace (null::ubigint as requests)"])
def test_all_that_read_a_table_refuse_it(tmp_path: Path, reader: str, selection: str) -> None:
    bad = rewritten(Made().write(tmp_path / "bad.parquet"), selection)
    with pytest.raises(CommandError) as told:
        READERS[reader](bad)
    refused(told, "bad", "is damaged")


@pytest.mark.parametrize(
    ("selection", "reason"),
    [
        ("* exclude (variants)", "no column variants"),
        ("* replace (null::ubigint as tables)", MISSING),
        ("* replace (list_transform(variants, lambda v: struct_update(v, chain := list_transform(v.chain, "
         "lambda f: struct_update(f, module := -3::bigint)))) as variants)", "of no file"),
    ],
)  # fmt: skip
def test_a_fleet_is_held_to_its_own_columns(tmp_path: Path, selection: str, reason: str) -> None:
    Made().write(tmp_path / "a.parquet")
    fleet = tmp_path / "fleet.parquet"
    merge([str(tmp_path / "a.parquet")], fleet, Wanted())
    assert len(read_rows(fleet, []).rows) == 3
    rewritten(fleet, selection)
    with pytest.raises(CommandError) as told:
        read_rows(fleet, [])
    refused(told, "fleet", reason)


def test_what_is_written_has_the_columns_that_are_asked_for(tmp_path: Path) -> None:
    table = Made().write(tmp_path / "a.parquet")
    merge([str(table)], tmp_path / "fleet", Wanted())
    with database() as connection:
        for path, columns in ((table, TABLE), (tmp_path / "fleet", FLEET)):
            wanted = ", ".join(f'null::{sql_type(type_)} as "{name}"' for name, type_ in columns.items())
            told, expected = (
                [row[:2] for row in connection.execute(f"describe {query}").fetchall()]
                for query in (f"from read_parquet('{path}')", f"select {wanted}")
            )
            assert told == expected


def test_a_table_counts_once_however_it_is_spelled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = Made().write(tmp_path / "tables/a.parquet")
    (tmp_path / "links").mkdir()
    (tmp_path / "links/b.parquet").symlink_to(table)
    monkeypatch.chdir(tmp_path)
    names = ["tables/a.parquet", "./tables/a.parquet", str(table), "links", f"file://{table}",
             f"file://{table.parent}", "tables/../tables/*.parquet"]  # fmt: skip
    origin = merge(names, tmp_path / "fleet", Wanted())
    assert (origin.tables, origin.requests) == (1, 160)
    assert merge(names[:1], tmp_path / "one", Wanted()) == origin


def test_the_fleet_replaces_none_of_its_tables(tmp_path: Path) -> None:
    table = Made().write(tmp_path / "a.parquet")
    (tmp_path / "link.parquet").symlink_to(table)
    before = table.read_bytes()
    for output in (table, tmp_path / "link.parquet"):
        with pytest.raises(UsageProblem, match="is what is to be read; choose another"):
            merge([os.path.relpath(table)], output, Wanted())
    assert table.read_bytes() == before


def test_counts_that_are_too_large_are_refused(tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        path = Made(host=name).write(tmp_path / f"{name}.parquet")
        rewritten(path, f"* replace ({2**63}::ubigint as uses)")
    with pytest.raises(CommandError) as told:
        merge([str(tmp_path)], tmp_path / "fleet", Wanted())
    assert "\n" not in str(told.value)
    assert not (tmp_path / "fleet").exists()


def test_names_are_printed_as_text(tmp_path: Path) -> None:
    for name, program in (("a", "pro\x1b[31mgram"), ("b", "two\nlines")):
        Made(host=name, program=program).write(tmp_path / f"{name}.parquet")
    with pytest.raises(CommandError) as told:
        merge([str(tmp_path)], tmp_path / "fleet", Wanted())
    assert str(told.value).isprintable()
    origin = merge([str(tmp_path)], tmp_path / "fleet", Wanted(program="two\nlines"))
    assert all(line.isprintable() for line in build_lines(origin))
    assert decoded(encoded(origin), "fleet") == origin
    assert asdict(origin)["program"] == "two\nlines"
