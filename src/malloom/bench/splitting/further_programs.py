"""Ten further real programs whose heaps are looked at, named before any of their heaps was: of those whose
links are measured, ten that read a file in a language of their own, are built in a minute, and are not
in the part `debian`."""

from dataclasses import fields

from malloom.bench.splitting import debian_inputs, linked_c, linked_gnu
from malloom.bench.splitting import further_inputs as inputs
from malloom.bench.splitting.debian_programs import DebianProgram, SourceProgram, Work
from malloom.bench.splitting.linked_program import LinkedProgram


def _at_work(program: LinkedProgram, work: Work) -> DebianProgram:
    of_sources = {field.name: getattr(program, field.name) for field in fields(SourceProgram)}
    return DebianProgram(**of_sources, work=work)


PROGRAMS = (
    _at_work(
        linked_c.BYACC,
        Work(debian_inputs.write_grammar, "grammar.y", "groups of rules", "-o {beside}.c {input}", 300, 20),
    ),
    _at_work(
        linked_gnu.CFLOW, Work(inputs.write_functions, "calls.c", "functions", "-x {input}", 40_000, 400)
    ),
    _at_work(linked_c.CMARK, Work(inputs.write_markdown, "text.md", "sections", "{input}", 20_000, 200)),
    _at_work(linked_c.DASH, Work(inputs.write_shell_script, "many.sh", "functions", "{input}", 20_000, 200)),
    _at_work(linked_c.DUKTAPE, Work(inputs.write_javascript, "people.js", "objects", "{input}", 60_000, 600)),
    _at_work(
        linked_gnu.GAWK,
        Work(debian_inputs.write_awk_script, "count.awk", "lines", "-f {input} {text}", 60_000, 600),
    ),
    _at_work(
        linked_gnu.GLPK,
        Work(inputs.write_linear_program, "costs.lp", "constraints", "--check --lp {input}", 20_000, 200),
    ),
    _at_work(linked_gnu.M4, Work(inputs.write_macros, "macros.m4", "macros", "{input}", 60_000, 600)),
    _at_work(linked_c.MUJS, Work(inputs.write_javascript, "people.js", "objects", "{input}", 60_000, 600)),
    _at_work(
        linked_c.TIDY, Work(inputs.write_page, "page.html", "rows", "-q -o {beside}.out {input}", 20_000, 200)
    ),
)
