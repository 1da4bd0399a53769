"""malloom makes a program faster by choosing where its heap objects lie."""

__version__ = "0.1.0"
