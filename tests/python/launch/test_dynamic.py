"""How a program is put under the optimiser, and what the guide says of its constants."""

import re
from pathlib import Path

import pytest

from malloom.errors import UsageProblem
from malloom.launch.dynamic import Optimizing, dynamic_prefix, dynamic_settings, split_constants
from structure.source_tree import text_of

SWITCHES = {"pools", "prefetch", "statistics"}


def test_the_guide_lists_every_constant() -> None:
    options = re.findall(r'CLIENT_OPTION\((\w+), (\d+), "(.*)"\)', text_of("optimizer/options.def"))
    rows = re.findall(r"^\| `(\w+)` \| (\d+) \| (.*) \|$", text_of("docs/guide/dynamic.md"), re.MULTILINE)
    assert rows == [option for option in options if option[0] not in SWITCHES]


def test_constants_go_to_whom_they_belong() -> None:
    core, client = split_constants(["threshold=512", "trace_threshold=20"])
    assert core.endswith("-trace_threshold 20")
    assert client == ["threshold=512"]


@pytest.mark.parametrize("constant", ["threshold", "threshold=", "=5", "threshold=-1", "threshold=5 line=3"])
def test_what_is_no_constant_is_refused(constant: str) -> None:
    with pytest.raises(UsageProblem, match="sets no constant"):
        split_constants([constant])


def test_dynamorio_alone_has_no_client() -> None:
    assert dynamic_prefix(Optimizing(pools=False, prefetch=False))[3:] == ["", "", "--"]


def test_prefetches_alone_leave_the_program_its_allocator() -> None:
    assert dynamic_settings(Optimizing(pools=False)) == {}
    assert "fallback=system" in dynamic_settings(Optimizing(pools=False, statistics=True))["MALLOOM"]


def test_what_is_learned_is_learned_from_the_beginning() -> None:
    assert "requests=" not in dynamic_prefix(Optimizing())[4]
    learned = Optimizing(learned={"save_plan": "a.plan"}, constants=("requests=5",))
    assert dynamic_prefix(learned)[4].endswith(" requests=0 requests=5")


def test_a_plan_serves_in_place_of_pools(tmp_path: Path) -> None:
    asked = Optimizing(plan=tmp_path / "a.plan")
    assert dynamic_settings(asked)["MALLOOM"] == f"heap=plan,prefetch=0,plan={tmp_path}/a.plan"
    assert "pools=0" in " ".join(dynamic_prefix(asked))
