"""What `malloom run` makes of the choices of its command line."""

import os
import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from malloom.errors import UsageProblem
from malloom.launch.becoming import replace_process
from malloom.launch.dynamic import Optimizing, dynamic_environment, dynamic_prefix
from malloom.launch.preloading import original_environment, preloading
from malloom.native_files import native_file
from malloom.output_file import check_output, check_replaced
from malloom.settings import VARIABLE, with_setting, with_trust

if TYPE_CHECKING:
    from malloom.layout.plan_record import PlanSetting


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


def require_dynamic(**options: object) -> None:
    """Raise UsageProblem for an option that has a meaning under --dynamic alone."""
    for name, value in options.items():
        if value:
            option = name.replace("_", "-")
            raise UsageProblem(
                f"--{option} means nothing without --dynamic", remedy="leave it out, or add that"
            )


def require_guardable(heap: str, fallback: str | None, plan: Path | None, save_plan: Path | None) -> None:
    """Raise UsageProblem where objects cannot have guards, or a plan would be learned of what these need."""
    if plan is not None or save_plan is not None:
        raise UsageProblem("--guards means nothing with a plan", remedy="leave out one of the two")
    if (heap, fallback) == ("fallback", "system"):
        raise UsageProblem("--guards means nothing over the C library", remedy="leave out --fallback system")
    if heap not in ("pools", "fallback"):
        raise UsageProblem(
            f"--guards means nothing with --heap {heap}", remedy="leave it out, or choose pools"
        )


def over_setting(variables: dict[str, str], setting: "PlanSetting") -> dict[str, str]:
    """The environment of a program under a general allocator, and where there are variables for it, or it may
    be left, under the run time before that."""
    variables = with_trust(variables, setting.up_to, setting.huge_beyond)
    below = preloading({**original_environment(), **setting.variables, **variables}, setting.library)
    return preloading(below, native_file("libmalloom.so")) if variables else below


def become(
    path: str,
    command: list[str],
    environment: dict[str, str],
    save_plan: Path | None,
    process: str | None,
) -> None:
    """Exec the program; raises CommandError where the kernel refuses. Of several processes the one that has
    learned most saves its plan: what an earlier run learned would stay where it is more."""
    if save_plan is not None and process is not None:
        save_plan.resolve().unlink(missing_ok=True)
    replace_process(path, command, environment)


def run_dynamic(
    asked: Optimizing, command: list[str] | None, save_plan: Path | None, process: str | None
) -> None:
    """Exec the program under DynamoRIO; without one show the environment."""
    environment = dynamic_environment(asked)
    if command:
        prefix = dynamic_prefix(asked)
        become(prefix[0], [*prefix, *command], environment, save_plan, process)
    else:
        show_environment(environment)


def require_one(plan: Path) -> None:
    """Raise UsageProblem where a plan would take the place of several, of which it could be one."""
    from malloom.layout.plan_header import headers_of  # noqa: PLC0415  (few save plans)

    if plan.exists() and len(headers_of(plan)) > 1:
        raise UsageProblem(
            f"{plan} has the plans of several executables",
            remedy="name another file, and put them together again with cat",
        )


def save_plan_settings(save_plan: Path | None, process: str | None = None) -> dict[str, str]:
    """The settings that have a plan written at the program's end; raises where there can be none."""
    if save_plan is None:
        if process is not None:
            raise UsageProblem("--process says whose plan is saved", remedy="add --save-plan")
        return {}
    check_output(save_plan)
    check_replaced(save_plan, "plan")
    require_one(save_plan)
    written = {"save_plan": str(save_plan.resolve())}
    if process is None:
        # This process becomes the program; its children share the environment, but write nothing.
        return {**written, "save_process": str(os.getpid())}
    name = Path(process).name
    if not name:
        raise UsageProblem("--process is no file name", remedy="name an executable, as in --process cc1")
    return {**written, "save_program": name}
