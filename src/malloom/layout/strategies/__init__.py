"""One strategy a file; each is listed in pyproject.toml under the entry-point group `malloom.strategies`."""
