"""A layout of bins as a C99 header, so that a heap has it from its first request on, and in flash."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from malloom.layout.bin_layout import BinLayout
from malloom.output_file import BEGINNINGS
from malloom.printable import printable
from malloom.quantities import counted, format_size

ROW = 100
"""Letters in a row of numbers."""


def c_name(path: Path) -> str:
    """What the names in a header begin with: the file's name, as C may have it."""
    name = re.sub(r"\W", "_", path.stem, flags=re.ASCII)
    return name if re.match(r"[A-Za-z]", name) else f"bins_{name}"


def header(layout: BinLayout, name: str, profile: str, code: bytes | None) -> str:
    """The text. `profile` is what it was laid out from, `code` the bin function where there is to be one."""
    parts = [_comment(layout, profile), _opening(layout, name)]
    parts += [_code(layout, name, code)] if code is not None else []
    parts += [_use(name, has_code=code is not None), "#endif\n"]
    return "\n".join(parts)


def _comment(layout: BinLayout, profile: str) -> str:
    beginning = BEGINNINGS["header of bins"].decode()
    asked = f"{counted(layout.requests, 'request')} of {counted(layout.sizes, 'size')} of chunks"
    living = format_size(layout.most_living_bytes)
    return f"""{beginning} for include/malloom/bins.h.
 *
 * From the profile {in_comment(profile)}: {asked},
 * the largest of {format_size(layout.largest)}; at most {living} lived at a time.
 * For {layout.target.name}: chunks are multiples of {layout.target.granule} bytes. */
"""


def in_comment(text: str) -> str:
    """Text that ends no comment, and begins none."""
    return printable(text).replace("*/", "* /").replace("/*", "/ *")


def _opening(layout: BinLayout, name: str) -> str:
    guard = f"MALLOOM_LAID_OUT_{name.upper()}_H"
    return f"""#ifndef {guard}
#define {guard}

#include <stdint.h>

#include "malloom/bins.h"

enum {{ {name}_count = {len(layout.begins)} }};

static const uint32_t {name}_begins[{name}_count] = {{
{rows(str(begin) for begin in layout.begins)}
}};
"""


def _code(layout: BinLayout, name: str, code: bytes) -> str:
    # Its end lies at a multiple of 4, so what is left over comes first.
    padding = -len(code) % 4
    padded = bytes(padding) + code
    words = (int.from_bytes(padded[at : at + 4], "little") for at in range(0, len(padded), 4))
    made = f"{len(code)} bytes of machine code for {layout.target.name}"
    return f"""/* The function from a size to its bin: {made}, little-endian.
 * It can be called where constants can, as in the flash of a microcontroller; else copy the words to memory
 * that can, and call it there at the same offset. It reads and writes no memory. */
static const uint32_t {name}_code[{len(padded) // 4}] = {{
{rows(f"0x{word:08x}" for word in words)}
}};
enum {{ {name}_entry = {padding + layout.target.entry} }};
"""


def _use(name: str, *, has_code: bool) -> str:
    function = f"(malloom_bin_function)((uintptr_t){name}_code + {name}_entry)" if has_code else "0"
    storage = f"MALLOOM_BINS_LISTS({name}_count, levels) bytes of storage"
    return f"""/* For malloom_bins_open, beside {storage}. */
static inline void {name}_use(malloom_bins_settings* settings) {{
    settings->bins = {name}_count;
    settings->begins = {name}_begins;
    settings->function = {function};
}}
"""


def rows(numbers: Iterable[str]) -> str:
    """The numbers with commas, in rows."""
    rows = ["   "]
    for number in numbers:
        if len(rows[-1]) + len(number) + 2 > ROW:
            rows.append("   ")
        rows[-1] += f" {number},"
    return "\n".join(rows)
