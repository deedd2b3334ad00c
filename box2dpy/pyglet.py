"""Draws worlds with pyglet: `box2dpy.pyglet.Drawer(window, world).draw()`. Needs the extra `box2dpy[pyglet]`.

```
import box2dpy as b2
import box2dpy.pyglet
import pyglet

window = pyglet.window.Window(960, 600)
stepper = b2.FixedStepper(world)
drawer = box2dpy.pyglet.Drawer(window, world, camera=(-10, 0, 10, 12), stepper=stepper)
pyglet.clock.schedule(stepper.advance)

@window.event
def on_draw():
    window.clear()
    drawer.draw()

pyglet.app.run()
```
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import numpy as np

from ._bridge.arguments import choice, instance
from ._bridge.errors import missing
from ._bridge.vectors import Vec2
from ._draw.camera import View, camera_now, drawable
from ._draw.draw_list import DrawList
from ._draw.style import BY, THEMES, borders
from ._helpers.stepper import FixedStepper

try:
    from pyglet import gl
    from pyglet.graphics.shader import Shader, ShaderProgram
except ModuleNotFoundError:
    raise missing("box2dpy.pyglet", "pyglet", "pyglet") from None

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ._draw.camera import CameraLike
    from ._draw.style import ColorBy, ThemeName
    from ._world.world import World

__all__ = ["Drawer"]


def __dir__() -> list[str]:
    return __all__


VERTEX = """#version 330 core
in vec2 place; // clip space
in vec4 color;
out vec4 tint;
void main() { gl_Position = vec4(place, 0.0, 1.0); tint = color; }
"""
FRAGMENT = """#version 330 core
in vec4 tint;
out vec4 result;
void main() { result = tint; }
"""
VERTEX_ROW = np.dtype([("place", "f4", (2,)), ("color", "u1", (4,))])


class Drawer:
    """Draws a world into a window of pyglet; takes about 3 us for each shape that the camera sees. Borders are smooth
    in a window with `pyglet.gl.Config(double_buffer=True, sample_buffers=1, samples=4)`.

    Args:
        window: a `pyglet.window.Window`; its OpenGL context must be the current one, as it is in `on_draw`.
        world: any world that is not being stepped while it is drawn.
        camera: left, bottom, right, top in metres, fitted into the window and centred, or a function that returns
            them, as a `FollowCamera` does; None shows everything. The attribute `camera` can be assigned.
        stepper: shows the bodies at the interpolated poses of this `FixedStepper`, so that they move evenly at any
            frame rate; None shows their present poses.
        theme: colours for a "light" or a "dark" background.
        by: what colours moving bodies: "kind" of shape, "island" or "body".

    Raises:
        ModuleNotFoundError: pyglet is not installed; importing this module raises it.
        ValueError: an unknown name.
        TypeError: a wrong type.
    """

    def __init__(
        self,
        window: Any,
        world: World,
        *,
        camera: CameraLike = None,
        stepper: FixedStepper | None = None,
        theme: ThemeName = "dark",
        by: ColorBy = "kind",
    ) -> None:
        drawable(world)
        self.window, self.world, self.camera = window, world, camera
        self.stepper = instance(stepper, FixedStepper, "stepper")
        self._theme = THEMES[choice(theme, "theme", THEMES)]
        self._by = choice(by, "by", BY)
        self._view: View | None = None
        self._program = ShaderProgram(Shader(VERTEX, "vertex"), Shader(FRAGMENT, "fragment"))
        self._array, self._buffer = ctypes.c_uint(), ctypes.c_uint()
        gl.glGenVertexArrays(1, ctypes.byref(self._array))
        gl.glGenBuffers(1, ctypes.byref(self._buffer))
        gl.glBindVertexArray(self._array)
        gl.glBindBuffer(gl.GL_ARRAY_BUFFER, self._buffer)
        for name, size, kind, offset in (("place", 2, gl.GL_FLOAT, 0), ("color", 4, gl.GL_UNSIGNED_BYTE, 8)):
            location = self._program.attributes[name]["location"]
            gl.glEnableVertexAttribArray(location)
            gl.glVertexAttribPointer(
                location, size, kind, kind == gl.GL_UNSIGNED_BYTE, VERTEX_ROW.itemsize, ctypes.c_void_p(offset)
            )
        gl.glBindVertexArray(0)

    def draw(self, draw: DrawList | None = None) -> None:
        """Draws all shapes that the camera sees over what is in the window.

        Args:
            draw: lines and fills to draw over them, as from `World.debug_draw`. Points are small squares; texts are
                left out: `pyglet.text` draws them.

        Raises:
            ValueError: the camera is empty or not finite.
            TypeError: a wrong type.
        """
        draw = instance(draw, DrawList, "draw")
        poses = None if self.stepper is None else self.stepper.interpolated()
        width, height = self.window.width, self.window.height
        view = self._view = View(camera_now(self.camera, self.world, poses), width, height)
        shown = borders(self.world, self._theme, by=self._by, camera=view.camera, poses=poses)
        places = self._clip_space(view, shown.points)
        lengths = np.diff(shown.starts)
        fills, edges = shown.colors.copy(), shown.colors.copy()
        fills[:, :3] = np.clip(shown.colors[:, :3] * np.float32(self._theme.fill), 0, 255)
        edges[:, :3] = np.clip(shown.colors[:, :3] * np.float32(self._theme.edge), 0, 255)
        # A fan of triangles for each border, in the order of the shapes: later ones lie over earlier ones.
        count = np.maximum(lengths - 2, 0)
        shape = np.repeat(np.arange(len(lengths)), count)
        number = np.arange(len(shape)) - np.repeat(np.cumsum(count) - count, count)
        first = shown.starts[:-1][shape]
        corners = np.stack([first, first + number + 1, first + number + 2], axis=-1).ravel()
        # Edges, and a spoke for each circle
        owner = np.repeat(np.arange(len(lengths)), lengths)
        following = np.arange(len(places)) + 1
        following[shown.starts[1:] - 1] = shown.starts[:-1]
        lines = np.stack([np.arange(len(places)), following], axis=-1).ravel()
        rims = shown.starts[:-1][shown.shapes["type"] == 0]
        arc = lengths[shown.shapes["type"] == 0]
        hubs = 0.5 * (places[rims] + places[rims + arc // 2])
        spokes = np.stack([hubs, places[rims]], axis=1).reshape(-1, 2)
        spoke_owner = np.repeat(owner[rims], 2)
        self._send(gl.GL_TRIANGLES, places[corners], fills[np.repeat(shape, 3)])
        self._send(
            gl.GL_LINES,
            np.concatenate([places[lines], spokes]),
            edges[np.concatenate([np.repeat(owner, 2), spoke_owner])],
        )
        if draw is not None:
            self._draw_list(draw, view)

    def to_world(self, x: float, y: float) -> Vec2:
        """The point in the world, metres, at the mouse position (x, y) of pyglet, in the picture that was last drawn.

        Raises:
            RuntimeError: nothing has been drawn yet.
        """
        if self._view is None:
            raise RuntimeError("to_world needs a picture: call draw first")
        return self._view.to_world((x, self._view.height - y))

    def delete(self) -> None:
        """Frees its memory of the graphics card; drawing is no longer possible. Closing the window does it, too."""
        gl.glDeleteVertexArrays(1, ctypes.byref(self._array))
        gl.glDeleteBuffers(1, ctypes.byref(self._buffer))
        self._program.delete()

    def _clip_space(self, view: View, points: NDArray[np.float64]) -> NDArray[np.float64]:
        return view.project(points) * (2 / float(view.width), -2 / float(view.height)) + (-1, 1)

    def _draw_list(self, draw: DrawList, view: View) -> None:
        for fill in draw.fills:
            places = self._clip_space(view, fill.points)
            fan = [k for i in range(1, len(places) - 1) for k in (0, i, i + 1)]
            colors = np.tile(_bytes(np.array([fill.color], np.uint32), fill.alpha), (len(fan), 1))
            self._send(gl.GL_TRIANGLES, places[fan], colors)
        ends = self._clip_space(view, draw.line_ends.reshape(-1, 2))
        self._send(gl.GL_LINES, ends, np.repeat(_bytes(draw.line_colors), 2, axis=0))
        size = 0.5 * draw.points[:, None, 2:] * (2 / view.width, 2 / view.height)
        square = np.array([(-1, -1), (1, -1), (1, 1), (-1, -1), (1, 1), (-1, 1)])
        places = self._clip_space(view, draw.points[:, :2])[:, None] + size * square
        self._send(gl.GL_TRIANGLES, places.reshape(-1, 2), np.repeat(_bytes(draw.point_colors), 6, axis=0))

    def _send(self, mode: int, places: NDArray[np.float64], colors: NDArray[np.uint8]) -> None:
        if not len(places):
            return
        rows = np.empty(len(places), VERTEX_ROW)
        rows["place"], rows["color"] = places, colors
        self._program.use()
        gl.glEnable(gl.GL_BLEND)
        gl.glBlendFunc(gl.GL_SRC_ALPHA, gl.GL_ONE_MINUS_SRC_ALPHA)
        gl.glBindVertexArray(self._array)
        gl.glBindBuffer(gl.GL_ARRAY_BUFFER, self._buffer)
        gl.glBufferData(gl.GL_ARRAY_BUFFER, rows.nbytes, ctypes.c_void_p(rows.ctypes.data), gl.GL_STREAM_DRAW)
        gl.glDrawArrays(mode, 0, len(rows))
        gl.glBindVertexArray(0)
        self._program.stop()


def _bytes(codes: NDArray[np.uint32], alpha: float = 1.0) -> NDArray[np.uint8]:
    """Red, green, blue and alpha, shape (n, 4), of colours 0xRRGGBB."""
    full = np.full(len(codes), round(255 * alpha))
    return np.stack([codes >> 16 & 255, codes >> 8 & 255, codes & 255, full], axis=-1).astype(np.uint8)
