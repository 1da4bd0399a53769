"""`malloom cc`: become malloom-cc, a clang that pools and splits."""

import typer

from malloom.commands.clang_verb import ClangVerb, become_driver


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command(name="cc", cls=ClangVerb)(cc)


def cc(context: typer.Context) -> None:
    """Compile C with clang, and pool and split its structures.

    It is malloom-cc, which starts sooner by itself. All arguments are clang's, and a few more:
    see docs/guide/compiler.md.
    """
    become_driver("malloom-cc", context.args)
