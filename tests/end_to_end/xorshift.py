"""The workloads' generator of random numbers (workloads/random.h), for models of them."""

MASK = 2**64 - 1


class Xorshift:
    """xorshift64*: the sequence of one seed."""

    def __init__(self, seed: int) -> None:
        self._state = (seed * 0x9E3779B97F4A7C15 & MASK) | 1

    def bits(self) -> int:
        """The next 64 random bits."""
        state = self._state
        state ^= state >> 12
        state ^= (state << 25) & MASK
        state ^= state >> 27
        self._state = state
        return state * 0x2545F4914F6CDD1D & MASK

    def below(self, bound: int) -> int:
        """A number from 0 to bound - 1."""
        return (self.bits() >> 32) * bound >> 32

    def unit(self) -> float:
        """A number from 0 inclusive to 1 exclusive."""
        return (self.bits() >> 11) * 2.0**-53
