"""What was checked as a JUnit report, which services for continuous integration read."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

from malloom.diff.limits import Judged
from malloom.output_file import written_whole
from malloom.printable import printable

NOT_OF_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that no XML file may have."""


def write_junit(all_judged: list[Judged], program: str, path: Path) -> None:
    """Writes a suite with a case for each limit and site: whoever opens `path` sees it whole, old or new."""
    broken = sum(each.is_broken for each in all_judged)
    suite = ElementTree.Element(
        "testsuite", name=f"malloom check {_text(program)}", tests=str(len(all_judged)), failures=str(broken)
    )
    for each in all_judged:
        site = each.site.name if each.site else "the process"
        case = ElementTree.SubElement(suite, "testcase", classname=_text(site), name=f"max-{each.limit}")
        if each.is_broken:
            failure = ElementTree.SubElement(case, "failure", message=_text(each.text))
            failure.text = _text(each.line)
    with written_whole(path) as file:
        ElementTree.ElementTree(suite).write(file, encoding="utf-8", xml_declaration=True)


def _text(text: str) -> str:
    return NOT_OF_XML.sub("�", printable(text))
