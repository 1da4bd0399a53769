"""A choice: written by a link, read by the next, and whatever it holds, the program is right."""

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from compiler import compiling, recordings
from compiler.recordings import Decision, Linked
from some import IS_SOAK

SOURCE = Path(__file__).with_name("choices") / "two_lists.c"
NODE, ITEM = 32, 48
"""Bytes of the two structures."""
WHOLE: tuple[tuple[int, ...], ...] = ()
POLICIES = ("none", "pool", "maximal", "hot-cold", "default")

Link = Callable[..., Linked]


def by_size(linked: Linked) -> dict[int, Decision]:
    return {decision.bytes: decision for decision in linked.decisions}


@pytest.fixture(scope="module")
def link(tmp_path_factory: pytest.TempPathFactory) -> Link:
    """Links the program with options of the plugin's, which must do as a plain build does."""
    folder = tmp_path_factory.mktemp("linked")
    plain = compiling.run(compiling.compile_plainly(SOURCE, "-O2", folder / "plain"))
    bitcode = compiling.compile_object(SOURCE, "-O2", folder / "bitcode.o")

    def linked(*settings: str, policy: str = "none", source: Path = SOURCE, debug: bool = True) -> Linked:
        made = bitcode
        if source != SOURCE or not debug:
            made = compiling.compile_object(source, "-O2", folder / "other.o", *([] if debug else ["-g0"]))
        program = folder / "program"
        words = [f"-malloom-{setting}" for setting in settings]
        text = compiling.link(source, [made], "-O2", policy, program, "-Rpass=malloom", settings=words)
        assert compiling.run(program) == plain
        return Linked(program, text, text)

    return linked


@pytest.fixture
def written(link: Link, tmp_path: Path) -> Callable[[str], Path]:
    """The choice that a policy's link writes."""

    def choice_of(policy: str) -> Path:
        choice = tmp_path / f"{policy}.choice"
        link(f"write-choice={choice}", policy=policy)
        return choice

    return choice_of


@pytest.mark.parametrize("policy", POLICIES)
def test_a_written_choice_decides_as_its_link_did(
    link: Link, written: Callable[[str], Path], policy: str
) -> None:
    again = link(f"choice={written(policy)}")
    assert again.decisions == link(policy=policy).decisions
    assert "2 of 2 structures of the choice" in again.out
    assert again.warnings == []


def test_each_structure_has_its_own_policy(
    link: Link, written: Callable[[str], Path], tmp_path: Path
) -> None:
    text = written("pool").read_text()
    assert re.findall(r"^structure (.*)$", text, re.M) == ["pool struct node", "pool struct item"]
    assert text.startswith("choice of policies 1\nothers pool\n")
    choice = tmp_path / "mixed.choice"
    choice.write_text(text.replace("structure pool struct node", "# by hand\nstructure maximal struct node"))
    found = by_size(link(f"choice={choice}"))
    assert len(found[NODE].parts) > 1
    assert found[ITEM].parts == WHOLE


def test_a_later_version_of_the_source_is_found_again(
    link: Link, written: Callable[[str], Path], tmp_path: Path
) -> None:
    later = tmp_path / SOURCE.name
    later.write_text("// A line above.\n" + SOURCE.read_text())
    linked = link(f"choice={written('maximal')}", source=later)
    assert "2 of 2 structures of the choice" in linked.out
    assert all(len(decision.parts) > 1 for decision in linked.decisions)


def test_structures_of_which_it_does_not_tell_are_others(
    link: Link, written: Callable[[str], Path], tmp_path: Path
) -> None:
    head, _, item = written("maximal").read_text().partition("structure maximal struct node\n")
    choice = tmp_path / "half.choice"
    choice.write_text(head.replace("others maximal", "others none") + item[item.index("structure") :])
    linked = link(f"choice={choice}")
    assert "1 of 1 structures of the choice" in linked.out
    assert by_size(linked)[NODE].parts == WHOLE
    assert len(by_size(linked)[ITEM].parts) > 1


def test_a_choice_of_which_little_is_there_is_warned_of(
    link: Link, written: Callable[[str], Path], tmp_path: Path
) -> None:
    text = written("maximal").read_text()
    head, first, blocks = text.partition("structure")
    gone = first + blocks.replace("two_lists.c", "gone.c")
    choice = tmp_path / "of-another-version.choice"
    choice.write_text(head + first + blocks + 2 * gone)
    linked = link(f"choice={choice}")
    (warning,) = linked.warnings
    assert "has 6 structures, and only 2 of them are in the program" in warning
    choice.write_text(head + first + blocks + gone)
    assert link(f"choice={choice}").warnings == []


@pytest.mark.parametrize("source", ["another program", "no debug information"])
def test_a_choice_that_tells_nothing_is_warned_of(
    link: Link, written: Callable[[str], Path], tmp_path: Path, source: str
) -> None:
    text = written("maximal").read_text()
    choice = tmp_path / "of-another.choice"
    choice.write_text(text.replace("two_lists.c", "lists.c") if source == "another program" else text)
    linked = link(f"choice={choice}", debug=source == "another program")
    (warning,) = linked.warnings
    assert "has no structure that is in the program" in warning
    assert "all are treated as others, by maximal" in warning


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (None, "cannot be read"),
        (b"", "is no choice"),
        (b"choice of policies 2\n", "is no choice"),
        (b"choice of policies 1\n", "does not say what is done with other structures"),
        (b"choice of policies 1\nothers fast\n", "line 2"),
        (b"choice of policies 1\nothers none\nstructure pool\nrequest malloc 1 1\n", "line 4"),
        (b"choice of policies 1\nothers none\ncall 1 1 1 main a.c\n", "line 3"),
        (b"choice of policies 1\nothers none\nstructure pool\nrequest malloc 1 1 1 -1\n", "line 4"),
    ],
)
def test_a_bad_choice_ends_the_link(link: Link, tmp_path: Path, content: bytes | None, problem: str) -> None:
    """A program that is made otherwise than what was measured must not pass for it."""
    choice = tmp_path / "bad.choice"
    if content is not None:
        choice.write_bytes(content)
    with pytest.raises(compiling.CompilerFailed, match=problem):
        link(f"choice={choice}")


def test_the_profile_that_it_names_is_gone_by(
    link: Link, written: Callable[[str], Path], tmp_path: Path
) -> None:
    recorded = compiling.compile_plainly(SOURCE, "-O2", tmp_path / "recorded", "-g")
    table = recordings.record(recorded, tmp_path, "1000", "40")
    head, _, rest = written("default").read_text().partition("\n")
    choice = tmp_path / "profiled.choice"
    choice.write_text(f"{head}\nprofile {table.name}\n{rest}")
    assert any(decision.is_recorded for decision in link(f"choice={choice}").decisions)


def test_where_no_choice_can_be_written_it_is_warned(link: Link, tmp_path: Path) -> None:
    linked = link(f"write-choice={tmp_path / 'gone' / 'a.choice'}", policy="pool")
    assert "cannot be written" in linked.warnings[0]


@pytest.fixture(scope="module")
def good(link: Link, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    choice = tmp_path_factory.mktemp("good") / "good.choice"
    link(f"write-choice={choice}", policy="default")
    return choice.read_bytes()


@pytest.fixture(scope="module")
def bitcode(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiling.compile_object(SOURCE, "-O2", tmp_path_factory.mktemp("bitcode") / "bitcode.o")


@settings(
    max_examples=40 if IS_SOAK else 15,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(changes=st.lists(st.tuples(st.floats(0, 1), st.binary(max_size=8)), min_size=1, max_size=4))
def test_damage_is_refused_or_decides_something(
    good: bytes, bitcode: Path, tmp_path: Path, changes: list[tuple[float, bytes]]
) -> None:
    data = good
    for place, new in changes:
        at = int(place * len(data))
        data = data[:at] + new + data[at + len(new) // 2 :]
    choice = tmp_path / "damaged.choice"
    choice.write_bytes(data)
    command = [
        f"opt-{compiling.LLVM}",
        f"-load={compiling.PLUGIN}",
        f"-load-pass-plugin={compiling.PLUGIN}",
        "-passes=lto<O2>,verify",
        f"-malloom-choice={choice}",
        str(bitcode),
        "-disable-output",
    ]
    done = subprocess.run(command, capture_output=True, timeout=60, check=False)
    assert done.returncode == 0 or b"malloom: the choice" in done.stderr
    assert done.returncode >= 0, "it must not crash"
