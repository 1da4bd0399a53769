"""The merge in DuckDB's words: each function makes or reads tables of one connection.

Its tables, in the order in which they are made: `tables` and `modules`, what the files say of themselves;
`contexts`, `kinds`, `fields` and `pairs`, the counts added up over all files by context hash; `frames` and
`steps`, the call sites of the contexts; `members`, each context with the one that stands for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from malloom.fleet.database import quoted
from malloom.fleet.tables import FIELD_COUNTS, KIND_COUNTS, MOST_CO_USES, SITE_COUNTS
from malloom.fleet.weights import UNIT
from malloom.sites.table import NO_MODULE

Row = tuple[Any, ...]


class Merging:
    """One merge: the connection, the files, and whether they are weighted."""

    def __init__(self, connection: Any, paths: Sequence[str], factors: Sequence[int]) -> None:
        self.connection = connection
        self.paths = paths
        self.is_weighted = any(factor != UNIT for factor in factors)

    def run(self, query: str) -> list[Row]:
        rows: list[Row] = self.connection.execute(query).fetchall()
        return rows

    def one(self, query: str) -> Row:
        return self.run(query)[0]

    def insert(self, name: str, columns: Sequence[str], rows: Iterable[tuple[int, ...]]) -> None:
        """Makes a table of these rows, all of whose columns are whole numbers."""
        values = np.array(list(rows), dtype=np.int64).reshape(-1, len(columns))
        given = {column: np.ascontiguousarray(values[:, place]) for place, column in enumerate(columns)}
        self.connection.register("given", given)
        self.run(f"create table {name} as select * from given")
        self.connection.unregister("given")

    def files(self, paths: Sequence[str] | None = None) -> str:
        return f"read_parquet([{', '.join(map(quoted, self.paths if paths is None else paths))}])"

    def sums(self, names: Sequence[str], prefix: str = "") -> str:
        """The columns added up, each file's by its factor."""
        return ", ".join(f"{self._sum(prefix + name)} as {name}" for name in names)

    def _sum(self, column: str) -> str:
        if not self.is_weighted:
            return f"sum({column})::ubigint"
        return f"((sum({column}::hugeint * factor) + {UNIT // 2}) // {UNIT})::ubigint"

    @property
    def weighted(self) -> str:
        """What follows the files where their factors are needed."""
        return "join tables on tables.file = file_index" if self.is_weighted else ""


def wrong_total(merging: Merging, wanted: Sequence[tuple[int, int]]) -> int | None:
    """The first file whose rows do not add up to what it says of itself: requests and bytes."""
    query = f"select file_index, sum(requests), sum(bytes) from {merging.files()} group by file_index"
    found = {index: (requests, size) for index, requests, size in merging.run(query)}
    return next((index for index, totals in enumerate(wanted) if found.get(index) != totals), None)


def add_up(merging: Merging) -> None:
    """Makes the tables of counts, each in one pass over its columns."""
    files, weighted = merging.files(), merging.weighted
    merging.run(
        f"create table contexts as select site, min(file_index) as file, count(*) as tables, "
        f"max(live_peak) as live_peak, {merging.sums(SITE_COUNTS)} from {files} {weighted} group by site"
    )
    merging.run(
        f"create table shares as select site, tables.build, {merging.sums(['requests'])} from {files} "
        "join tables on tables.file = file_index group by all"
    )
    merging.run(
        f"create table kinds as select site, k.size as size, max(k.live_peak) as live_peak, "
        f"{merging.sums(KIND_COUNTS, 'k.')} "
        f"from (select site, file_index, unnest(kinds) as k from {files}) {weighted} group by site, k.size"
    )
    merging.run(
        f"create table fields as select site, f.size as size, f.offset as 'offset', f.width as width, "
        f"{merging.sums(FIELD_COUNTS, 'f.')} from (select site, file_index, {_unnested('fields')} as f "
        f"from {files} where len(fields) is distinct from 0) {weighted} group by all"
    )
    merging.run(
        f"create table pairs as select site, u.site as other, {merging.sums(['uses'], 'u.')} from (select "
        f"site, file_index, {_unnested('co_use')} as u from {files} where len(co_use) is distinct from 0) "
        f"{weighted} group by all"
    )


def _unnested(column: str) -> str:
    """Elements of a list; of one that is missing, one that is missing too."""
    return f"unnest(coalesce({column}, [null]))"


def has_holes(merging: Merging) -> bool:
    """Whether a file lacks a list, or has a context more than once: of what add_up made."""
    found: bool = merging.one(f"""select
        exists (from fields where size is null) or exists (from pairs where other is null) or
        exists (from contexts where tables > {len(merging.paths)})""")[0]
    return found


def find_frames(merging: Merging) -> int | None:
    """Makes the tables of call sites: of each context the chain is read from one file. Returns a file whose
    call sites are not good, if there is one."""
    chosen = [row[0] for row in merging.run("select distinct file from contexts order by file")]
    merging.insert("subset", ("place", "file"), enumerate(chosen))
    files = merging.files([merging.paths[index] for index in chosen])
    merging.run(f"""create table placed as
        select r.site, r.place, r.file, r.f.module as module, r.f.offset as 'offset', r.f as frame from (
            select t.site, s.file, unnest(t.chain) as f, generate_subscripts(t.chain, 1) as place
            from {files} t join subset s on s.place = t.file_index
            join contexts c on c.site = t.site and c.file = s.file) r""")
    merging.run(f"""create table coded as select p.site, p.place, p."offset", p.frame,
        case when p.module = {NO_MODULE} then -1 else m.code end as code, p.file
        from placed p left join modules m on m.file = p.file and m.module = p.module""")
    bad = merging.one("""select min(file) from (
        select min(file) as file from coded group by site, place
        having count(*) > 1 or bool_or(code is null or frame.calls is null))""")[0]
    if bad is not None:
        return int(bad)
    merging.run("""create table frames as
        select row_number() over (order by code, "offset") - 1 as frame, code, "offset", best.*
        from (select code, "offset", arg_max({callee: frame.callee, calls: frame.calls, twins: frame.twins,
            copies: frame.copies, ordinal: frame.ordinal, alike: frame.alike}, len(frame.calls)) as best
            from coded group by code, "offset")""")
    merging.run("""create table steps as
        select c.site, c.place, f.frame from coded c join frames f using (code, "offset")""")
    merging.run("drop table placed; drop table coded")
    return None


def sites_of(merging: Merging, codes: Sequence[int]) -> list[Row]:
    """The call sites of some files, as malloom.fleet.canonical.numbered_sites has them."""
    return merging.run(
        'select frame, code, "offset", callee, calls, twins, copies, ordinal, alike from frames '
        f"where code in ({', '.join(map(str, codes))}) order by frame"
    )


def unite(merging: Merging, programs: Sequence[int]) -> None:
    """Makes `members`: contexts whose call sites are the same in canonical builds are one. Of the files of
    code `programs` are the builds of the program.

    `canonical` (frame, stands, level) says of a call site which other stands for it.
    """
    own = ", ".join(map(str, programs)) or "-1"
    merging.run(f"""create table chained as
        select s.site, list(coalesce(c.stands, s.frame) order by s.place) as chain,
            max(coalesce(c.level, 0)) as level,
            bool_or(len(f.calls) = 0 and (s.place = 1 or f.code in ({own}))) as is_keyless
        from steps s join frames f using (frame) left join canonical c using (frame) group by s.site""")
    merging.run("""create table members as
        select c.site, c.requests, t.build, coalesce(h.level, 0) as level,
            coalesce(h.is_keyless, true) as is_keyless,
            first_value(c.site) over (
                partition by coalesce(h.chain, [-1 - c.site::hugeint]) order by c.requests desc, c.site
            ) as stands
        from contexts c join tables t using (file) left join chained h using (site)""")


def _summed(names: Sequence[str], prefix: str) -> str:
    return ", ".join(f"sum({prefix}.{name})::ubigint as {name}" for name in names)


def number_rows(merging: Merging) -> None:
    """Makes what the fleet's file is written from: the rows in order, with all that is in them."""
    merging.run(f"""create table numbers as
        select row_number() over (order by requests desc, site) - 1 as row, * from (
            select m.stands as site, max(c.live_peak) as live_peak, {_summed(SITE_COUNTS, "c")},
                sum(c.tables)::ubigint as tables
            from contexts c join members m using (site) group by m.stands)""")
    merging.run("""create table row_of as
        select m.site, n.row, m.level, m.requests from members m join numbers n on n.site = m.stands""")
    merging.run(f"""create table merged_kinds as
        select row, size, max(k.live_peak) as live_peak, {_summed(KIND_COUNTS, "k")}
        from kinds k join row_of using (site) group by row, size""")
    merging.run(f"""create table merged_fields as
        select r.row, f.size, f."offset", f.width, {_summed(FIELD_COUNTS, "f")}
        from fields f join row_of r using (site) group by all""")
    merging.run(f"""create table co_use as
        select row, site, uses from (
            select r.row, n.site, sum(p.uses)::ubigint as uses, row_number() over (
                partition by r.row order by sum(p.uses) desc, n.site) as place
            from pairs p join row_of r using (site) join row_of o on o.site = p.other
            join numbers n on n.row = o.row group by r.row, n.site)
        where place <= {MOST_CO_USES}""")
    merging.run("""create table own_kinds as
        select site, list({size: size, requests: requests} order by size) as kinds
        from kinds group by site""")
    merging.run("drop table kinds; drop table fields; drop table pairs")
    merging.run("alter table merged_kinds rename to kinds; alter table merged_fields rename to fields")
    merging.run("""create view chains as
        select n.row, s.place, s.frame from numbers n join steps s using (site)""")
    merging.run(f"""create view sites as select frame, coalesce(nullif(code, -1), {NO_MODULE}) as module,
        "offset", callee, twins, copies, ordinal, alike from frames""")
    merging.run("""create view calls as select frame, place, c.* from (
        select frame, unnest(calls) as c, generate_subscripts(calls, 1) as place from frames)""")
    merging.run(f"""create table variants as
        select r.row, list({{site: r.site, requests: r.requests, level: r.level, chain: coalesce(v.chain, []),
            kinds: coalesce(o.kinds, [])}} order by r.requests desc, r.site) as variants
        from row_of r left join own_kinds o using (site) left join (
            select s.site, list({{module: coalesce(nullif(f.code, -1), {NO_MODULE}), 'offset': f."offset"}}
                order by s.place) as chain
            from steps s join frames f using (frame) group by s.site) v using (site)
        group by r.row""")


def matched_requests(merging: Merging) -> dict[int, dict[int, int]]:
    """Build -> level -> requests of its contexts that a build before it has as well, at level 0 those that
    are the very same there."""
    rows = merging.run("""
        with first as (
            select stands, min(s.build) as build from members join shares s using (site) group by stands),
        same as (select site, min(build) as build from shares group by site)
        select s.build, case when same.build < s.build then 0 else m.level end as level, sum(s.requests)
        from shares s join members m using (site) join first f using (stands) join same using (site)
        where f.build < s.build group by all""")
    found: dict[int, dict[int, int]] = {}
    for build, level, requests in rows:
        found.setdefault(build, {})[level] = int(requests)
    return found


def requests_of_builds(merging: Merging) -> dict[int, tuple[int, int]]:
    """Build -> requests of its contexts, and those of them whose call site nothing tells of."""
    rows = merging.run("""select s.build, sum(s.requests), coalesce(sum(s.requests) filter (is_keyless), 0)
        from shares s join members m using (site) group by s.build""")
    return {build: (int(requests), int(keyless)) for build, requests, keyless in rows}


def resized(merging: Merging) -> dict[int, int]:
    """Build -> contexts most of whose objects have another size than in the first build that has them."""
    rows = merging.run("""
        with sized as (
            select m.stands, m.build, k.size, sum(k.requests) as requests
            from kinds k join members m using (site) group by all),
        main as (
            select stands, build, arg_max(size, (requests, -size::hugeint)) as size from sized
            group by stands, build),
        first as (select stands, min(build) as build from main group by stands)
        select o.build, count(*) from main o join first f using (stands)
        join main i on i.stands = f.stands and i.build = f.build
        where o.build <> f.build and o.size <> i.size group by o.build""")
    return {build: int(count) for build, count in rows}


def unmatched(merging: Merging, build: int, most: int) -> list[int]:
    """Context hashes of what only that build has, those with the most requests first."""
    rows = merging.run(f"""
        with first as (select stands, min(build) as build, max(build) as last from members group by stands)
        select m.site from members m join first f using (stands)
        where f.build = {build} and f.last = {build} order by m.requests desc, m.site limit {most}""")
    return [row[0] for row in rows]
