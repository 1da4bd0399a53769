"""The suite `dynamic`: pools per call site and prefetches, as Zhao, Rabbah and Wong measure them."""
