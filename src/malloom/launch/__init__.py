"""Recording: which programs can be reached, and how they are started under a recorder."""
