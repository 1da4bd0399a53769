"""Inputs for real programs, generated: the same bytes from the same size on every machine."""
