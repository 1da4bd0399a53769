"""A file of C functions for a compiler to work on."""

from pathlib import Path
from random import Random

from malloom.bench.inputs.words import below, generator, word

OPERATORS = ("+", "-", "*", "^", "|", "&")


def write_source(path: Path, functions: int) -> None:
    """Writes functions that loop over arrays, branch, and call earlier ones."""
    random = generator()
    text = "".join(_function(random, number) for number in range(functions))
    path.write_text("struct list { struct list* next; long values[8]; };\n" + text, encoding="utf-8")


def _function(random: Random, number: int) -> str:
    lines = "".join(f"        {_statement(random, number)}\n" for _ in range(4 + below(random, 8)))
    head = (
        f"/* {word(random)} */\nlong f{number}(struct list* list, long count) {{\n    long sum = {number};\n"
    )
    return (
        f"{head}    for (long i = 0; i < count && list; ++i, list = list->next) {{\n{lines}    }}\n"
        "    return sum;\n}\n"
    )


def _statement(random: Random, number: int) -> str:
    operator, place = OPERATORS[below(random, len(OPERATORS))], below(random, 8)
    kind = below(random, 3)
    if kind == 0 and number:
        return f"if (sum > {below(random, 1000)}) sum {operator}= f{below(random, number)}(list, i);"
    if kind == 1:
        return f"list->values[{place}] = (sum {operator} list->values[{below(random, 8)}]) + i;"
    return f"sum = sum {operator} list->values[(i + {place}) & 7];"
