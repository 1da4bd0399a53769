"""A page as one file: data, styles, code and the library that draws, all in it."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Sequence
from html import escape
from importlib import resources
from pathlib import Path
from typing import Any

from malloom.errors import CommandError
from malloom.output_file import written_whole
from malloom.printable import printable

HEAD, END = "head.html", "end.html"
"""What every page begins and ends with; between them stands the template of each."""
STYLES = ("page.css",)
"""What every page looks like."""


def drawing_library() -> str:
    """Plotly's code. Raises CommandError where it is not installed."""
    try:
        return resources.files("plotly").joinpath("package_data/plotly.min.js").read_text(encoding="utf-8")
    except (ImportError, OSError):
        raise CommandError(
            "a page needs the Python package plotly", remedy="install malloom[report], or leave it out"
        ) from None


def write_file(
    output: Path,
    data: dict[str, Any],
    template: str,
    code: Sequence[str],
    library: str,
    styles: Sequence[str] = STYLES,
) -> None:
    """Writes a page: whoever opens `output` sees a whole one, old or new.

    `template`, `code` and `styles` are files of this folder, and `data` is what the code reads; its `title`
    is the page's.
    """
    text = page_text(data, template, code, library, styles)
    with written_whole(output) as file:
        file.write(text.encode("utf-8", errors="replace"))


def page_text(
    data: dict[str, Any], template: str, code: Sequence[str], library: str, styles: Sequence[str] = STYLES
) -> str:
    """The file's text. What a program or a user has named is in the data alone, packed, and never code."""
    packed = base64.b64encode(gzip.compress(json.dumps(data).encode("utf-8", errors="replace"), mtime=0))
    own = resources.files("malloom.page")
    parts = {
        "TITLE": escape(printable(data["title"])),
        "STYLE": "\n".join(own.joinpath(name).read_text(encoding="utf-8") for name in styles),
        "LIBRARY": library.replace("</script", "<\\/script"),
        "CODE": "\n".join(own.joinpath(name).read_text(encoding="utf-8") for name in code),
        "DATA": packed.decode(),
    }
    whole = "".join(own.joinpath(name).read_text(encoding="utf-8") for name in (HEAD, template, END))
    before, *rest = whole.split("@@")
    return before + "".join(parts[name] if at % 2 == 0 else name for at, name in enumerate(rest))
