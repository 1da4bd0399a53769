"""Signals that end a long measurement, several of them within its end."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

PROGRAM = """
import sys, tempfile, time
from malloom.measure.signals import ended_in_order
with ended_in_order():
    with tempfile.TemporaryDirectory(dir=sys.argv[1]):
        print("there", flush=True)
        try:
            time.sleep(60)
        finally:
            time.sleep(0.3)
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_further_signals_do_not_interrupt_the_end(tmp_path: Path, number: signal.Signals) -> None:
    command = [sys.executable, "-c", PROGRAM, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        process.stdout.readline()
        for _ in range(4):
            os.kill(process.pid, number)
            time.sleep(0.05)
        process.wait(30)
    assert process.returncode != 0
    assert list(tmp_path.iterdir()) == []
