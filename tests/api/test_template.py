"""Templates: copies are what the calls for single objects make, to the bit, and wrong input changes nothing."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import box2dpy as b2
from box2dpy.scenes.human import create_human

DT = 1 / 60


def floor(world: b2.World) -> None:
    world.create_static_body((0, -1)).create_shape(b2.Box(50, 1))


def human() -> b2.Template:
    with b2.World() as world:
        return b2.Template(create_human(world, (0, 0), group=9))


def test_copies_move_to_the_bit_as_humans_made_one_by_one() -> None:
    with b2.World() as single, b2.World() as many:
        for world in (single, many):
            floor(world)
        feet = [(1.5 * k, 0.5 * k) for k in range(6)]
        for k, place in enumerate(feet):
            create_human(single, place, group=k + 1)
        copies = many.create_many(human(), feet, groups=[-k - 1 for k in range(6)])
        assert len(copies) == 66
        for _ in range(120):
            assert single.state_hash() == many.state_hash()
            single.step(DT)
            many.step(DT)
        many.validate()


def with_everything(world: b2.World) -> list[b2.Body]:
    """Bodies with every option that is not a default, and joints of several types."""
    base = world.create_static_body((1, 2), 0.3, name="base")
    base.create_shape(b2.Segment((-1, 0), (1, 0)), one_way=(0, 1), material=3, color=0x123456)
    a = world.create_dynamic_body(
        (1, 3), 0.1, linear_velocity=(1, 2), angular_velocity=3, linear_damping=0.1, angular_damping=0.2,
        gravity_scale=0.5, sleep_threshold=0.3, can_sleep=False, bullet=True, allow_fast_rotation=True,
    )  # fmt: skip
    a.create_shape(b2.Polygon([(0, 0), (0.5, 0), (0.2, 0.4)], radius=0.05), density=3, friction=0.9, restitution=0.4)
    a.create_shape(b2.Circle(0.2, (0.5, 0.1)), sensor=True, filter=b2.Filter(2, 5, 7))
    a.mass = 5
    a.local_center = (0.1, 0.2)
    b = world.create_dynamic_body((2, 3), lock_rotation=True)
    b.create_shape(b2.Capsule((0, 0), (0.3, 0), 0.1), rolling_resistance=0.1, tangent_speed=2, hit_events=True)
    wheel = world.create_dynamic_body((3, 3))
    wheel.create_shape(b2.Circle(0.3))
    hinge = world.create_revolute_joint(
        base, a, anchor=(1, 2), lower_angle=-1, upper_angle=2, motor_speed=1, max_motor_torque=4, joint_hertz=30
    )
    slide = world.create_prismatic_joint(base, b, anchor=(2, 3), axis=(0, 1), hertz=2)
    world.create_gear_joint(hinge, slide, ratio=2)
    world.create_pulley_joint(
        b, wheel, ground_anchor_a=(2, 6), ground_anchor_b=(3, 6), local_anchor_a=(0, 0), local_anchor_b=(0, 0)
    )
    return [base, a, b, wheel]


def described(bodies: list[b2.Body], origin: tuple[float, float]) -> list[object]:
    """What tells two copies apart but for where they are."""
    place: dict[object, int] = {body: k for k, body in enumerate(bodies)}
    return [
        (
            body.type, body.angle, [round(x, 5) for x in body.linear_velocity], body.angular_velocity,
            body.linear_damping, body.angular_damping, body.gravity_scale, body.sleep_threshold, body.can_sleep,
            body.bullet, body.allow_fast_rotation, body.lock_rotation, body.mass, body.inertia, body.local_center,
            body.position - origin, [
                (repr(shape.geometry), shape.density, shape.friction, shape.restitution, shape.rolling_resistance,
                 shape.tangent_speed, shape.sensor, shape.filter, shape.material, shape.color, shape.one_way,
                 shape.hit_events)
                for shape in body.shapes
            ], [
                (type(joint), place[joint.body_a], place[joint.body_b],
                 None if isinstance(joint, b2.GearJoint) else (joint.frame_a, joint.frame_b))
                for joint in sorted(body.joints, key=lambda joint: joint.index)
            ],
        )
        for body in bodies
    ]  # fmt: skip


def test_a_copy_has_every_option_of_the_model() -> None:
    with b2.World() as world:
        model = with_everything(world)
        expected = described(model, (1, 2))
        copies = world.create_many(b2.Template(model, origin=(1, 2)), [(9, 4)])
        assert described(list(copies), (9, 4)) == expected
        hinge = next(joint for joint in copies[1].joints if isinstance(joint, b2.RevoluteJoint))
        assert (hinge.lower_angle, hinge.upper_angle, hinge.motor_speed, hinge.joint_hertz) == (-1, 2, 1, 30)
        assert hinge.enable_limit and hinge.enable_motor
        pulley = next(joint for joint in copies[2].joints if isinstance(joint, b2.PulleyJoint))
        assert pulley.ground_anchor_a == (10, 8)
        assert sum(isinstance(joint, b2.GearJoint) for joint in {*copies[1].joints, *copies[2].joints}) == 1
        for _ in range(60):
            world.step(DT)
        world.validate()
        for one, other in zip(model, copies, strict=True):
            assert one.position - (1, 2) == pytest.approx(other.position - (9, 4), abs=1e-3)


def test_copies_are_rotated_about_their_positions() -> None:
    with b2.World() as world:
        bodies = [world.create_dynamic_body((k, 0), 0.1, linear_velocity=(1, 0)) for k in range(2)]
        for body in bodies:
            body.create_shape(b2.Circle(0.2))
        world.create_distance_joint(*bodies, local_anchor_a=(0, 0), local_anchor_b=(0, 0))
        a, b = world.create_many(b2.Template(bodies), [(5, 5)], [math.pi / 2])
        assert a.position == (5, 5)
        assert b.position == pytest.approx((5, 6), abs=1e-6)
        assert b.linear_velocity == pytest.approx((0, 1), abs=1e-6)
        assert b.angle == pytest.approx(math.pi / 2 + 0.1, abs=1e-6)


def test_a_template_outlives_its_world_and_is_used_in_callbacks() -> None:
    template = human()
    with b2.World() as world:
        floor(world)
        world.create_dynamic_body((0, 0.4)).create_shape(b2.Circle(0.5), contact_events=True)
        made: list[b2.BodyArray] = []
        world.on_contact_begin = lambda event: made.append(world.create_many(template, [(5, 5), (9, 5)]))
        world.step(DT)
        assert len(made) == 1 and len(made[0]) == 22
        assert made[0].position[0, 1] > 5
        world.validate()


def test_a_recording_holds_copies(tmp_path: Path) -> None:
    template = human()
    path = tmp_path / "copies.b2r"
    with b2.World() as world:
        floor(world)
        with world.record(path):
            for k in range(20):
                if k % 5 == 0:
                    world.create_many(template, [(3 * k, 3)], [0.1 * k])
                world.step(DT)
        expected = world.state_hash()
    recording = b2.Recording(path)
    recording.verify()
    with recording.world_at(len(recording) - 1) as again:
        assert again.state_hash() == expected


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda world, t: world.create_many(None, [(0, 0)]), TypeError),
        (lambda world, t: world.create_many(t, [(0, math.nan)]), ValueError),
        (lambda world, t: world.create_many(t, [(0, 0), (1e13, 0)]), ValueError),
        (lambda world, t: world.create_many(t, [0, 0]), ValueError),
        (lambda world, t: world.create_many(t, [(0, 0)], [1, 2]), ValueError),
        (lambda world, t: world.create_many(t, [(0, 0)], [math.inf]), ValueError),
        (lambda world, t: world.create_many(t, [(0, 0)], groups=[1.5]), TypeError),
        (lambda world, t: world.create_many(t, [(0, 0)], groups=[1, 2]), ValueError),
        (lambda world, t: world.create_many(t, [(0, 0)], groups=[2**40]), ValueError),
    ],
)
def test_wrong_input_creates_nothing(call: Callable[[b2.World, b2.Template], object], error: type[Exception]) -> None:
    template = human()
    with b2.World() as world:
        floor(world)
        before = world.state_hash(), len(world.bodies), len(world.shapes), len(world.joints)
        with pytest.raises(error):
            call(world, template)
        assert (world.state_hash(), len(world.bodies), len(world.shapes), len(world.joints)) == before
        assert len(world.create_many(template, np.zeros((0, 2)))) == 0
        world.step(DT)
        world.validate()


def test_what_cannot_be_a_template_is_refused() -> None:
    with b2.World() as world, b2.World() as other:
        a, b, c = (world.create_dynamic_body((k, 0)) for k in range(3))
        world.create_weld_joint(a, b, anchor=(0, 0))
        with pytest.raises(ValueError, match="leads to"):
            b2.Template([a])
        with pytest.raises(ValueError, match="twice"):
            b2.Template([c, c])
        with pytest.raises(ValueError, match="another world"):
            b2.Template([c, other.create_dynamic_body()])
        with pytest.raises(ValueError, match="at least one"):
            b2.Template([])
        with pytest.raises(TypeError, match="must be a Body"):
            b2.Template([1])  # type: ignore[list-item]
        ground = world.create_static_body()
        ground.create_chain([(0, 0), (1, 0), (2, 0), (3, 0)])
        with pytest.raises(ValueError, match="chain"):
            b2.Template([ground])
        c.destroy()
        with pytest.raises(b2.DestroyedError):
            b2.Template([c])
