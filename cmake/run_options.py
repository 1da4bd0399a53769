"""Writes the options of `malloom run` as C++ macros: run_options.py COMMANDS ALLOCATORS HEADER.

They are read from where Python defines them, without importing it: the signature of `run` and the
enumerations in the file COMMANDS, and the allocators that plans may name in the file ALLOCATORS.
"""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path


def options(run: ast.FunctionDef) -> Iterator[str]:
    """An OPTION for each parameter, then its SPELLINGs with what follows them or what they say."""
    for parameter in run.args.args:
        annotation = parameter.annotation
        assert isinstance(annotation, ast.Subscript) and isinstance(annotation.slice, ast.Tuple)
        kind, declared = annotation.slice.elts
        assert isinstance(declared, ast.Call)
        if ast.unparse(declared.func) == "typer.Option":
            names = [each.value for each in declared.args if isinstance(each, ast.Constant)]
            yield f"OPTION({parameter.arg})"
            yield from spellings(parameter.arg, ast.unparse(kind), [str(name) for name in names])


def spellings(name: str, kind: str, names: list[str]) -> Iterator[str]:
    """As Typer spells an option that says no names itself: a switch has a second one, with `no-`."""
    assert not any("/" in each for each in names), f"{name}: a pair of names is not understood here"
    word = name.replace("_", "-")
    if kind.partition(" ")[0] != "bool":
        pairs = [(each, "value") for each in names or [f"--{word}"]]
    elif names:
        pairs = [(each, "on") for each in names]
    else:
        pairs = [(f"--{word}", "on"), (f"--no-{word}", "off")]
    yield from (f'SPELLING("{each}", {name}, {says})' for each, says in pairs)


def choices(enumeration: ast.ClassDef) -> Iterator[str]:
    """The members of an enumeration, whose names are what users type."""
    for each in enumeration.body:
        if isinstance(each, ast.Assign) and isinstance(each.targets[0], ast.Name):
            yield f"{enumeration.name.upper()}({each.targets[0].id})"


def assigned(module: ast.Module, name: str) -> ast.expr:
    """What a module's variable is given."""
    return next(
        each.value
        for each in module.body
        if isinstance(each, ast.Assign) and ast.unparse(each.targets[0]) == name
    )


def allocators(module: ast.Module) -> Iterator[str]:
    """The libraries of allocators, and the variables that set one."""
    known = assigned(module, "KNOWN")
    assert isinstance(known, ast.Tuple)
    variables = set()
    for each in known.elts:
        assert isinstance(each, ast.Call)
        library = each.args[1]
        if isinstance(library, ast.Name):
            library = assigned(module, library.id)
        if name := ast.literal_eval(library):
            is_built = any(word.arg == "is_built" for word in each.keywords)
            yield f'ALLOCATOR("{name}", {str(is_built).lower()})'
        variables |= {key for part in each.args[2:5] for key in ast.literal_eval(part) or {}}
    yield from (f'ALLOCATOR_VARIABLE("{name}")' for name in sorted(variables))
    for macro, name in (("INSTALLED", "INSTALLED_FOLDER"), ("BUILT", "DEFAULT_FOLDER")):
        # The last literal is the folder below the environment, or below the folder around that.
        texts = [each.value for each in ast.walk(assigned(module, name)) if isinstance(each, ast.Constant)]
        yield f'ALLOCATORS_FOLDER({macro.lower()}, "{texts[-1]}")'


def parsed(name: str) -> ast.Module:
    return ast.parse(Path(name).read_text(encoding="utf-8"))


def main(commands: str, known: str, header: str) -> None:
    module = parsed(commands)
    run = next(each for each in module.body if isinstance(each, ast.FunctionDef) and each.name == "run")
    found = {each.name: each for each in module.body if isinstance(each, ast.ClassDef)}
    lines = [*options(run), *choices(found["Heap"]), *choices(found["Fallback"])]
    lines += allocators(parsed(known))
    macros = sorted({line.partition("(")[0] for line in lines})
    given = [f"#ifndef {macro}\n#define {macro}(...)\n#endif" for macro in macros]
    taken = [f"#undef {macro}" for macro in macros]
    text = "\n".join(
        ["// Made by cmake/run_options.py; each macro is there once it is defined.", *given, *lines, *taken]
    )
    Path(header).write_text(text + "\n", encoding="utf-8")


main(*sys.argv[1:])
