"""`malloom c++`: become malloom-c++, a clang++ that pools and splits."""

import typer

from malloom.commands.clang_verb import ClangVerb, become_driver


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command(name="c++", cls=ClangVerb)(cxx)


def cxx(context: typer.Context) -> None:
    """Compile C++ as clang++ does, with pools and split structures; 'malloom-c++' is the same without Python.

    All arguments are clang++'s; see docs/guide/compiler.md for the few that are added.
    """
    become_driver("malloom-c++", context.args)
