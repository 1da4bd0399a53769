"""What a program is optimised on: how inputs are written, and which are refused."""

from pathlib import Path

import pytest

from malloom.errors import UsageProblem
from malloom.optimize.inputs import Input, Inputs, inputs_in, require_filled


def inputs(command: list[str], train: list[str], check: list[str] | None = None) -> Inputs:
    return Inputs.of(command, [Input.of(each) for each in train], [Input.of(each) for each in check or []])


def test_words_take_the_place_of_the_placeholder(tmp_path: Path) -> None:
    (tmp_path / "text").touch()
    made = inputs(["sort", "-r", "{}", "--key={}"], ["one"], [f"two @{tmp_path}/text"])
    assert made.arguments(made.train[0]) == ["sort", "-r", "one", "--key=one"]
    assert made.command(made.check[0]).stdin == tmp_path / "text"
    assert made.judged_on == "on check inputs"


def test_several_words_are_several_arguments() -> None:
    made = inputs(["cat", "{}", "-n"], ["'a b' c", "@@d"])
    assert made.arguments(made.train[0]) == ["cat", "a b", "c", "-n"]
    assert made.arguments(made.train[1]) == ["cat", "@d", "-n"]
    assert made.judged_on == "on training inputs only"


def test_standard_input_alone_needs_no_placeholder(tmp_path: Path) -> None:
    file = tmp_path / "numbers"
    file.write_text("3\n1\n")
    made = inputs(["sort"], [f"@{file}"])
    assert made.command(made.train[0]).stdin == file and made.arguments(made.train[0]) == ["sort"]
    assert made.typed(made.train[0]) == f"sort < {file}"
    assert made.judged_on == "on this input only"


def test_one_command_is_its_own_input() -> None:
    made = Inputs.one_command(["ls", "-l"], None)
    assert made.arguments(made.train[0]) == ["ls", "-l"] and made.train[0].text == "ls -l"
    assert (made.judged, made.judged_on) == (made.train, "on this input only")


@pytest.mark.parametrize(
    ("command", "train", "check", "problem"),
    [
        (["a", "{}"], [], ["x"], "no training input"),
        (["a", "{}"], [""], [], "an input is empty"),
        (["a", "{}"], ["x", "x"], [], "the training input 'x' is the same as the training input 'x'"),
        (["a", "{}"], ["x"], ["y", "x"], "the check input 'x' is the same as the training input 'x'"),
        (["a"], ["x"], [], "the command has no {}"),
        (["a", "{}"], ["@/dev/null/none"], [], "there is no file"),
        (["a", "-i{}"], ["x y"], [], "more than one word"),
        (["a", "{}"], ["'x"], [], "cannot be read"),
        (["a"], ["@b @c"], [], "two files"),
    ],
)
def test_what_makes_no_sense_is_refused(
    command: list[str], train: list[str], check: list[str], problem: str
) -> None:
    with pytest.raises(UsageProblem) as refused:
        inputs(command, train, check)
    assert problem in str(refused.value)


def test_an_empty_placeholder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "text").touch()
    with pytest.raises(UsageProblem, match=r"leaves \{\} empty"):
        inputs(["a", "{}"], [f"@{tmp_path}/text"])
    with pytest.raises(UsageProblem, match=r"nothing takes the place of \{\}"):
        require_filled(["a", "{}"])


def test_a_copy_of_a_training_file_checks_nothing(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).write_text("same\n")
    with pytest.raises(UsageProblem, match="is the same as the training input"):
        inputs(["cat", "{}"], [str(tmp_path / "one")], [str(tmp_path / "two")])


def test_a_file_has_texts_and_tables(tmp_path: Path) -> None:
    file = tmp_path / "inputs.toml"
    file.write_text('train = ["a b"]\n[[check]]\narguments = ["c d"]\nstdin = "e"\n')
    train, check = inputs_in(file)
    assert [each.words for each in train] == [("a", "b")]
    assert check == [Input("'c d' @e", ("c d",), Path("e"))]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("tran = []", "there is no key 'tran'; did you mean 'train'?"),
        ('[[check]]\nargs = ["x"]', "there is no key 'args'; did you mean 'arguments'?"),
        ("train = 1", "train is no list"),
        ("train = [1]", "1 is no input"),
        ("[[train]]\narguments = [1]", "no list of strings"),
        ("train = [", "cannot be read"),
    ],
)
def test_a_wrong_file_is_told_with_what_is_right(tmp_path: Path, text: str, problem: str) -> None:
    file = tmp_path / "inputs.toml"
    file.write_text(text)
    with pytest.raises(UsageProblem) as refused:
        inputs_in(file)
    assert problem in str(refused.value)


def test_a_nul_in_an_input_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "inputs.toml"
    for text in (
        'train = ["x\\u0000y"]',
        '[[train]]\narguments = ["x\\u0000y"]',
        '[[train]]\nstdin = "\\u0000"',
    ):
        file.write_text(text)
        with pytest.raises(UsageProblem, match="has a NUL"):
            Inputs.of(["echo", "{}"], *inputs_in(file))
