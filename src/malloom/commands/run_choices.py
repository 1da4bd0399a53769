"""What `malloom run` makes of the choices of its command line."""

import shlex
from collections.abc import Iterable

from malloom.errors import UsageProblem
from malloom.settings import VARIABLE, with_setting


def with_choices(variables: dict[str, str], **choices: int | None) -> dict[str, str]:
    """The variables with a setting for each choice that was made: a switch, or a number."""
    for name, choice in choices.items():
        if choice is not None:
            variables = with_setting(variables, name, str(int(choice)))
    return variables


def show_environment(environment: dict[str, str], more: Iterable[str] = ()) -> None:
    """Print what malloom sets, `more` among it."""
    shown = [name for name in (*more, "LD_PRELOAD", VARIABLE) if name in environment]
    print("\n".join(f"{name}={shlex.quote(environment[name])}" for name in shown))


def require_unset(**options: object) -> None:
    """Raise UsageProblem for an option that --dynamic leaves without a meaning."""
    for name, value in options.items():
        if value is not None:
            option = name.replace("_", "-")
            raise UsageProblem(f"--{option} means nothing with --dynamic", remedy="leave out one of the two")
