"""`malloom run`: start a program with malloom's heap, and be gone."""

import sys
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from malloom.commands.run_choices import (
    become,
    over_setting,
    require_dynamic,
    require_guardable,
    require_unset,
    run_dynamic,
    save_plan_settings,
    show_environment,
    with_choices,
)
from malloom.errors import UsageProblem
from malloom.launch.dynamic import Optimizing
from malloom.launch.preloading import original_environment, preloading
from malloom.launch.program import open_program, require_reachable
from malloom.native_files import native_file
from malloom.printable import printable
from malloom.settings import settings

if TYPE_CHECKING:
    from malloom.layout.plan_header import PlanHeader
    from malloom.layout.plan_record import PlanSetting


class Heap(StrEnum):
    """What serves the program's requests."""

    plan = "plan"
    pools = "pools"
    bins = "bins"
    pages = "pages"
    fallback = "fallback"


class Fallback(StrEnum):
    """What serves the requests that no heap claims."""

    mimalloc = "mimalloc"
    system = "system"


@dataclass(frozen=True)
class OpenedPlan:
    """A good plan, or several: the file was opened once, to check it and for their headers."""

    path: Path
    """Absolute."""
    headers: "tuple[PlanHeader, ...]"
    """What the first says of how the program is started holds for all."""

    @property
    def fallback(self) -> Fallback:
        """What the plan wants to serve what it does not place."""
        return Fallback.system if self.headers[0].has_flag("system_fallback") else Fallback.mimalloc

    @property
    def is_fallback_alone(self) -> bool:
        """Whether the fallback alone is best, as `malloom optimize` found: the plan says nothing."""
        return all(header.says_nothing for header in self.headers)

    @property
    def heap(self) -> Heap:
        """With which heap the plan is run. Raises UsageProblem where its record names none that it can be."""
        if not self.headers[0].fields["record_bytes"]:
            return Heap.plan
        from malloom.measure.plan_setting import wants_pools  # noqa: PLC0415

        return Heap.pools if wants_pools(self.path) else Heap.plan

    def setting(self) -> "PlanSetting | None":
        """The general allocator that the plan wants under it; None where it wants none, or where that is
        gone, which is said: a program without its gain is better than none. Raises UsageProblem for what is
        no allocator."""
        if not self.headers[0].fields["record_bytes"]:
            return None
        from malloom.measure.plan_setting import is_gone, setting_of  # noqa: PLC0415

        setting = setting_of(self.path)
        if setting and is_gone(setting):
            note(
                f"{setting.library}, the allocator of {self.path}, is gone; the program runs with the C "
                "library's"
            )
            return None
        return setting


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command(
        name="run",
        context_settings={"allow_interspersed_args": False},
        epilog="Example: malloom run --plan run.plan --statistics -- ./program input",
    )(run)


def run(
    command: Annotated[
        list[str] | None,
        typer.Argument(metavar="PROGRAM [ARGS]...", help="The program and its arguments, after --."),
    ] = None,
    plan: Annotated[
        Path | None,
        typer.Option(help="The plan, made by 'malloom plan'.", metavar="PLAN", show_default=False),
    ] = None,
    heap: Annotated[
        str | None,
        typer.Option(
            help="plan, pools (what the plan says, and pools for call sites that turn out to be worth it), "
            "bins (free lists by size, a heap for each thread), pages (bitmaps by size, likewise) or "
            "fallback; plan where a plan is given.",
            metavar="HEAP",
        ),
    ] = None,
    fallback: Annotated[
        Fallback | None,
        typer.Option(
            help="What serves the requests that the heap does not claim; default: as the plan says, else "
            "mimalloc."
        ),
    ] = None,
    statistics: Annotated[
        bool,
        typer.Option("--statistics", help="At exit print one line: requests matched, bytes, peak memory."),
    ] = False,
    as_json: Annotated[
        bool,
        typer.Option("--json", help="The same as one JSON object, on standard error for each process."),
    ] = False,
    preallocate: Annotated[
        bool | None,
        typer.Option(
            help="Allocate the plan's memory at program start, or as it is used; default: as the plan says."
        ),
    ] = None,
    huge_pages: Annotated[
        bool | None,
        typer.Option(
            help="Make huge pages of what pools and groups fill, or not; default: as the plan says, with "
            "--dynamic yes."
        ),
    ] = None,
    fallback_huge_pages: Annotated[
        bool | None,
        typer.Option(
            help="Make huge pages of what mimalloc serves, or of what the C library does once another "
            "allocator is left, or not; default: as the plan says, else not.",
            show_default=False,
        ),
    ] = None,
    purge_delay: Annotated[
        int | None,
        typer.Option(
            help="Milliseconds after which mimalloc gives memory back that is not used; 0: at once. Default: "
            "as the plan says, else 1000.",
            metavar="MS",
            min=0,
            max=999_999_999,
            show_default=False,
        ),
    ] = None,
    packed: Annotated[
        bool | None,
        typer.Option(
            help="Pack pool chunks densely; otherwise 64-byte chunks start in the middle of a cache line and "
            "large ones fill whole pairs of lines; default: as the plan says, else not.",
            show_default=False,
        ),
    ] = None,
    pools_in_mimalloc: Annotated[
        bool | None,
        typer.Option(
            help="Make a plan's pools heaps of mimalloc's, in the memory of all else, or pools of their own; "
            "default: as the plan says, else their own.",
            show_default=False,
        ),
    ] = None,
    tokens: Annotated[
        bool | None,
        typer.Option(
            help="Of a program that clang compiled with -fsanitize=alloc-token: take its tokens for who "
            "asks, or look at the stack; default: as the plan says, without one take them.",
            show_default=False,
        ),
    ] = None,
    colocate: Annotated[
        bool | None,
        typer.Option(
            help="With --heap pools: look for call sites whose objects belong to another object, and place "
            "them beside it; default: no.",
            show_default=False,
        ),
    ] = None,
    guards: Annotated[
        bool,
        typer.Option(
            "--guards",
            help="Put bytes behind each object, and end the program, saying where, when an object is freed "
            "or reallocated of which they have changed: something wrote past its end.",
        ),
    ] = False,
    prefetch: Annotated[
        bool,
        typer.Option(
            help="Put the prefetches that the plan carries, or with --dynamic those that are found, into the "
            "program's code, or not."
        ),
    ] = True,
    dynamic: Annotated[
        bool,
        typer.Option("--dynamic", help="Give pools and prefetches while the program runs, under DynamoRIO."),
    ] = False,
    pools: Annotated[bool, typer.Option(help="With --dynamic: give call sites pools, or not.")] = True,
    constant: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=NUMBER",
            help="With --dynamic: set a constant of the optimiser, see docs/guide/dynamic.md; repeatable.",
        ),
    ] = None,
    save_plan: Annotated[
        Path | None,
        typer.Option(
            help="At exit write what the run has learned: a plan for the next one, in place of an older one.",
            metavar="PLAN",
            show_default=False,
        ),
    ] = None,
    process: Annotated[
        str | None,
        typer.Option(
            help="With --save-plan, where the program starts others: the file name of the executable that "
            "the plan is for; of several processes the one that learned most writes it.",
            metavar="EXECUTABLE",
            show_default=False,
        ),
    ] = None,
    print_environment: Annotated[
        bool,
        typer.Option("--print-environment", help="Print the variables that would be set, and run nothing."),
    ] = False,
) -> None:
    """Run a program, as it is, with the heap that a plan describes.

    The program replaces malloom in the same process: its exit status, signals, standard streams,
    arguments and environment are its own. Its children use the plan as well. If the plan places nothing
    over the C library, nothing is preloaded, unless --statistics is given.

    With --heap pools a call site whose requests have one size gets a pool of its own, while the program
    runs; where it lies in a wrapper, its callers do. --save-plan writes them, so that the next run has
    them from its first request on. With --colocate objects that are made for one companion, as the edges
    of a vertex, lie beside each other; it pays where they are walked together, and costs where not.

    With --heap bins requests of up to 256 KiB come from the bin heap that firmware has too, an instance
    for each thread; --statistics says how many there were. With --heap pages the same requests come from
    the page heap, which rounds them up to a power of two.

    With --dynamic the program runs under DynamoRIO, its children too: call sites get their pools and loads
    their prefetches in the code that runs most. With --no-pools and --no-prefetch it is DynamoRIO alone.
    With --plan as well the plan serves the requests, without the allocator that it may want under it, and
    prefetches are found for what it placed; --save-plan then writes both.

    Exit status: the program's; 127 where there is no such program, 126 where it cannot be run with malloom.
    """
    if not command and not print_environment:
        raise UsageProblem("no program is given", remedy="name it after --, as in 'malloom run -- ls -l'")
    program = open_program(command[0]) if command else None
    if program:
        require_reachable(program)
    told = "json" if as_json else "1" if statistics else ""
    choices: dict[str, int | None] = {
        "huge_pages": huge_pages,
        "packed": packed,
        "pools_in_mimalloc": pools_in_mimalloc,
        "tokens": tokens,
        "colocate": colocate,
        "fallback_huge_pages": fallback_huge_pages,
        "purge_delay": purge_delay,
        "guards": guards or None,
    }
    if dynamic:
        unused = {**choices, "huge_pages": huge_pages if plan else None}
        require_unset(json=as_json or None, heap=heap, preallocate=preallocate, **unused)
        asked = Optimizing(
            pools,
            prefetch,
            statistics,
            fallback.value if fallback else None,
            save_plan_settings(save_plan, process),
            tuple(constant or ()),
            plan_without_setting(plan, fallback) if plan else None,
            huge_pages=huge_pages is not False,
        )
        return run_dynamic(asked, None if print_environment else command, save_plan, process)
    require_dynamic(no_pools=not pools, constant=constant)
    named, opened = chosen_heap(heap, plan), opened_plan(plan) if plan else None
    chosen = opened.heap if opened and heap is None else named
    variables = heap_variables(
        opened, chosen, fallback, told, preallocate, save_plan_settings(save_plan, process)
    )
    if guards:
        require_guardable(chosen, fallback, plan, save_plan)
    if colocate is not None and chosen is not Heap.pools:
        raise UsageProblem("--colocate means nothing without pools", remedy="add --heap pools")
    variables = with_choices(variables, **choices, prefetch=None if prefetch else False)
    setting = opened.setting() if opened and fallback is None else None
    is_tuned = told or fallback_huge_pages is not None or purge_delay is not None
    needs_run_time = is_tuned or not opened or chosen is not Heap.plan or not opened.is_fallback_alone
    if setting:
        environment = over_setting(variables if needs_run_time else {}, setting)
    else:
        library: Path | str | None = native_file("libmalloom.so")
        serves_rest = fallback or (opened.fallback if opened else Fallback.mimalloc)
        if not needs_run_time:  # nor the plan, which has nothing to say
            system = serves_rest is Fallback.system
            library, variables = (None, {}) if system else (library, settings(heap="fallback"))
        environment = preloading({**original_environment(), **variables}, library)
    if print_environment:
        show_environment(environment, setting.variables if setting else ())
    elif command and program:
        become(program.path, command, environment, save_plan, process)


def plan_without_setting(plan: Path, fallback: Fallback | None) -> Path:
    """A plan for --dynamic, which leaves out the allocator that the plan wants under it, and says so."""
    opened = opened_plan(plan)
    setting = opened.setting() if fallback is None else None
    if setting:
        note(f"--dynamic leaves out the allocator that {opened.path} wants, {setting.allocator}")
    return opened.path


def note(text: str) -> None:
    """Print a line on standard error: a plan's words are in it."""
    print(f"malloom: {printable(text)}", file=sys.stderr)


def chosen_heap(name: str | None, plan: Path | None) -> Heap:
    """The heap that was asked for, or the one that fits the other options."""
    if name is None:
        return Heap.plan if plan else Heap.fallback
    if name not in list(Heap):
        raise UsageProblem(f"there is no heap '{name}'", remedy=f"choose {' or '.join(Heap)}")
    if name in (Heap.bins, Heap.pages) and plan:
        raise UsageProblem(f"--plan means nothing with --heap {name}", remedy="leave out one of the two")
    if name == Heap.plan and not plan:
        raise UsageProblem("--heap plan needs a plan", remedy="name it with --plan")
    return Heap(name)


def heap_variables(
    plan: OpenedPlan | None,
    heap: Heap,
    fallback: Fallback | None,
    statistics: str,
    preallocate: bool | None,
    saving: dict[str, str],
) -> dict[str, str]:
    """The environment variable that makes up malloom's part of a run, apart from LD_PRELOAD."""
    chosen = {"heap": heap.value}
    if fallback:
        chosen["fallback"] = fallback.value
    if plan:
        chosen["plan"] = str(plan.path)
    if statistics:
        chosen["statistics"] = statistics
    if preallocate is not None:
        chosen["preallocate"] = str(int(preallocate))
    if saving:
        if heap is not Heap.pools:
            raise UsageProblem("--save-plan needs a run that learns", remedy="add --heap pools")
        chosen |= saving
    return settings(**chosen)


def opened_plan(plan: Path) -> OpenedPlan:
    """The plan; raises CommandError where it is missing, damaged or of another version."""
    # Runs without a plan need not load it.
    from malloom.layout.plan_header import PlanHeader, check_plan  # noqa: PLC0415

    return OpenedPlan(plan.resolve(), PlanHeader.all_of(check_plan(plan)))
