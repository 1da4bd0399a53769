"""Work for Debian's programs, generated: each gets a file that keeps it busy for about a second, in the
language that it reads. The same bytes from the same size on every machine."""

from pathlib import Path

from malloom.bench.inputs import below, generator, sentence, word

BASH = """
declare -a values
declare -A counts
for ((i = 0; i < {size}; ++i)); do
    values[i]=$((i * 7919 % 10007))
    counts[key$((values[i] % 1000))]=$i
done
sum=0
for value in "${{values[@]}}"; do
    case $value in *7) sum=$((sum + value)) ;; esac
done
reversed=()
for ((i = {size} - 1; i >= 0; --i)); do reversed+=("${{values[i]}}"); done
echo "$sum ${{#counts[@]}} ${{#reversed[@]}}"
"""

LUA = """
local seed, people = 1, {{}}
local function random(bound) seed = seed * 16807 % 2147483647; return seed % bound end
for i = 1, {size} do
    people[i] = {{name = "name" .. random(100000), age = random(90), friends = {{}}}}
end
for _, person in ipairs(people) do
    for i = 1, 5 do person.friends[i] = people[random(#people) + 1] end
end
table.sort(people, function(a, b) return a.age < b.age or a.age == b.age and a.name < b.name end)
local sum, words = 0, {{}}
for _, person in ipairs(people) do
    for _, friend in ipairs(person.friends) do sum = sum + friend.age end
    words[person.name] = (words[person.name] or 0) + 1
end
local kinds = 0
for _ in pairs(words) do kinds = kinds + 1 end
print(sum, kinds, people[1].name)
"""

MAWK = """
BEGIN { srand(1) }
{
    for (i = 1; i <= NF; ++i) { count[$i]++; last[$i] = NR; total += length($i) }
    lines[NR] = $0
    if ($2 in first) again++; else first[$2] = NR
}
END {
    for (i = NR; i > 0; --i) { split(lines[i], part, "a"); sum += length(part[1]) * (i % 7) }
    for (key in count) if (count[key] > 5) often++
    print total, again, sum, often
}
"""


def write_bash_script(path: Path, size: int) -> None:
    """Fills arrays, and goes through them."""
    path.write_text(BASH.format(size=size), encoding="utf-8")


def write_lua_script(path: Path, size: int) -> None:
    """Tables that refer to each other, sorted and counted."""
    path.write_text(LUA.format(size=size), encoding="utf-8")


def write_awk_script(path: Path, size: int) -> None:
    """Beside it, the text that it reads: so many lines."""
    random = generator()
    text = "".join(f"{word(random)} {number} {sentence(random, 8)}\n" for number in range(size))
    path.with_suffix(".txt").write_text(text, encoding="utf-8")
    path.write_text(MAWK, encoding="utf-8")


def write_grammar(path: Path, size: int) -> None:
    """So many nonterminals: statements with expressions of their own operators."""
    lines = [f"%token OP{number} WORD{number}" for number in range(size)]
    lines += ["%%", "program: | program statement0 ';'"]
    lines += [f"    | program statement{number} ';'" for number in range(1, size)] + [";"]
    for number in range(size):
        lines += [
            f"statement{number}: WORD{number} expression{number} | WORD{number} '(' list{number} ')';",
            f"list{number}: expression{number} | list{number} ',' expression{number};",
            f"expression{number}: factor{number} | expression{number} OP{number} factor{number};",
            f"factor{number}: 'x' | 'y' OP{number} | '[' list{number} ']' | '-' factor{number};",
        ]
    path.write_text("\n".join([*lines, "%%", ""]), encoding="utf-8")


def write_figure(path: Path, size: int) -> None:
    """A drawing of so many lines of eight points, and boxes in compounds."""
    random = generator()
    lines = ["#FIG 3.2", "Landscape", "Center", "Metric", "A4", "100.00", "Single", "-2", "1200 2"]
    for number in range(size):
        kind, points = (1, 8) if number % 4 else (2, 5)
        lines.append(f"2 {kind} 0 1 {number % 8} 7 {50 + number % 50} -1 -1 0.000 0 0 -1 0 0 {points}")
        corner = below(random, 20000), below(random, 14000)
        if kind == 2:
            places = [corner, (corner[0] + 90, corner[1]), (corner[0] + 90, corner[1] + 90)]
            places += [(corner[0], corner[1] + 90), corner]
        else:
            places = [(corner[0] + below(random, 900), corner[1] + 30 * step) for step in range(points)]
        lines.append("\t" + " ".join(f"{x} {y}" for x, y in places))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def write_manual(path: Path, size: int) -> None:
    """A page of so many entries in lists, each with macros and text."""
    random = generator()
    lines = [".Dd January 1, 2020", ".Dt GENERATED 1", ".Os", ".Sh NAME", ".Nm generated", ".Nd a page"]
    for number in range(size):
        if number % 100 == 0:
            lines += [".El"] * (number > 0) + [f".Sh SECTION {number}", ".Bl -tag -width Ds"]
        lines += [f".It Fl {word(random)} Ar {word(random)}", sentence(random, 12)]
        lines += [f".Xr {word(random)} 1", sentence(random, 4), f".Em {word(random)} ,"]
    path.write_text("\n".join([*lines, ".El"]) + "\n", encoding="utf-8")


def write_assembly(path: Path, size: int) -> None:
    """So many labels, with instructions that refer to others, and macros."""
    random = generator()
    lines = ["bits 64", "section .text", "%macro step 2", "    add %1, %2", "    xor %2, %1", "%endmacro"]
    for number in range(size):
        lines += [
            f"{word(random)}_{number}_begin: mov eax, [rel place_{below(random, size)}]",
            f"place_{number}: lea rcx, [rax + rbx * 4 + {below(random, 4096)}]",
            f".inner_{number}: step rax, rcx" if number % 3 == 0 else f"    dq place_{below(random, size)}",
        ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def write_dictionary(path: Path, size: int) -> None:
    """Words for hunspell with what may follow them; beside it those rules, and a text to check."""
    random = generator()
    rules = "SET UTF-8\nTRY esianrtolcdugmphbyfvkwz\nSFX S Y 2\nSFX S 0 s [^s]\nSFX S 0 es s\n"
    rules += "PFX R Y 1\nPFX R 0 re .\nSFX D Y 1\nSFX D 0 ed .\n"
    words = [f"{word(random)}{word(random)}{letters(number)}" for number in range(size)]
    path.with_suffix(".aff").write_text(rules, encoding="utf-8")
    path.write_text(f"{size}\n" + "".join(f"{each}/SRD\n" for each in words), encoding="utf-8")
    begins, ends = ("re", "", ""), ("", "s", "ed", "wrong")
    text = [
        f"{begins[below(random, 3)]}{words[below(random, size)]}{ends[below(random, 4)]}"
        for _ in range(size // 2)
    ]
    path.with_suffix(".txt").write_text("\n".join(text) + "\n", encoding="utf-8")


def letters(number: int) -> str:
    """A number as letters, which are part of words."""
    return "".join(chr(ord("a") + int(digit)) for digit in str(number))


def write_ninja_file(path: Path, size: int) -> None:
    """So many steps of a build, each with inputs that steps before it make."""
    random = generator()
    lines = ["rule cc", "  command = compile $flags -c $in -o $out", "  description = CC $out", ""]
    lines += [f"build source{number}.c: phony" for number in range(size // 10 + 1)]
    for number in range(size):
        first = f"source{below(random, size // 10 + 1)}.c"
        others = " ".join(f"out/part{below(random, number)}.o" for _ in range(2)) if number else ""
        lines += [f"build out/part{number}.o: cc {first} | {others}", f"  flags = -D{word(random)}"]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def write_machine(path: Path, size: int) -> None:
    """A state machine over so many words, each with an action, for ragel."""
    random = generator()
    words = [f"{word(random)}{letters(number)}" for number in range(size)]
    actions = "".join(f"action a{number} {{ seen({number}); }}\n" for number in range(size))
    branches = "\n  | ".join(f"'{each}' @a{number}" for number, each in enumerate(words))
    path.write_text(
        f"%%{{\nmachine words;\n{actions}main := (\n  {branches}\n)*;\n}}%%\n%% write data;\n"
        "void go(char* p, char* pe) {\nint cs;\n%% write init;\n%% write exec;\n}\n",
        encoding="utf-8",
    )


def write_yaml(path: Path, size: int) -> None:
    """So many orders, with lists in maps."""
    random = generator()
    lines = []
    for number in range(size):
        lines += [f"- id: {number}", f"  customer: {word(random)}", "  items:"]
        for _ in range(1 + below(random, 4)):
            lines.append(f"    - {{code: {word(random)}, price: {below(random, 10000)}}}")
        lines.append(f"  note: {sentence(random, 6)}")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
