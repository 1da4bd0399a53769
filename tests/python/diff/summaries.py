"""Summaries that no program made."""

from malloom.diff.summary import Numbers, Summary
from malloom.sites.keys import Call, Site, numbered
from malloom.sites.table import Frame, KeyedContext, SiteModule, SiteTable

NO_NUMBERS = Numbers(0, 0, 0, None, None, None)


def numbers(
    requests: int = 10,
    bytes: int = 1000,
    live_peak: int = 500,
    lifetime: int | None = 4,
    accesses: int | None = 100,
    misses: int | None = 50,
) -> Numbers:
    return Numbers(requests, bytes, live_peak, lifetime, accesses, misses)


def summary(
    sites: dict[str, Numbers], *, name: str = "prog", build_id: str = "aa", gaps: tuple[str, ...] = ()
) -> Summary:
    """A site for each function; the totals are the sums."""
    found = numbered(
        Site(100 * at, "malloc", (Call(function, "/src/prog.c", 10 * at + 5, 3, 10 * at + 1),))
        for at, function in enumerate(sites)
    )
    table = SiteTable(
        (SiteModule(1, f"/bin/{name}", build_id),),
        tuple(Frame(0, site) for site in found),
        tuple(KeyedContext(at + 1, (at,), 1, 1) for at in range(len(found))),
    )
    rows = tuple(sites.values())
    totals = Numbers(
        sum(each.requests for each in rows),
        sum(each.bytes for each in rows),
        sum(each.live_peak for each in rows),
        None,
        sum(each.accesses or 0 for each in rows),
        sum(each.misses or 0 for each in rows),
    )
    return Summary(
        f"{name}.profile",
        f"/bin/{name}",
        build_id,
        (name,),
        3,
        "zen5",
        True,
        bool(gaps),
        gaps,
        totals,
        table,
        rows,
    )
