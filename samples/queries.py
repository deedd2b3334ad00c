"""Queries: rays, casts, overlaps; results are data."""

from __future__ import annotations

import math

import numpy as np

import box2dpy as b2

from ._sample import Sample, Slider


class RayFan(Sample):
    """`world.ray_casts` answers many rays in one call of C: here a fan from the mouse, or from the middle.
    Each ray ends at the first shape it meets; the short line is the normal there."""

    name = "Ray fan"
    category = "Queries"
    camera = (-16, -10, 16, 10)
    options = {"gravity": (0, 0)}
    rays = Slider(180, 8, 2000)
    reach = Slider(14.0, 1.0, 30.0, unit="m")

    def build(self, world: b2.World) -> None:
        forms = (
            b2.Circle(0.6),
            b2.Box(0.7, 0.4),
            b2.Capsule((-0.5, 0), (0.5, 0), 0.3),
            b2.Polygon([(0, 0.8), (-0.7, -0.4), (0.7, -0.4)]),
        )
        for k in range(44):
            angle, radius = 2.4 * k, 3.0 + 1.9 * math.sqrt(k)
            at = radius * math.cos(angle), 0.65 * radius * math.sin(angle)
            body = world.create_kinematic_body(at, angle, angular_velocity=0.4 if k % 2 else -0.4)
            body.create_shape(forms[k % 4])
        self.pointer = b2.Vec2(0, 0)

    def cast(self) -> tuple[np.ndarray, np.ndarray]:
        turns = np.linspace(0, 2 * math.pi, self.rays, endpoint=False)
        ways = self.reach * np.column_stack([np.cos(turns), np.sin(turns)])
        return ways, self.world.ray_casts(np.tile(self.pointer, (self.rays, 1)), ways)

    def draw(self, draw: b2.DrawList) -> None:
        ways, hits = self.cast()
        met = hits["shape"] >= 0
        start = np.tile(self.pointer, (self.rays, 1))
        end = np.where(met[:, None], hits["point"], start + ways)
        draw.lines(np.hstack([start, end])[~met], 0x3A4250)
        draw.lines(np.hstack([start, end])[met], "teal")
        draw.lines(np.hstack([end, end + 0.3 * hits["normal"]])[met], "yellow")
        draw.dots(end[met], "orange", 4)
        draw.dot(self.pointer, "white", 8)

    def status(self) -> str:
        return f"{int((self.cast()[1]['shape'] >= 0).sum())} of {self.rays} rays hit something"
