"""A headless Chromium for tests: one page, driven over the two pipes of its debugging protocol."""

from __future__ import annotations

import json
import os
import select
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ..patience import PATIENCE

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")


def find() -> str | None:
    """The program, or None."""
    return os.environ.get("B2D_CHROMIUM") or next((path for name in NAMES if (path := shutil.which(name))), None)


def opened(path: Path) -> Page:
    """The page of a file; without Chromium the test is skipped."""
    program = find()
    if program is None:
        pytest.skip("needs Chromium: apt-get install chromium, or its path in B2D_CHROMIUM")
    return Page(program, path)


def ready(path: Path) -> Iterator[Page]:
    """The page of a file with a player, once it can play; closed when the fixture ends."""
    page = opened(path)
    try:
        page.run("player.ready")
        yield page
    finally:
        page.close()


class Page:
    """A page of a file. `errors` has its exceptions and the errors in its console."""

    def __init__(self, program: str, path: Path) -> None:
        self.profile = tempfile.mkdtemp(prefix="chromium-")
        to_browser, self._out = os.pipe()
        self._in, from_browser = os.pipe()
        self._process = subprocess.Popen(
            [
                "bash",
                "-c",
                f'exec 3<&{to_browser} 4>&{from_browser}; exec "$@"',
                "bash",
                program,
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--enable-unsafe-swiftshader",  # WebGL without a GPU
                "--disable-dev-shm-usage",
                "--no-first-run",
                "--window-size=800,600",
                f"--user-data-dir={self.profile}",
                "--remote-debugging-pipe",
                "about:blank",
            ],
            pass_fds=(to_browser, from_browser),
            env={**os.environ, "LD_PRELOAD": ""},  # no sanitizer of ours
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_browser)
        os.close(from_browser)
        self._rest = b""
        self._number = 0
        self._session: str | None = None
        self._loaded = False
        self.errors: list[str] = []
        self.requests: list[str] = []  # addresses, without those of data in the page itself
        try:
            self._open(path)
        except BaseException:
            self.close()  # nobody else can end the browser
            raise

    def _open(self, path: Path) -> None:
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.call("Page.navigate", url=path.absolute().as_uri())
        while not self._loaded:
            self._notice(self._receive())

    def call(self, method: str, **parameters: Any) -> Any:
        """One call of the protocol."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self._notice(answer)

    def _receive(self) -> Any:
        while b"\0" not in self._rest:
            if not select.select([self._in], [], [], PATIENCE)[0]:
                raise TimeoutError("the browser does not answer")
            data = os.read(self._in, 1 << 16)
            if not data:
                raise RuntimeError("the browser has ended")
            self._rest += data
        first, self._rest = self._rest.split(b"\0", 1)
        return json.loads(first)

    def _notice(self, event: Any) -> None:
        method, parameters = event.get("method"), event.get("params", {})
        if method == "Page.loadEventFired":
            self._loaded = True
        elif method == "Network.requestWillBeSent":
            self.requests.append(parameters["request"]["url"])
        elif method == "Runtime.exceptionThrown":
            self.errors.append(json.dumps(parameters["exceptionDetails"])[:500])
        elif method == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning", "assert"):
            self.errors.append(json.dumps(parameters["args"])[:500])
        elif method == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
            self.errors.append(parameters["entry"]["text"])

    def run(self, expression: str) -> Any:
        """The value of an expression of JavaScript; promises are awaited."""
        found = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in found:
            raise RuntimeError(json.dumps(found["exceptionDetails"])[:500])
        return found["result"].get("value")

    def pixels(self) -> bytes:
        """A picture of the canvas as a PNG in base64."""
        data: str = self.run("document.getElementById('scene').toDataURL()")
        return data.encode()

    def key(self, key: str) -> None:
        for kind in ("keyDown", "keyUp"):
            self.call(
                "Input.dispatchKeyEvent", type=kind, key=key, text=key if kind == "keyDown" and key == " " else ""
            )

    def mouse(self, kind: str, x: float, y: float, **more: Any) -> None:
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def touch(self, kind: str, *points: tuple[float, float]) -> None:
        places = [{"x": x, "y": y, "id": k} for k, (x, y) in enumerate(points)]
        self.call("Input.dispatchTouchEvent", type=kind, touchPoints=places)

    def wait(self, expression: str) -> None:
        """Waits until an expression is true; the page looks whenever it has nothing else to do."""
        look = f"const look = () => {expression} ? done() : setTimeout(look)"
        self.run(f"new Promise(done => {{ {look}; look(); }})")

    def close(self) -> None:
        os.close(self._out)
        os.close(self._in)
        self._process.terminate()
        try:
            self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
        shutil.rmtree(self.profile, ignore_errors=True)
