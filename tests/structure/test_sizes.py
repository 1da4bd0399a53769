"""What is read as one thing fits a reader's mind: lines of a file, and of a function.

Functions of C and C++ are clang-tidy's to measure (readability-function-size, in test_clang_tidy.py); here
is shown that it does. Python's are measured without their docstrings, those of shell scripts from `name() {`
to the `}` at the begin of a line.
"""

import ast
import re
import subprocess
from pathlib import Path

import pytest

from structure.source_tree import PRODUCT, ROOT, files_with, text_of

LONGEST_FILE = 400
LONGEST_OTHER_FILE = 600
"""Of tests, whose cases stand beside each other."""
LONGEST_FUNCTION = 60

SHELL_FUNCTION = re.compile(
    r"^(?:function )?([\w-]+) *(?:\(\))? *[{(](?: *#[^\n]*)?\n(.*?)^[})]", re.MULTILINE | re.DOTALL
)

SOURCES = files_with(
    ".cpp", ".h", ".c", ".py", ".pyi", ".sh", ".def", ".v", ".cmake", "CMakeLists.txt", "Makefile"
)


def too_long(name: str, text: str) -> bool:
    """Whether a file of that path has more lines than it may."""
    return text.count("\n") > (LONGEST_FILE if name.startswith(PRODUCT) else LONGEST_OTHER_FILE)


def long_functions(text: str) -> list[str]:
    """The names of Python's functions that have more lines than they may."""
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    return [
        node.name
        for node in ast.walk(ast.parse(text))
        if isinstance(node, functions) and body_lines(node) > LONGEST_FUNCTION
    ]


def body_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    code = function.body[1:] if ast.get_docstring(function) else function.body
    return (code[-1].end_lineno or 0) - code[0].lineno + 1 if code else 0


def long_shell_functions(text: str) -> list[str]:
    """The names of a shell script's functions that have more lines than they may."""
    return [name for name, body in SHELL_FUNCTION.findall(text) if body.count("\n") > LONGEST_FUNCTION]


def test_no_file_is_too_long() -> None:
    assert [name for name in SOURCES if too_long(name, text_of(name))] == []


def test_no_python_function_is_too_long() -> None:
    names = [name for name in files_with(".py") if name.startswith(PRODUCT)]
    found = {name: long_functions(text_of(name)) for name in names}
    assert {name: functions for name, functions in found.items() if functions} == {}


def test_no_shell_function_is_too_long() -> None:
    found = {name: long_shell_functions(text_of(name)) for name in files_with(".sh")}
    assert {name: functions for name, functions in found.items() if functions} == {}


def test_clang_tidy_reads_every_header() -> None:
    pattern = re.search(r"^HeaderFilterRegex: '(.+)'$", text_of(".clang-tidy"), re.MULTILINE)
    assert pattern
    headers = [name for name in files_with(".h") if name.startswith(PRODUCT)]
    assert [name for name in headers if not re.search(pattern[1], f"/{name}")] == []


@pytest.mark.parametrize(("lines", "is_found"), [(LONGEST_FILE, False), (LONGEST_FILE + 1, True)])
def test_long_file_is_found(lines: int, is_found: bool) -> None:
    assert too_long("runtime/front/made_up.cpp", "\n" * lines) == is_found
    assert too_long("cmake/made_up.cmake", "\n" * lines) == is_found
    assert not too_long("tests/runtime/front/made_up_test.cpp", "\n" * lines)


@pytest.mark.parametrize(("lines", "is_found"), [(LONGEST_FUNCTION, False), (LONGEST_FUNCTION + 1, True)])
def test_long_python_function_is_found(lines: int, is_found: bool) -> None:
    text = 'class A:\n    def b(self):\n        """Explain\n\n        much."""\n' + "        pass\n" * lines
    assert long_functions(text) == ["b"] * is_found


@pytest.mark.parametrize("head", ["b() {", "b () {  # why", "function b {", "b() ("])
@pytest.mark.parametrize(("lines", "is_found"), [(LONGEST_FUNCTION, False), (LONGEST_FUNCTION + 1, True)])
def test_long_shell_function_is_found(head: str, lines: int, is_found: bool) -> None:
    text = (
        f"a() {{ true; }}\n{head}\n"
        + "    for i in 1; do { true; }; done\n" * lines
        + "}\nc() {\n    true\n}\n"
    )
    text = text.replace("}\nc()", ")\nc()") if head.endswith("(") else text
    assert long_shell_functions(text) == ["b"] * is_found


# Clang-tidy takes the line of the opening brace for one of the body's.
@pytest.mark.parametrize(("lines", "is_found"), [(LONGEST_FUNCTION - 1, False), (LONGEST_FUNCTION, True)])
def test_long_cpp_function_is_found(tmp_path: Path, lines: int, is_found: bool) -> None:
    (tmp_path / "runtime").mkdir()
    text = "inline void b(int& a) {\n" + "    ++a;\n" * lines + "}\n"
    (tmp_path / "runtime/made_up.h").write_text(text)
    source = tmp_path / "made_up.cpp"
    source.write_text('#include "runtime/made_up.h"\n')
    command = ["clang-tidy-22", "--quiet", f"--config-file={ROOT}/.clang-tidy", str(source)]
    done = subprocess.run([*command, "--", f"-I{tmp_path}"], capture_output=True, text=True, check=False)
    assert (done.returncode != 0) == is_found
    assert ("readability-function-size" in done.stdout) == is_found
