"""The command `malloom` is a native program: it serves `malloom run` as Python does, and becomes Python
for the rest."""

import contextlib
import io
import itertools
import os
import random
import shutil
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from end_to_end.conftest import COMMAND, ROOT, simple_plans
from malloom.commands import main
from malloom.layout.plan_flags import write_with_flags
from malloom.layout.plan_record import write_with_record
from malloom.measure.allocators import NEWEST_MIMALLOC, preloaded_file
from malloom.measure.process import Command
from malloom.measure.valgrind import count_instructions
from malloom.native_files import native_file
from some import IS_SOAK

PYTHON = ROOT / ".venv/bin/malloom-python"
OPTIONS = [ROOT / "cmake/run_options.py", ROOT / "src/malloom/commands/run.py"]
OPTIONS += [ROOT / "src/malloom/measure/allocators.py"]
ALLOCATORS = ROOT / ".venv/lib/malloom"
RUN_TIME = str(native_file("libmalloom.so"))

MOST_INSTRUCTIONS = 500_000
"""Of all that comes before the program: a tenth of a millisecond."""
MOST_MILLISECONDS = 1.0
"""Of CPU time that `malloom run` takes more than the program with the library preloaded by hand."""
ROUNDS = 200
MUTATIONS = 400 if IS_SOAK else 100

Result = tuple[int, str]


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The command in an installation without Python's part: it fails where it would become that."""
    folder = tmp_path_factory.mktemp("alone")
    (folder / "bin").mkdir()
    shutil.copy2(COMMAND, folder / "bin/malloom")
    (folder / "malloom/native").mkdir(parents=True)
    shutil.copy2(RUN_TIME, folder / "malloom/native")
    (folder / "lib").mkdir()
    (folder / "lib/malloom").symlink_to(ALLOCATORS)
    return folder / "bin/malloom"


def settings_of_plans(folder: Path) -> dict[str, tuple[str, dict[str, str]]]:
    """Allocators as plans name them, with their variables: some that are, and some that are none."""
    jemalloc = preloaded_file("libjemalloc.so.2")
    other = folder / "libjemalloc.so.2"
    shutil.copy2(jemalloc, other)
    return {
        "glibc": ("", {}),
        "tuned": ("", {"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"}),
        "jemalloc": (jemalloc, {"MALLOC_CONF": "dirty_decay_ms:0,muzzy_decay_ms:0"}),
        "newest": (str(ALLOCATORS / "allocators" / NEWEST_MIMALLOC), {"MIMALLOC_ALLOW_THP": "0"}),
        "evil": (str(other), {}),
        "gone": ("/none/libjemalloc.so.2", {}),
        "relative": ("libjemalloc.so.2", {}),
        "variable": ("", {"LD_PRELOAD": "/x"}),
        "value": ("", {"MALLOC_CONF": "a b"}),
    }


@pytest.fixture(scope="module")
def plans(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Plans of each kind that a run tells apart."""
    folder = tmp_path_factory.mktemp("plans")
    made = simple_plans(folder)
    made["system"] = folder / "system.plan"
    write_with_flags(made["overhead-only"], made["system"], {"system_fallback": True})
    records: dict[str, dict[str, object]] = {
        "recorded": {"program": ["x"], "measured": [{"cpu_time": {"ratio": 0.5}}], "setting": None},
        "pools": {"heap": "pools", "deep": {"heap": 1, "setting": {}}},
        "odd": {"heap": "bins"},
    }
    for name, (library, variables) in settings_of_plans(folder).items():
        setting = {"allocator": name, "library": library, "variables": variables}
        records[name] = {"setting": setting, "measured": [{"setting": {"library": "/x"}}]}
    for name, told in {
        "left": {"up_to": 71 << 20, "huge_beyond": True},
        "left small": {"up_to": 1},
        "never left": {"up_to": 0, "huge_beyond": False},
        "left below": {"up_to": -1},
        "left beyond": {"up_to": 10**18},
        "left at a half": {"up_to": 0.5},
        "left at a truth": {"up_to": True},
        "left at none": {"up_to": None},
        "huge by a number": {"up_to": 1, "huge_beyond": 1},
    }.items():
        records[name] = {"setting": {**records["jemalloc"]["setting"], **told}}
    records["pools over, left"] = {"heap": "pools", **records["left"]}
    records["typeless"] = {"setting": {"allocator": 1, "library": "", "variables": {}}}
    records["pools over"] = {"heap": "pools", "setting": records["jemalloc"]["setting"]}
    for name, record in records.items():
        made[name] = folder / f"{name}.plan"
        places = "overhead-only" if name in ("tuned", "newest", "left", "left small") else "sequential"
        write_with_record(made[places], made[name], record)
    made["damaged"] = folder / "damaged.plan"
    made["damaged"].write_bytes(made["sequential"].read_bytes()[:-1] + b"x")
    made["link"] = folder / "link, with a comma.plan"
    made["link"].symlink_to("pools.plan")
    made["missing"] = folder / "none.plan"
    return made


def native(alone: Path, words: Sequence[str]) -> Result | None:
    """What it does by itself, the run time called as Python calls it; None where it would become Python."""
    done = subprocess.run([alone, "run", *words], capture_output=True, text=True, check=False)
    if "cannot run" in done.stderr:
        assert "malloom-python: it is missing" in done.stderr and done.returncode == 1
        return None
    assert done.stderr == ""
    own = {"malloom/native/libmalloom.so": RUN_TIME, "lib/malloom/": f"{ALLOCATORS}/"}
    text = done.stdout
    for name, pythons in own.items():
        text = text.replace(str(alone.parents[1] / name) + "/" * name.endswith("/"), pythons)
    return done.returncode, text


def python(words: Sequence[str]) -> Result | None:
    """What Python does, in this process; None where it has something to say."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        out.reconfigure = err.reconfigure = lambda **_: None  # type: ignore[attr-defined]
        status = main.execute(["run", *words])
    if status != 0 or err.getvalue():
        return None
    return status, out.getvalue().replace(f"save_process={os.getpid()}", "save_process=ITS")


def same(alone: Path, words: Sequence[str]) -> Result | None:
    """What both say; fails where the native command does otherwise than Python, or leaves to Python what it
    should do itself."""
    words = ["--print-environment", *words]
    expected, found = python(words), native(alone, words)
    if found is not None:
        status, text = found
        if "save_process=" in text:
            before, _, after = text.partition("save_process=")
            found = status, before + "save_process=ITS" + after.lstrip("0123456789")
    assert found == expected, words
    return found


def test_options_are_those_of_python(tmp_path: Path) -> None:
    subprocess.run([sys.executable, *OPTIONS, tmp_path / "header"], check=True)
    spelt = {}
    for line in (tmp_path / "header").read_text().splitlines():
        if line.startswith("SPELLING("):
            text, name, says = line.removeprefix("SPELLING(").removesuffix(")").split(", ")
            spelt[text.strip('"')] = (name, says)
    declared = {}
    for option in main.load_verb("run").params:
        if option.param_type_name == "option" and option.name != "help":
            says = "on" if option.is_flag else "value"
            declared |= {text: (option.name, says) for text in option.opts}
            declared |= {text: (option.name, "off") for text in option.secondary_opts}
    assert spelt == declared and "--plan" in spelt


CHOICES: dict[str, list[list[str]]] = {
    "heap": [
        [],
        ["--heap", "pools"],
        ["--heap=bins"],
        ["--heap", "fallback"],
        ["--heap", "plan"],
        ["--heap", "x"],
    ],
    "fallback": [[], [], ["--fallback", "system"], ["--fallback=mimalloc"], ["--fallback", "none"]],
    "statistics": [[], [], ["--statistics"], ["--json"], ["--json", "--statistics"], ["--json=1"]],
    "preallocate": [[], [], ["--preallocate"], ["--no-preallocate"]],
    "huge_pages": [[], [], ["--huge-pages"], ["--no-huge-pages"]],
    "packed": [[], [], ["--packed"], ["--packed", "--no-packed"]],
    "fallback_huge_pages": [[], [], [], ["--fallback-huge-pages"], ["--no-fallback-huge-pages"]],
    "purge_delay": [[], [], [], ["--purge-delay", "0"], ["--purge-delay=0250"], ["--purge-delay", "-1"]],
    "colocate": [[], [], ["--colocate"], ["--no-colocate"]],
    "prefetch": [[], [], ["--no-prefetch"], ["--prefetch", "--no-pools"]],
    "program": [[], ["--"], ["true"], ["--", "sh", "-c", "x"], ["none-such"], ["-"], ["--", "/etc/passwd"]],
}
PLANS = [
    "",
    "",
    "sequential",
    "overhead-only",
    "system",
    "recorded",
    "pools",
    "odd",
    "damaged",
    "link",
    "missing",
]


@settings(max_examples=300 if IS_SOAK else 60)
@given(st.sampled_from(PLANS), st.tuples(*[st.sampled_from(each) for each in CHOICES.values()]))
def test_environments_are_those_of_python(
    alone: Path, plans: dict[str, Path], plan: str, chosen: tuple[list[str], ...]
) -> None:
    named = ["--plan", str(plans[plan])] if plan else []
    same(alone, [*named, *itertools.chain(*chosen)])


def test_each_kind_of_plan_is_served(alone: Path, plans: dict[str, Path]) -> None:
    served = ["sequential", "overhead-only", "system", "recorded", "pools", "link"]
    served += ["glibc", "tuned", "jemalloc", "newest", "pools over"]
    for name, plan in plans.items():
        for options in ([], ["--statistics"], ["--fallback", "system"], ["--heap", "pools"]):
            found = same(alone, [*options, "--plan", str(plan)])
            assert found or name not in served, (name, options)
    assert "heap=pools" in str(same(alone, ["--plan", str(plans["link"])]))


def test_allocators_that_a_variable_may_hide_are_left_to_python(
    alone: Path, plans: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LD_LIBRARY_PATH", str(plans["jemalloc"].parent))
    assert native(alone, ["--print-environment", "--plan", str(plans["jemalloc"])]) is None


def test_a_plan_is_saved_where_python_saves_it(alone: Path, plans: dict[str, Path], tmp_path: Path) -> None:
    text, empty, folder = tmp_path / "text", tmp_path / "empty", tmp_path / "folder"
    text.write_text("no plan")
    empty.touch()
    folder.mkdir()
    (tmp_path / "link").symlink_to(empty)
    (tmp_path / "nowhere").symlink_to(tmp_path / "none")
    places = [tmp_path / "new", empty, text, folder, tmp_path / "link", tmp_path / "none/new", plans["link"]]
    for place in [*map(str, places), "/dev/null", "new", "a b,c", "../x", "./x", "", ".."]:
        same(alone, ["--heap", "pools", "--save-plan", place])
        same(alone, ["--save-plan", place])
    both = ["--heap", "pools", "--plan", str(plans["pools"]), "--save-plan", str(tmp_path / "new")]
    assert same(alone, both)


@pytest.mark.parametrize("folders", ["", "/usr/bin", "/none:/bin/:", ":/bin", "{here}", "{here}:/bin"])
def test_programs_are_found_as_python_finds_them(
    alone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folders: str
) -> None:
    monkeypatch.setenv("PATH", folders.format(here=tmp_path))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/env").symlink_to("/usr/bin/env")
    (tmp_path / "unreadable").write_text("")
    scripts = {
        "plain": "#!/bin/sh\n",
        "by-env": "#! /usr/bin/env -S A=b\tsh -x\n",
        "of-none": "#!/none\n",
        "env-alone": "#!sub/env\n",
        "empty": "#!\n",
        "self": "#!./self\n",
        "second": "#!./plain\n",
        "third": "#!./second\n",
        "no-end": "#!/bin/sh",
    }
    for name, text in scripts.items():
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    names = ["sh", "true", "env", "sub", "sub/env", "unreadable", "./unreadable", "/bin/true", "", "."]
    for name in [*names, *scripts, *(f"./{script}" for script in scripts)]:
        same(alone, ["--", name])


def programs() -> Iterator[Path]:
    yield from sorted(path for path in Path("/usr/bin").iterdir() if path.is_file())


def test_the_systems_programs_are_judged_as_python_judges_them(alone: Path) -> None:
    paths = itertools.islice(programs(), 0, 300, 1 if IS_SOAK else 4)
    served = [same(alone, ["--", str(path)]) for path in paths]
    assert sum(each is not None for each in served) > len(served) / 3


def mutated(content: bytes, chance: random.Random) -> bytes:
    """With some bytes of its tables changed, or cut."""
    changed = bytearray(content)
    tables = int.from_bytes(content[40:48], "little")
    for _ in range(chance.choice((1, 2, 8))):
        start, length = chance.choice(((0, 64), (64, 800), (tables, len(content) - tables)))
        changed[start + chance.randrange(length)] = chance.choice(
            (0, 1, 2, 0x7F, 0xFF, chance.randrange(256))
        )
    return bytes(changed[: chance.randrange(len(content))] if chance.random() < 0.1 else changed)


def test_no_damaged_program_is_judged_more_leniently(alone: Path, tmp_path: Path) -> None:
    content, program = Path("/bin/true").read_bytes(), tmp_path / "program"
    chance = random.Random(34)
    served = 0
    for _ in range(MUTATIONS):
        program.write_bytes(mutated(content, chance))
        program.chmod(0o755)
        words = ["--print-environment", "--", str(program)]
        found = native(alone, words)
        assert found is None or found == python(words)
        served += found is not None
    assert 0 < served < MUTATIONS


def test_arguments_for_python_reach_it(tmp_path: Path) -> None:
    """As they are, from wherever the command is called, and with what it says and returns."""
    (tmp_path / "link").symlink_to(COMMAND)
    for words in (
        ["--version"],
        ["run", "--help"],
        ["run", "--", "none such\n"],
        ["a b", ""],
        [],
        ["strategies"],
    ):
        done = [
            subprocess.run([command, *words], capture_output=True, check=False, stdin=subprocess.DEVNULL)
            for command in (tmp_path / "link", PYTHON)
        ]
        assert done[0].stdout == done[1].stdout and done[0].stderr == done[1].stderr
        assert done[0].returncode == done[1].returncode


def test_settings_of_a_user_are_said_to_be_replaced(
    malloom: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    done = malloom("run", "--", "sh", "-c", "echo $MALLOOM", env={**os.environ, "MALLOOM": "heap=bins"})
    assert done.stdout == "heap=fallback\n"
    assert done.stderr == "malloom: the variable MALLOOM is replaced; options set what it would\n"


def test_an_environment_that_has_moved_serves_all_commands(tmp_path: Path) -> None:
    """Scripts of Python's name their interpreter, which is gone: the command starts it where it is now."""
    first, moved = tmp_path / "first", tmp_path / "moved"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", first], check=True)
    packages = Path(f"lib/python{sys.version_info.major}.{sys.version_info.minor}/site-packages")
    (first / packages / "tree.pth").write_text(f"{ROOT / '.venv' / packages}\n")
    (first / packages / "malloom").symlink_to(ROOT / ".venv" / packages / "malloom")
    shutil.copy2(COMMAND, first / "bin")
    script = PYTHON.read_text().replace(str(ROOT / ".venv/bin"), str(first / "bin"))
    (first / "bin/malloom-python").write_text(script)
    (first / "bin/malloom-python").chmod(0o755)
    first.rename(moved)
    command = moved / "bin/malloom"
    assert subprocess.check_output([command, "--version"], text=True) == "malloom 0.1.0\n"
    preloaded = subprocess.check_output([command, "run", "--", "sh", "-c", "echo $LD_PRELOAD"], text=True)
    assert preloaded == f"{moved / packages}/malloom/native/libmalloom.so\n"


def test_output_that_nobody_takes_is_said() -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [COMMAND, "run", "--print-environment"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "cannot print the result" in done.stderr


def test_few_instructions_come_before_the_program(alone: Path) -> None:
    command = [str(alone), "run", "--print-environment", "--statistics", "--", "true"]
    assert count_instructions(Command(command, dict(os.environ))) < MOST_INSTRUCTIONS


def cpu_milliseconds(command: Sequence[str], environment: dict[str, str]) -> float:
    pid = os.posix_spawnp(command[0], command, environment)
    _, status, used = os.wait4(pid, 0)
    assert status == 0
    return (used.ru_utime + used.ru_stime) * 1000


@pytest.mark.alone
def test_a_run_takes_little_more_than_the_library_preloaded_by_hand() -> None:
    by_hand = {**os.environ, "LD_PRELOAD": RUN_TIME, "MALLOOM": "heap=fallback"}
    differences = [
        cpu_milliseconds([str(COMMAND), "run", "--", "true"], dict(os.environ))
        - cpu_milliseconds(["true"], by_hand)
        for _ in range(ROUNDS)
    ]
    assert statistics.median(differences) < MOST_MILLISECONDS
