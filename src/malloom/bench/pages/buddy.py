"""A binary buddy heap (Knuth, The Art of Computer Programming, section 2.5, algorithms R and S), to compare
places with. It knows only distances from the begin of its memory."""

from heapq import heappop, heappush

SMALLEST = 4
"""The shortest block is 2 to the power of it, as of the page heap."""


class FreeBlocks:
    """Of one length. The one that was released last serves first, or the one with the lowest address."""

    def __init__(self, lowest_first: bool) -> None:
        self._there: dict[int, None] = {}
        self._by_address: list[int] | None = [] if lowest_first else None

    def add(self, block: int) -> None:
        self._there[block] = None
        if self._by_address is not None:
            heappush(self._by_address, block)

    def remove(self, block: int) -> bool:
        """Whether it was there."""
        return self._there.pop(block, self) is None

    def take(self) -> int | None:
        if not self._there:
            return None
        if self._by_address is None:
            return self._there.popitem()[0]
        while not self.remove(block := heappop(self._by_address)):
            """What has been joined with its buddy meanwhile."""
        return block


class BuddyHeap:
    """A memory of 2 to the power of `order` bytes, of which each object has such a part."""

    def __init__(self, order: int, *, lowest_first: bool = False) -> None:
        self._order = order
        self._free = {length: FreeBlocks(lowest_first) for length in range(SMALLEST, order + 1)}
        self._free[order].add(0)
        self._living: dict[int, int] = {}

    def allocate(self, size: int, alignment: int = 0) -> int | None:
        """The object's place; None where there is none."""
        wanted = max((max(size, alignment, 1) - 1).bit_length(), SMALLEST)
        for length in range(wanted, self._order + 1):
            block = self._free[length].take()
            if block is not None:
                for half in reversed(range(wanted, length)):
                    self._free[half].add(block + (1 << half))
                self._living[block] = wanted
                return block
        return None

    def release(self, block: int) -> None:
        """Raises KeyError where no object lives there."""
        length = self._living.pop(block)
        while length < self._order and self._free[length].remove(block ^ (1 << length)):
            block &= ~(1 << length)
            length += 1
        self._free[length].add(block)
