"""Sources for compilers, a linker and tools that read code: C, C++, objects, Verilog."""

import subprocess
from pathlib import Path

from malloom.bench.debian.draw import Draw
from malloom.bench.debian.executables import of_debian

OPERATORS = ("+", "-", "*", "^", "|", "&")


def write_c(folder: Path, draw: Draw, size: int) -> None:
    """So many functions over structures of their own: loops, branches, switches, calls of earlier ones."""
    longest, fields, numbers = draw.between(4, 14), draw.between(2, 9), draw.share(0.0, 0.5)
    text = [
        f"struct part {{ struct part *next; long value[{fields}]; double weight; const char *name; }};\n",
        "extern long note(const char *, long);\n",
    ]
    for number in range(size):
        lines = "".join(f"        {_c_line(draw, number, fields)}\n" for _ in range(draw.between(2, longest)))
        weight = "        sum += (long)(at->weight * 1.5);\n" if draw.chance(numbers) else ""
        text.append(
            f"long f{number}(struct part *at, long limit)\n{{\n    long sum = {draw.below(1000)};\n"
            f"    for (long i = 0; at && i < limit; at = at->next, ++i) {{\n{lines}{weight}    }}\n"
            "    return sum;\n}\n"
        )
    (folder / "parts.c").write_text("".join(text), encoding="utf-8")


def _c_line(draw: Draw, number: int, fields: int) -> str:
    operator, field = draw.one_of(OPERATORS), draw.below(fields)
    lines = (
        f"if (sum > {draw.below(1000)}) sum {operator}= f{draw.below(max(number, 1))}(at, i);",
        f"at->value[{field}] = (sum {operator} at->value[{draw.below(fields)}]) + i;",
        f"for (long k = {draw.below(5)}; k < at->value[{field}]; ++k) sum {operator}= k << {draw.below(8)};",
        f'sum += note("{draw.sentence(3)}", sum {operator} i);',
        _switch(draw, field),
    )
    return draw.one_of(lines)


def _switch(draw: Draw, field: int) -> str:
    count = draw.between(3, 9)
    cases = " ".join(f"case {case}: sum += {draw.below(500)}; break;" for case in range(count))
    return f"switch (at->value[{field}] % {count}) {{ {cases} }}"


INCLUDES = ("algorithm", "map", "memory", "string", "unordered_map", "vector")
CONTAINERS = (
    "std::vector<std::string>",
    "std::map<std::string, long>",
    "std::unordered_map<long, std::string>",
    "std::vector<std::unique_ptr<long>>",
)
BEFORE_CLASSES = """
template <typename T> long total(const T &all)
{
    long bytes = 0;
    for (auto &each : all) bytes += sizeof each;
    return bytes;
}
struct Base {
    virtual ~Base() = default;
    virtual long count() const { return 0; }
};
"""


def write_cpp(folder: Path, draw: Draw, size: int) -> None:
    """So many classes with containers of the standard library, some derived from others, and templates."""
    derived, members = draw.share(0.1, 0.6), draw.between(1, 4)
    text = [*(f"#include <{name}>\n" for name in INCLUDES), BEFORE_CLASSES]
    for number in range(size):
        parent = f"C{draw.below(number)}" if number and draw.chance(derived) else "Base"
        held = [draw.one_of(CONTAINERS) for _ in range(draw.between(1, members))]
        text.append(_class(draw, number, parent, held))
    (folder / "classes.cpp").write_text("".join(text), encoding="utf-8")


def _class(draw: Draw, number: int, parent: str, held: list[str]) -> str:
    fields = "".join(f"    {kind} m{place};\n" for place, kind in enumerate(held))
    totals = " + ".join(f"total(m{place})" for place in range(len(held)))
    adding = "".join(f"        {_addition(kind, place, draw)}\n" for place, kind in enumerate(held))
    return (
        f"class C{number} : public {parent} {{\n{fields}public:\n"
        f"    void add(const std::string &name, long value) {{\n{adding}    }}\n"
        f"    long count() const override {{ return {totals} + {parent}::count(); }}\n}};\n"
        f"long use{number}(long n) {{ C{number} c; for (long i = 0; i < n; ++i) c.add(std::to_string(i), i);"
        f" return c.count(); }}\n"
    )


def _addition(kind: str, place: int, draw: Draw) -> str:
    member = f"m{place}"
    if kind == CONTAINERS[0]:
        return f'{member}.push_back(name + "{draw.word()}"); std::sort({member}.begin(), {member}.end());'
    if kind == CONTAINERS[1]:
        return f"{member}[name] += value * {draw.below(100)};"
    if kind == CONTAINERS[2]:
        return f"{member}.emplace(value % {draw.between(2, 999)}, name);"
    return f"{member}.push_back(std::make_unique<long>(value {draw.one_of(OPERATORS)} {draw.below(50)}));"


FUNCTIONS_AN_OBJECT = 1000
FARTHEST = 5
"""Objects from one that calls to the one that is called: code lies in layers. ld follows calls by recursion,
and calls of just any function would be as deep as there are functions."""


def write_objects(folder: Path, draw: Draw, size: int) -> None:
    """An archive of so many object files, each with functions in sections of their own that call those of
    later ones. Debian's assembler makes them."""
    calls, longest = draw.between(3, 8), draw.between(8, 60)
    names = [f"o{number}.o" for number in range(size)]
    for number, name in enumerate(names):
        text = "".join(
            _assembly(draw, f"f{number}_{place}", _called(draw, number, size, calls), longest)
            for place in range(FUNCTIONS_AN_OBJECT)
        )
        command = [of_debian("as"), "--64", "-o", name, "-"]
        subprocess.run(command, input=text.encode(), cwd=folder, check=True)
    subprocess.run([of_debian("ar"), "rcD", "objects.a", *names], cwd=folder, check=True)


def _called(draw: Draw, number: int, objects: int, most: int) -> list[str]:
    """Functions of the next objects; those of the last call none."""
    farthest = min(FARTHEST, objects - 1 - number)
    if farthest == 0:
        return []
    return [
        f"f{number + draw.between(1, farthest)}_{draw.below(FUNCTIONS_AN_OBJECT)}"
        for _ in range(draw.below(most + 1))
    ]


def _assembly(draw: Draw, name: str, called: list[str], longest: int) -> str:
    calls = "".join(f"    call {each}\n" for each in called)
    text = "".join(chr(ord("a") + draw.below(26)) for _ in range(draw.between(1, longest)))
    return (
        f'.section .text.{name},"ax",@progbits\n.globl {name}\n.type {name},@function\n{name}:\n'
        f"    leaq .Ls_{name}(%rip), %rdi\n{calls}    ret\n.size {name}, .-{name}\n"
        f'.section .rodata.str,"aMS",@progbits,1\n.Ls_{name}: .string "{text}"\n'
    )


def write_verilog(folder: Path, draw: Draw, size: int) -> None:
    """A circuit of so many stages: registers, additions, comparisons and choices, each from earlier ones."""
    width, memory = draw.between(6, 16), draw.share(0.2, 0.6)
    lines = [f"module circuit(input clk, input [{width - 1}:0] a, b, output reg [{width - 1}:0] y);"]
    lines += [f"wire [{width - 1}:0] w0 = a; wire [{width - 1}:0] w1 = b;"]
    for number in range(2, size + 2):
        first, second, third = (f"w{draw.below(number)}" for _ in range(3))
        value = draw.one_of(
            (
                f"{first} {draw.one_of('+-')} {second}",
                f"{first} {draw.one_of(('&', '|', '^'))} ~{second}",
                f"({first} < {second}) ? {third} : {first}",
                f"{{{first}[{width - 2}:0], {second}[{width - 1}]}}",
                f"({first}[{draw.below(width)}]) ? {second} : {third} + {width}'d{draw.below(1 << width)}",
            )
        )
        if draw.chance(memory):
            lines.append(f"reg [{width - 1}:0] r{number}; always @(posedge clk) r{number} <= {value};")
            value = f"r{number}"
        lines.append(f"wire [{width - 1}:0] w{number} = {value};")
    used = " ^ ".join(f"w{number}" for number in range(max(size - 20, 0), size + 2))
    lines += [f"always @(posedge clk) y <= {used};", "endmodule"]
    (folder / "circuit.v").write_text("\n".join(lines) + "\n", encoding="utf-8")
