"""Numbers as people type and read them: 200M, 1.5G, 4,096 events."""

import re

from malloom.errors import UsageProblem

SECONDS = {"": 1, "s": 1, "m": 60, "h": 3600}
UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}


def parse_size(text: str) -> int:
    """Bytes of a size such as '200M' or '1.5 GiB'; units are powers of 1024."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(?:I?B)?", text.strip().upper())
    if not match:
        raise UsageProblem(f"'{text}' is no size", remedy="write it as 200M or 2G")
    return int(float(match[1]) * UNITS[match[2]])


def parse_seconds(text: str) -> float:
    """Seconds of a time such as '30s', '10m' or '1.5 h'."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([smh]?)", text.strip().lower())
    if not match:
        raise UsageProblem(f"'{text}' is no time", remedy="write it as 30s, 10m or 1h")
    return float(match[1]) * SECONDS[match[2]]


def parse_share(text: str) -> float:
    """A share such as '1%' or '0.01'."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*(%?)", text.strip())
    share = float(match[1]) / (100 if match[2] else 1) if match else 0.0
    if not 0 < share <= 1:
        raise UsageProblem(f"'{text}' is no share", remedy="write it as 1%")
    return share


def format_size(size: int) -> str:
    """A size in the largest unit that keeps it at least 1."""
    unit = next((unit for unit in "TGMK" if size >= UNITS[unit]), "")
    return f"{size / UNITS[unit]:.1f} {unit}iB" if unit else f"{size} bytes"


def counted(number: int, what: str, ending: str = "s") -> str:
    """A number and its noun, in the plural where it is not one."""
    return f"{number:,} {what}{'' if number == 1 else ending}"
