"""Every room reaches only for the rooms below it."""

import pytest

from structure.layers import reachable, room_of, table, violations
from structure.source_tree import CPP_SUFFIXES, ROOT, files_with, text_of

CPP_FILES = [name for name in files_with(*CPP_SUFFIXES) if not name.startswith("tests/")]
PYTHON_FILES = [name for name in files_with(".py", ".pyi") if name.startswith("src/")]


def test_table_names_every_room() -> None:
    assert [room for room in table() if not (ROOT / room).is_dir()] == []
    homeless = [name for name in CPP_FILES if room_of(name) is None]
    assert homeless == []
    packages = {str(path.parent.relative_to(ROOT)) for path in ROOT.glob("src/malloom/*/__init__.py")}
    assert packages - table().keys() == set()


def test_no_upward_include() -> None:
    assert [problem for name in CPP_FILES for problem in violations(name, text_of(name))] == []


def test_no_upward_import() -> None:
    assert [problem for name in PYTHON_FILES for problem in violations(name, text_of(name))] == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("runtime/platform/pages.cpp", '#include "runtime/front/options.h"'),
        ("formats/types.h", '#include "runtime/platform/pages.h"'),
        ("runtime/codegen/code_pages.cpp", '#include "runtime/codegen/x86_64/emitter.h"'),
        ("record/accesses/client.cpp", '#include "runtime/heaps/plan/plan_heap.h"'),
        ("optimizer/client.cpp", '#include "record/accesses/bursts.h"'),
        ("dynamorio/client.h", '#include "optimizer/options.h"'),
        ("src/malloom/profile/reader.py", "from malloom.layout.strategy import Strategy"),
        ("src/malloom/profile/reader.py", "from malloom import commands"),
        ("src/malloom/bench/pairs.py", "import malloom.commands.run"),
    ],
)
def test_upward_reach_is_found(name: str, text: str) -> None:
    assert len(violations(name, text)) == 1


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "runtime/front/run_time.cpp",
            '#include "runtime/heaps/plan/plan_heap.h"\n#include "formats/plan.h"',
        ),
        ("runtime/codegen/x86_64/load_patcher.cpp", '#include "runtime/codegen/code_pages.h"'),
        ("record/preload/recorder.cpp", '#include "runtime/context/call_chain.h"'),
        (
            "src/malloom/profile/reader.py",
            "from malloom.errors import CommandError\nfrom malloom import _native",
        ),
        ("src/malloom/commands/run.py", "from malloom.layout.plan_file import check_plan"),
    ],
)
def test_downward_reach_is_allowed(name: str, text: str) -> None:
    assert violations(name, text) == []


def test_rooms_have_an_order() -> None:
    lower_pairs = [(room, below) for room in table() for below in reachable(room) if below != room]
    assert [(a, b) for a, b in lower_pairs if a != "tests" and b != "tests" and (b, a) in lower_pairs] == []
