"""What a Verilog file defines and instantiates, as the structure tests see it."""

import re
from functools import cache

from structure.source_tree import files_with, text_of

VERILOG = files_with(".v")
PRODUCT_VERILOG = [name for name in VERILOG if not name.startswith("tests/")]

COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
MODULE = re.compile(r"^module (\w+)", re.MULTILINE)
INSTANCE = re.compile(r"^ *(\w+) (?:#\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\) )?(\w+) \(", re.MULTILINE)
PORT = re.compile(r"^ *(input|output) +(?:wire|reg) +(?:\[[^\]]*\] +)?(\w+)", re.MULTILINE)
NO_INSTANCE = {
    "module",
    "begin",
    "else",
    "function",
    "task",
    "if",
    "for",
    "always",
    "case",
    "while",
    "repeat",
}


def without_comments(text: str) -> str:
    return COMMENT.sub("", text)


def modules_in(text: str) -> list[str]:
    return MODULE.findall(without_comments(text))


def instantiated_in(text: str) -> list[str]:
    """The modules that a text instantiates, in order."""
    found = INSTANCE.findall(without_comments(text))
    return [module for module, name in found if not {module, name} & NO_INSTANCE]


def misnamed_ports(text: str) -> list[str]:
    """Ports whose names do not end as their direction wants it: _i, _o."""
    ports = PORT.findall(without_comments(text))
    return [name for direction, name in ports if not name.endswith(f"_{direction[0]}")]


@cache
def modules() -> dict[str, list[str]]:
    """Module -> the files of the product that define it."""
    found: dict[str, list[str]] = {}
    for name in PRODUCT_VERILOG:
        for module in modules_in(text_of(name)):
            found.setdefault(module, []).append(name)
    return found
