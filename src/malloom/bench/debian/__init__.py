"""Real programs of Debian's, what their work is, and the inputs generated for it: for several suites."""
