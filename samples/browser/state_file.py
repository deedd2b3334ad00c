"""The state file: what the window shows, as JSON, for tests and for scripts."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .window import Browser


def write(browser: Browser, path: Path) -> None:
    """Writes the state to a temporary file that is then renamed, so that readers never see half of it."""
    part = path.with_suffix(".part")
    part.write_text(json.dumps(_state(browser)), encoding="utf-8")
    part.replace(path)


def _state(browser: Browser) -> dict[str, Any]:
    session, camera, recorder = browser.session, browser.camera, browser.recorder
    run = session.run
    assert run is not None
    bodies = [
        {
            "index": body.index,
            "type": body.type.name.lower(),
            "position": list(body.position),
            "screen": camera.to_screen(*body.position),
        }
        for body in islice(run.world.bodies, 100)
    ]
    own = ("frames", "tab", "panels_have_keys", "copied", "marks", "query", "figure")
    return {
        **{name: getattr(browser, name) for name in own},
        "sample": session.name,
        "steps": run.steps,
        "paused": session.paused,
        "bodies": bodies,
        "dragging": session.drag is not None,
        "selected": repr(session.selected) if session.selected is not None else "",
        "workers": run.world.workers,
        "gravity": list(run.world.gravity),
        "broadphase": run.world.strategies.broadphase,
        "substeps": run.substeps,
        "sleeping": run.world.sleeping,
        "flags": session.flags(),
        "theme": browser.shown_theme,
        "folded": browser.folded(),
        "taken_over": run.sample.taken_over,
        "frames_per_second": browser.frames_per_second(),
        "checked": session.checked,
        "message": browser.notice(),
        "said": browser.said[0],
        "zoom": camera.zoom,
        "center": [camera.x, camera.y],
        "size": [browser.width, browser.height],
        "scale": browser.ui_scale,
        "interface": browser.settings.show_interface,
        "controls": dict(run.sample.values),
        "recording": recorder.recording,
        "filmed": len(recorder.frames),
        "world_recording": session.recording,
        "timeline": [*session.time_range(), session.moment()],
        "writing": recorder.busy,
        "status": run.status(),
        "python_ms": sorted(browser.python_ms)[len(browser.python_ms) // 2],
    }
