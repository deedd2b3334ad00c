"""Random rows for `box2dpy.buffers`: `python -m tests.fuzz.buffers [calls] [first seed]`.

A small scene is simulated while bytes, numbers and whole arguments are replaced by others. Only the documented
exceptions may leave a call, and a refused call changes no array of the state. The same seed repeats the same calls.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import box2dpy as b2
from box2dpy import buffers

from .arguments import ODD, Arguments
from .command import main

NUMBERS = (0, -1, 1, 7, 8, 9, 1 << 16, 2**31 - 1, -(2**31))
FLOATS = (0.0, -1.0, 1e-30, 1e30, 3e38, float("nan"), float("inf"))


class Rows(Arguments):
    """A scene of `buffers`, and what spoils it."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        n = self.draw.randrange(1, 12)
        self.bodies, self.colliders = buffers.new_bodies(n), buffers.new_colliders(n)
        self.bodies.poses["position"] = [(self.draw.uniform(-2, 2), self.draw.uniform(0, 4)) for _ in range(n)]
        self.colliders["body"] = self.colliders["tag"] = np.arange(n)
        for k in range(n):
            buffers.set_geometry(self.colliders[k : k + 1], self.solid())
            self.bodies.masses[k] = (self.draw.choice((0, 1, 3)), self.draw.choice((0, 1)), 1, 0, 0)
        self.cache = buffers.new_cache(8 * n)
        self.contacts = np.zeros(self.draw.choice((0, 1, 8 * n)), buffers.CONTACT)
        self.sleeping, self.active = np.zeros(8 * n, np.uint64), np.zeros(n, np.int32)
        self.arena = np.zeros(self.draw.choice((0, 1000, 6000 * n + 60000, 6000 * n + 60001)), np.uint8)
        self.connections = None if self.draw.random() < 0.5 else np.zeros((2, 2), np.int32)
        self.good = [each.copy() for each in (*self.state(), self.colliders)]
        self.failures: list[str] = []
        self.done = self.refused = 0
        self.found = buffers.Found(self.contacts[:0], self.sleeping[:0], self.active[:0], 0, 0)

    def solid(self) -> b2.Geometry:
        geometry = self.geometry()
        return geometry if isinstance(geometry, (b2.Circle, b2.Capsule, b2.Polygon)) else b2.Box(0.5, 0.5)

    def state(self) -> list[Any]:
        return [*self.bodies, *self.cache]

    def spoil(self) -> None:
        """Other bytes, or another number, in one row of one array."""
        draw = self.draw
        arrays = [*self.state(), self.colliders, self.sleeping, self.active, *self.found[:3], self.connections]
        array = draw.choice([each for each in arrays if each is not None and each.size and each.flags.writeable])
        if array.dtype.names:
            array = array[draw.choice(array.dtype.names)]
        row = array[draw.randrange(len(array)) :][:1]
        if draw.random() < 0.3:
            row[...] = np.frombuffer(draw.randbytes(row.nbytes), row.dtype).reshape(row.shape)
        else:
            row[...] = np.array(draw.choice(FLOATS if row.dtype.kind == "f" else NUMBERS)).astype(row.dtype)

    def maybe(self, value: Any) -> Any:
        """The argument, or sometimes another one."""
        return self.draw.choice([*ODD, *self.state(), self.colliders]) if self.draw.random() < 0.01 else value

    def call(self) -> None:
        maybe, draw = self.maybe, self.draw
        if draw.random() < 0.3:
            index = draw.randrange(len(self.colliders))
            self.perform(buffers.set_geometry, maybe(self.colliders[index : index + 1]), maybe(self.geometry()))
        found = self.perform(
            buffers.collide, maybe(self.bodies), maybe(self.colliders), maybe(self.contacts), maybe(self.sleeping),
            maybe(self.active), maybe(self.arena), connections=maybe(self.connections),
            idle_limit=maybe(draw.choice((0, 1, 30))),
        )  # fmt: skip
        self.found = found or self.found
        if draw.random() < 0.3:
            self.spoil()
        found = self.found
        self.perform(
            buffers.simulate, maybe(self.bodies), maybe(found.active), maybe(found.contacts), maybe(found.sleeping),
            maybe(self.cache), maybe(self.arena), dt=maybe(1 / 60), substeps=maybe(draw.randrange(1, 5)),
            gravity=maybe((0, -10)), idle_speed=maybe(0.05),
        )  # fmt: skip
        if draw.random() < 0.3:
            self.stage()

    def stage(self) -> None:
        """A step in parts, while its arrays are written to, resized and locked."""
        draw, found, maybe = self.draw, self.found, self.maybe
        step = self.perform(
            buffers.StagedSimulation, self.bodies, found.active, found.contacts, found.sleeping, self.cache,
            substeps=maybe(draw.randrange(1, 5)),
        )  # fmt: skip
        if step is None:
            return
        names = ("linear_velocity", "angular_velocity", "world_center", "rotation")
        substeps = step.substeps()
        for _ in range(draw.randrange(8)):
            kind, array = draw.random(), draw.choice(self.state())
            if kind < 0.3:
                self.perform(next, substeps, None)
            elif kind < 0.5:
                self.perform(getattr, step, draw.choice(names))
            elif kind < 0.6:
                self.perform(setattr, step, draw.choice(names[:2]), maybe(self.draw.choice(FLOATS)))
            elif kind < 0.7:
                self.spoil()
            elif kind < 0.8:
                array.resize(draw.randrange(3 * len(array) + 1), refcheck=False)
            elif kind < 0.9:
                array.setflags(write=False)
            elif kind < 0.95:
                self.perform(step.finish)
        self.perform(step.finish)
        self.mend()

    def mend(self) -> None:
        """The state as it was at first."""
        for each, good in zip([*self.state(), self.colliders], self.good, strict=True):
            if len(each) != len(good):
                each.resize(len(good), refcheck=False)
            each.setflags(write=True)
            each[...] = good

    def perform(self, function: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        """Calls the function; when it refuses, the state is as it was, and what was spoiled is made good again."""
        before, name = [each.tobytes() for each in self.state()], getattr(function, "__name__", "call")
        try:
            result = function(*arguments, **options)
        except (ValueError, TypeError, RuntimeError, b2.Box2DError):
            self.refused += 1
            if [each.tobytes() for each in self.state()] != before:
                self.failures.append(f"{name} was refused and changed its arrays")
            self.mend()
            return None
        except Exception as error:
            self.failures.append(f"{error!r} in {name}")
            return None
        self.done += 1
        return result


def run(calls: int, first_seed: int) -> list[str]:
    """Scenes of 100 calls each. Returns what should not have happened."""
    failures: list[str] = []
    counts = np.zeros(2, int)
    for seed in range(first_seed, first_seed + max(1, calls // 100)):
        rows = Rows(seed)
        for _ in range(min(calls, 100)):
            with np.errstate(all="ignore"):
                if rows.draw.random() < 0.5:
                    rows.spoil()
                rows.call()
        failures += [f"seed {seed}: {each}" for each in rows.failures]
        counts += (rows.done, rows.refused)
    print(f"{counts[0]} calls were accepted, {counts[1]} refused")
    return failures


if __name__ == "__main__":
    main(run, 100_000, "calls of buffers")
