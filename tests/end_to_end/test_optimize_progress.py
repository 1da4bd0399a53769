"""What `malloom optimize` shows at a terminal while it measures."""

import os
import pty
import re
import subprocess
from pathlib import Path

from end_to_end.conftest import COMMAND

STEP = re.compile(r"step (\d) of (\d), (\d+) s gone(?:, some \d+ s to come)?: ([^\r\n]+)")


def shown_at_a_terminal(command: list[str], folder: Path) -> str:
    """All that is written to standard error, which is a terminal."""
    own, other = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "200"}
    with subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=other,
    ) as running:
        os.close(other)
        text = b""
        while True:
            try:
                more = os.read(own, 1 << 16)
            except OSError:  # the last one has closed it
                break
            if not more:
                break
            text += more
    os.close(own)
    assert running.returncode == 0, text
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text.decode())


def test_each_line_says_which_step_it_is_and_the_time_gone(tmp_path: Path) -> None:
    options = ["--runs", "6", "--seconds", "1", "--accesses", "none", "--strategy", "pools"]
    text = shown_at_a_terminal([str(COMMAND), "optimize", *options, "--", "sh", "-c", "sleep 0.3"], tmp_path)
    found = [(int(step), int(of), int(gone), what) for step, of, gone, what in STEP.findall(text)]
    assert {of for _, of, _, _ in found} == {9} and {1, 2, 4, 8} <= {step for step, _, _, _ in found}
    gone = [seconds for _, _, seconds, _ in found]
    assert gone == sorted(gone) and gone[-1] > gone[0]
    within = [seconds for step, _, seconds, what in found if step == 4 and ", run " in what]
    assert len(set(within)) > 1, "it is told anew with each run"
