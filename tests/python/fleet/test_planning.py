"""Plans that a fleet gives: what is decided of each context, and for which builds it is written."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from malloom.errors import CommandError, UsageProblem
from malloom.fleet.merge import Wanted, merge
from malloom.fleet.planning import FleetPlan, plan_fleet
from malloom.fleet.table_file import write_table
from malloom.fleet.tables import HostTable
from malloom.layout.layout import DEEPER_POOLS, NO_GROUP
from malloom.layout.plan_file import read_plan, write_plan
from malloom.sites.rebase import context_hash
from malloom.sites.table import decode
from python.fleet.made import Made

MAIN = 3
"""The frame of the outermost call in Made."""


def planned(folder: Path, strategy: str = "pools", *tables: Made | HostTable) -> FleetPlan:
    (folder / "tables").mkdir()
    for number, table in enumerate(tables or (Made(),)):
        write_table(table.table if isinstance(table, Made) else table, folder / f"tables/{number}.parquet")
    merge([str(folder / "tables")], folder / "fleet", Wanted())
    return plan_fleet(folder / "fleet", strategy)


def entries(plan: FleetPlan, field: str) -> dict[int, int]:
    """Hash of each context that the plan names, and a field of it."""
    rows = plan.plan.contexts
    return {int(row["hash"]): int(row[field]) for row in rows if row["hash"]}


def hash_of(made: Made, *frames: int) -> int:
    return context_hash(made.modules, [made.sites.frames[frame] for frame in frames])


def changed(made: Made, **columns: Callable[[Any], Any]) -> HostTable:
    table = made.table
    numbers = {
        name: columns[name](column) if name in columns else column for name, column in table.numbers.items()
    }
    return replace(table, numbers=numbers)


def test_contexts_of_one_size_have_pools(tmp_path: Path) -> None:
    made = Made()
    plan = planned(tmp_path, "pools", made)
    assert plan.plan.depth == 1
    assert entries(plan, "pool_bytes") == {hash_of(made, 0): 32, hash_of(made, 1): 48}, (
        "ten requests are too few"
    )
    assert plan.builds == ("01",)
    assert plan.plan.program == made.modules[0].hash
    written = tmp_path / "fleet.plan"
    write_plan(plan.plan, written)
    sites = decode(read_plan(written).sites, str(written))
    assert {each.hash: each.requests for each in sites.contexts} == {
        hash_of(made, 0): 100,
        hash_of(made, 1): 50,
    }


def test_all_builds_have_the_plan_and_each_its_sizes(tmp_path: Path) -> None:
    old, new = Made(1), Made(2, sizes=(64, 48, 100), host="two")
    plan = planned(tmp_path, "pools", old, new)
    assert entries(plan, "pool_bytes") == {
        hash_of(old, 0): 32, hash_of(new, 0): 64, hash_of(old, 1): 48, hash_of(new, 1): 48
    }  # fmt: skip
    assert sorted(plan.builds) == ["01", "02"]
    assert plan.plan.program == 0
    assert plan.record["fleet"]["hosts"] == 2


def test_hosts_together_have_enough_requests(tmp_path: Path) -> None:
    hosts = [Made(requests=(100, 50, 12), host=f"host{number}") for number in range(3)]
    assert sorted(entries(planned(tmp_path, "pools", *hosts), "pool_bytes").values()) == [32, 48, 100]


def test_the_callers_of_a_wrapper_have_pools(tmp_path: Path) -> None:
    made = Made(sizes=(32, 48, 100))
    wrapper, *callers = made.sites.frames
    chains = [(0, 1), (0, 2), (0, MAIN)]
    made.sites = replace(
        made.sites,
        contexts=tuple(
            replace(context, hash=hash_of(made, *chain), frames=chain)
            for context, chain in zip(made.sites.contexts, chains, strict=True)
        ),
    )
    plan = planned(tmp_path, "pools", made)
    assert wrapper and callers
    assert plan.plan.depth == 2
    assert entries(plan, "pool_bytes") == {
        hash_of(made, 0): DEEPER_POOLS, hash_of(made, 0, 1): 32, hash_of(made, 0, 2): 48
    }  # fmt: skip


def test_aligned_requests_have_no_pools(tmp_path: Path) -> None:
    made = Made()
    plan = planned(
        tmp_path, "pools", changed(made, aligned=lambda column: np.array([1, 0, 0], dtype=column.dtype))
    )
    assert entries(plan, "pool_bytes") == {hash_of(made, 1): 48}


def test_what_is_used_together_is_a_group_in_every_build(tmp_path: Path) -> None:
    builds = [Made(1), Made(2, host="two")]
    tables = [changed(made, uses=lambda column: column * np.uint64(100)) for made in builds]
    plan = planned(tmp_path, "context-groups", *tables)
    wanted = {hash_of(made, frame): 0 for made in builds for frame in (0, 1)}
    assert entries(plan, "group") == wanted
    assert plan.plan.groups["expected_bytes"].tolist() == [320 + 480]
    assert plan.plan.groups["maximum_bytes"].tolist() == [4096]


def test_nothing_is_used_enough(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="no context is worth a place by context-groups"):
        planned(tmp_path, "context-groups")


def test_without_accesses_nothing_tells_of_groups(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="recorded no accesses"):
        planned(tmp_path, "context-groups", Made(accesses="none", accesses_count=0))


def test_places_by_ordinal_need_single_requests(tmp_path: Path) -> None:
    with pytest.raises(UsageProblem, match="not planned by first-use"):
        planned(tmp_path, "first-use")


def test_a_plan_of_pools_names_no_group(tmp_path: Path) -> None:
    assert set(entries(planned(tmp_path), "group").values()) == {NO_GROUP}
