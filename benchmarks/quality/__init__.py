"""What the physics of an engine is worth: one figure a scene, measured the same way on every engine.

Each figure builds a small world through the calls that `box2dpy.World` and the peers share, steps it at 60 Hz with 4
substeps (pymunk: one step with its 10 iterations), and returns one number. `Make` is a function that makes an empty
world: `make(gravity=..., sleeping=..., continuous=...)`.
"""

from __future__ import annotations

from . import impacts, joints, machines, motion, piles
from .common import DT, Figure, maker
from .machines import machine_gain

__all__ = ["FIGURES", "Figure", "machine_gain", "measure"]

FIGURES = piles.FIGURES + machines.FIGURES + joints.FIGURES + motion.FIGURES + impacts.FIGURES


def measure(figure: Figure, engine: str, scale: float = 1.0) -> float:
    """The figure of one engine. `scale` shortens the simulated time.

    Raises:
        CannotExpress: the engine lacks something that the scene needs.
    """
    return figure.measure(maker(engine), max(1, round(scale * figure.seconds / DT)))
