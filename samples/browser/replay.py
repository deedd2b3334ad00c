"""Recordings as samples: `Replay` shows the frames of a recording, `Continued` simulates on from one of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import numpy as np

import box2dpy as b2
from box2dpy._draw.style import DARK

from .. import Sample

GEOMETRIES: tuple[Any, ...] = (
    lambda points, radius: b2.Circle(radius, points[0]),
    lambda points, radius: b2.Capsule(points[0], points[1], radius),
    lambda points, radius: b2.Segment(points[0], points[1]),
    lambda points, radius: b2.Polygon(points, radius),
    lambda points, radius: b2.Segment(points[0], points[1]),
)


class Replay(Sample):
    """A recording. The timeline under the scene goes to any of its frames; `continue from here` simulates on."""

    category = "Worlds"
    path: ClassVar[Path]

    def build(self, world: b2.World) -> None:
        self.recording = b2.Recording(self.path)
        self.frame = 0
        self.shown: bytes = b""
        self.show(0)

    def show(self, frame: int) -> None:
        """Places the shapes as in a frame."""
        self.frame = min(max(frame, 0), len(self.recording) - 1)
        recorded = self.recording[self.frame]
        shapes = recorded.shapes
        if shapes.tobytes() != self.shown:
            self.shown = shapes.tobytes()
            self.create(recorded)
        body = shapes["body"]
        if len(body):
            self.world.arrays.set(
                self.bodies,
                position=recorded.position[body],
                angle=recorded.angle[body],
                enabled=recorded.enabled[body],
            )

    def create(self, recorded: b2.RecordedFrame) -> None:
        """One static body for each shape: nothing of them is simulated."""
        self.world.clear()
        self.bodies = []
        moving = recorded.body_type != 0
        for row in recorded.shapes:
            count = 2 if row["type"] == 4 else max(int(row["count"]), 1)
            points = np.stack([row["x"], row["y"]], axis=-1)[:count].tolist()
            geometry = GEOMETRIES[int(row["type"])](points, float(row["radius"]))
            color = int(row["color"]) or (DARK.kinds[min(int(row["type"]), 3)] if moving[row["body"]] else 0)
            body = self.world.create_static_body()
            body.create_shape(geometry, sensor=bool(row["sensor"]), color=color)
            self.bodies.append(body.index)

    def step(self, world: b2.World) -> None:
        self.show(self.frame + 1)

    def status(self) -> str:
        last = len(self.recording) - 1
        return f"{self.path.name}: frame {self.frame} of {last}, {self.recording.times[self.frame]:.2f} s"


class Continued(Sample):
    """A world that goes on from a frame of a recording, exactly as the recorded world did, until you change it."""

    category = "Worlds"
    path: ClassVar[Path]
    frame: ClassVar[int]

    def build(self, world: b2.World) -> None:
        with b2.Recording(self.path) as recording, recording.world_at(self.frame) as recorded:
            world.restore(recorded.save())


def replay_of(path: Path) -> type[Sample]:
    """A sample that shows a recording. It does not join the registry."""
    kind: Any = type("Replay", (Replay,), {"path": path, "__doc__": Replay.__doc__})
    kind.name = path.name
    return kind  # type: ignore[no-any-return]


def continued_from(path: Path, frame: int) -> type[Sample]:
    """A sample that simulates on from a frame of a recording."""
    kind: Any = type("Continued", (Continued,), {"path": path, "frame": frame, "__doc__": Continued.__doc__})
    kind.name = f"{path.name} from frame {frame}"
    return kind  # type: ignore[no-any-return]
