"""Handles, arrays, copies and helpers: what they answer after bodies died, slept or turned out to be shared."""

from __future__ import annotations

import numpy as np
import pytest

import box2dpy as b2


def test_alive_has_the_length_of_the_other_arrays_after_the_highest_body_died() -> None:
    with b2.World() as world:
        bodies = [world.create_dynamic_body((k, 0)) for k in range(4)]
        bodies[3].destroy()
        bodies[1].destroy()
        alive = world.arrays.alive
        assert alive.tolist() == [True, False, True, False]
        assert world.arrays.position[alive].tolist() == [[0, 0], [2, 0]]
        assert len(alive) == len(world.arrays.mass) == len(world.arrays.awake) == len(world.arrays.linear_velocity)
        bodies[0].destroy()
        bodies[2].destroy()
        assert world.arrays.position[world.arrays.alive].shape == (0, 2)
    with b2.World() as world:
        assert world.arrays.alive.shape == (0,)


def test_a_new_body_is_not_drawn_from_the_dead_one_whose_index_it_took() -> None:
    with b2.World(gravity=(0, 0)) as world:
        world.create_dynamic_body((100, 0), angle=3.0)
        dead = world.create_dynamic_body((100, 0), angle=3.0)
        stays = world.create_dynamic_body((0, 0), linear_velocity=(1, 0))
        stepper = b2.FixedStepper(world, dt=0.1)
        stepper.advance(0.125)
        dead.destroy()
        new = world.create_dynamic_body((-5, 0), angle=1.0)
        assert new.index == dead.index
        position, rotation = stepper.interpolated()
        assert position[new.index].tolist() == [-5, 0]
        assert rotation[new.index] == pytest.approx([np.cos(1.0), np.sin(1.0)])
        assert position[stays.index] == pytest.approx([0.025, 0])


def test_clearing_the_forces_of_a_sleeping_body_removes_them_and_lets_it_sleep() -> None:
    with b2.World(gravity=(0, 0)) as world:
        body = world.create_dynamic_body()
        body.create_shape(b2.Circle(0.5))
        body.apply_force((100, 0))
        body.apply_torque(5)
        body.awake = False
        body.clear_forces()
        assert not body.awake
        assert (body.force, body.torque) == ((0, 0), 0)
        body.awake = True
        world.step()
        assert (body.linear_velocity, body.angular_velocity) == ((0, 0), 0)


def test_forces_of_bodies_that_cannot_have_any_are_cleared_without_an_error() -> None:
    with b2.World() as world:
        for body in (world.create_static_body(), world.create_kinematic_body()):
            body.clear_forces()


def test_index_beyond_64_bits_is_out_of_range() -> None:
    with b2.World() as world:
        bodies = world.create_bodies([(0, 0), (1, 0)], geometry=b2.Circle(0.5))
        with pytest.raises(ValueError):  # as list.index
            bodies.index(bodies[0], 2**63)
        for index in (2, -3, 2**63, -(2**70)):
            with pytest.raises(IndexError):
                bodies[index]


def test_mass_and_velocity_are_drawn_at_the_centre_of_mass() -> None:
    with b2.World(gravity=(0, 0)) as world:
        body = world.create_dynamic_body((5, 5), angle=np.pi / 2, linear_velocity=(10, 0))
        body.create_shape(b2.Circle(0.5, center=(2, 0)))
        assert world.arrays.world_center == pytest.approx(np.array([body.world_center]))
        picture = world.debug_draw(None, "mass", "velocities")
        assert picture.points[:, :2] == pytest.approx(np.array([[5, 7]]))
        assert picture.line_ends == pytest.approx(np.array([[5, 7, 6, 7]]))
        assert (picture.labels[0].x, picture.labels[0].y) == pytest.approx((5, 7))


def test_a_world_is_made_once() -> None:
    """A second C world under the same handles would answer for other bodies."""
    with b2.World() as world:
        body = world.create_dynamic_body((3, 4))
        with pytest.raises(b2.Box2DError, match="once"):
            world.__init__()  # type: ignore[misc]
        assert body.alive
        assert body.position == (3, 4)
        assert len(world.bodies) == 1
    with pytest.raises(b2.Box2DError, match="once"):
        world.__init__()  # type: ignore[misc]


def test_a_world_may_be_made_after_wrong_arguments() -> None:
    world = b2.World.__new__(b2.World)
    with pytest.raises(ValueError, match="workers"):
        world.__init__(workers=0)  # type: ignore[misc]
    world.__init__(workers=1)  # type: ignore[misc]
    with world:
        world.step()
