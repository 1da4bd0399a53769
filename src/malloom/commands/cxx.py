"""`malloom c++`: become malloom-c++, a clang++ that pools and splits."""

import typer

from malloom.commands.clang_verb import ClangVerb, become_driver


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command(name="c++", cls=ClangVerb)(cxx)


def cxx(context: typer.Context) -> None:
    """Compile C++ with clang, and pool and split its structures.

    It is malloom-c++, which starts sooner by itself. All arguments are clang++'s, and a few more:
    see docs/guide/compiler.md.
    """
    become_driver("malloom-c++", context.args)
