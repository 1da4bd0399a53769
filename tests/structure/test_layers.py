"""Every room reaches only for the rooms below it."""

import pytest

from structure.layers import imported_names, reachable, room_of, table, violations
from structure.source_tree import CPP_SUFFIXES, ROOT, files_with, text_of

CPP_FILES = [name for name in files_with(*CPP_SUFFIXES, ".def") if not name.startswith("tests/")]
PYTHON_FILES = [name for name in files_with(".py", ".pyi") if name.startswith("src/")]


def test_table_names_every_room() -> None:
    assert [room for room in table() if not (ROOT / room).is_dir()] == []
    homeless = [name for name in CPP_FILES if room_of(name) is None]
    assert homeless == []
    packages = {str(path.parent.relative_to(ROOT)) for path in ROOT.glob("src/malloom/*/*.py")}
    assert packages - table().keys() == set()


def test_no_upward_include() -> None:
    assert [problem for name in CPP_FILES for problem in violations(name, text_of(name))] == []


def test_no_upward_import() -> None:
    assert [problem for name in PYTHON_FILES for problem in violations(name, text_of(name))] == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("runtime/platform/memory.cpp", '#include "runtime/front/options.h"'),
        ("formats/types.h", '#include "runtime/platform/memory.h"'),
        ("runtime/codegen/code_pages.cpp", '#include "runtime/codegen/x86_64/emitter.h"'),
        ("src/native/encoding/chunks.cpp", '#include "src/native/text/words.h"'),
        ("src/native/orders/chains.cpp", '#include "src/native/packing/timeline.h"'),
        ("record/accesses/client.cpp", '#include "runtime/heaps/plan/plan_heap.h"'),
        ("optimizer/client.cpp", '#include "record/accesses/bursts.h"'),
        ("dynamorio/client.h", '#include "optimizer/options.h"'),
        ("src/malloom/profile/reader.py", "from malloom.layout.strategy import Strategy"),
        ("src/malloom/profile/reader.py", "from malloom import commands"),
        ("src/malloom/bench/suite.py", "import malloom.commands.run"),
        ("src/malloom/optimize/learning.py", "from malloom.bench import steps"),
        ("src/malloom/errors.py", "from malloom.profile import HeapProfile"),
        ("src/malloom/profile/reader.py", "from malloom.nothing import what_is_not_there"),
        ("src/malloom/profile/reader.py", "from malloom import errors, commands"),
        ("src/malloom/profile/reader.py", "from malloom import (\n    commands,\n)"),
        ("src/malloom/profile/reader.py", "import malloom.errors, malloom.commands.run"),
        ("src/malloom/profile/reader.py", "import malloom.commands.run as run"),
        ("src/malloom/profile/reader.py", "from malloom.commands import *"),
        ("src/malloom/profile/reader.py", "from ..commands import run"),
        ("src/malloom/profile/__init__.py", "from .. import commands"),
        ("src/malloom/layout/strategies/size.py", "from ...commands.run import run"),
        ("src/malloom/profile/reader.py", 'importlib.import_module("malloom.commands.run")'),
        ("src/malloom/profile/reader.py", 'import_module(f"malloom.commands.{name}")'),
        ("src/malloom/profile/reader.py", '__import__("malloom.commands")'),
        ("src/malloom/profile/reader.py", 'import_module("..commands.run", __package__)'),
        ("src/malloom/profile/reader.py", "def read():\n    if True:\n        from malloom import commands"),
        ("src/malloom/errors.py", "from .profile import HeapProfile"),
        ("runtime/platform/memory.cpp", '#include "../front/options.h"'),
        ("runtime/platform/memory.cpp", "#include <runtime/front/options.h>"),
        ("runtime/platform/memory.cpp", '#  include"runtime/front/options.h"'),
        ("runtime/platform/memory.cpp", '#include "../front/what_is_not_there.h"'),
        ("runtime/platform/memory.cpp", '#include "what_is_not_there.h"'),
        ("runtime/heaps/heap.h", '#include "plan/plan_heap.h"'),
        ("runtime/heaps/heap.h", '#include "runtime/heaps/plan/plan_heap.h"'),
        ("runtime/heaps/pools/arena.cpp", '#include "runtime/heaps/plan/plan_heap.h"'),
        ("runtime/heaps/pools/arena.cpp", '#include "../colocation/colocation_heap.h"'),
        ("runtime/heaps/colocation/colocation_heap.cpp", '#include "runtime/heaps/plan/plan_heap.h"'),
        ("runtime/heaps/plan/plan_heap.cpp", '#include "runtime/heaps/fallback/fallback_heap.h"'),
        ("src/native/plan/check.cpp", '#include "runtime/heaps/pools/pool_heap.h"'),
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
            "src/native/simulation/bindings.cpp",
            '#include "src/native/accesses/source.h"\n#include "src/native/numpy_arrays.h"',
        ),
        (
            "src/malloom/profile/reader.py",
            "from malloom.errors import CommandError\nfrom malloom import _native",
        ),
        ("src/malloom/commands/run.py", "from malloom.layout.plan_file import check_plan"),
        ("src/malloom/layout/strategies/size.py", "from ..strategy import Strategy\nfrom . import random"),
        (
            "src/malloom/profile/reader.py",
            "from .. import errors\nimport numpy, malloomy\nfrom json import *",
        ),
        ("src/malloom/commands/main.py", 'importlib.import_module(f"malloom.commands.{name}")'),
        (
            "runtime/front/options.cpp",
            '#include "options.h"\n#include <time.h>\n#include "../platform/memory.h"',
        ),
        ("runtime/heaps/colocation/colocation_heap.h", '#include "runtime/heaps/pools/pool_heap.h"'),
        ("workloads/traverse/traverse.c", "#include <malloom/staticmalloc.h>"),
    ],
)
def test_downward_reach_is_allowed(name: str, text: str) -> None:
    assert violations(name, text) == []


def test_rooms_have_an_order() -> None:
    lower_pairs = [(room, below) for room in table() for below in reachable(room) if below != room]
    assert [(a, b) for a, b in lower_pairs if a != "tests" and b != "tests" and (b, a) in lower_pairs] == []


SUITES = sorted(path.parent.name for path in ROOT.glob("src/malloom/bench/*/suite.py"))


def foreign_suites(name: str, text: str) -> set[str]:
    """The suites that a Python file reaches for and does not belong to."""
    reached = {tuple(each.split(".")[:3]) for each in imported_names(name, text)}
    own = name.removeprefix("src/malloom/bench/").partition("/")[0]
    return {suite for suite in SUITES if ("malloom", "bench", suite) in reached} - {own}


def test_no_suite_knows_another_and_what_they_share_knows_none() -> None:
    files = [name for name in PYTHON_FILES if name.startswith("src/malloom/")]
    assert {name: found for name in files if (found := foreign_suites(name, text_of(name)))} == {}


@pytest.mark.parametrize(
    "text",
    [
        "from malloom.bench.pools.scale import PoolsScale",
        "from malloom.bench import pools",
        "from malloom.bench import (\n    steps,\n    pools,\n)",
        "import malloom.bench.pools.scale",
        "import malloom.errors, malloom.bench.pools as others",
        'import_module("malloom.bench.pools.suite")',
    ],
)
def test_a_foreign_suite_is_found(text: str) -> None:
    assert foreign_suites("src/malloom/bench/pools/suite.py", text) == set()
    assert foreign_suites("src/malloom/bench/dynamic/suite.py", text) == {"pools"}
    assert foreign_suites("src/malloom/bench/tables.py", text) == {"pools"}


def test_a_foreign_suite_is_found_by_its_relative_name() -> None:
    assert foreign_suites("src/malloom/bench/dynamic/suite.py", "from ..pools import scale") == {"pools"}
    assert foreign_suites("src/malloom/bench/tables.py", "from .pools.scale import PoolsScale") == {"pools"}
    assert foreign_suites("src/malloom/bench/dynamic/suite.py", "from . import scale, tables") == set()
