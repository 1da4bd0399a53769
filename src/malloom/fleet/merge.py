"""Tables of many hosts and builds become one, by keys that survive a rebuild."""

from __future__ import annotations

import tempfile
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any

from malloom.errors import CommandError
from malloom.file_name import native_name
from malloom.fleet import queries
from malloom.fleet.agreement import check_alike, chosen, notes_on
from malloom.fleet.canonical import canonical, numbered_sites
from malloom.fleet.database import database, system_told, told_by_name
from malloom.fleet.inputs import Table, check_not_read, named_files, read_origins
from malloom.fleet.origin import Build, CodeFile, Origin, encoded
from malloom.fleet.queries import Merging
from malloom.fleet.soundness import NO_FILE, NOT_THE_SUM, check_columns, check_rows, damaged, doubtful
from malloom.fleet.table_file import copying
from malloom.fleet.weights import factors, host_of
from malloom.output_file import written_whole
from malloom.printable import printable
from malloom.sites.keys import LEVELS
from malloom.sites.rebase import ORDER

SAME_PROGRAM = 0.1
"""Builds of one name are of one program where so much of the requests is of call sites of both."""


@dataclass(frozen=True)
class Wanted:
    """What of the tables is merged, and how."""

    weight: str = "cpu"
    """One of malloom.fleet.weights.WEIGHTS."""
    program: str | None = None
    """Its name, or the end of its path; None: there must be one."""
    builds: Sequence[str] = ()
    """How their build-ids begin; empty: all."""
    levels: Sequence[str] = tuple(LEVELS)
    """Of keys at which call sites are taken for the same."""


@dataclass(frozen=True)
class Code:
    """The files of code of all tables."""

    files: list[CodeFile]
    number: dict[str, int]
    """Of a file by its hash."""
    requests: Counter[int]
    """Of the tables that name it."""

    @property
    def order(self) -> list[int]:
        """Those with the most requests first."""
        return sorted(range(len(self.files)), key=lambda each: (-self.requests[each], self.files[each].hash))


def merge(names: Sequence[str], output: Path, wanted: Wanted) -> Origin:
    """Writes the fleet of all the tables: whoever opens `output` sees a whole one, old or new.

    The same tables give the same bytes. Returns what the fleet says of itself.

    Memory: that of the database, and some KB for each call site of any build. Raises CommandError where the
    tables are not good, or not alike.
    """
    with tempfile.TemporaryDirectory(prefix="malloom-fleet-") as folder, database() as connection:
        files = named_files(names, connection, Path(folder))
        check_not_read(output, files)
        with told_by_name(connection, files):
            tables = chosen(read_origins(connection, files), wanted.program, wanted.builds)
            check_alike(tables)
            # A chain is read from the first table that has it: those with debug information come first.
            tables.sort(key=lambda table: (table.origin.keyed == 0, table.name))
            check_columns(connection, tables)
            weights = factors(tables, wanted.weight)
            merging = Merging(connection, [table.path for table in tables], weights)
            code, builds = _describe(merging, tables, weights)
            _read(merging, tables)
        return _merged(merging, tables, code, builds, output, wanted)


def _read(merging: Merging, tables: Sequence[Table]) -> None:
    """All that is read of the tables. Raises CommandError where the rows of one are not good."""
    for table in doubtful(merging.connection, tables):
        check_rows(merging.connection, table)
    wrong = queries.wrong_total(merging, [(table.origin.requests, table.origin.bytes) for table in tables])
    if wrong is not None:
        raise damaged(tables[wrong], NOT_THE_SUM)
    queries.add_up(merging)
    if queries.has_holes(merging):
        for table in tables:
            check_rows(merging.connection, table)
    wrong = queries.find_frames(merging)
    if wrong is not None:
        check_rows(merging.connection, tables[wrong])
        raise damaged(tables[wrong], NO_FILE)


def _merged(
    merging: Merging, tables: Sequence[Table], code: Code, builds: Sequence[str], output: Path, wanted: Wanted
) -> Origin:
    _find_canonical(merging, code, wanted.levels)
    queries.unite(merging, [code.number[hash_] for hash_ in builds if hash_ in code.number])
    described = _described_builds(merging, tables, builds)
    _check_one_program(described, tables[0].origin.program)
    queries.number_rows(merging)
    origin = _origin(merging, tables, code, described, wanted.weight)
    with written_whole(output) as file, system_told():
        joined = "left join variants using (row)"
        more = ", s.tables, coalesce(variants, []) as variants"
        merging.connection.execute(copying(native_name(file.name), encoded(origin), more, joined))
    return origin


def _describe(merging: Merging, tables: Sequence[Table], weights: Sequence[int]) -> tuple[Code, list[str]]:
    """Tells the database of the tables. Returns the files of code, and the builds of the program by their
    hashes, that with the most requests first."""
    code = Code([], {}, Counter())
    requests: Counter[str] = Counter()
    modules = []
    for index, table in enumerate(tables):
        for place, file in enumerate(table.origin.files):
            if file.hash not in code.number:
                code.number[file.hash] = len(code.files)
                code.files.append(file)
            number = code.number[file.hash]
            code.requests[number] += table.origin.requests
            modules.append((index, place, number))
        requests[_build_of(table)] += table.origin.requests * weights[index]
    builds = sorted(requests, key=lambda each: (-requests[each], each))
    merging.insert(
        "tables",
        ("file", "factor", "build"),
        [(index, weights[index], builds.index(_build_of(table))) for index, table in enumerate(tables)],
    )
    merging.insert("modules", ("file", "module", "code"), modules)
    return code, builds


def _build_of(table: Table) -> str:
    """Hash of the program, which is the first file."""
    return table.origin.files[0].hash if table.origin.files else ""


def _find_canonical(merging: Merging, code: Code, levels: Sequence[str]) -> None:
    """Makes the table `canonical`."""
    names = Counter(PurePath(file.path).name for file in code.files)
    rebuilt = [n for n, file in enumerate(code.files) if names[PurePath(file.path).name] > 1]
    found = {}
    if rebuilt:
        sites = numbered_sites(queries.sites_of(merging, rebuilt))
        order = [number for number in code.order if number in set(rebuilt)]
        found = canonical(sites, [file.path for file in code.files], order, levels)
    merging.insert(
        "canonical",
        ("frame", "stands", "level"),
        [(frame, each.number, each.level) for frame, each in sorted(found.items())],
    )


def _described_builds(merging: Merging, tables: Sequence[Table], builds: Sequence[str]) -> list[Build]:
    of_build: dict[str, list[Table]] = defaultdict(list)
    for table in tables:
        of_build[_build_of(table)].append(table)
    matched, requests = queries.matched_requests(merging), queries.requests_of_builds(merging)
    resized = queries.resized(merging)
    described = []
    for number, hash_ in enumerate(builds):
        whole, keyless = requests.get(number, (0, 0))
        theirs = of_build[hash_]
        levels = sorted(matched.get(number, {}).items())
        described.append(
            Build(
                build_id=theirs[0].origin.build_id,
                hash=hash_ or "0",
                hosts=len({host_of(table) for table in theirs}),
                tables=len(theirs),
                requests=whole,
                matched={ORDER[level]: count / max(whole, 1) for level, count in levels},
                keyless=keyless / max(whole, 1),
                resized=resized.get(number, 0),
            )
        )
    return described


def _check_one_program(builds: Sequence[Build], program: str) -> None:
    """Raises CommandError where builds that have keys hardly share a call site with those before them."""
    for build in builds[1:]:
        if build.requests and build.found < SAME_PROGRAM and build.keyless < 1 - SAME_PROGRAM:
            first, other = (each.build_id or each.hash for each in (builds[0], build))
            raise CommandError(
                f"builds {first} and {other} are of two programs of the name {printable(program)}: "
                f"{build.found:.0%} of the requests are of call sites of both",
                remedy="merge each alone with --build",
            )


def _origin(
    merging: Merging, tables: Sequence[Table], code: Code, builds: Sequence[Build], weight: str
) -> Origin:
    origins = [table.origin for table in tables]
    requests, size, accesses = merging.one("select sum(requests), sum(bytes), sum(accesses) from numbers")
    first = next(each for each in origins if each.build_id == builds[0].build_id)
    modes = {each.accesses for each in origins}
    return Origin(
        program=first.program,
        build_id=first.build_id,
        architecture=_known(each.architecture for each in origins),
        page_size=max(each.page_size for each in origins),
        depth=first.depth,
        geometry=_known(each.geometry for each in origins),
        accesses=modes.pop() if len(modes) == 1 else "mixed",
        files=tuple(code.files),
        requests=int(requests),
        bytes=int(size),
        live_peak=max(each.live_peak for each in origins),
        accesses_count=int(accesses),
        keyed=sum(each.keyed * each.requests for each in origins) / sum(each.requests for each in origins),
        created=min(each.created for each in origins),
        threads=max(each.threads for each in origins),
        cpu_time=sum(each.cpu_time for each in origins),
        recorded_cpu_time=sum(each.recorded_cpu_time for each in origins),
        is_cut=any(each.is_cut for each in origins),
        hosts=len({host_of(table) for table in tables}),
        tables=len(tables),
        weight=weight,
        builds=tuple(builds),
        notes=tuple(notes_on(tables)),
    )


def _known(texts: Any) -> str:
    return next((text for text in texts if text), "")
