"""Joints under load: what they carry, and how much they give."""

from __future__ import annotations

import math

import box2dpy as b2

from ._sample import Sample, Slider


class Cantilever(Sample):
    """Beams of welded bars under their own weight; the softness of the weld decides how far the tip sinks.
    Rows differ in `joint_hertz`: 15, 30 and 60."""

    name = "Cantilever"
    category = "Joints under load"
    camera = (-1, -8, 13, 8)
    bars = Slider(8, 2, 16, restart=True)
    density = Slider(20.0, 1.0, 100.0, unit="kg/m2", restart=True)

    def build(self, world: b2.World) -> None:
        self.tips = []
        for row, hertz in enumerate((15.0, 30.0, 60.0)):
            y = 4.0 - 4.0 * row
            previous = world.create_static_body((-0.25, y))
            previous.create_shape(b2.Box(0.25, 0.6))
            for k in range(self.bars):
                bar = world.create_dynamic_body((0.5 + k, y))
                bar.create_shape(b2.Box(0.5, 0.12), density=self.density, filter=b2.Filter(group=-1))
                world.create_weld_joint(previous, bar, anchor=(k, y), joint_hertz=hertz)
                previous = bar
            self.tips.append((hertz, y, previous))

    def status(self) -> str:
        return ", ".join(f"{hertz:.0f} Hz: {1000 * (y - tip.position.y):.0f} mm" for hertz, y, tip in self.tips)


class Ropes(Sample):
    """Three chains of discs carry the same ball. Heavier than a link by 1, 30 and 300 times, it stretches the chain by what the
    solver leaves; more substeps leave less."""

    name = "Mass ratios"
    category = "Joints under load"
    camera = (-9, -12, 9, 2)
    frames = 240
    links = Slider(16, 4, 40, restart=True)

    def build(self, world: b2.World) -> None:
        self.balls = []
        for k, ratio in enumerate((1.0, 30.0, 300.0)):
            x = -5.0 + 5.0 * k
            previous = world.create_static_body((x, 0))
            previous.create_shape(b2.Box(0.4, 0.2))
            step = 8.0 / self.links
            for n in range(self.links):
                link = world.create_dynamic_body((x, -step * (n + 1)))
                link.create_shape(b2.Circle(0.15), filter=b2.Filter(group=-1))
                world.create_distance_joint(previous, link, local_anchor_a=(0, 0), local_anchor_b=(0, 0), length=step)
                previous = link
            ball = world.create_dynamic_body((x, -8.0 - step))
            ball.create_shape(b2.Circle(0.7), density=ratio * 0.0225 / 0.49, filter=b2.Filter(group=-1))
            world.create_distance_joint(previous, ball, local_anchor_a=(0, 0), local_anchor_b=(0, 0), length=step)
            self.balls.append((ratio, ball, -8.0 - step))

    def status(self) -> str:
        return ", ".join(f"1:{ratio:.0f} {1000 * (y - ball.position.y):.1f} mm" for ratio, ball, y in self.balls)


class Crane(Sample):
    """A boom on a revolute joint with a motor lifts a load on a rope joint. The arrow shows the force in the hinge, which
    statics can check."""

    name = "Crane"
    category = "Joints under load"
    camera = (-6, -3, 12, 10)
    keys = {"up, down": "raise and lower the boom"}
    frames = 90
    load = Slider(200.0, 10.0, 1000.0, unit="kg", restart=True)

    def build(self, world: b2.World) -> None:
        self.ground(world, 20)
        mast = world.create_static_body((0, 2))
        mast.create_shape(b2.Box(0.4, 2))
        boom = world.create_dynamic_body((3.5, 4))
        boom.create_shape(b2.Box(3.5, 0.15), density=30)
        self.hinge = world.create_revolute_joint(
            mast,
            boom,
            anchor=(0, 4),
            enable_motor=True,
            max_motor_torque=1e6,
            enable_limit=True,
            lower_angle=-0.4,
            upper_angle=1.1,
        )
        weight = world.create_dynamic_body((7, 2))
        weight.create_shape(b2.Box(0.5, 0.5), density=self.load)
        world.create_rope_joint(boom, weight, local_anchor_a=(3.5, 0), local_anchor_b=(0, 0.5), max_length=1.5)
        self.weight = weight

    def step(self, world: b2.World) -> None:
        self.hinge.motor_speed = 0.5 * (self.pressed("up") - self.pressed("down"))

    def draw(self, draw: b2.DrawList) -> None:
        force = self.hinge.constraint_force
        draw.arrow((0, 4), (force.x * 5e-4, 4 + force.y * 5e-4), "yellow")

    def status(self) -> str:
        total = 10 * (self.weight.mass + self.hinge.body_b.mass)
        force, torque = self.hinge.constraint_force.length, abs(self.hinge.motor_torque)
        still = math.isclose(force, total, rel_tol=0.01)
        swings = "" if still else " (swinging)"
        return f"hinge {force / 1000:.2f} kN, weights {total / 1000:.2f} kN{swings}; motor {torque / 1000:.1f} kN m"
