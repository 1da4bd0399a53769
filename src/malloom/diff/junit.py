"""What was checked as a JUnit report, which services for continuous integration read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from xml.etree import ElementTree

from malloom.diff.limits import Judged
from malloom.errors import CommandError
from malloom.output_file import check_output, check_replaced, written_whole
from malloom.printable import printable

NOT_OF_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that no XML file may have."""


def check_report(path: Path, read: list[Path]) -> None:
    """Raises where no report can be written at `path`, or where that would lose one of the files that are
    read, or any other file that is no such report."""
    for source in read:
        check_output(path, source)
    check_replaced(path, "JUnit report")


def write_junit(all_judged: list[Judged], program: str, path: Path) -> None:
    """Writes a suite with a case for each limit and site: whoever opens `path` sees it whole, old or new."""
    suite = _suite(program, tests=len(all_judged), failures=sum(each.is_broken for each in all_judged))
    for each in all_judged:
        site = each.site.name if each.site else "the process"
        case = ElementTree.SubElement(suite, "testcase", classname=_text(site), name=f"max-{each.limit}")
        if each.is_broken:
            failure = ElementTree.SubElement(case, "failure", message=_text(each.text))
            failure.text = _text(each.line)
    _write(suite, path)


@contextmanager
def errors_reported(program: str, path: Path | None) -> Iterator[None]:
    """What keeps the block from judging is written as a report of one error, so that no older one, in which
    all may be well, stays at `path`."""
    try:
        yield
    except (CommandError, OSError, MemoryError) as error:
        if path is not None:
            with suppress(CommandError):  # what is wrong in the first place matters more
                _write_error(" ".join(str(error).split()) or "there is not enough memory", program, path)
        raise


def _write_error(line: str, program: str, path: Path) -> None:
    suite = _suite(program, tests=1, errors=1)
    case = ElementTree.SubElement(suite, "testcase", classname="the process", name="can be judged")
    error = ElementTree.SubElement(case, "error", message=_text(line))
    error.text = _text(line)
    _write(suite, path)


def _suite(program: str, *, tests: int, failures: int = 0, errors: int = 0) -> ElementTree.Element:
    counts = {"tests": str(tests), "failures": str(failures), "errors": str(errors)}
    return ElementTree.Element("testsuite", {"name": f"malloom check {_text(program)}", **counts})


def _write(suite: ElementTree.Element, path: Path) -> None:
    with written_whole(path) as file:
        ElementTree.ElementTree(suite).write(file, encoding="utf-8", xml_declaration=True)


def _text(text: str) -> str:
    return NOT_OF_XML.sub("�", printable(text))
