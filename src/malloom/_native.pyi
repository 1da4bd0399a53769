"""The analysis core (src/native), as Python sees it. Each *_bindings.cpp has a section."""

from typing import Any

import numpy as np
import numpy.typing as npt

U32 = npt.NDArray[np.uint32]
U64 = npt.NDArray[np.uint64]

# profile_bindings.cpp

class AccessSource:
    def next_batch(self) -> tuple[U32, U32, U64]: ...

class RecordedAccesses(AccessSource):
    @property
    def dropped(self) -> int: ...
    @property
    def corrupt_chunks(self) -> int: ...

class Recording:
    def __init__(self, path: str) -> None: ...
    @property
    def created(self) -> int: ...
    def notes(self) -> list[str]: ...
    def processes(self) -> list[dict[str, Any]]: ...
    def read_process(
        self, identity: int
    ) -> tuple[
        dict[str, Any],
        dict[str, int | bool],
        tuple[U64, U32, U64, U64],
        list[tuple[str, str, int, int, int, int]],
    ]: ...
    def accesses(self, identity: int, skip: int = 0, take: int = 0) -> AccessSource: ...

def chain_hashes(
    offsets: U64, frame_modules: U32, frame_offsets: U64, module_hashes: U64, depth: int
) -> U64: ...
def refold_contexts(context: U32, hashes: U64) -> tuple[U32, U64, U32]: ...

def array_accesses(request: U32, packed: U64, skip: int, take: int) -> AccessSource: ...
def survey_usage(source: AccessSource, requests: int) -> tuple[U64, U64, U64]: ...
def survey_affinity(
    source: AccessSource, requests: int
) -> tuple[tuple[U64, U64, U64], tuple[U64, U32, U32]]: ...
