"""Each rule of the analysis is there for something: where it is left out, the program of a case goes wrong.

A rule is what speaks against pools or against splitting (compiler/analysis/rules.def). A case says which
ones it shows (`// shows: RULE`); where two rules each refuse the same, it names both, and goes wrong without
both and not without one of them. Of rules that no run shows, it is the case's proofs that become others.
"""

import fcntl
import functools
import re
import subprocess
from pathlib import Path

import pytest

from compiler import compiling
from compiler.case_files import CASES, Case
from compiler.test_cases import check_proofs

RULES = compiling.ROOT / "compiler" / "analysis" / "rules.def"
RULE = re.compile(r"^RULE\((\w+), ", re.MULTILINE)

NOT_SHOWN = {
    "other_code_reaches": "whatever escapes has another reason as well, which is told instead",
    "used_by_unknown_instruction": "none that clang makes of C or C++ takes a pointer",
    "comes_from_unknown_instruction": "what is caught comes by a call of the C++ library",
    "put_together": "what is put together is calculated, and escapes where it is used",
    "returned_to_library": "no function that is known makes anything of what it is returned",
    "released_within": "where a right program does that, it is the object's address",
}
"""Rules that no program shows, and why not."""

BY_PROOFS = {
    "requested_by_none": "the pools would stay empty",
    "never_accessed": "there would be no field to split",
    "array_without_end": "no fields are looked for",
    "accesses_overlap": "the processor does an atomic access in two lines, too",
    "written_by_threads": "the program is right, and slow",
    "library_releases": "only where files of C++17 and C++20 meet is a string released by both",
}
"""Rules that no run shows, and why not."""

STOPS_THE_LINK = {
    "too_many_fields": "the run time takes so many arrays",
    "accessed_outside": "each access is to a field",
    "not_told_apart": "an index leads into an array of which it is known where it begins",
    "accessed_unknown_length": "the length of what is copied is a constant",
    "copied_from_several": "each access to a split object is rewritten",
    "released_otherwise": "each release of a split object is rewritten",
}
"""Rules that the rewriting relies on, so that without them no program comes about; and for what."""

SHOWN = [(case, rules) for case in CASES for rules in case.shown()]


def rules_of_the_analysis() -> set[str]:
    return set(RULE.findall(RULES.read_text()))


@functools.cache
def plugin_without_rules() -> Path:
    """Built when it is needed: nobody else wants it. One worker builds it, and others wait for it: none may
    load what another is linking."""
    command = ["cmake", "--build", str(compiling.BUILD), "--target", "malloom_plugin_without_rules"]
    with (compiling.BUILD / "without-rules.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
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
        ("too_many_fields", "there is an array, and not more of them than"),
        ("accessed_outside", "each access is to a field"),
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
