"""A screen for the tests: the present one, or Xvfb with Mesa's software renderer. Without both the tests are
skipped.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
NEEDED = ("pyglet", "imgui_bundle", "OpenGL", "PIL")
PATIENCE = 60.0  # seconds: the machine may be busy with other things


def missing() -> str:
    """The name of what is missing, or an empty text."""
    import importlib.util

    absent = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if absent:
        return f"not installed: {', '.join(absent)} (pip install 'box2dpy[samples]')"
    if shutil.which("Xvfb") is None:
        return "not installed: Xvfb (apt-get install xvfb)"
    return ""


@contextmanager
def xvfb() -> Iterator[str]:
    """The name of a fresh display of 1400 x 900."""
    read, write = os.pipe()
    command = ["Xvfb", "-displayfd", str(write), "-screen", "0", "1400x900x24", "+extension", "GLX", "-noreset"]
    server = subprocess.Popen(command, pass_fds=[write], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    os.close(write)
    try:
        with os.fdopen(read) as answer:
            number = answer.readline().strip()
        if not number:
            pytest.skip("Xvfb does not start here")
        yield f":{number}"
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(10)


class Window:
    """The browser as a user has it: a process, a window, keys and a mouse. `state` is what the browser reports about
    itself.
    """

    def __init__(self, display: str, folder: Path, *arguments: str) -> None:
        self.folder, self.file = folder, folder / "state.json"
        self.log = (folder / "log.txt").open("w+")
        environment = {**os.environ, "DISPLAY": display, "PYTHONPATH": str(ROOT), "LIBGL_ALWAYS_SOFTWARE": "1"}
        command = [
            sys.executable,
            "-m",
            "samples",
            *arguments,
            "--settings",
            str(folder / "settings.json"),
            "--state",
            str(self.file),
        ]
        self.process = subprocess.Popen(command, cwd=folder, env=environment, stdout=self.log, stderr=subprocess.STDOUT)
        self.environment = environment
        self.until(lambda state: state["frames"] > 2)

    def said(self) -> str:
        self.log.seek(0)
        return self.log.read()

    def state(self) -> dict[str, Any]:
        for _ in range(50):
            try:
                found: dict[str, Any] = json.loads(self.file.read_text(encoding="utf-8"))
                return found
            except (OSError, ValueError):
                time.sleep(0.1)
                if self.process.poll() is not None:
                    break
        raise AssertionError(f"the browser says nothing; its log:\n{self.said()}")

    def until(self, condition: Callable[[dict[str, Any]], Any]) -> dict[str, Any]:
        """Waits until the state fulfils a condition; fails with the state."""
        end = time.monotonic() + PATIENCE
        while True:
            if self.process.poll() is not None:
                raise AssertionError(f"the browser has ended with {self.process.returncode}:\n{self.said()}")
            if self.file.exists():
                state = self.state()
                if condition(state):
                    return state
            if time.monotonic() > end:
                small = {key: value for key, value in self.state().items() if key not in ("marks", "bodies")}
                raise AssertionError(f"it did not happen within {PATIENCE:.0f} s; state: {small}\n{self.said()}")
            time.sleep(0.05)

    def frames(self, count: int) -> dict[str, Any]:
        """Waits for so many more frames."""
        now = self.state()["frames"]
        return self.until(lambda state: state["frames"] >= now + count)

    def do(self, *arguments: Any) -> None:
        subprocess.run(["xdotool", *map(str, arguments)], env=self.environment, check=True, capture_output=True)

    def key(self, *names: str) -> None:
        for name in names:
            self.do("key", name)
            self.frames(3)

    def to(self, place: Any) -> None:
        """Moves the mouse to a pixel of the window, or a named widget."""
        x, y = self.until(lambda state: place in state["marks"])["marks"][place] if isinstance(place, str) else place
        self.do("mousemove", round(x), round(y))
        self.frames(4)

    def click(self, place: Any) -> dict[str, Any]:
        self.to(place)
        self.do("mousedown", 1)
        self.frames(4)
        self.do("mouseup", 1)
        return self.frames(4)

    def picture(self) -> Any:
        """The window's own screenshot."""
        from PIL import Image

        folder = self.folder / "box2dpy-samples"
        before = set(folder.glob("*.png"))
        self.do("key", "F12")
        self.until(lambda _: set(folder.glob("*.png")) - before)
        self.frames(3)
        (path,) = set(folder.glob("*.png")) - before
        return Image.open(path).convert("RGB")

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait(20)
        self.log.close()
