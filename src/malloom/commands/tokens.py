"""`malloom tokens`: what to link a program with whose compiler says who asks for memory."""

import typer

from malloom.native_files import native_file

LIBRARY = "libmalloom_tokens.a"


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command(
        name="tokens",
        epilog="Example: malloom tokens, as in: clang++-22 -fsanitize=alloc-token a.cpp $(malloom tokens)",
    )(tokens)


def tokens() -> None:
    """Print what to link a program with that clang compiles with -fsanitize=alloc-token.

    clang 22 then passes a token with each request for memory, which tells what kind of object is asked for.
    The library that is printed hands it to malloom's run time where that is in the process, so that pools
    need not look at the stack; without malloom the program's own allocator serves it as ever.
    """
    typer.echo(native_file(LIBRARY))
