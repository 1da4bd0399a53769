"""A browser without a screen, in which pages are looked at, pressed and typed into: Chromium, told what to do
through a pipe by its DevTools protocol (https://chromedevtools.github.io/devtools-protocol/)."""

from __future__ import annotations

import functools
import json
import os
import re
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

LONGEST = 60.0
"""Seconds to wait for a page."""
LONGEST_LOOK = 180.0
"""Seconds for a browser from its start to its end."""
COMMANDS, ANSWERS = 3, 4
"""The descriptors that Chromium reads and writes."""
WIDTH, HEIGHT = 1280, 860
OPTIONS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    f"--window-size={WIDTH},{HEIGHT}",
)
"""Without a network: no name of a host is found."""
DRAWN = "new Promise((done) => requestAnimationFrame(() => setTimeout(done)))"
"""Until what was changed is drawn."""

KEYS = {"Tab": (9, ""), "Enter": (13, "\r")}
"""The code of a key, and what it types."""


class Browser:
    """One page in it. Not for several threads."""

    def __init__(self, commands: int, answers: int) -> None:
        self._commands, self._answers = commands, answers
        self._sent, self._unread = 0, b""
        self._session: str | None = None
        targets = self._tell("Target.getTargets")["targetInfos"]
        page = next(each["targetId"] for each in targets if each["type"] == "page")
        self._session = self._tell("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]

    def _tell(self, method: str, **parameters: object) -> dict[str, Any]:
        """Gives what the browser answers; events that come before are not looked at."""
        self._sent += 1
        message: dict[str, object] = {"id": self._sent, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self._commands, data) :]
        while (answer := self._read()).get("id") != self._sent:
            pass
        assert "error" not in answer, (method, answer)
        result: dict[str, Any] = answer["result"]
        return result

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self._unread:
            got = os.read(self._answers, 1 << 20)
            assert got, "the browser has ended"
            self._unread += got
        first, _, self._unread = self._unread.partition(b"\0")
        message: dict[str, Any] = json.loads(first)
        return message

    def run(self, code: str) -> Any:
        """What the page's JavaScript gives, a promise's value when it is there."""
        given = self._tell("Runtime.evaluate", expression=code, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in given, (code, given["exceptionDetails"])
        return given["result"].get("value")

    def open(self, page: Path, tab: str = "") -> float:
        """Gives the seconds until the page is drawn and can be used."""
        # A link to another tab of the page that is shown would load nothing.
        self._tell("Page.navigate", url="about:blank")
        started = time.monotonic()
        self._tell("Page.navigate", url=f"file://{page}#{tab}")
        ready = "location.protocol === 'file:' && document.body?.dataset.ready === 'yes'"
        while not self._is(ready):
            assert time.monotonic() - started < LONGEST, page
            time.sleep(0.005)
        self.run(DRAWN)
        return time.monotonic() - started

    def _is(self, code: str) -> bool:
        """Not while one page gives way to another."""
        try:
            return bool(self.run(code))
        except AssertionError:
            return False

    def seconds_of(self, code: str) -> float:
        """What the page takes from the begin of some code on until it is drawn again."""
        timed = f"const begin = performance.now(); {code}; await {DRAWN}; return performance.now() - begin;"
        return float(self.run(f"(async () => {{ {timed} }})()")) / 1000

    def press(self, selector: str, place: int = 0) -> float:
        """Clicks on the element at a place among those selected; gives seconds."""
        return self.seconds_of(f"document.querySelectorAll({json.dumps(selector)})[{place}].click()")

    def put(self, selector: str, value: str) -> float:
        """Types or chooses; gives seconds."""
        told = (
            f"const made = document.querySelector({json.dumps(selector)});"
            f"made.value = {json.dumps(value)};"
            "made.dispatchEvent(new Event(made.tagName === 'SELECT' ? 'change' : 'input'))"
        )
        return self.seconds_of(told)

    def point(self, selector: str, place: int = 0) -> None:
        """Clicks with the mouse in the middle of an element."""
        box = self.run(
            f"(() => {{ const box = document.querySelectorAll({json.dumps(selector)})[{place}]"
            ".getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]; })()"
        )
        for kind, buttons in (("mouseMoved", 0), ("mousePressed", 1), ("mouseReleased", 0)):
            where = {"x": box[0], "y": box[1], "button": "left", "buttons": buttons, "clickCount": 1}
            self._tell("Input.dispatchMouseEvent", type=kind, **where)
        self.run(DRAWN)

    def key(self, key: str) -> None:
        """Presses a key of KEYS, so that focus moves as it does for a user."""
        code, text = KEYS[key]
        typed = {"text": text} if text else {}
        for kind, more in (("keyDown", typed), ("keyUp", {})):
            told = {"type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code}
            self._tell("Input.dispatchKeyEvent", **told, **more)
        self.run(DRAWN)

    def prefer(self, scheme: str) -> None:
        """`light` or `dark`, as a user sets it for all pages."""
        feature = {"name": "prefers-color-scheme", "value": scheme}
        self._tell("Emulation.setEmulatedMedia", features=[feature])
        self.run(DRAWN)

    def texts(self, selector: str) -> list[str]:
        """What the elements say."""
        found = self.run(f"[...document.querySelectorAll({json.dumps(selector)})].map((e) => e.textContent)")
        return [str(each) for each in found]


def looked_at(page: Path, state: str, *options: str) -> str:
    """What a browser says that opens a page, does what the options say within 20 s of the page's own time,
    and ends."""
    with TemporaryDirectory(dir=page.parent, prefix="browser-") as folder:
        kept = [f"--user-data-dir={folder}", "--virtual-time-budget=20000"]
        command = ["chromium", *OPTIONS, *kept, *options, f"file://{page}#{state}"]
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=LONGEST_LOOK)
    return done.stdout


@functools.cache
def shown(page: Path, state: str = "", *options: str) -> str:
    """What the browser has made of the page, without the code in it."""
    html = looked_at(page, state, *options, "--dump-dom")
    return re.sub(r"<script.*?</script>|<style.*?</style>", "", html, flags=re.DOTALL)


@contextmanager
def browser(folder: Path) -> Iterator[Browser]:
    """One that keeps its files in the folder, and is gone at the end."""
    read, commands = os.pipe()
    answers, written = os.pipe()
    script = f'exec {COMMANDS}<&{read} {ANSWERS}>&{written}; exec chromium "$@" about:blank'
    kept = f"--user-data-dir={folder / 'browser'}"
    words = ["bash", "-c", script, "chromium", *OPTIONS, "--remote-debugging-pipe", kept]
    process = subprocess.Popen(
        words, pass_fds=(read, written), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    os.close(read)
    os.close(written)
    try:
        yield Browser(commands, answers)
    finally:
        process.kill()
        process.wait()
        os.close(commands)
        os.close(answers)
