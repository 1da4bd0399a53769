"""Tables of a host that no program made, of any size: for tests of what merges them.

`python tests/python/fleet/synthetic.py FOLDER TABLES SITES [BUILDS] [DISTINCT]` writes them; those beyond
DISTINCT are links to these.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import duckdb

from malloom.fleet.origin import CodeFile, Origin, encoded
from malloom.fleet.table_file import copying
from malloom.fleet.tables import FIELD_COUNTS, KIND_COUNTS, LIFETIMES

FRAMES = 5
EVERY_OTHER = 10
"""One context in so many was accessed: has fields and is used together with others."""
FAN = 4
"""So many call sites of one depth have one caller."""
SEEN = 0.9
"""Share of the contexts that a host has."""
GROWN = 7
"""From one build to the next one context in so many has larger objects."""


def write_tables(folder: Path, tables: int, sites: int, builds: int = 2, distinct: int = 0) -> list[Path]:
    """Writes so many tables of hosts that run so many builds in turn; those beyond `distinct` are links."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"{number:05}.parquet" for number in range(tables)]
    made = min(distinct or tables, tables)
    connection = duckdb.connect(config={"threads": 1})
    for build in range(builds):
        make_build(connection, build, sites)
    for number, path in enumerate(paths[:made]):
        write_table(connection, path, number, number % builds)
    for number, path in enumerate(paths[made:], made):
        os.link(paths[number % made], path)
    return paths


def make_build(connection: Any, build: int, sites: int) -> None:
    """Makes the call sites of a build: its chains as the database's tables have them, for all hosts alike."""
    connection.execute(f"""create or replace table build_{build} as
        select i, hash(i, {build}) as site,
            (i % 64 + 1) * 8 + 16 * (({build} > 0) and i % {GROWN} = 0)::int as size
        from range({sites}) t(i)""")
    # Callers are fewer than what they call.
    connection.execute(f"""create or replace table steps_{build} as
        select i, place, place * {sites} + (i // ({FAN} ** place)::bigint) as frame
        from range({sites}) t(i), range({FRAMES}) p(place)""")
    connection.execute(f"""create or replace table sites_{build} as
        select distinct frame, 0::uinteger as module, (16 * frame + {build} * 4)::ubigint as 'offset',
            'malloc' as callee, 1::uinteger as twins, 1::uinteger as copies, 1::uinteger as ordinal,
            1::uinteger as alike
        from steps_{build}""")
    connection.execute(f"""create or replace table calls_{build} as
        select frame, 0 as place, 'function_' || frame as function, 'source_' || frame % 97 || '.c' as file,
            (100 + frame + {build})::uinteger as line, 5::uinteger as column,
            (90 + {build})::uinteger as function_line
        from sites_{build}""")


def write_table(connection: Any, path: Path, host: int, build: int) -> None:
    """Writes the table of one host; numbers are made up from the host's."""
    make_rows(connection, host, build)
    requests, size, accesses = connection.execute(
        "select sum(requests), sum(bytes), sum(accesses) from numbers"
    ).fetchone()
    code = CodeFile("/bin/made_up", f"{build + 1:040x}", f"{build + 1:x}")
    origin = Origin(
        program="made_up", build_id=f"{build + 1:040x}", architecture="x86_64", page_size=4096, depth=FRAMES,
        geometry="zen5", accesses="sampled", files=(code,),
        requests=int(requests), bytes=int(size), live_peak=1 << 20, accesses_count=int(accesses), keyed=1.0,
        host=f"host{host}",
    )  # fmt: skip
    connection.execute(copying(str(path), encoded(origin)))


def make_rows(connection: Any, host: int, build: int) -> None:
    """Makes the tables that malloom.fleet.table_file.copying writes."""
    run = connection.execute
    lived = ", ".join(
        f"(hash(i, {host}, {place}) % 10)::ubigint as {name}" for place, name in enumerate(LIFETIMES)
    )
    run(f"""create or replace table numbers as
        select row_number() over (order by i) - 1 as row, i, site, size,
            (1000 + hash(i, {host}) % 1000)::ubigint as requests, (requests * size)::ubigint as bytes,
            (size * 10)::ubigint as live_peak, 0::ubigint as aligned, {lived}, 0::ubigint as never,
            case when i % {EVERY_OTHER} = 0 then requests * 4 else 0 end::ubigint as accesses,
            (accesses // 4)::ubigint as accessed, (accesses // 2)::ubigint as uses
        from build_{build} where hash(i, {host}, 1) % 100 < {int(SEEN * 100)}""")
    counts = ", ".join(
        f"(accesses // {place})::ubigint as {name}" for place, name in enumerate(KIND_COUNTS[1:], 1)
    )
    run(f"""create or replace table kinds as
        select row, size::ubigint as size, live_peak, requests, {counts} from numbers""")
    counts = ", ".join(
        f"(accesses // {place})::ubigint as {name}" for place, name in enumerate(FIELD_COUNTS, 1)
    )
    run(f"""create or replace table fields as
        select row, size::ubigint as size, (step * 8)::uinteger as 'offset',
            8::uinteger as width, {counts}
        from numbers, range(4) f(step) where i % {EVERY_OTHER} = 0 and step * 8 < size""")
    run(f"""create or replace table co_use as select n.row, o.site, n.uses from numbers n, range(1, 5) d(more)
        join build_{build} o on o.i = n.i + more * {EVERY_OTHER} where n.i % {EVERY_OTHER} = 0""")
    run(f"create or replace view sites as select * from sites_{build}")
    run(f"create or replace view calls as select * from calls_{build}")
    run(f"""create or replace table chains as
        select n.row, s.place, s.frame from numbers n join steps_{build} s using (i)""")


if __name__ == "__main__":
    write_tables(Path(sys.argv[1]), *map(int, sys.argv[2:]))
