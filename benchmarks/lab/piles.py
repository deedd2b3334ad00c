"""A pyramid in the arrays of `box2dpy.buffers`: stacks are what warm starting and rest are for."""

from __future__ import annotations

from typing import Any

import numpy as np

import box2dpy as b2
from box2dpy import buffers

HALF = 0.5


class BufferPyramid:
    """The arrays of a pyramid with `rows` rows of boxes on a static one."""

    def __init__(self, rows: int) -> None:
        places = [(0.0, -1.0)]
        places += [((k - (rows - row) / 2) * 1.05, HALF + row) for row in range(rows) for k in range(rows - row)]
        self.places = places
        n = self.n = len(places)
        self.bodies, self.colliders = buffers.new_bodies(n), buffers.new_colliders(n)
        self.bodies.poses["position"] = places
        self.colliders["body"] = self.colliders["tag"] = np.arange(n)
        box = b2.Box(HALF, HALF)
        buffers.set_geometry(self.colliders[:1], b2.Box(2.0 * rows, 1))
        buffers.set_geometry(self.colliders[1:], box)
        mass = box.mass_data(1.0)
        self.bodies.masses["mass"][1:], self.bodies.masses["inertia"][1:] = mass.mass, mass.inertia
        self.cache = buffers.new_cache(6 * n)
        self.lists = np.zeros(6 * n, buffers.CONTACT), np.zeros(6 * n, np.uint64), np.zeros(n, np.int32)
        self.arena = np.zeros(6000 * n, np.uint8)

    def collide(self) -> buffers.Found:
        return buffers.collide(self.bodies, self.colliders, *self.lists, self.arena)

    def simulate(self, found: buffers.Found) -> None:
        buffers.simulate(self.bodies, found.active, found.contacts, found.sleeping, self.cache, self.arena)

    def step(self, count: int = 1) -> buffers.Found:
        for _ in range(count):
            found = self.collide()
            self.simulate(found)
        return found

    def copy(self) -> BufferPyramid:
        other = BufferPyramid(1)
        other.n, other.arena = self.n, np.empty_like(self.arena)
        other.bodies = buffers.Bodies(*(array.copy() for array in self.bodies))
        other.colliders = self.colliders.copy()
        other.cache = buffers.Cache(*(array.copy() for array in self.cache))
        other.lists = tuple(np.empty_like(each) for each in self.lists)  # type: ignore[assignment]
        return other

    def world(self, **options: Any) -> b2.World:
        world = b2.World(gravity=(0, -10), **options)
        world.create_static_body(self.places[0]).create_shape(b2.Box(self.n, 1))
        for place in self.places[1:]:
            world.create_dynamic_body(place).create_shape(b2.Box(HALF, HALF), density=1.0)
        return world
