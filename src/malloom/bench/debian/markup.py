"""Texts and drawings in the languages of programs that set them."""

from pathlib import Path

from malloom.bench.debian.draw import Draw


def write_manual(folder: Path, draw: Draw, size: int) -> None:
    """A manual page of so many options: tagged paragraphs, fonts, examples, and sections now and then."""
    words, fonts, examples = draw.between(5, 40), draw.share(0.2, 0.8), draw.share(0.0, 0.3)
    lines = ['.TH GENERATED 1 "2020-01-01"', ".SH NAME", r"generated \- a page", ".SH OPTIONS"]
    for number in range(size):
        if number % 50 == 49:
            lines += [f".SH {draw.word().upper()}", draw.sentence(words)]
        lines += [".TP", rf"\fB\-\-{draw.name()}\fP=\fI{draw.word()}\fP", draw.sentence(words)]
        if draw.chance(fonts):
            lines += [f".BR {draw.word()} ({draw.below(8)}),", draw.sentence(words), f".I {draw.word()}"]
        if draw.chance(examples):
            lines += [".RS", ".nf", *(draw.sentence(4) for _ in range(draw.between(1, 5))), ".fi", ".RE"]
    (folder / "page.1").write_text("\n".join(lines) + "\n", encoding="utf-8")


def write_graph(folder: Path, draw: Draw, size: int) -> None:
    """What calls what in so many functions of files, which are boxes around them."""
    files, calls, far = draw.between(3, 9), draw.share(1.2, 1.9), draw.share(0.05, 0.2)
    lines = ["digraph calls {", "  node [shape=box];"]
    for file in range(files):
        inside = "".join(f'    n{number} [label="{draw.name()}"];\n' for number in range(file, size, files))
        lines.append(f'  subgraph cluster{file} {{\n    label="{draw.word()}.c";\n{inside}  }}')
    for _ in range(int(calls * size)):
        caller = draw.below(size)
        within = (caller + files * draw.between(1, 4)) % size
        called = draw.below(size) if draw.chance(far) else within
        lines.append(f"  n{min(caller, called)} -> n{max(caller, called)};")
    (folder / "calls.gv").write_text("\n".join([*lines, "}"]) + "\n", encoding="utf-8")
