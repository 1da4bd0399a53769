"""A report as one page for a browser, which needs nothing else: no server, no network."""
