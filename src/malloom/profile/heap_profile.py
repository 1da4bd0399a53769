"""One process of a profile, ready for analysis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from malloom import _native
from malloom.errors import CommandError
from malloom.file_name import native_name
from malloom.profile.affinity import AffinityGraph
from malloom.profile.contexts import Contexts, Module, Refolded, contexts_from_hashes
from malloom.profile.notes import cut_notes, damage_notes, may_lack_accesses, notes_on
from malloom.profile.process import Process, choose_process, path_on_disk, process_from_record
from malloom.profile.requests import U32, U64, Requests, replace_contexts, requests_from_arrays
from malloom.profile.survey import AccessOpener, Survey, windows

AFFINITY_ACCESSES = 2_000_000
"""Accesses that context_affinity looks at: contexts are few, so a sample tells which are used together."""


class HeapProfile:
    """The requests, accesses and contexts of one process. Not thread-safe."""

    requests: Requests
    contexts: Contexts
    modules: Sequence[Module]
    process: Process
    created: int
    """Nanoseconds since 1970: when the recording began."""
    notes: list[str]
    """What a reader has to know, a line each: cut, limit, losses, which process was chosen and why."""
    damage: list[str]
    """The notes that tell of a missing part of the profile."""
    cut: list[str]
    """The notes that tell that a part of what the process did is not recorded; empty where all is."""
    access_entries: int
    """Recorded accesses and markers: a bound on access_count that costs no pass over them."""

    def __init__(
        self,
        *,
        requests: Requests,
        contexts: Contexts,
        modules: Sequence[Module],
        process: Process,
        opener: AccessOpener,
        sampler: AccessOpener | None = None,
        access_entries: int,
        created: int = 0,
        notes: Sequence[str] = (),
        damage: Sequence[str] = (),
        cut: Sequence[str] = (),
        survey: Survey | None = None,
    ) -> None:
        self.requests = requests
        self.contexts = contexts
        self.modules = modules
        self.process = process
        self.access_entries = access_entries
        self.created = created
        self.notes = list(notes)
        self.damage = list(damage)
        self.cut = list(cut)
        self._opener = opener
        self._sampler = sampler or opener
        self._survey = survey or Survey(opener, len(requests), access_entries)
        requests.attach(self._survey.usage)

    @classmethod
    def open(cls, path: Path | str, process: str | int | None = None) -> HeapProfile:
        """Reads one process of the profile at `path`.

        `process` is a pid or the end of an executable's path; without it the process with the most requests
        that runs the recorded command. Raises CommandError where the profile is
        unreadable or has no such process.
        """
        recording = open_recording(path)
        chosen, reason = choose_process(processes_of(recording), process, recording.notes())
        requests, lost, chains, modules = recording.read_process(chosen.identity)
        return cls(
            requests=Requests(**requests),
            contexts=Contexts(*chains),
            modules=[replace(Module(*module), path=path_on_disk(module[0])) for module in modules],
            process=chosen,
            opener=lambda skip, take: recording.accesses(chosen.identity, skip, take),
            sampler=lambda skip, take: recording.accesses_here_and_there(chosen.identity, skip, take),
            access_entries=chosen.access_entries + lost["touches"],
            created=recording.created,
            notes=[*([reason] if reason else []), *notes_on(recording.notes(), chosen, lost)],
            damage=damage_notes(recording.notes(), chosen, lost),
            cut=cut_notes(recording.notes(), chosen, lost),
        )

    @classmethod
    def from_arrays(
        cls,
        size: Any,
        *,
        accesses: Any = (),
        offsets: Any = None,
        stores: Any = None,
        contexts: Contexts | None = None,
        modules: Sequence[Module] = (),
        **columns: Any,
    ) -> HeapProfile:
        """A profile made of arrays: `size` and other columns of Requests by name, and accesses in time order.

        `accesses` are numbers of requests, `offsets` where in the object each lands (bytes, default 0), and
        `stores` which of them are stores (default none). An access is 8 bytes wide. Columns
        that are left out are as requests_from_arrays says; without `contexts` their hashes are made up.
        """
        requests = requests_from_arrays(size, **columns)
        known = int(requests.context.max(initial=0)) + 1
        made_up = np.arange(1, known + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        request = np.asarray(accesses, dtype=np.uint32)
        packed = _pack(len(request), offsets, stores)
        return cls(
            requests=requests,
            contexts=contexts or contexts_from_hashes(made_up),
            modules=modules,
            process=Process(identity=1, pid=1, parent=0, executable="", build_id=""),
            opener=lambda skip, take: _native.array_accesses(request, packed, skip, take),
            access_entries=len(request),
        )

    def accesses(self, skip: int = 0, take: int = 0) -> _native.AccessSource:
        """The accesses that reach objects, in time order, from the start; each call begins anew.

        With `take` the source yields windows: in turn `skip` accesses are left out and `take` are kept.
        """
        return self._survey.accesses(skip, take)

    def sampled_accesses(self, skip: int, take: int) -> _native.AccessSource:
        """As `accesses`, at a fraction of the cost where much is left out: of that nobody asks which objects
        it reaches, so what reaches none counts in `skip` and `take` too."""
        return self._sampler(skip, take)

    @property
    def access_count(self) -> int:
        """Accesses that reach objects, annotated ones with their weight. Makes a pass over the accesses."""
        return int(self.requests.accesses.sum())

    @property
    def reaching_entries(self) -> int:
        """Of the access_entries those that reach objects, of which `accesses` tells: samples of it are so
        many in all. Makes a pass over the accesses once."""
        return min(self.access_entries, self.access_count)

    @property
    def has_all_accesses(self) -> bool:
        """Whether every access was recorded, so that an object without one was not used."""
        partly = self.process.accesses in ("sampled", "annotated") or may_lack_accesses(self.process)
        return self.access_entries != 0 and not partly and not self.cut

    def affinity(self) -> AffinityGraph:
        """Which request's object is accessed right after which. Makes a pass over the accesses once."""
        return self._survey.affinity()

    def steady_use(self) -> U64 | None:
        """Position at which the steady phase first uses each request, NEVER where it does not.

        In the steady phase a program uses what it has built (malloom.profile.survey); None where it has none.
        """
        return self._survey.steady_use()

    def context_affinity(
        self, context: U32, contexts: int, distance: int = 128
    ) -> tuple[AffinityGraph, npt.NDArray[np.float64]]:
        """Which contexts' objects are used within `distance` accessed bytes of each other, and how often each
        context's are used, as HALO has it; accesses in a row to one object are one use.

        `context` gives each request one of `contexts` contexts, say those of at_depth. They are the graph's
        nodes; an edge stands in both rows. From a sample of the accesses, the uses scaled up; makes a pass
        over the sample each time.
        """
        is_little = self.access_entries <= AFFINITY_ACCESSES
        sample = (0, 0) if is_little else windows(self.reaching_entries, AFFINITY_ACCESSES)
        columns, uses = _native.context_affinity(self.accesses(*sample), context, contexts, distance)
        return AffinityGraph(*columns), uses * np.float64(sum(sample) / sample[1] if sample[1] else 1)

    def folded(self, depth: int) -> HeapProfile:
        """The same process with contexts of at most `depth` frames; all but the contexts is shared."""
        refolded = self.at_depth(depth)
        _, first = np.unique(refolded.context, return_index=True)
        old = self.requests
        return HeapProfile(
            requests=replace_contexts(old, refolded.context, refolded.ordinal),
            contexts=self.contexts.cut(old.context[first], depth, refolded.hashes),
            modules=self.modules,
            process=self.process,
            opener=self._opener,
            sampler=self._sampler,
            access_entries=self.access_entries,
            created=self.created,
            notes=self.notes,
            damage=self.damage,
            cut=self.cut,
            survey=self._survey,
        )

    def at_depth(self, depth: int) -> Refolded:
        """The requests under contexts of at most `depth` frames, the innermost of the recorded ones."""
        module_hashes = np.array([module.hash for module in self.modules], dtype=np.uint64)
        chains = self.contexts
        hashes = _native.chain_hashes(
            chains.offsets, chains.frame_module, chains.frame_offset, module_hashes, depth
        )
        return Refolded(*_native.refold_contexts(self.requests.context, hashes))


def open_recording(path: Path | str) -> _native.Recording:
    """The profile at `path`, indexed. Raises CommandError where it cannot be read."""
    try:
        return _native.Recording(native_name(path))
    except ValueError as problem:
        text = str(problem) if str(path) in str(problem) else f"{path}: {problem}"
        raise CommandError(text, remedy="record one with 'malloom record'") from None


def processes_of(recording: _native.Recording) -> list[Process]:
    """All processes of a recording, by start time."""
    return sorted((process_from_record(record) for record in recording.processes()), key=lambda p: p.identity)


def _pack(count: int, offsets: Any, stores: Any) -> U64:
    """ResolvedAccess::packed of src/native/accesses/source.h, for accesses of 8 bytes."""
    packed = np.full(count, 3 << 48, dtype=np.uint64)
    if offsets is not None:
        packed |= np.asarray(offsets, dtype=np.uint64)
    if stores is not None:
        packed |= np.asarray(stores, dtype=bool).astype(np.uint64) << np.uint64(52)
    return packed
