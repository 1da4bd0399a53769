"""What Li, Mohanty and Kavi report, to stand beside what is measured."""

CHUNKS = 256
"""Of a page of 4096 bytes with objects of 16."""
TREE_GATES = 502
"""AND gates, and as many OR gates, of all eight sizes (section 3)."""
GATES = 20_000
"""Of the whole unit (section 4.1)."""
DELAYS = 16
"""Of a find (section 4.1)."""
MEMORY_LEVELS = 27
"""Of a tree over 2 GB in chunks of 16 bytes (section 4.1)."""
MEMORY_DELAYS = 108
MEMORY_GATES = "several hundred million"
BELS, PERIOD, PINS = 2214, 20.13, 21
"""On a Virtex II Pro (table 5)."""
