"""The formats a report can have: each is one module beside this one."""

from __future__ import annotations

import importlib
from typing import cast

from malloom.errors import UsageProblem
from malloom.report.report import Format

FORMATS = ("text", "json")


def find_format(name: str) -> Format:
    """The format of that name. Raises UsageProblem, which names those there are."""
    if name not in FORMATS:
        raise UsageProblem(f"there is no report format '{name}'", remedy=f"use one of {', '.join(FORMATS)}")
    return cast(Format, importlib.import_module(f"malloom.report.{name}"))
