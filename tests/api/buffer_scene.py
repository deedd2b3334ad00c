"""Scenes of `box2dpy.buffers`: the arrays of one simulation."""

from __future__ import annotations

from typing import Any

import numpy as np

import box2dpy as b2
from box2dpy import buffers


class Scene:
    """The arrays of one simulation, and nothing else."""

    def __init__(self, positions: Any, geometries: list[b2.Geometry], still: int = 1) -> None:
        n = len(geometries)
        self.bodies = buffers.new_bodies(n)
        self.colliders = buffers.new_colliders(n)
        self.bodies.poses["position"] = positions
        self.colliders["body"] = self.colliders["tag"] = np.arange(n)
        for k, geometry in enumerate(geometries):
            buffers.set_geometry(self.colliders[k : k + 1], geometry)
            if k >= still:
                mass = geometry.mass_data(1.0)
                self.bodies.masses[k] = (mass.mass, mass.inertia, 1, 0, 0)
                self.bodies.poses["local_center"][k] = mass.center
        self.cache = buffers.new_cache(8 * n + 16)
        self.connections: Any = None
        self.make_room(n)

    def make_room(self, n: int) -> None:
        self.contacts = np.zeros(8 * n + 16, buffers.CONTACT)
        self.sleeping = np.zeros(8 * n + 16, np.uint64)
        self.active = np.zeros(n + 16, np.int32)
        self.arena = np.zeros(6000 * n + 60000, np.uint8)

    def collide(self, **options: Any) -> buffers.Found:
        return buffers.collide(
            self.bodies, self.colliders, self.contacts, self.sleeping, self.active, self.arena,
            connections=self.connections, **options,
        )  # fmt: skip

    def step(self, count: int = 1, **options: Any) -> buffers.Found:
        for _ in range(count):
            found = self.collide()
            buffers.simulate(
                self.bodies, found.active, found.contacts, found.sleeping, self.cache, self.arena, **options
            )
        return found

    def state(self) -> dict[str, np.ndarray]:
        """Copies of all arrays that a later step depends on."""
        return {
            **{name: array.copy() for name, array in self.bodies._asdict().items()},
            "colliders": self.colliders.copy(), "tags": self.cache.tags.copy(), "impulses": self.cache.impulses.copy(),
        }  # fmt: skip

    def load(self, state: Any) -> None:
        self.bodies = buffers.Bodies(*(np.array(state[name]) for name in buffers.Bodies._fields))
        self.colliders = np.array(state["colliders"])
        self.cache = buffers.Cache(np.array(state["tags"]), np.array(state["impulses"]))


def pyramid(rows: int) -> Scene:
    places = [(0.0, -1.0)]
    places += [((k - (rows - row) / 2) * 1.05, 0.5 + row) for row in range(rows) for k in range(rows - row)]
    return Scene(places, [b2.Box(100, 1)] + [b2.Box(0.5, 0.5)] * (len(places) - 1))


def same(a: dict[str, np.ndarray], b: dict[str, np.ndarray]) -> bool:
    return all(np.array_equal(a[name].view(np.uint8), b[name].view(np.uint8)) for name in a)
