"""How much of a run waits for its heap objects, by simulation."""

import json
from collections.abc import Sequence

from malloom.errors import CommandError
from malloom.layout.ranking import RECORDED, SAMPLED_ACCESSES
from malloom.measure import stages
from malloom.optimize.recording import RecordedProfile

MEMORY, TRANSLATIONS = "for heap objects", "of that for translations"


def waiting_of(recordings: Sequence[RecordedProfile]) -> dict[str, float]:
    """Shares of the CPU time; nothing where not every access was recorded. Raises CommandError where the
    simulation fails."""
    if not recordings or not recordings[0].has_time:
        return {}
    recording = recordings[0]
    options = ["--strategy", RECORDED, "--json", "--accesses", str(SAMPLED_ACCESSES), *recording.chosen]
    options += ["--run-time", str(recording.run_time)]
    found = json.loads(stages.output_of("simulate", str(recording.profile), *options))
    share, recorded = found["waiting_share"], found["recorded"]
    if share is None:
        raise CommandError("the simulation tells no share of the time")
    cycles = recorded["cycles"]
    walks = share * recorded["translation_cycles"] / cycles if cycles else 0.0
    return {MEMORY: share, TRANSLATIONS: walks}
