"""How wide what a command prints may be."""

import os
from typing import IO

PIPE_WIDTH = 160
"""Columns of an output that is no terminal."""


def output_width(output: IO[str]) -> int:
    """Columns that lines have: what the user says in COLUMNS, else the terminal's, else PIPE_WIDTH."""
    said = os.environ.get("COLUMNS", "")
    if said.isdecimal() and int(said):
        return int(said)
    try:
        return os.get_terminal_size(output.fileno()).columns or PIPE_WIDTH
    except OSError:
        return PIPE_WIDTH
