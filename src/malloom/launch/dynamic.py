"""How a program is started under the optimiser, which pools and prefetches while it runs."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from malloom.errors import UsageProblem
from malloom.launch.dynamorio import LETS_ERRORS_GO, under_dynamorio
from malloom.launch.preloading import original_environment, preloading
from malloom.native_files import native_file
from malloom.settings import settings

PRIVATE_CODE = "-thread_private"
"""A trace is built anew when its loads have been judged. DynamoRIO removes single fragments of a thread's own
code only; of shared code it would flush the module. One thread is quicker with it too, so DynamoRIO alone has
it as well."""

CORE_OPTIONS = {"trace_threshold": "-trace_threshold"}
"""Constants that are DynamoRIO's own. The client knows all others (optimizer/options.def)."""


@dataclass(frozen=True)
class Optimizing:
    """What was asked for on the command line."""

    pools: bool = True
    prefetch: bool = True
    statistics: bool = False
    fallback: str | None = None
    """What serves the requests that no pool or plan claims; None: as the plan says, or with pools mimalloc,
    or the system's."""
    learned: Mapping[str, str] = field(default_factory=dict)
    """Settings that have the run time write down what was learned; empty: nowhere."""
    constants: tuple[str, ...] = ()
    """NAME=NUMBER each."""
    plan: Path | None = None
    """What serves the program's requests, in place of pools that are found on the way."""
    huge_pages: bool = True
    """Whether what such pools fill becomes huge pages; a plan says it itself."""

    @property
    def finds_pools(self) -> bool:
        """Whether call sites get pools while the program runs: a plan's places would lose their objects."""
        return self.pools and self.plan is None

    @property
    def needs_run_time(self) -> bool:
        """Whether libmalloom.so has a part in it: prefetches alone leave the program's allocator."""
        return self.pools or self.plan is not None or self.statistics or bool(self.learned)


def dynamic_prefix(asked: Optimizing) -> list[str]:
    """What comes before the program's path on the command line; DynamoRIO alone where nothing is wanted.

    Raises UsageProblem for what is no constant, CommandError where the installation lacks a part.
    """
    core, client = split_constants(asked.constants)
    core = core if asked.statistics else f"{LETS_ERRORS_GO} {core}"
    if not asked.finds_pools and not asked.prefetch:
        return under_dynamorio("", core_options=core)
    switches = {"pools": asked.finds_pools, "prefetch": asked.prefetch, "statistics": asked.statistics}
    patience = ["requests=0"] if asked.learned else []  # what is to be learned is worth it from the beginning
    options = [*(f"{name}={int(wanted)}" for name, wanted in switches.items()), *patience, *client]
    return under_dynamorio("libmalloom_optimizer.so", " ".join(options), core_options=core)


def split_constants(constants: Iterable[str]) -> tuple[str, list[str]]:
    """DynamoRIO's options as it takes them, and those of the client."""
    core, client = [PRIVATE_CODE], []
    for constant in constants:
        name, _, number = constant.partition("=")
        if not re.fullmatch(r"[a-z_]+=[0-9]+", constant):
            remedy = "write it as NAME=NUMBER; docs/guide/dynamic.md lists them"
            raise UsageProblem(f"'{constant}' sets no constant", remedy=remedy)
        if name in CORE_OPTIONS:
            core += [CORE_OPTIONS[name], number]
        else:
            client.append(constant)
    return " ".join(core), client


def dynamic_settings(asked: Optimizing) -> dict[str, str]:
    """The variable that holds the run time's settings; empty where it has no part in it."""
    if not asked.needs_run_time:
        return {}
    statistics = {"statistics": "1"} if asked.statistics else {}
    return settings(**_heap_settings(asked), **statistics, **asked.learned)


def _heap_settings(asked: Optimizing) -> dict[str, str]:
    """Which heap serves the program. The plan's own prefetches stay out: the run finds those of its own."""
    if asked.plan is not None:
        chosen = {"heap": "plan", "plan": str(asked.plan.resolve()), "prefetch": "0"}
        return chosen | ({"fallback": asked.fallback} if asked.fallback else {})
    if not asked.pools:
        return {"heap": "fallback", "fallback": "system"}
    huge_pages = {"huge_pages": "1"} if asked.huge_pages else {}
    return {"heap": "fallback", "fallback": asked.fallback or "mimalloc", **huge_pages}


def dynamic_environment(asked: Optimizing) -> dict[str, str]:
    """The program's whole environment."""
    library = native_file("libmalloom.so") if asked.needs_run_time else None
    return preloading({**original_environment(), **dynamic_settings(asked)}, library)
