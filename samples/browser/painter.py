"""Drawing with GL: the shapes of worlds, and draw lists. Arrays go from the engine to the graphics card with one copy.

A frame of 20,000 bodies costs about 1 ms of Python: subtract the camera from the positions, upload 16 bytes for each
body, one draw call. Geometry and colours are uploaded only when shapes or states have changed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from pyglet import gl

import box2dpy as b2
from box2dpy._draw.style import DARK, Theme, base_colors, readable, rgb, shape_colors

from . import shaders
from .camera import Camera
from .gl import Buffer, Layout, Program, Rows, blend

GEOMETRY = np.dtype([("points", "f4", (16,)), ("meta", "i4", (4,)), ("radius", "f4")])

DECIDING = {  # the bytes of the row that decide the colour, without and with `fast`
    False: np.frombuffer(bytes([255, 255, 0, 0]), np.uint32)[0],
    True: np.frombuffer(bytes([255, 255, 0, 255]), np.uint32)[0],
}


class WorldShapes:
    """The shapes of one world in the memory of the graphics card."""

    def __init__(self, world: b2.World) -> None:
        self.world = world
        self.version = -1
        self.count = 0
        self.geometry, self.colors, self.poses = Buffer(), Buffer(), Rows()
        self.layout = Layout()
        stride = GEOMETRY.itemsize
        for k in range(4):
            self.layout.attribute(k, self.geometry, 4, gl.GL_FLOAT, stride, 16 * k)
        self.layout.attribute(4, self.geometry, 4, gl.GL_INT, stride, 64)
        self.layout.attribute(5, self.geometry, 1, gl.GL_FLOAT, stride, 80)
        self.layout.attribute(6, self.colors, 4, gl.GL_UNSIGNED_BYTE, 4, normal=True)
        self.rows: Any = None
        self.seen: Any = None
        self.base: Any = None
        self.pair = np.empty((0, 2, 4), np.float32)

    def refresh(self, theme: Theme, by: str, sleep: bool, fast: bool) -> None:
        """Uploads geometry and colours if they have changed."""
        version, bodies = b2.lab.shape_version(self.world), self.world.arrays.bodies
        if version != self.version:
            self.version, self.seen = version, None
            rows = self.world.arrays.shapes
            order = np.lexsort((rows["shape"], bodies["type"][rows["body"]], rows["sensor"]))
            self.rows = rows[order]
            self.count = len(self.rows)
            packed = np.zeros(self.count, GEOMETRY)
            packed["points"][:, 0::2], packed["points"][:, 1::2] = self.rows["x"], self.rows["y"]
            chain = self.rows["type"] == 4
            packed["meta"][:, 0] = self.rows["body"]
            packed["meta"][:, 1] = np.where(chain, 2, self.rows["count"])
            packed["meta"][:, 2] = chain
            packed["radius"] = self.rows["radius"]
            self.geometry.set(packed)
        if not self.count:
            return
        shown = (theme.background, by, sleep, fast)
        # Columns: type, island, and one of the bytes awake, enabled, bullet, fast
        state = bodies.view(np.uint32).reshape(len(bodies), -1)
        lasting = state[:, :2] if by == "island" else state[:, :1]
        passing = state[:, 2] & DECIDING[fast]
        known = self.seen is not None and self.seen[0] == shown
        if not (known and np.array_equal(self.seen[1], lasting)):
            self.base = base_colors(self.rows, bodies, theme, by)
            known = False
        if not (known and np.array_equal(self.seen[2], passing)):
            self.seen = shown, lasting.copy(), passing
            self.colors.set(shape_colors(self.rows, bodies, theme, by=by, sleep=sleep, fast=fast, base=self.base))

    def place(self, camera: Camera, offset: tuple[float, float], before: Any) -> bool:
        """Uploads the present and the previous poses of all bodies relative to the camera. Returns false when the
        previous poses are not known."""
        arrays = self.world.arrays
        position, rotation = arrays.position, arrays.rotation
        if len(self.pair) != len(position):
            self.pair = np.zeros((len(position), 2, 4), np.float32)
        origin = camera.x - offset[0], camera.y - offset[1]
        np.subtract(position, origin, out=self.pair[:, 1, :2], casting="same_kind")
        self.pair[:, 1, 2:] = rotation
        known = before is not None and len(before[0]) == len(position)
        if known:
            np.subtract(before[0], origin, out=self.pair[:, 0, :2], casting="same_kind")
            self.pair[:, 0, 2:] = before[1]
        self.poses.set(self.pair)
        return known

    def delete(self) -> None:
        for part in (self.geometry, self.colors, self.poses, self.layout):
            part.delete()


class Painter:
    """Draws worlds and lists into the current GL context."""

    def __init__(self, theme: Theme = DARK) -> None:
        self.theme = theme
        self.shapes = Program(shaders.SHAPE_VERTEX, shaders.SHAPE_FRAGMENT)
        self.lines = Program(shaders.LINE_VERTEX, shaders.LINE_FRAGMENT)
        self.points = Program(shaders.POINT_VERTEX, shaders.POINT_FRAGMENT)
        self.fills = Program(shaders.FILL_VERTEX, shaders.FILL_FRAGMENT)
        self.worlds: dict[int, WorldShapes] = {}
        self.buffers = {name: (Buffer(), Buffer(), Layout()) for name in ("line", "point", "fill")}
        for name, size, divisor in (("line", 4, 1), ("point", 3, 1), ("fill", 2, 0)):
            places, colors, layout = self.buffers[name]
            layout.attribute(0, places, size, gl.GL_FLOAT, 4 * size, divisor=divisor)
            layout.attribute(1, colors, 4, gl.GL_UNSIGNED_BYTE, 4, divisor=divisor, normal=True)

    def clear(self, width: int, height: int) -> None:
        gl.glViewport(0, 0, width, height)
        gl.glClearColor(*(part / 255 for part in rgb(self.theme.background)), 1.0)
        gl.glClear(gl.GL_COLOR_BUFFER_BIT)
        blend()

    def forget(self) -> None:
        """Frees everything that it keeps for worlds."""
        for kept in self.worlds.values():
            kept.delete()
        self.worlds.clear()

    def world(
        self,
        world: b2.World,
        camera: Camera,
        *,
        offset: tuple[float, float] = (0.0, 0.0),
        before: Any = None,
        part: float = 1.0,
        by: str = "kind",
        sleep: bool = True,
        fast: bool = False,
        zoom: float = 1.0,
    ) -> None:
        """Draws every shape of a world at the fraction `part` of the way from its pose `before` to its present pose."""
        kept = self.worlds.get(id(world))
        if kept is None:
            kept = self.worlds[id(world)] = WorldShapes(world)
        kept.refresh(self.theme, by, sleep, fast)
        if not kept.count:
            return
        known = kept.place(camera, offset, before)
        self.shapes.use(
            **self.view(camera),
            bodies=0,
            part=part if known else 1.0,
            shade=(self.theme.fill, self.theme.edge),
            edge_width=1.1 * zoom,
        )
        kept.layout.draw(kept.count)

    def view(self, camera: Camera) -> dict[str, Any]:
        return {"scale": (2 * camera.zoom / camera.width, 2 * camera.zoom / camera.height), "pixel": 1.0 / camera.zoom}

    def readable(self, colors: np.ndarray) -> np.ndarray:
        """The colours of a list, with the ink of the theme in place of those that are nearly its background."""
        kinds, where = np.unique(np.asarray(colors, np.uint32), return_inverse=True)
        return np.array([readable(int(code), self.theme) for code in kinds], np.uint32)[where]

    def draw(self, draw: b2.DrawList, camera: Camera, *, zoom: float = 1.0) -> None:
        """Draws the fills, lines and points of a list. Its texts are drawn by the interface."""
        center = np.array([camera.x, camera.y])
        if draw.fills:
            self._fills(draw, camera, center)
        for name, rows, colors, program, uniforms in (
            ("line", draw.line_ends, draw.line_colors, self.lines, {"width": 1.4 * zoom}),
            ("point", draw.points, draw.point_colors, self.points, {"zoom": zoom}),
        ):
            if not len(rows):
                continue
            places, tints, layout = self.buffers[name]
            rows = rows.copy()
            rows[:, :2] -= center
            if name == "line":
                rows[:, 2:4] -= center
            places.set(rows.astype(np.float32))
            tints.set(packed_colors(self.readable(colors)))
            program.use(**self.view(camera), **uniforms)
            layout.draw(len(rows))

    def _fills(self, draw: b2.DrawList, camera: Camera, center: np.ndarray) -> None:
        corners, tints = [], []
        for fill in draw.fills:
            fan = np.concatenate(
                [[fill.points[0], fill.points[k], fill.points[k + 1]] for k in range(1, len(fill.points) - 1)]
            )
            corners.append(fan - center)
            ink = self.readable(np.array([fill.color], np.uint32))
            tints.append(np.tile(packed_colors(ink, fill.alpha), (len(fan), 1)))
        places, colors, layout = self.buffers["fill"]
        rows = np.concatenate(corners).astype(np.float32)
        places.set(np.ascontiguousarray(rows))
        colors.set(np.concatenate(tints))
        self.fills.use(scale=self.view(camera)["scale"])
        layout.triangles(len(rows))


def packed_colors(codes: np.ndarray, alpha: float = 1.0) -> np.ndarray:
    """An (n, 4) array of bytes from colours of the form 0xRRGGBB."""
    out = np.empty((len(codes), 4), np.uint8)
    out[:, 0], out[:, 1], out[:, 2] = codes >> 16 & 255, codes >> 8 & 255, codes & 255
    out[:, 3] = round(255 * alpha)
    return out
