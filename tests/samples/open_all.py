"""Opens every sample in one window, 60 frames each with the validator on, and prints what was seen as JSON: run by test_open.py."""

from __future__ import annotations

import json
import sys
import traceback
from pathlib import Path
from typing import Any

import numpy as np
import OpenGL

OpenGL.ERROR_CHECKING = False
import pyglet  # noqa: E402

pyglet.options.debug_gl = False
pyglet.options.shadow_window = False

from samples.browser.capture import grab  # noqa: E402
from samples.browser.window import Browser  # noqa: E402

FRAMES = 60


def look(browser: Browser) -> np.ndarray:
    return np.asarray(grab(*browser.get_framebuffer_size()), np.int16)


def watch(browser: Browser, name: str) -> dict[str, Any]:
    session = browser.session
    session.scale = 0.1 if session.samples[name].category == "Benchmark" else 1.0
    session.open(name)
    run = session.run
    assert run is not None
    seen: dict[str, Any] = {"name": name, "errors": []}
    pictures = []
    for frame in range(FRAMES):
        browser.dispatch_events()
        browser.tick(1 / run.hertz)
        browser.on_draw()
        if frame in (2, FRAMES - 1):
            pictures.append(look(browser))
        browser.flip()
        if session.message:
            seen["errors"].append(session.message)
            session.message = ""
        if frame % 20 == 19:
            for world in run.worlds():
                world.validate()
    colors = np.unique(pictures[-1].reshape(-1, 3), axis=0)
    background = np.array([22, 25, 31])
    seen["steps"] = run.steps
    seen["colors"] = len(colors)
    seen["covered"] = float((np.abs(pictures[-1] - background).max(axis=2) > 12).mean())
    seen["changed"] = int((np.abs(pictures[-1] - pictures[0]).max(axis=2) > 24).sum())
    seen["python_ms"] = float(np.median(browser.python_ms))
    return seen


def main(folder: Path, names: list[str]) -> None:
    (folder / "settings.json").write_text('{"width": 640, "height": 400, "show_interface": false, "smooth": false}')
    browser = Browser(None, folder / "settings.json")
    for name in names or list(browser.session.samples):
        try:
            seen = watch(browser, name)
        except Exception:
            seen = {"name": name, "errors": [traceback.format_exc()]}
        print(json.dumps(seen), flush=True)
    browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
