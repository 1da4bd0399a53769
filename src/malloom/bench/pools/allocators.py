"""Pools and the allocators that they are held against, all with huge pages or all without."""

from dataclasses import dataclass

from malloom.bench.general import allocator_settings
from malloom.bench.steps import Bench
from malloom.errors import CommandError
from malloom.measure.allocators import Way, system_huge_pages
from malloom.measure.variants import GLIBC, POOLS, Variant, pools, with_environment

GENERAL = (GLIBC, "mimalloc 2", "mimalloc")


@dataclass(frozen=True)
class HugePages:
    """Whether all have them. What runs with them has `huge` behind its name."""

    wanted: bool

    def named(self, name: str) -> str:
        return f"{name} {Way.huge}" if self.wanted else name

    @property
    def general_names(self) -> tuple[str, ...]:
        return tuple(map(self.named, GENERAL))

    @property
    def pools(self) -> str:
        return self.named(POOLS)

    def variants(self, bench: Bench, system: str | None = None) -> list[Variant]:
        """Raises CommandError where the kernel gives huge pages to all or to none, whatever they ask for."""
        chosen = system or system_huge_pages()
        if chosen not in (("madvise", "always") if self.wanted else ("madvise", "never")):
            setting = "on" if self.wanted else "off"
            raise CommandError(
                f"the kernel's huge pages are '{chosen}', and cannot be {setting} for all",
                remedy="write madvise into /sys/kernel/mm/transparent_hugepage/enabled",
            )
        found = allocator_settings(bench)
        others = [with_environment(name, found[name].environment) for name in self.general_names]
        return [*others, self._of_pools()]

    def _of_pools(self) -> Variant:
        """Pools have mimalloc for what they do not serve."""
        with_option = pools(self.pools, "--huge-pages" if self.wanted else "--no-huge-pages")
        fallback = {"MIMALLOC_LARGE_OS_PAGES": str(int(self.wanted))}
        return Variant(self.pools, lambda program: with_option.of(program).with_environment(fallback))
