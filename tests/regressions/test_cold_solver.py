"""`warm_starting=False`: each substep starts from impulses of zero, so bounds and forces are those of one substep."""

from __future__ import annotations

import pytest

import box2dpy as b2

from ..stepping import advance

DT = 1 / 60


@pytest.mark.parametrize("substeps", [1, 4, 8])
def test_a_motor_gives_its_whole_torque_without_warm_starting(substeps: int) -> None:
    with b2.World(gravity=(0, 0), warm_starting=False) as world:
        wheel = world.create_dynamic_body()
        wheel.create_shape(b2.Circle(0.5))
        hub = world.create_static_body()
        joint = world.create_revolute_joint(
            hub, wheel, anchor=(0, 0), enable_motor=True, motor_speed=1000, max_motor_torque=5
        )
        advance(world, 10, DT, substeps)
        assert wheel.angular_velocity == pytest.approx(10 * DT * 5 / wheel.inertia, rel=1e-4)
        assert joint.motor_torque == pytest.approx(5, rel=1e-4)


def test_a_motor_between_axes_gives_its_whole_force_without_warm_starting() -> None:
    with b2.World(gravity=(0, 0), warm_starting=False) as world:
        box = world.create_dynamic_body()
        box.create_shape(b2.Box(0.5, 0.5))
        rail = world.create_static_body()
        world.create_prismatic_joint(
            rail, box, anchor=(0, 0), axis=(1, 0), enable_motor=True, motor_speed=1000, max_motor_force=20
        )
        advance(world, 10, DT, 4)
        assert box.linear_velocity.x == pytest.approx(10 * DT * 20 / box.mass, rel=1e-4)


def test_a_joint_reads_the_weight_that_it_carries_and_keeps_its_threshold() -> None:
    with b2.World(warm_starting=False, sleeping=False) as world:
        load = world.create_dynamic_body((0, -1))
        load.create_shape(b2.Circle(0.5))
        weight = load.mass * 10
        joint = world.create_revolute_joint(
            world.create_static_body(), load, anchor=(0, 0), force_threshold=1.5 * weight
        )
        for _ in range(60):
            world.step(DT, 4)
            assert not world.events.joint_threshold
        assert joint.constraint_force.y == pytest.approx(weight, rel=0.01)


def test_contacts_read_the_weight_that_they_carry() -> None:
    with b2.World(warm_starting=False, sleeping=False) as world:
        world.create_static_body((0, -1)).create_shape(b2.Box(50, 1))
        box = world.create_dynamic_body((0, 0.5))
        box.create_shape(b2.Box(0.5, 0.5))
        advance(world, 120, DT, 4)
        force = float(world.arrays.contacts["normal_impulse"].sum()) / (DT / 4)
        assert force == pytest.approx(box.mass * 10, rel=0.02)


def test_many_joints_beyond_the_colours_are_cleared_too() -> None:
    """A hub with more joints than there are colours puts some into the overflow list."""
    with b2.World(gravity=(0, 0), warm_starting=False) as world:
        hub = world.create_dynamic_body()
        hub.create_shape(b2.Circle(0.5), density=1000)
        joints = []
        for _ in range(60):
            wheel = world.create_dynamic_body()
            wheel.create_shape(b2.Circle(0.4), filter=b2.Filter(1, 0))
            joints.append(
                world.create_revolute_joint(
                    hub, wheel, anchor=(0, 0), enable_motor=True, motor_speed=1e4, max_motor_torque=1
                )
            )
        advance(world, 5, DT, 4)
        assert all(joint.motor_torque == pytest.approx(1, rel=1e-3) for joint in joints)
        speeds = world.arrays.angular_velocity[1:]
        assert speeds.min() == pytest.approx(speeds.max(), rel=1e-3)
        assert speeds.min() == pytest.approx(5 * DT * 1 / joints[0].body_b.inertia, rel=1e-3)
