"""What is read as one thing fits a reader's mind: lines of a file, and of a function.

Functions of C and C++ are clang-tidy's to measure (readability-function-size, in test_clang_tidy.py); here
is shown that it does. Python's are measured without their docstrings.
"""

import ast
import re
import subprocess
from pathlib import Path

import pytest

from structure.source_tree import ROOT, files_with, text_of

LONGEST_FILE = 400
LONGEST_OTHER_FILE = 600
"""Of tests, whose cases stand beside each other."""
LONGEST_FUNCTION = 60

PRODUCT = (
    "dynamorio/",
    "formats/",
    "include/",
    "optimizer/",
    "record/",
    "runtime/",
    "setup/",
    "src/",
    "workloads/",
)
SOURCES = files_with(".cpp", ".h", ".c", ".py", ".pyi", ".sh", ".def", ".cmake", "CMakeLists.txt", "Makefile")


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


def test_no_file_is_too_long() -> None:
    assert [name for name in SOURCES if too_long(name, text_of(name))] == []


def test_no_python_function_is_too_long() -> None:
    names = [name for name in files_with(".py") if name.startswith(PRODUCT)]
    found = {name: long_functions(text_of(name)) for name in names}
    assert {name: functions for name, functions in found.items() if functions} == {}


def test_clang_tidy_reads_every_header() -> None:
    pattern = re.search(r"^HeaderFilterRegex: '(.+)'$", text_of(".clang-tidy"), re.MULTILINE)
    assert pattern
    headers = [name for name in files_with(".h") if name.startswith(PRODUCT)]
    assert [name for name in headers if not re.search(pattern[1], f"/{name}")] == []


@pytest.mark.parametrize(("lines", "is_found"), [(LONGEST_FILE, False), (LONGEST_FILE + 1, True)])
def test_long_file_is_found(lines: int, is_found: bool) -> None:
    assert too_long("runtime/front/made_up.cpp", "\n" * lines) == is_found
    assert not too_long("tests/runtime/front/made_up_test.cpp", "\n" * lines)


@pytest.mark.parametrize(("lines", "is_found"), [(LONGEST_FUNCTION, False), (LONGEST_FUNCTION + 1, True)])
def test_long_python_function_is_found(lines: int, is_found: bool) -> None:
    text = 'class A:\n    def b(self):\n        """Explain\n\n        much."""\n' + "        pass\n" * lines
    assert long_functions(text) == ["b"] * is_found


# Clang-tidy takes the line of the opening brace for one of the body's.
@pytest.mark.parametrize(("lines", "is_found"), [(LONGEST_FUNCTION - 1, False), (LONGEST_FUNCTION, True)])
def test_long_cpp_function_is_found(tmp_path: Path, lines: int, is_found: bool) -> None:
    (tmp_path / "runtime").mkdir()
    text = "inline void b(int& a) {\n" + "    ++a;\n" * lines + "}\n"
    (tmp_path / "runtime/made_up.h").write_text(text)
    source = tmp_path / "made_up.cpp"
    source.write_text('#include "runtime/made_up.h"\n')
    command = ["clang-tidy-19", "--quiet", f"--config-file={ROOT}/.clang-tidy", str(source)]
    done = subprocess.run([*command, "--", f"-I{tmp_path}"], capture_output=True, text=True, check=False)
    assert (done.returncode != 0) == is_found
    assert ("readability-function-size" in done.stdout) == is_found
