"""Bodies without shapes: they have no farthest point, but they spin; and the longest step."""

from __future__ import annotations

import pytest

import box2dpy as b2


@pytest.mark.parametrize("kind", ["dynamic", "with mass", "kinematic"])
def test_a_body_without_shapes_that_spins_stays_awake(kind: str) -> None:
    with b2.World(gravity=(0, 0)) as world:
        body = world.create_kinematic_body() if kind == "kinematic" else world.create_dynamic_body()
        if kind == "with mass":
            body.mass = 2.0
            body.inertia = 0.5  # radius of gyration 0.5 m
        body.angular_velocity = 3.0
        for _ in range(120):
            world.step()
        assert body.awake
        assert body.angular_velocity == pytest.approx(3.0)
        body.angular_velocity = 0.0
        for _ in range(120):
            world.step()
        assert not body.awake


def test_assigning_the_mass_scales_the_inertia() -> None:
    with b2.World() as world:
        body = world.create_dynamic_body()
        body.create_shape(b2.Circle(0.5))
        body.inertia = 4.0
        body.mass *= 3
        assert body.inertia == pytest.approx(12.0)
        assert "inertia" in (b2.Body.mass.__doc__ or "")


@pytest.mark.parametrize("dt", [60, 1.0001, 1e3])
def test_a_step_of_more_than_a_second_is_refused(dt: float) -> None:
    with b2.World() as world:
        body = world.create_dynamic_body()
        body.mass = 1.0
        with pytest.raises(ValueError, match="dt"):
            world.step(dt)
        assert body.position == (0, 0)
        world.step(1.0)
        assert body.position.y < -4
    with b2.World() as world, pytest.raises(ValueError, match="dt"):
        b2.FixedStepper(world, dt=dt)
