"""Packages of the extra `malloom[fleet]`, which few users have."""

from __future__ import annotations

import importlib
from typing import Any

from malloom.errors import CommandError

EXTRA = "install it with 'pip install malloom[fleet]'"


def needed(package: str, purpose: str) -> Any:
    """The package of the extra, imported. Raises CommandError where it is not installed."""
    try:
        return importlib.import_module(package)
    except ImportError:
        raise CommandError(f"{purpose} needs the package {package}", remedy=EXTRA) from None
