"""Contacts that end together leave what contacts leave that end one by one: with `contact_events="bodies"` they end
singly, because each may give its event to another contact."""

from __future__ import annotations

import pytest

import box2dpy as b2


def heaps(world: b2.World) -> None:
    """Heaps at rest on terrain of many segments, some asleep, and boxes that strike them."""
    ground = world.create_static_body()
    for k in range(60):
        ground.create_shape(b2.Segment((2.0 * k - 60, 0.1 * (k % 3)), (2.0 * k - 58, 0.1 * ((k + 1) % 3))))
    for heap in range(12):
        for k in range(40):
            x, y = 9.0 * heap - 50 + 1.02 * (k % 5), 0.8 + 1.02 * (k // 5)
            world.create_dynamic_body((x, y)).create_shape(b2.Box(0.5, 0.5) if k % 3 else b2.Circle(0.5))


@pytest.mark.parametrize("workers", [1, 3])
def test_ends_together_leave_what_single_ends_leave(workers: int) -> None:
    states = []
    for events in ("shapes", "bodies"):
        with b2.World(workers=workers, contact_events=events) as world:
            heaps(world)
            for step in range(120):
                if step in (60, 90):
                    for k in range(12):
                        body = world.create_dynamic_body((9.0 * k - 58, 2.5), linear_velocity=(25.0, 0.0))
                        body.create_shape(b2.Box(1.0, 0.8))
                world.step()
            world.validate()
            arrays = world.arrays
            states.append([arrays.position.tobytes(), arrays.linear_velocity.tobytes(), arrays.awake.tobytes()])
    assert states[0] == states[1]


def test_heaps_that_many_bodies_strike_at_once_wake_in_order() -> None:
    hashes = set()
    for workers in (1, 2, 4):
        with b2.World(workers=workers) as world:
            heaps(world)
            for _ in range(100):
                world.step()
            for body in world.bodies:
                if body.type == b2.BodyType.DYNAMIC:
                    body.awake = False
            for k in range(12):
                body = world.create_dynamic_body((9.0 * k - 53, 2.5), linear_velocity=(40.0, 0.0))
                body.create_shape(b2.Box(1.0, 0.8))
            assert sum(body.awake for body in world.bodies) == 12
            for _ in range(30):
                world.step()
            assert sum(body.awake for body in world.bodies) > 400
            world.validate()
            hashes.add(world.state_hash())
    assert len(hashes) == 1
