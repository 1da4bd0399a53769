"""`malloom plan FLEET`: a plan from what many hosts did."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import typer

from malloom.errors import UsageProblem
from malloom.fleet.shown import of_hosts
from malloom.layout.plan_file import write_plan
from malloom.layout.plan_record import write_with_record
from malloom.layout.plan_shown import SHORT_ID
from malloom.layout.registry import AUTO
from malloom.quantities import counted

DEFAULT = "pools"
"""For `auto`: there are no accesses in order to simulate, and pools need none."""


def require_profile(fleet: Path, **options: bool) -> None:
    """Raises UsageProblem for an option that was given, and that a fleet has no use for."""
    for name, is_given in options.items():
        if is_given:
            raise UsageProblem(
                f"--{name} means nothing for a fleet", remedy=f"{fleet} has no single requests"
            )


def plan_of_fleet(fleet: Path, output: Path, strategy: str, *, as_json: bool) -> None:
    """Writes the plan and says what is in it, and for which builds it is."""
    from malloom.fleet.planning import plan_fleet  # noqa: PLC0415  (it needs DuckDB)

    made = plan_fleet(fleet, DEFAULT if strategy == AUTO else strategy)
    with tempfile.TemporaryDirectory(prefix="malloom-") as folder:
        unrecorded = Path(folder) / "plan"
        write_plan(made.plan, unrecorded)
        write_with_record(unrecorded, output, made.record)
    found = {
        "plan": str(output),
        "strategy": made.plan.strategy,
        "contexts": int((made.plan.contexts["hash"] != 0).sum()),
        "groups": len(made.plan.groups),
        "pools": made.plan.pools_count,
        "depth": made.plan.depth,
        "builds": list(made.builds),
    }
    if as_json:
        print(json.dumps(found, indent=1))
        return
    what = (
        counted(len(made.plan.groups), "group")
        if len(made.plan.groups)
        else counted(made.plan.pools_count, "pool")
    )
    shown = ", ".join(build[:SHORT_ID] or "without a build-id" for build in made.builds)
    typer.echo(f"planned by {made.plan.strategy}: {what}, depth {made.plan.depth}", err=True)
    typer.echo(f"from {of_hosts(made.origin)}; good for the builds {shown}", err=True)
