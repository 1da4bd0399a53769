"""`malloom deploy`: what a host needs to run a program with a plan, as a folder."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from malloom.commands.run import Fallback, Heap, OpenedPlan, heap_variables, opened_plan
from malloom.errors import CommandError, UsageProblem
from malloom.native_files import native_file
from malloom.settings import VARIABLE, settings, with_trust

if TYPE_CHECKING:
    from pathlib import PurePosixPath

    from malloom.deploy.deployment import Deployment
    from malloom.layout.plan_record import PlanSetting


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command(name="deploy", epilog="Example: malloom deploy run.plan -o malloom --place /opt/malloom")(
        deploy
    )


def deploy(
    plan: Annotated[
        Path, typer.Argument(help="The plan, as 'malloom run' takes it.", metavar="PLAN", show_default=False)
    ],
    output: Annotated[
        Path, typer.Option("-o", "--output", help="The folder to write.", metavar="DIR", show_default=False)
    ],
    place: Annotated[
        Path | None,
        typer.Option(
            help="Where the folder will lie on the host; default: where it is written.", metavar="FOLDER"
        ),
    ] = None,
    program: Annotated[
        str | None,
        typer.Option(
            help="The program that will run there, to check that the plan is for this very build; default: "
            "what the plan's record names.",
            metavar="FILE",
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Leave that check out, as where the program is not here.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print what was written as one JSON object.")
    ] = False,
) -> None:
    """Write what a production host needs to run a program with a plan, without malloom installed there.

    The folder holds the run time or the allocator that the plan wants, the plan, a file of environment
    variables (for systemd, Docker and shells), a drop-in for a systemd service, and lines for a Dockerfile.
    """
    from malloom.deploy.deployment import checked_folder, checked_place, write  # noqa: PLC0415

    folder = checked_folder(output)
    host = checked_place(place or folder)
    opened = opened_plan(plan)
    if not force:
        from malloom.measure.plan_program import require_program  # noqa: PLC0415

        otherwise = "name it with --program, or leave the check out with --force"
        require_program(opened.path, opened.headers, program, otherwise)
    deployment = deployment_of(opened, host)
    write(deployment, folder)
    print(json.dumps(as_data(deployment, folder), indent=1) if as_json else summary(deployment, folder))


def deployment_of(opened: OpenedPlan, place: PurePosixPath) -> Deployment:
    """As 'malloom run --plan' would start the program, with the files at their place on the host."""
    from malloom.deploy.deployment import LICENSE, PLAN, RUN_TIME, Deployment  # noqa: PLC0415

    setting = setting_that_is_there(opened)
    has_places = opened.heap is not Heap.plan or not opened.is_fallback_alone
    is_watched = setting is not None and setting.up_to != 0
    files: dict[str, Path] = {}
    variables = dict(setting.variables) if setting else {}
    preloaded = []
    if has_places or is_watched or (setting is None and opened.fallback is not Fallback.system):
        files[RUN_TIME] = native_file("libmalloom.so")
        files[LICENSE] = native_file("LICENSE.mimalloc")
        preloaded.append(RUN_TIME)
        variables |= settings(heap="fallback")
    if has_places:
        files[PLAN] = opened.path
        there = replace(opened, path=Path(place / PLAN))
        variables |= heap_variables(there, opened.heap, None, "", None, {})
    if setting and is_watched:
        told = {VARIABLE: variables[VARIABLE]} if has_places else {}
        variables |= with_trust(told, setting.up_to, setting.huge_beyond)
    if setting and setting.library:
        library = Path(setting.library)
        files[library.name] = library
        preloaded.append(library.name)
    if preloaded:
        variables["LD_PRELOAD"] = ":".join(str(place / name) for name in preloaded)
    if not variables:
        raise UsageProblem(f"{opened.path} leaves the program as it is", remedy="there is nothing to deploy")
    return Deployment(place, files, variables)


def setting_that_is_there(opened: OpenedPlan) -> PlanSetting | None:
    """The allocator that the plan wants; raises CommandError where it is gone: a host must not miss it."""
    if not opened.headers[0].fields["record_bytes"]:
        return None
    from malloom.measure.plan_setting import is_gone, setting_of  # noqa: PLC0415

    setting = setting_of(opened.path)
    if setting and is_gone(setting):
        remedy = "install it again, or choose anew with 'malloom optimize'"
        raise CommandError(f"{setting.library}, the allocator of {opened.path}, is gone", remedy=remedy)
    return setting


def as_data(deployment: Deployment, folder: Path) -> dict[str, Any]:
    """The same for machines."""
    needs = deployment.needs()
    return {
        "folder": str(folder),
        "place": str(deployment.place),
        "files": deployment.names,
        "variables": dict(deployment.variables),
        "needs": {"glibc": needs.glibc, "libraries": list(needs.libraries)},
    }


def summary(deployment: Deployment, folder: Path) -> str:
    """What was written, and what is to be done with it."""
    from malloom.deploy.deployment import DOCKERFILE, DROP_IN, ENVIRONMENT  # noqa: PLC0415

    needs = deployment.needs()
    needed = [f"glibc {needs.glibc} or newer"] * bool(needs.glibc) + list(needs.libraries)
    lines = [
        f"written to {folder}: {', '.join(deployment.names)}",
        f"copy the folder to {deployment.place} on the host"
        + (f", which needs {', '.join(needed)}" if needed else ""),
        f"systemd: copy {DROP_IN} to /etc/systemd/system/NAME.service.d/",
        f"Docker:  end the Dockerfile with the lines of {DOCKERFILE}",
        f"shell:   set -a; . {deployment.place}/{ENVIRONMENT}; set +a",
    ]
    return "\n".join(lines)
