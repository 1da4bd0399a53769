"""The suite `pools`: the pool heap against its former self, against general allocators, and by its code."""
