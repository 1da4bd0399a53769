"""Each rule of the analysis is there for something: where it is left out, the program of a case goes wrong.

A rule is a reason that the analysis gives against pools or against splitting. A case says which ones it shows
(`// shows: RULE`); where two rules each refuse the same, it names both, and goes wrong without both and not
without one of them. Of rules that no run shows, it is the case's proofs that become others.
"""

import functools
import re
import subprocess
from pathlib import Path

import pytest

from compiler import compiling
from compiler.case_files import CASES, Case
from compiler.test_cases import check_proofs

ANALYSIS = compiling.ROOT / "compiler" / "analysis"
REPORTS = ("report.cpp", "graph_report.cpp")
TEXT = re.compile(r'"((?:[^"\\]|\\.)*)"')

NOT_SHOWN = {
    "other code may reach it": "whatever escapes has another reason as well, which is told instead",
    "is used by an instruction that is not followed": "none that clang makes of C or C++ takes a pointer",
    "comes from an instruction that is not followed": "what is caught comes by a call of the C++ library",
    "is an argument that has no name": "clang leaves out what a function does not take",
    "is put together from parts": "what is put together is calculated, and escapes where it is used",
    "is returned to a library": "no function that is known makes anything of what it is returned",
    "is released by a pointer into it": "where a right program does that, it is the object's address",
}
"""Rules that no program shows, and why not."""

BY_PROOFS = {
    "is requested by no function, or in no size, that pools serve": "the pools would stay empty",
    "is never accessed": "there would be no field to split",
    "an array begins where it does, or is as long as nobody knows": "no fields are looked for",
    "accesses that cannot be divided overlap": "the processor does an atomic access in two lines, too",
    "may be written by several threads": "the program is right, and slow",
    "a library may release it": "only where files of C++17 and C++20 meet is a string released by both",
}
"""Rules that no run shows, and why not."""

STOPS_THE_LINK = {
    "it has more fields than pools have arrays": "the run time takes so many arrays",
    "is accessed outside": "each access is to a field",
    "its bytes cannot be told apart": "an index leads into an array of which it is known where it begins",
    "as many bytes of it are accessed as nobody knows": "the length of what is copied is a constant",
}
"""Rules that the rewriting relies on, so that without them no program comes about; and for what."""

SHOWN = [(case, rules) for case in CASES for rules in case.shown()]


def rules_of_the_analysis() -> set[str]:
    """All texts of several words in its code."""
    found: set[str] = set()
    for path in sorted(ANALYSIS.glob("*.cpp")):
        if path.name not in REPORTS:
            for line in path.read_text().splitlines():
                if not line.lstrip().startswith("//"):
                    found.update(text for text in TEXT.findall(line) if " " in text.strip(", "))
    return found


@functools.cache
def plugin_without_rules() -> Path:
    """Built when it is needed: nobody else wants it."""
    command = ["cmake", "--build", str(compiling.BUILD), "--target", "malloom_plugin_without_rules"]
    subprocess.run(command, check=True, capture_output=True)
    return compiling.BUILD / "compiler" / "malloom_plugin_without_rules.so"


def link_without(case: Case, rules: tuple[str, ...], folder: Path, *settings: str) -> str:
    bitcode = case.bitcode("-O2", folder)
    left_out = [f"-malloom-without-rule={rule}" for rule in rules]
    plugin = plugin_without_rules()
    return case.link(bitcode, "-O2", "maximal", folder / "program", *left_out, *settings, plugin=plugin)


def what_goes_wrong(case: Case, rules: tuple[str, ...], folder: Path) -> str:
    """How the program differs from itself without the plugin; nothing where it does not."""
    expected = case.plain("-O2", folder)
    for settings in ([], ["-malloom-verify"]):
        try:
            link_without(case, rules, folder, *settings)
            ran = compiling.run(folder / "program", 20)
        except compiling.CompilerFailed:
            return "no program"
        except subprocess.TimeoutExpired:
            return "it does not end"
        if ran != expected:
            return f"{ran.status} {ran.out[:100]!r} {ran.err[:200]!r}"
    return ""


def is_proof_changed(case: Case, rules: tuple[str, ...], folder: Path) -> bool:
    try:
        check_proofs(case, link_without(case, rules, folder))
    except AssertionError:
        return True
    return False


def test_every_rule_is_shown() -> None:
    shown = {rule for _, rules in SHOWN for rule in rules}
    assert shown & set(NOT_SHOWN) == set()
    assert shown | set(NOT_SHOWN) == rules_of_the_analysis()
    assert set(STOPS_THE_LINK) | set(BY_PROOFS) <= shown


@pytest.mark.parametrize(
    ("rule", "broken"),
    [
        ("it has more fields than pools have arrays", "there is an array, and not more of them than"),
        ("is accessed outside", "each access is to a field"),
    ],
)
def test_what_the_rewriting_relies_on_is_checked(rule: str, broken: str, tmp_path: Path) -> None:
    """A fault of the analysis ends the link, which names the structure and what would be broken: once of the
    layout, once of what is rewritten."""
    case = next(case for case, rules in SHOWN if rule in rules)
    size = next(size for size, _, _ in case.proofs())
    with pytest.raises(compiling.CompilerFailed) as failure:
        link_without(case, (rule,), tmp_path)
    said = str(failure.value)
    assert re.search(f"malloom: the split of objects of {size} bytes that .* requests", said)
    assert f"would break the rule that {broken}" in said


@pytest.mark.long
@pytest.mark.parametrize(("case", "rules"), SHOWN, ids=[f"{c.source.name}: {r[0]}" for c, r in SHOWN])
def test_program_goes_wrong_without_the_rule(case: Case, rules: tuple[str, ...], tmp_path: Path) -> None:
    if any(rule in BY_PROOFS for rule in rules):
        assert is_proof_changed(case, rules, tmp_path)
        return
    wrong = what_goes_wrong(case, rules, tmp_path)
    assert wrong, "the program does what it should"
    assert (wrong == "no program") == any(rule in STOPS_THE_LINK for rule in rules)


@pytest.mark.long
@pytest.mark.parametrize(("case", "rules"), SHOWN, ids=[f"{c.source.name}: all but {r[0]}" for c, r in SHOWN])
def test_program_is_right_with_any_of_the_rules(case: Case, rules: tuple[str, ...], tmp_path: Path) -> None:
    for kept in rules:
        assert what_goes_wrong(case, tuple(rule for rule in rules if rule != kept), tmp_path) == ""
