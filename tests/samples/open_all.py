"""Opens every sample in one window, 60 steps each with the validator on, every tenth one drawn, and prints what was
seen as JSON: run by test_open.py."""

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

import box2dpy as b2  # noqa: E402
from box2dpy._draw.debug_draw import FLAGS  # noqa: E402
from samples import Sample  # noqa: E402
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
        if frame == 2 or frame % 10 == 9:
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
    colors = np.unique(pictures[-1].astype(np.int32) @ (65536, 256, 1))
    background = np.array([22, 25, 31])
    seen["steps"] = run.steps
    seen["colors"] = len(colors)
    seen["covered"] = float((np.abs(pictures[-1] - background).max(axis=2) > 12).mean())
    seen["changed"] = int((np.abs(pictures[-1] - pictures[0]).max(axis=2) > 24).sum())
    return seen


def tour(browser: Browser) -> dict[str, Any]:
    """Every panel and every flag over scenes of all kinds, with a body, a shape and a joint in the inspector."""
    session, settings = browser.session, browser.settings
    seen: dict[str, Any] = {"name": "tour", "errors": [], "tabs": [], "figures": []}
    settings.show_interface = settings.show_panel = browser.show_help = True
    browser.set_size(1280, 800)  # wide enough for the panels beside the scene

    def frames(count: int) -> None:
        for _ in range(count):
            browser.dispatch_events()
            browser.tick(1 / 60)
            browser.on_draw()
            browser.flip()
        if session.message:
            seen["errors"].append(session.message)
            session.message = ""

    for name in ("Bridge", "Car", "Merge and split", "Ray fan", "Mixed pile"):
        session.open(name)
        settings.flags[:] = list(FLAGS)
        frames(5)
        run = session.run
        assert run is not None
        for by in ("", "kind", "island", "body"):
            settings.color_by, settings.show_fast = by, not settings.show_fast
            frames(1)
        for tab in ("Sample", "World", "Draw"):
            browser.wanted_tab = tab
            frames(3)
            seen["tabs"].append(browser.tab)
        for figure in ("Profile", "Counters", "Solver colours", "Islands", "Workers"):
            browser.wanted_figure = figure
            frames(3)
            seen["figures"].append(browser.figure)
        browser.query = "pi"
        frames(2)
        browser.query = ""
        for chosen in [*list(run.world.bodies)[-1:], *list(run.world.shapes)[-1:], *list(run.world.joints)[:1]]:
            session.selected, browser.wanted_tab = chosen, "Inspect"
            frames(3)
            assert session.selected is chosen
        seen["tabs"].append(browser.tab)
        chosen.destroy()
        frames(2)
        assert session.selected is None
        if seen["errors"] and seen["errors"][-1].startswith(
            "DestroyedError"
        ):  # the callback was not handled by the sample: the browser reports it and pauses
            seen["errors"].pop()
            assert session.paused
            session.restart()
            session.paused = False
            run = session.run
        x, y = list(run.world.bodies)[-1].position
        session.bomb(b2.Vec2(x, y + 3), b2.Vec2(0, -5))
        session.grab(list(run.world.bodies)[-1].position, 0.2)
        frames(3)
        run.world.validate()
        for option in ("broadphase", "narrowphase", "simd"):
            for value in session.choices[option]:
                session.set_option(option, value)
                frames(1)
        settings.overrides.clear()
    session.samples["Nothing"] = type(
        "Nothing", (Sample,), {"__doc__": "An empty world is drawn too.", "category": "Bodies"}
    )
    session.open("Nothing")
    settings.flags[:] = list(FLAGS)
    frames(5)
    settings.show_interface = settings.show_panel = browser.show_help = False
    settings.flags[:], settings.color_by, settings.show_fast = ["joints"], "", False
    return seen


def main(folder: Path, names: list[str]) -> None:
    (folder / "settings.json").write_text('{"width": 640, "height": 400, "show_interface": false, "smooth": false}')
    browser = Browser(None, folder / "settings.json")
    for name in [*(names or list(browser.session.samples)), "tour"]:
        try:
            seen = tour(browser) if name == "tour" else watch(browser, name)
        except Exception:
            seen = {"name": name, "errors": [traceback.format_exc()]}
        print(json.dumps(seen), flush=True)
    browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
