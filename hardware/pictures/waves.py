"""The lines of waves.v as WaveJSON, which wavedrom-cli draws: standard input to standard output."""

import json
import sys
from collections.abc import Sequence

OPCODES = ("find", "free", "load", "store", "status")
ERROR = 0x8000_0000
CODES = ("none free", "freed twice", "beyond page", "no class", "no request")


def bits(values: Sequence[str]) -> str:
    """A wave that goes on where a value stays."""
    return "".join("." if i and value == values[i - 1] else value for i, value in enumerate(values))


def boxes(name: str, shown: Sequence[str | None]) -> dict[str, object]:
    """A wave of values with a box a cycle; None where nothing is said."""
    wave = "".join("x" if each is None else "=" for each in shown)
    return {"name": name, "wave": wave, "data": [each for each in shown if each is not None]}


def told(answer: int) -> str:
    return CODES[answer & 7] if answer & ERROR else str(answer)


def main() -> None:
    columns = list(zip(*(line.split() for line in sys.stdin if line[0] in "01"), strict=True))
    reset, asks, accepts, opcodes, data, answers, takes, responses = columns
    asked = [valid == "1" for valid in asks]
    named = [OPCODES[int(code)] if valid else None for valid, code in zip(asked, opcodes, strict=True)]
    given = [value if name in ("free", "load") else None for name, value in zip(named, data, strict=True)]
    said = [
        told(int(word, 16)) if valid == "1" else None for valid, word in zip(answers, responses, strict=True)
    ]
    waves = [
        {"name": "clk_i", "wave": "p" + "." * (len(reset) - 1)},
        {"name": "reset_i", "wave": bits(reset)},
        {"name": "request_valid_i", "wave": bits(asks)},
        {"name": "request_ready_o", "wave": bits(accepts)},
        boxes("opcode_i", named),
        boxes("data_i", given),
        {"name": "response_valid_o", "wave": bits(answers)},
        {"name": "response_ready_i", "wave": bits(takes)},
        boxes("response_o", said),
    ]
    json.dump({"signal": waves, "config": {"hscale": 2}}, sys.stdout)


if __name__ == "__main__":
    main()
