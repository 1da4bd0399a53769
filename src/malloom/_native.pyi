"""The analysis core (src/native), as Python sees it. Each *_bindings.cpp has a section."""

import numpy as np
import numpy.typing as npt

U32 = npt.NDArray[np.uint32]
U64 = npt.NDArray[np.uint64]

# profile_bindings.cpp

class AccessSource: ...

def array_accesses(request: U32, packed: U64, skip: int, take: int) -> AccessSource: ...
def survey_usage(source: AccessSource, requests: int) -> tuple[U64, U64, U64]: ...
def survey_affinity(
    source: AccessSource, requests: int
) -> tuple[tuple[U64, U64, U64], tuple[U64, U32, U32]]: ...
