"""Work for further programs of Debian's whose heaps are looked at: a file each, of any size, in the language
that the program reads. The same bytes from the same size on every machine."""

from pathlib import Path
from random import Random

from malloom.bench.inputs import below, generator, sentence, word

JAVASCRIPT = """
var seed = 1, people = [], words = {{}};
function random(bound) {{ seed = seed * 16807 % 2147483647; return seed % bound; }}
for (var i = 0; i < {size}; ++i) {{
    people.push({{name: "name" + random(100000), age: random(90), friends: []}});
}}
people.forEach(function (person) {{
    for (var i = 0; i < 5; ++i) person.friends.push(people[random(people.length)]);
}});
var sum = 0, kinds = 0;
people.forEach(function (person) {{
    person.friends.forEach(function (friend) {{ sum += friend.age; }});
    words[person.name] = (words[person.name] || 0) + 1;
}});
for (var name in words) ++kinds;
var say = typeof print === "function" ? print : function () {{}};
say(sum, kinds, people[0].name);
"""


def write_functions(path: Path, size: int) -> None:
    """So many functions in C, each of which calls two that stand before it."""
    random = generator()
    lines = ["int first(int value) { return value; }"]
    names = ["first"]
    for number in range(size):
        names.append(f"{word(random)}_{number}")
        one, other = names[below(random, number + 1)], names[below(random, number + 1)]
        lines += [
            f"/* {sentence(random, 6)} */",
            f"static int {names[-1]}(int value, struct part *part)",
            f"{{\n    int found = {one}(value + {below(random, 99)});",
            f"    if (part->count > found)\n        return {other}(found);",
            "    return found;\n}",
        ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def write_markdown(path: Path, size: int) -> None:
    """So many sections with paragraphs, lists, and links to a definition at the end."""
    random = generator()
    lines = []
    for number in range(size):
        lines += [
            f"# {word(random)} {number}",
            "",
            f"{sentence(random, 20)} *{word(random)}* `{word(random)}`",
        ]
        lines += [
            f"**{sentence(random, 3)}** [{word(random)}][{below(random, 100)}] {sentence(random, 9)}",
            "",
        ]
        lines += [f"* {sentence(random, 5)}" for _ in range(1 + below(random, 4))]
        lines += ["", f"> {sentence(random, 8)}", ""]
    lines += [f"[{number}]: /{word(random)} '{word(random)}'" for number in range(100)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def write_shell_script(path: Path, size: int) -> None:
    """So many functions and variables, which a loop calls and reads."""
    random = generator()
    lines = []
    for number in range(size):
        ending, text = below(random, 10), sentence(random, 3)
        choice = (
            f'case $each in *{ending}) v{number}="{text} $each" ;; *) v{number}=$((each + {number})) ;; esac'
        )
        lines.append(f'f{number}() {{ local each="$1"; {choice}; }}')
    lines += ["i=0 sum=0", f"while [ $i -lt {size} ]; do", "    f$i $i", "    eval text=\\$v$i"]
    lines += ["    sum=$((sum + ${#text})) i=$((i + 1))", "done", "echo $sum"]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def write_javascript(path: Path, size: int) -> None:
    """Objects that refer to each other, counted."""
    path.write_text(JAVASCRIPT.format(size=size), encoding="utf-8")


def write_linear_program(path: Path, size: int) -> None:
    """So many constraints over as many variables, ten of them in each."""
    random = generator()
    lines = ["Minimize", f" cost: {sum_of(random, size)}", "Subject To"]
    lines += [f" c{number}: {sum_of(random, size)} >= {below(random, 1000)}" for number in range(size)]
    path.write_text("\n".join([*lines, "End", ""]), encoding="utf-8")


def sum_of(random: Random, size: int) -> str:
    """Ten variables of so many, each another one."""
    step = max(size // 10, 1)
    places = [part * step + below(random, step) for part in range(10)]
    return " + ".join(f"{1 + below(random, 99)} x{place}" for place in places)


def write_macros(path: Path, size: int) -> None:
    """So many macros, of which each expands to one or two of those before it."""
    random = generator()
    lines = ["define(`m0', `nothing')dnl"]
    for number in range(1, size):
        earlier, asked = below(random, min(number, 10)), below(random, 2 * size)
        lines.append(f"define(`m{number}', `{sentence(random, 4)} m{earlier} $1')dnl")
        call = f"{word(random)} m{below(random, number)}(`{word(random)}')"
        lines.append(f"{call} ifdef(`m{asked}', `yes', `no')")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def write_page(path: Path, size: int) -> None:
    """A page in HTML of so many rows of a table, with links and lists."""
    random = generator()
    lines = ["<!DOCTYPE html>", '<html lang="en">', "<head><title>generated</title></head>", "<body>"]
    lines += ["<table>"]
    for number in range(size):
        items = "".join(f"<li>{sentence(random, 3)}</li>" for _ in range(1 + below(random, 3)))
        lines += [
            f'<tr id="row{number}"><td><a href="#row{below(random, size)}">{word(random)}</a></td>',
            f'<td class="{word(random)}">{sentence(random, 5)} <em>{word(random)}</em></td>',
            f"<td><ul>{items}</ul></td></tr>",
        ]
    path.write_text("\n".join([*lines, "</table>", "</body>", "</html>", ""]), encoding="utf-8")
