"""Strategies: from a profile to a place for every request, and from there to a plan."""
