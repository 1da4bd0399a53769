"""Interleaved runs of programs, what they used, and what the pairs of runs say."""
