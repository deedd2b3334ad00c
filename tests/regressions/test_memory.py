"""Defects in how memory is taken, given back and missing."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
import pytest

import box2dpy as b2
from box2dpy._core import lib


def test_the_number_of_workers_can_change_in_a_large_world() -> None:
    """The bit sets of the workers are large enough to lie in slabs, and they used to be given to the system instead."""
    with b2.World() as world:
        positions = 2.0 * np.stack(np.divmod(np.arange(140_000), 400), axis=1)
        world.create_bodies(positions, geometry=b2.Circle(0.1))
        world.step(1e-3, 1)
        for workers in (2, 1):
            world.workers = workers
            world.step(1e-3, 1)
        assert world.workers == 1


@pytest.mark.parametrize("after", range(24))
def test_a_joint_that_found_no_memory_leaves_no_block_without_rows(after: int) -> None:
    """A step of another length writes to the rows of all joint blocks up to the highest that was ever taken."""
    with b2.World() as world:
        bodies = [world.create_dynamic_body((k, 0)) for k in range(2)]
        for body in bodies:
            body.create_shape(b2.Circle(0.1))
        lib.b2d_world_fail_allocation(world._ptr, after)
        with suppress(MemoryError):
            world.create_revolute_joint(*bodies, anchor=(0.5, 0))
        lib.b2d_world_fail_allocation(world._ptr, -1)
        world.step(1 / 60)
        world.step(1 / 90)
        world.validate()
