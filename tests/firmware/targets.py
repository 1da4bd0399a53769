"""What firmware is built for. `make test` has the simulated core alone: what the others need takes minutes to
install."""

import pytest

CORE = "riscv_core"
TARGETS = (CORE, "mps2_an385", "linux_aarch64", "linux_riscv64")
CORE_FIRST = (CORE, *(pytest.param(target, marks=pytest.mark.long) for target in TARGETS[1:]))
"""For tests that take a few seconds on the simulated core: the other targets in `make soak`."""
