"""The window of the sample browser. Needs pyglet, imgui-bundle, PyOpenGL and pillow: `pip install 'box2dpy[samples]'`.

window     the window: mouse, keys, frames
session    the behaviour without a window: the sample, its time, the actions of the user, the selection
panels     samples, tool bar, controls, options, layers that are drawn
inspector  properties of the selected object
history    the last minute of a sample, for the timeline
replay     recordings, shown and continued
figures    profile, counters, colours of the solver, islands
painter    shapes and draw lists with GL
shaders, gl, camera, capture, look, settings
"""

from __future__ import annotations

import sys
from pathlib import Path


def main(name: str | None = None, *, settings: Path | None = None, state: Path | None = None) -> int:
    """Opens the window and returns when it is closed. Without a screen or GL it prints one line that says so and
    returns 1."""
    import OpenGL
    import pyglet

    OpenGL.ERROR_CHECKING = False  # otherwise each call would ask the driver for errors
    pyglet.options.debug_gl = False
    pyglet.options.shadow_window = False
    from .settings import default_path

    try:
        from .window import Browser

        browser = Browser(name, settings or default_path(), state)
    except Exception as error:
        if type(error).__module__.split(".")[0] not in ("pyglet", "OpenGL") and not isinstance(
            error, ImportError | OSError
        ):
            raise
        print(f"box2dpy: no window can be opened here ({type(error).__name__}: {error})", file=sys.stderr)
        print("box2dpy: `box2dpy render NAME --out picture.png` needs no screen", file=sys.stderr)
        return 1
    pyglet.app.run(1 / 60)
    assert browser is not None
    return 0
