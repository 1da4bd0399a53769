"""The page of a verdict of `malloom optimize`: all rows as bars, intervals on check inputs, what is next."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from malloom import __version__
from malloom.page.file import drawing_library, write_file
from malloom.ratios import in_words

CODE = ("numbers.js", "charts.js", "verdict.js")
"""Of the page itself, in this order."""
NOTE = "note: "
"""What lines begin with that stand at the end of the page."""


def write_verdict(found: Mapping[str, Any], lines: list[str], host: Mapping[str, Any], output: Path) -> None:
    """Writes the page. `found` is the verdict for machines (malloom.optimize.data), `lines` are those for
    people, `host` what it was measured on. Raises CommandError where the library that draws is missing."""
    name = Path(found["program"][0]).name if found["program"] else "program"
    data = {
        "title": f"{name}: {headline(found)}",
        "found": dict(found),
        "lines": [line for line in lines if not line.startswith(NOTE)],
        "notes": [line.removeprefix(NOTE) for line in lines if line.startswith(NOTE)],
        "host": {key: str(value) for key, value in host.items()},
        "commands": commands_of(found),
        "version": __version__,
    }
    write_file(output, data, "verdict.html", CODE, drawing_library())


def headline(found: Mapping[str, Any]) -> str:
    """The verdict in a few words, and whether anything came of it: what is faster may be refused."""
    verdict = in_words(found["verdict"] or "no verdict", found["metric"])
    return verdict if found["plan"] or found["choice_file"] else f"{verdict}, and nothing is kept"


def commands_of(found: Mapping[str, Any]) -> list[str]:
    """What to type next with a plan that was kept."""
    plan = found["plan"]
    if not plan:
        return []
    named, program = shlex.quote(plan), found["typed"]
    return [
        f"malloom run --plan {named} -- {program}",
        f"malloom deploy {named} -o deployed",
        f"malloom optimize --confirm {named}",
    ]
