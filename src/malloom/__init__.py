"""malloom weaves a program's heap into the order the program uses it."""

__version__ = "0.1.0"
