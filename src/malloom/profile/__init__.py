"""A recorded run as tables: requests, contexts, accesses, affinity."""

from malloom.profile.affinity import AffinityGraph
from malloom.profile.contexts import NO_MODULE, Contexts, Module, Refolded
from malloom.profile.heap_profile import HeapProfile
from malloom.profile.process import Process
from malloom.profile.requests import NEVER, NO_FRIEND, Requests, Usage

__all__ = [
    "NEVER",
    "NO_FRIEND",
    "NO_MODULE",
    "AffinityGraph",
    "Contexts",
    "HeapProfile",
    "Module",
    "Process",
    "Refolded",
    "Requests",
    "Usage",
]
