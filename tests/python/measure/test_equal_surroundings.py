"""Environments and arguments of equal length, as the programs themselves have them."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from malloom.errors import CommandError
from malloom.measure.equal_surroundings import PRELOAD, Surroundings, surrounded
from malloom.measure.interleaved import Race
from malloom.measure.process import Command, users_environment

# Appends to a file whether it has an even number of arguments and variables, and the bytes of them with their
# pointers, as the kernel laid them out.
COUNTING = """
import json, pathlib, sys
environment = pathlib.Path("/proc/self/environ").read_bytes()
arguments = pathlib.Path("/proc/self/cmdline").read_bytes()
with open(sys.argv[1], "a") as log:
    counts = environment.count(bytes(1)), arguments.count(bytes(1))
    taken = len(environment) + len(arguments) + 8 * sum(counts)
    log.write(json.dumps([sum(counts) % 2, taken]) + "\\n")
"""
TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\\0"), max_size=20)
NAMES = st.text("ABCXYZ", min_size=1, max_size=6)
COMMANDS = st.lists(
    st.builds(Command, st.lists(TEXTS, min_size=1, max_size=4), st.dictionaries(NAMES, TEXTS, max_size=4)),
    min_size=1,
    max_size=4,
)


def counting(log: Path, *arguments: str, **environment: str) -> Command:
    return Command([sys.executable, "-I", "-S", "-c", COUNTING, str(log), *arguments], environment)


def counted(log: Path) -> list[tuple[int, int]]:
    """What each run has appended."""
    return [tuple(json.loads(line)) for line in log.read_text().splitlines()]


def test_programs_of_a_race_have_as_many_variables_and_bytes(tmp_path: Path) -> None:
    log = tmp_path / "log"
    race = Race(
        {
            "plain": counting(log),
            "variables": counting(log, MALLOOM="heap=pools," * 20, OTHER="", THIRD="3"),
            "arguments": counting(log, "one", "another" * 30),
            "preloads": counting(log, LD_PRELOAD="libm.so.6"),
            "umlauts": counting(log, "Übermaß", NAME="größer"),
        }
    )
    race.warm_up("plain")
    race.run(list(race.commands))
    found = counted(log)
    assert len(found) == 10
    assert len(set(found)) == 1


def test_without_a_race_they_would_differ(tmp_path: Path) -> None:
    """What the test above sees is not equal by chance."""
    log = tmp_path / "log"
    for command in (counting(log), counting(log, "one", NAME="value")):
        Race({"alone": command}).run(["alone"])
    assert len(set(counted(log))) == 2


def test_a_longer_one_that_enters_later_raises_the_length_for_all(tmp_path: Path) -> None:
    log = tmp_path / "log"
    race = Race({"plain": counting(log), "other": counting(log, NAME="value")})
    race.warm_up("plain")
    race.enter("late", counting(log, ONE="1" * 500, TWO="2", THREE="3"))
    race.run(["plain", "other", "late"])
    before, after = counted(log)[:2], counted(log)[2:]
    assert len(set(before)) == 1
    assert len(after) == 4
    assert len(set(after)) == 1
    assert after[0][1] > before[0][1] + 400


def test_one_that_fails_to_enter_leaves_the_length_behind(tmp_path: Path) -> None:
    log = tmp_path / "log"
    race = Race({"plain": counting(log)})
    race.warm_up("plain")
    with pytest.raises(CommandError):
        race.enter("broken", Command(["sh", "-c", "exit 5"], {"LONG": "x" * 500}))
    race.run(["plain"])
    race.run(["plain"])
    assert len(set(counted(log)[1:])) == 1


# Races programs that write where their stacks begin, without address randomisation.
STACKS = """
import sys
from malloom.measure.interleaved import Race
from malloom.measure.process import Command

log, *shells = sys.argv[1:]
script = 'read line < /proc/self/stat; echo "$line" >> "$0"'
commands = {shell: Command([shell, "-c", script, log], {"NAME": "x" * len(shell)}) for shell in shells}
commands["more"] = Command([shells[0], "-c", script, log, *"several arguments more".split()])
race = Race(commands)
race.warm_up(shells[0])
"""


def test_stacks_begin_at_the_same_place(tmp_path: Path) -> None:
    """Where nothing moves them at random, and whatever the programs are called."""
    shells = [tmp_path / "a/sh", tmp_path / "a-folder-with-a-longer-name/sh"]
    for shell in shells:
        shell.parent.mkdir()
        shutil.copy("/bin/dash", shell)
    fixed = ["setarch", "-R"]
    log = tmp_path / "log"
    subprocess.run([*fixed, sys.executable, "-c", STACKS, log, *shells], check=True)
    # Field 28 of stat is where the stack begins; what stands before the closing bracket may have blanks.
    begins = [line.rpartition(")")[2].split()[25] for line in log.read_text().splitlines()]
    assert len(begins) == 3
    assert len(set(begins)) == 1


@given(COMMANDS)
def test_padding_says_nothing(commands: list[Command]) -> None:
    wanted = Surroundings.of_all(commands)
    for command in commands:
        filled = surrounded(command, wanted)
        assert Surroundings.of_all([filled, filled]).bytes == wanted.bytes
        assert filled.arguments == command.arguments
        added = {name: value for name, value in filled.environment.items() if name not in command.environment}
        preloaded = added.pop(PRELOAD, "")
        assert preloaded.rstrip(":") == users_environment().get(PRELOAD, "")
        assert {name.rstrip("0123456789") for name in added} <= {"MALLOOM_UNUSED_"}
        assert set(added.values()) <= {""}


def test_what_is_preloaded_stays_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PRELOAD, "libm.so.6")
    plain, ours = Command(["true"]), Command(["true"], {PRELOAD: "libz.so.1", "NAME": "value" * 10})
    wanted = Surroundings.of_all([plain, ours])
    filled = surrounded(plain, wanted).environment[PRELOAD]
    assert filled.rstrip(":") == "libm.so.6"
    assert surrounded(ours, wanted).environment[PRELOAD].rstrip(":") == "libz.so.1"


def test_empty_places_load_nothing_and_say_nothing() -> None:
    alone = Command(["sh", "-c", "ldd /bin/true >&2; cat /proc/self/maps | grep -c libz >&2; echo done"])
    race = Race({"plain": alone, "long": alone.with_environment({"NAME": "x" * 5000})})
    race.warm_up("plain")
    race.run(["plain", "long"])
    for name in ("plain", "long"):
        (run,) = race.rounds.of(name)
        assert b"cannot be preloaded" not in run.errors
        assert run.errors.splitlines()[-1] == b"0"


def test_one_command_is_filled_to_itself() -> None:
    command = Command(["true"], {PRELOAD: ""})
    assert surrounded(command, Surroundings.of_all([command])) == command
