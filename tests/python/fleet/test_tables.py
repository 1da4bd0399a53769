"""What a host contributes, held against what its objects did."""

from dataclasses import asdict
from pathlib import Path

import duckdb
import numpy as np
import pytest

from malloom.cache.geometry import geometry_from
from malloom.errors import CommandError
from malloom.fleet.origin import KEY, decoded
from malloom.fleet.table_file import write_table
from malloom.fleet.tables import LIFETIMES, HostTable, table_of
from malloom.profile import NEVER, Contexts, HeapProfile, Module
from structure.source_tree import ROOT

GEOMETRY = geometry_from("L1:512:2:64,L2:4K:4:64")
MODULE = Module("/absent/program", "ab", 0, 1 << 20, 0, 1)
CONTEXTS = 3


def profile_of(size: list[int], **columns: object) -> HeapProfile:
    """A profile whose contexts have one known frame each."""
    numbers = np.arange(CONTEXTS, dtype=np.uint64)
    contexts = Contexts(
        offsets=np.arange(CONTEXTS + 1, dtype=np.uint64),
        frame_module=np.zeros(CONTEXTS, dtype=np.uint32),
        frame_offset=numbers * np.uint64(16),
        hashes=numbers + np.uint64(1),
    )
    return HeapProfile.from_arrays(size, contexts=contexts, modules=[MODULE], **columns)


@pytest.fixture
def table() -> HostTable:
    profile = profile_of(
        [64, 64, 32, 48], context=[0, 0, 1, 0], birth=[1, 2, 3, 4], death=[5, NEVER, 3 + 300, 9],
        alignment=[0, 64, 0, 0], accesses=[0, 2, 0, 2, 3], offsets=[0, 8, 0, 16, 16], stores=[1, 0, 0, 1, 1],
    )  # fmt: skip
    return table_of(profile, GEOMETRY, depth=1, host="here")[0]


def test_a_context_has_its_requests_lifetimes_and_uses(table: HostTable) -> None:
    numbers = {name: column.tolist() for name, column in table.numbers.items()}
    hashes = dict(zip(numbers["site"], range(2), strict=True))
    assert len(hashes) == 2
    assert numbers["requests"] == [3, 1]
    assert numbers["bytes"] == [176, 32]
    assert numbers["aligned"] == [1, 0]
    assert [numbers[name][0] for name in LIFETIMES] == [2, 0, 0, 0, 0, 0, 0]
    assert [numbers[name][1] for name in LIFETIMES] == [0, 0, 1, 0, 0, 0, 0]
    assert numbers["never"] == [1, 0]
    assert numbers["accesses"] == [3, 2]
    assert numbers["accessed"] == [2, 1]


def test_kinds_are_told_by_size_and_have_their_fields(table: HostTable) -> None:
    kinds = table.kinds
    told = list(zip(*(kinds[name].tolist() for name in ("row", "size", "requests")), strict=True))
    assert told == [(0, 48, 1), (0, 64, 2), (1, 32, 1)]
    assert kinds["live_peak"].tolist() == [48, 128, 32]
    names = ("row", "size", "offset", "loads", "stores")
    fields = list(zip(*(table.fields[name].tolist() for name in names), strict=True))
    assert fields == [(0, 48, 16, 0, 1), (0, 64, 0, 1, 1), (1, 32, 8, 1, 0), (1, 32, 16, 0, 1)]


def test_co_use_is_between_the_contexts_whose_objects_are_used_together(table: HostTable) -> None:
    first, second = table.numbers["site"].tolist()[:2]
    told = dict(zip(zip(table.co_use["row"].tolist(), table.co_use["site"].tolist(), strict=True),
                    table.co_use["uses"].tolist(), strict=True))  # fmt: skip
    assert told[0, second] == told[1, first] > 0


def test_the_file_has_what_the_table_has_and_is_the_same_each_time(table: HostTable, tmp_path: Path) -> None:
    for name in ("one", "two"):
        write_table(table, tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    path = tmp_path / "one"
    rows = duckdb.execute(
        "select site, requests, kinds, chain, fields from read_parquet(?)", [str(path)]
    ).fetchall()
    assert [row[0] for row in rows] == table.numbers["site"].tolist()
    assert [kind["size"] for kind in rows[0][2]] == [48, 64]
    assert [(field["size"], field["offset"]) for field in rows[0][4]] == [(48, 16), (64, 0)]
    assert [frame["offset"] for row in rows for frame in row[3]] == [0, 16]
    texts = duckdb.execute("select key, value from parquet_kv_metadata(?)", [str(path)]).fetchall()
    told = {key.decode(): value.decode() for key, value in texts}
    assert decoded(told[KEY], "one") == table.origin


def test_without_accesses_there_are_requests_and_lifetimes(tmp_path: Path) -> None:
    table, _ = table_of(profile_of([64, 32], context=[0, 1]), GEOMETRY, depth=1, host="here")
    assert table.numbers["requests"].tolist() == [1, 1]
    assert table.numbers["accesses"].tolist() == [0, 0]
    assert len(table.fields["row"]) == len(table.co_use["row"]) == 0
    write_table(table, tmp_path / "table")
    assert (tmp_path / "table").stat().st_size > 0


def test_the_document_names_every_column(table: HostTable, tmp_path: Path) -> None:
    write_table(table, tmp_path / "table")
    columns = duckdb.execute("describe select * from read_parquet(?)", [str(tmp_path / "table")]).fetchall()
    text = (ROOT / "docs/formats.md").read_text()
    chapter = text.partition("## Table of a host\n")[2].partition("\n## ")[0]
    assert [name for name, *_ in columns if f"`{name}`" not in chapter] == []
    assert [name for name in asdict(table.origin) if f"`{name}`" not in chapter] == []


def test_a_full_disk_is_told_as_of_any_other_file(
    table: HostTable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = (
        "IO Error: Async write failed for range [offset=221327, size=224055]: "
        '{"exception_type":"IO","exception_message":"Could not write file: No space left","errno":"28"}'
    )

    class Full:
        def register(self, *_: object) -> None: ...

        def close(self) -> None: ...

        def execute(self, _: str) -> None:
            raise duckdb.IOException(told)

    monkeypatch.setattr(duckdb, "connect", lambda **_: Full())
    path = tmp_path / "host.parquet"
    with pytest.raises(CommandError) as caught:
        write_table(table, path)
    assert str(caught.value) == f"cannot write {path}: No space left on device; nothing was written"
    assert not list(tmp_path.iterdir())
