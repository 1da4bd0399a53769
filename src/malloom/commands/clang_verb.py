"""What the two verbs share that become native programs, the compiler's drivers."""

from typing import Any

from typer.core import TyperCommand

from malloom.launch.becoming import replace_process
from malloom.launch.preloading import original_environment
from malloom.native_files import native_file


class ClangVerb(TyperCommand):
    """A verb whose arguments are clang's, `--help` and `--` too."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        ctx.args = list(args)
        return []


def become_driver(name: str, arguments: list[str]) -> None:
    """Exec the driver of that name; raises CommandError where it is missing or the kernel refuses."""
    path = str(native_file(name))
    replace_process(path, [path, *arguments], original_environment())
