"""One of everything: every type of joint, chains, sensors, bullets, conveyors and one-way platforms beside a pile.

It is there for its hash: `tests/golden` runs it with every combination of options.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from .. import Box, Capsule, Circle, Filter, Frame, Polygon, Segment
from ._scene import shrunk

if TYPE_CHECKING:
    from .. import Body, Joint, RevoluteJoint, World


class State(NamedTuple):
    """What the step function drives."""

    bullets: list[Body]
    lift: Body
    joints: list[Joint]
    hinges: list[RevoluteJoint]


def build_menagerie(world: World, scale: float = 1.0) -> State:
    ground = world.create_static_body()
    hills = [(x, 0.6 * math.sin(0.5 * x)) for x in range(40, -41, -1)]
    ground.create_chain([(40.0, 30.0), *hills, (-40.0, 30.0)], friction=0.7)
    ground.create_shape(Box(4, 0.2, center=(-20, 4)), tangent_speed=2.0)
    ground.create_shape(Box(4, 0.2, center=(20, 4)), one_way=(0, 1))
    ground.create_shape(Box(3, 3, center=(0, 3)), sensor=True, sensor_events=True)
    lift = world.create_kinematic_body((0, 6))
    lift.create_shape(Box(2, 0.2), friction=0.9)
    make_pile(world, shrunk(90, scale))
    joints, hinges = make_machines(world)
    make_hub(world, joints)
    bullets = []
    for k in range(4):
        bullet = world.create_dynamic_body((-38, 20 + k), bullet=True, gravity_scale=0.0)
        bullet.create_shape(Circle(0.1), density=20.0, hit_events=True, sensor_events=True)
        bullets.append(bullet)
    return State(bullets, lift, joints, hinges)


def make_pile(world: World, count: int) -> None:
    """Shapes of every kind and material, in columns."""
    shapes = (
        Circle(0.3),
        Capsule((-0.3, 0), (0.3, 0), 0.2),
        Box(0.3, 0.3),
        Box(0.4, 0.2, radius=0.05),
        Polygon([(math.cos(math.tau * k / 6) * 0.35, math.sin(math.tau * k / 6) * 0.35) for k in range(6)]),
        Segment((-0.4, 0), (0.4, 0.1)),
    )
    for k in range(count):
        column, row = k % 15, k // 15
        body = world.create_dynamic_body((-14 + 2 * column + 0.13 * row, 8 + 1.1 * row), angle=0.3 * k)
        body.create_shape(
            shapes[k % 6], restitution=0.4 if k % 7 == 0 else 0.0, rolling_resistance=0.1 if k % 6 < 2 else 0.0,
            hit_events=k % 5 == 0, sensor_events=k % 3 == 0, density=1.0 + k % 4,
        )  # fmt: skip


def make_machines(world: World) -> tuple[list[Joint], list[RevoluteJoint]]:
    """Every type of joint, from a static body on both sides and between two that move."""
    joints: list[Joint] = []
    hinges: list[RevoluteJoint] = []
    for k in range(24):
        x, y = -34.5 + 3 * k, 14.0
        post, arm, bob = (
            world.create_static_body((x, y)),
            world.create_dynamic_body((x + 0.6, y)),
            world.create_dynamic_body(),
        )
        bob.position = (x + 1.2, y - 1)
        arm.create_shape(Box(0.6, 0.1))
        bob.create_shape(Circle(0.3), density=1.0 + k % 3)
        first, second = (post, arm) if k % 2 else (arm, post)
        at, held = (x, y), (x + 1.2, y)
        kind = k // 2
        if kind not in (1, 6, 9):
            hinge = world.create_revolute_joint(
                first, second, anchor=at, enable_limit=kind == 0, lower_angle=-1, upper_angle=1, enable_motor=kind == 2,
                motor_speed=2.0, max_motor_torque=4.0,
            )  # fmt: skip
            hinges.append(hinge)
            joints.append(hinge)
        if kind == 0:
            joints.append(world.create_rope_joint(arm, bob, local_anchor_a=(0.6, 0), max_length=1.2))
        elif kind == 1:
            joints.append(world.create_weld_joint(first, second, anchor=at))
            joints.append(world.create_weld_joint(arm, bob, anchor=held, linear_hertz=3, angular_hertz=2))
        elif kind == 2:
            joints.append(world.create_distance_joint(arm, bob, local_anchor_a=(0.6, 0), local_anchor_b=(0, 0)))
        elif kind == 3:
            joints.append(
                world.create_distance_joint(
                    arm, bob, local_anchor_a=(0.6, 0), local_anchor_b=(0, 0),
                    enable_spring=True, hertz=2, damping_ratio=0.2,
                    enable_limit=True, min_length=0.8, max_length=1.4,
                )
            )  # fmt: skip
            joints.append(world.create_rotary_spring_joint(arm, bob, hertz=1, damping_ratio=0.1))
        elif kind == 4:
            joints.append(
                world.create_prismatic_joint(
                    arm, bob, anchor=held, axis=(0.2, -1), enable_spring=True, hertz=2, enable_limit=True,
                    lower_translation=-0.2, upper_translation=0.5,
                )
            )  # fmt: skip
        elif kind == 5:
            wheel = world.create_wheel_joint(
                arm, bob, anchor=bob.position, axis=(0, 1), hertz=3, enable_motor=True, motor_speed=4,
                max_motor_torque=2,
            )  # fmt: skip
            joints.append(wheel)
        elif kind == 6:
            joints.append(world.create_groove_joint(first, second, groove_start=(0, 0), groove_end=(0.8, -0.5)))
            joints.append(world.create_filter_joint(arm, bob))
        elif kind == 7:
            joints.append(
                world.create_motor_joint(
                    post, bob, frame_a=Frame((1, -1)), frame_b=Frame(), linear_hertz=2, max_spring_force=60,
                    angular_velocity=3, max_velocity_torque=1,
                )
            )  # fmt: skip
        elif kind == 8:
            joints.append(world.create_ratchet_joint(first, second, ratchet=0.2 if k % 2 else -0.2))
            joints.append(world.create_mover_joint(post, bob, linear_velocity=(1, 0), max_velocity_force=(3, 12)))
        elif kind == 9:
            joints.append(world.create_pogo_joint(first, second, anchor=at, normal=(0.1, 1), rest_length=0.5, hertz=4))
            joints.append(
                world.create_pogo_joint(arm, bob, local_anchor_a=(0, 0), local_anchor_b=(0, 0), max_tension_force=3)
            )
        elif kind == 10:
            base = arm if k % 2 else post
            slide = world.create_prismatic_joint(base, bob, anchor=bob.position, axis=(0, 1))
            joints += [slide, world.create_gear_joint(hinge, slide, ratio=0.7)]
        else:
            joints.append(
                world.create_pulley_joint(
                    arm, bob, local_anchor_a=(0.6, 0), local_anchor_b=(0, 0), ratio=1.5,
                    ground_anchor_a=(x, 17), ground_anchor_b=(x + 1, 17),
                )
            )  # fmt: skip
    return joints, hinges


def make_hub(world: World, joints: list[Joint]) -> None:
    """More joints on one body than there are colours."""
    hub = world.create_dynamic_body((0, 24), gravity_scale=0.1)
    hub.create_shape(Circle(0.5), density=5.0)
    for k in range(40):
        leaf = world.create_dynamic_body((3 * math.cos(k), 24 + 3 * math.sin(k)), gravity_scale=0.1)
        leaf.create_shape(Circle(0.15), filter=Filter(2, 0xFFFF, -1))
        make = (world.create_distance_joint, world.create_weld_joint, world.create_prismatic_joint)[k % 3]
        joints.append(make(*((hub, leaf) if k % 2 else (leaf, hub)), local_anchor_a=(0, 0), local_anchor_b=(0, 0.05)))


def step_menagerie(world: World, state: State, number: int) -> bool:
    """Fires a bullet every fifteen steps, moves the lift, drives motors, disables and wakes bodies, changes joints."""
    state.lift.set_target((2 * math.sin(0.03 * number), 6 + math.sin(0.02 * number)), 0.0, 1 / 60)
    if number % 15 == 0:
        bullet = state.bullets[number // 15 % len(state.bullets)]
        bullet.position = (-38, 3 + number % 11)
        bullet.linear_velocity = (160, -10 + number % 17)
    if number % 60 == 30:
        for k, hinge in enumerate(state.hinges):
            hinge.enable_motor = (number // 60 + k) % 3 == 0
            hinge.max_motor_torque, hinge.motor_speed = 5.0, 1.0 - k % 3
    if number % 100 == 50:
        joint = state.joints[number // 100 % len(state.joints)]
        joint.joint_hertz = 30.0 if number % 200 == 50 else None
        joint.body_b.enabled = number % 200 == 50
    return False
