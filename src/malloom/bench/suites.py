"""The suites, by the names that `malloom bench` takes."""

from collections.abc import Callable, Mapping

from malloom.bench.placement.suite import placement
from malloom.bench.suite import Suite

SUITES: Mapping[str, Callable[[bool], Suite]] = {"placement": placement}
