"""Keys of call sites: what a call is called in the source, so that it is found again in another build."""
