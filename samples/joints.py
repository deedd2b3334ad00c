"""Joints: one sample a type."""

from __future__ import annotations

import math

import box2dpy as b2

from ._sample import Sample, Slider, Toggle


class Pendulum(Sample):
    """A bob on a massless rod, which is a distance joint. For small swings theory gives the period 2 pi sqrt(l / g);
    the status line compares."""

    name = "Pendulum"
    category = "Joints"
    camera = (-5, -5.5, 5, 1)
    length = Slider(4.0, 0.5, 5.0, unit="m", restart=True)
    angle = Slider(0.3, 0.05, 3.0, unit="rad", restart=True)

    def build(self, world: b2.World) -> None:
        pivot = world.create_static_body()
        pivot.create_shape(b2.Box(0.3, 0.1))
        at = self.length * math.sin(self.angle), -self.length * math.cos(self.angle)
        self.bob = world.create_dynamic_body(at, can_sleep=False)
        self.bob.create_shape(b2.Circle(0.25))
        world.create_distance_joint(pivot, self.bob, local_anchor_a=(0, 0), local_anchor_b=(0, 0), length=self.length)
        self.before, self.crossings = at[0], [0.0]

    def step(self, world: b2.World) -> None:
        x = self.bob.position.x
        if self.before < 0 <= x:
            self.crossings.append(self.time)
        self.before = x

    def status(self) -> str:
        theory = 2 * math.pi * math.sqrt(self.length / 10)
        if len(self.crossings) < 3:
            return f"theory for small swings {theory:.3f} s"
        period = (self.crossings[-1] - self.crossings[1]) / (len(self.crossings) - 2)
        return f"period {period:.3f} s, theory for small swings {theory:.3f} s"


class Bridge(Sample):
    """Planks linked by revolute joints hang between two rocks. Joints are stiff but not rigid: load stretches the chain
    by millimetres."""

    name = "Bridge"
    category = "Joints"
    camera = (-18, -8, 18, 12)
    frames = 240
    planks = Slider(24, 4, 80, restart=True)
    friction_torque = Slider(5.0, 0.0, 200.0, unit="N m")
    loaded = Toggle(True, restart=True)

    def build(self, world: b2.World) -> None:
        half = 15.0
        size = half / self.planks
        rocks = world.create_static_body()
        for side in (-1, 1):
            rocks.create_shape(b2.Box(2, 4, (side * (half + 2), -4)))
        previous, self.joints = rocks, []
        for k in range(self.planks):
            x = -half + size * (2 * k + 1)
            plank = world.create_dynamic_body((x, -0.15))
            plank.create_shape(b2.Box(size, 0.125), density=20)
            self.joints.append(self.link(world, previous, plank, (x - size, -0.15)))
            previous = plank
        self.joints.append(self.link(world, previous, rocks, (half, -0.15)))
        if self.loaded:
            for k in range(5):
                world.create_dynamic_body((-8 + 4 * k, 3 + k)).create_shape(b2.Box(0.8, 0.8))
                world.create_dynamic_body((-6 + 4 * k, 6)).create_shape(b2.Circle(0.6))

    def link(self, world: b2.World, a: b2.Body, b: b2.Body, anchor: tuple[float, float]) -> b2.RevoluteJoint:
        return world.create_revolute_joint(a, b, anchor=anchor, enable_motor=True, max_motor_torque=self.friction_torque)

    def changed(self, control: str) -> None:
        for joint in self.joints:
            joint.max_motor_torque = self.friction_torque

    def status(self) -> str:
        force = max(joint.constraint_force.length for joint in self.joints)
        return f"greatest force in a hinge {force / 1000:.2f} kN"


class Car(Sample):
    """Two wheel joints with spring, damper and motor carry a chassis over hills made of a chain.
    Drive with the arrow keys."""

    name = "Car"
    category = "Joints"
    camera = (-12, -4, 12, 9)
    frames = 150
    keys = {"left, right": "drive", "space": "brake"}
    hertz_ = Slider(4.0, 1.0, 10.0, unit="Hz", label="suspension")
    damping = Slider(0.7, 0.0, 2.0)
    speed = Slider(35.0, 5.0, 60.0, unit="rad/s", label="top speed")

    def build(self, world: b2.World) -> None:
        land = [
            (300.0, 0.0),
            *((x, 1.2 * math.sin(0.35 * x) * min(x / 20, 1.5)) for x in range(240, 9, -1)),
            (-60.0, 0.0),
            (-60.0, 20.0),
        ]
        world.create_static_body().create_chain(land, friction=0.9)
        self.chassis = world.create_dynamic_body((0, 1.2))
        self.chassis.create_shape(
            b2.Polygon([(-1.5, -0.3), (1.5, -0.3), (1.5, 0.1), (0.3, 0.8), (-1.0, 0.8), (-1.5, 0.2)], radius=0.05)
        )
        self.wheels = []
        for x in (-1.0, 1.0):
            wheel = world.create_dynamic_body((x, 0.55))
            wheel.create_shape(b2.Circle(0.4), density=2, friction=1.5, rolling_resistance=0.02)
            joint = world.create_wheel_joint(
                self.chassis, wheel, anchor=(x, 0.55), axis=(0, 1), enable_spring=True, hertz=self.hertz_,
                damping_ratio=self.damping,
                enable_limit=True, lower_translation=-0.25, upper_translation=0.25, enable_motor=True, max_motor_torque=20,
            )  # fmt: skip
            self.wheels.append(joint)

    def changed(self, control: str) -> None:
        for joint in self.wheels:
            joint.hertz, joint.damping_ratio = self.hertz_, self.damping

    def step(self, world: b2.World) -> None:
        way = self.pressed("left") - self.pressed("right")
        for joint in self.wheels:
            joint.motor_speed = self.speed * way
            joint.max_motor_torque = 60 if way or self.pressed("space") else 2
        if way:
            self.chassis.awake = True

    def look_at(self) -> b2.Vec2:
        return self.chassis.position + (0, 1.5)

    def status(self) -> str:
        return f"{3.6 * self.chassis.linear_velocity.x:.0f} km/h"
