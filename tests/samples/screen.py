"""A screen for the tests: the present one, or Xvfb with Mesa's software renderer. Without both the tests are
skipped."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from ..patience import PATIENCE, wait

ROOT = Path(__file__).resolve().parents[2]
NEEDED = ("pyglet", "imgui_bundle", "OpenGL", "PIL")
FRAMES = 3000  # of the browser, in which what a test waits for happens: most of a minute, or hours where each is slow


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
    # -r: a key that xdotool holds for long, because the machine is busy, is not repeated
    command = ["Xvfb", "-displayfd", str(write), "-screen", "0", "1400x900x24", "+extension", "GLX", "-noreset", "-r"]
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
        server.wait(PATIENCE)


class Window:
    """The browser as a user has it: a process, a window, keys and a mouse. `state` is what the browser reports about
    itself."""

    def __init__(self, display: str, folder: Path, *arguments: str) -> None:
        self.folder, self.file = folder, folder / "state.json"
        self.log = (folder / "log.txt").open("w+")
        environment = {**os.environ, "DISPLAY": display, "PYTHONPATH": str(ROOT), "LIBGL_ALWAYS_SOFTWARE": "1"}
        command = [
            sys.executable, "-m", "samples", *arguments, "--settings", str(folder / "settings.json"), "--state",
            str(self.file),
        ]  # fmt: skip
        self.process = subprocess.Popen(command, cwd=folder, env=environment, stdout=self.log, stderr=subprocess.STDOUT)
        self.environment = environment
        self.until(lambda state: state["frames"] > 2)

    def said(self) -> str:
        self.log.seek(0)
        return self.log.read()

    def state(self) -> dict[str, Any]:
        """The last state, which the browser replaces as a whole every third frame."""
        found: dict[str, Any] = json.loads(self.file.read_text(encoding="utf-8"))
        return found

    def until(self, condition: Callable[[dict[str, Any]], Any]) -> dict[str, Any]:
        """Waits until the state fulfils a condition. Fails when the browser draws `FRAMES` without it, or ends. On a
        busy machine, where each frame takes long, a test takes longer."""
        seen: dict[str, Any] = {}
        first: int | None = None

        def over() -> bool:
            nonlocal seen, first
            ended = self.process.poll() is not None  # before the last state is read
            if self.file.exists():
                seen = self.state()
                first = seen["frames"] if first is None else first
                if condition(seen):
                    return True
            small = {key: value for key, value in seen.items() if key not in ("marks", "bodies")}
            if ended:
                raise AssertionError(f"the browser has ended with {self.process.returncode}; {small}\n{self.said()}")
            if first is not None and seen["frames"] > first + FRAMES:
                raise AssertionError(f"it did not happen within {FRAMES} frames; state: {small}\n{self.said()}")
            return False

        wait(over)
        return seen

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
            self.process.wait(PATIENCE)
        self.log.close()
