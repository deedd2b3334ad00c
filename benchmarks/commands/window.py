"""The demo's window: scenes side by side as they move. Needs pyglet and a screen; escape closes it."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any

import numpy as np

import box2dpy as b2
from box2dpy._draw.style import LIGHT, local_border, rgb, shape_colors
from box2dpy.scenes import Scene, get

from ..engines.runner import DT, SUBSTEPS

PANE = (760, 760)
VERTEX = """#version 150 core
in vec2 position;
in vec3 color;
out vec3 tint;
uniform WindowBlock { mat4 projection; mat4 view; } window;
void main() { gl_Position = window.projection * window.view * vec4(position, 0.0, 1.0); tint = color; }
"""
FRAGMENT = """#version 150 core
in vec3 tint;
out vec4 pixel;
void main() { pixel = vec4(tint, 1.0); }
"""


class Triangles:
    """All shapes of a world as triangles: corners in body coordinates once, pixels anew for each frame."""

    def __init__(self, world: b2.World, camera: tuple[float, float, float, float], left: float) -> None:
        self.world, self.left = world, left
        view = b2.View(camera, *PANE)
        self.scale, self.x, self.y = view.scale, left + view.x, PANE[1] - view.y
        rows: list[int] = []
        corners: list[list[float]] = []
        colors: list[list[int]] = []
        shapes = world.arrays.shapes
        tints = shape_colors(shapes, world.arrays.bodies, LIGHT)[:, :3].tolist()
        for shape, color in zip(shapes, tints, strict=True):
            outline = local_border(shape, 16).tolist()
            if len(outline) == 2:  # a segment: a thin sliver
                outline = [outline[0], outline[1], [outline[1][0], outline[1][1] - 1 / view.scale]]
            for k in range(1, len(outline) - 1):
                corners += [outline[0], outline[k], outline[k + 1]]
                rows += [int(shape["body"])] * 3
                colors += [color] * 3
        self.rows = np.array(rows, dtype=np.intp)
        self.corners = np.array(corners, dtype=np.float64)
        self.colors = (np.array(colors, dtype=np.float64) / 255).ravel().tolist()

    def pixels(self) -> list[float]:
        """x, y of every corner, y upwards."""
        position = np.asarray(self.world.arrays.position)[self.rows]
        rotation = np.asarray(self.world.arrays.rotation)[self.rows].astype(np.float64)
        c, s = rotation[:, 0], rotation[:, 1]
        px, py = self.corners[:, 0], self.corners[:, 1]
        out = np.empty_like(self.corners)
        out[:, 0] = np.clip(self.x + self.scale * (position[:, 0] + c * px - s * py), self.left, self.left + PANE[0])
        out[:, 1] = self.y + self.scale * (position[:, 1] + s * px + c * py)
        flat: list[float] = out.ravel().tolist()
        return flat


def show(names: Sequence[str]) -> None:
    """Opens the window and returns when it is closed."""
    pyglet: Any = importlib.import_module("pyglet")
    gl: Any = importlib.import_module("pyglet.gl")
    shader: Any = importlib.import_module("pyglet.graphics.shader")
    window = pyglet.window.Window(PANE[0] * len(names), PANE[1], caption=f"box2dpy: {', '.join(names)} (escape closes)")
    program = shader.ShaderProgram(shader.Shader(VERTEX, "vertex"), shader.Shader(FRAGMENT, "fragment"))
    batch = pyglet.graphics.Batch()
    panes: list[tuple[Scene, b2.World, Any, Triangles, Any]] = []
    for place, name in enumerate(names):
        scene = get(name)
        world = scene.world()
        state = scene.build(world, 1.0)
        triangles = Triangles(world, scene.camera, float(PANE[0] * place))
        vertices = program.vertex_list(
            len(triangles.rows),
            gl.GL_TRIANGLES,
            batch=batch,
            position=("f", triangles.pixels()),
            color=("f", triangles.colors),
        )
        panes.append((scene, world, state, triangles, vertices))
    number = 0

    def update(_elapsed: float) -> None:
        nonlocal number
        for scene, world, state, triangles, vertices in panes:
            scene.advance(world, state, number)
            world.step(DT, SUBSTEPS)
            vertices.position[:] = triangles.pixels()
        number += 1

    @window.event  # type: ignore[untyped-decorator]
    def on_draw() -> None:
        gl.glClearColor(*(part / 255 for part in rgb(LIGHT.background)), 1.0)
        window.clear()
        batch.draw()

    pyglet.clock.schedule_interval(update, DT)
    try:
        pyglet.app.run()
    finally:
        for _, world, _, _, _ in panes:
            world.close()
