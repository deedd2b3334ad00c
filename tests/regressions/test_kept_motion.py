"""What a body keeps and what it forgets when the program disables it, moves it or locks an axis."""

from __future__ import annotations

import numpy as np
import pytest

import box2dpy as b2

from ..seeds import arrays
from ..stepping import advance


def test_a_disabled_body_keeps_its_velocity() -> None:
    with b2.World(gravity=(0, 0)) as world:
        body = world.create_dynamic_body((0, 0), linear_velocity=(3, -4), angular_velocity=2)
        body.create_shape(b2.Circle(0.5))
        world.step(0.1)
        body.enabled = False
        place = body.position
        advance(world, 5, 0.1)
        assert body.position == place
        body.enabled = True
        assert body.linear_velocity == (3, -4)
        assert body.angular_velocity == 2
        world.step(0.1)
        assert tuple(body.position) == pytest.approx((place.x + 0.3, place.y - 0.4), abs=1e-5)
        world.validate()


@pytest.mark.parametrize("kind", ["dynamic", "kinematic"])
def test_many_bodies_are_enabled_as_single_ones_are(kind: str) -> None:
    hashes = []
    for together in (True, False):
        with b2.World() as world:
            world.create_static_body((0, -1)).create_shape(b2.Box(50, 1))
            bodies = []
            for k in range(150):
                make = world.create_dynamic_body if kind == "dynamic" or k % 2 else world.create_kinematic_body
                body = make((0.9 * (k % 15), 0.5 + 1.05 * (k // 15)), linear_velocity=(0.1 * (k % 7), 0))
                for _ in range(k % 3):
                    body.create_shape(b2.Box(0.4, 0.4) if k % 2 else b2.Circle(0.4), sensor=k % 11 == 0)
                bodies.append(body)
            for k in range(0, 140, 20):
                world.create_revolute_joint(bodies[k], bodies[k + 1], anchor=bodies[k].position)
            draw = arrays(3)
            for _ in range(6):
                world.step()
                flags = draw.uniform(size=150) < 0.6
                if together:
                    world.arrays.set(np.array([body.index for body in bodies]), enabled=flags)
                else:
                    for body, flag in zip(bodies, flags, strict=True):
                        body.enabled = bool(flag)
                world.validate()
            world.step()
            hashes.append(world.state_hash())
    assert hashes[0] == hashes[1]


def test_a_body_that_is_put_elsewhere_forgets_its_impulses() -> None:
    with b2.World(sleeping=False) as world:
        world.create_static_body((0, -1)).create_shape(b2.Box(50, 1))
        box = world.create_dynamic_body((0, 0.5))
        box.create_shape(b2.Box(0.5, 0.5), density=10)
        advance(world, 60)

        def impulse() -> float:
            return sum(point.normal_impulse for contact in box.contacts for point in contact.points)

        resting = impulse()
        assert resting > 0.1
        box.position = (0.005, box.position.y)
        assert impulse() == pytest.approx(resting), "a small correction keeps them"
        box.position = (5, box.position.y + 0.015)
        assert impulse() == 0
        world.step()
        assert abs(box.linear_velocity.y) < 0.2


def test_contacts_leave_no_speed_along_a_locked_axis() -> None:
    with b2.World() as world:
        rail = world.create_dynamic_body((0, 0), lock_y=True, lock_rotation=True)
        rail.create_shape(b2.Box(2, 0.5))
        for k in range(3):
            world.create_dynamic_body((k - 1, 3 + k)).create_shape(b2.Box(0.4, 0.4), density=5)
        column = world.create_dynamic_body((20, 0), lock_x=True)
        column.create_shape(b2.Box(0.5, 3))
        world.create_dynamic_body((15, 0), linear_velocity=(20, 8)).create_shape(b2.Circle(0.5))
        touched = 0
        for _ in range(120):
            world.step()
            touched += len(rail.contacts) + len(column.contacts)
            assert rail.linear_velocity.y == 0
            assert rail.angular_velocity == 0
            assert column.linear_velocity.x == 0
        assert touched > 20
