"""Joints: one sample for each type."""

from __future__ import annotations

import itertools
import math

import box2dpy as b2

from ._sample import Button, Sample, Slider, Toggle


class Pendulum(Sample):
    """A bob on a massless rod, which is a distance joint. For small swings theory gives the period 2 pi sqrt(l / g);
    the text compares it with the measured period."""

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
    """Planks that are linked by revolute joints hang between two rocks. The joints are solved directly: a load opens
    them by less than a millimetre."""

    name = "Bridge"
    category = "Joints"
    camera = (-18, -8, 18, 12)
    frames = 240
    planks = Slider(24, 4, 80, restart=True)
    friction_torque = Slider(5.0, 0.0, 200.0, unit="N m")
    loaded = Toggle(True, restart=True)

    def build(self, world: b2.World) -> None:
        half, sag = 15.0, 1.5
        xs = [half * (2 * k / self.planks - 1) for k in range(self.planks + 1)]
        ends = [b2.Vec2(x, sag * (x / half) ** 2 - sag - 0.15) for x in xs]
        rocks = world.create_static_body()
        for side in (-1, 1):
            rocks.create_shape(b2.Box(2, 4, (side * (half + 2), -4)))
        previous, self.joints = rocks, []
        for a, b in itertools.pairwise(ends):
            plank = world.create_dynamic_body(a.lerp(b, 0.5), (b - a).angle)
            plank.create_shape(b2.Box(0.5 * a.distance(b), 0.125), density=20)
            self.joints.append(self.link(world, previous, plank, a))
            previous = plank
        self.joints.append(self.link(world, previous, rocks, ends[-1]))
        if self.loaded:
            for k in range(5):
                world.create_dynamic_body((-8 + 4 * k, 3 + k)).create_shape(b2.Box(0.8, 0.8))
                world.create_dynamic_body((-6 + 4 * k, 6)).create_shape(b2.Circle(0.6))

    def link(self, world: b2.World, a: b2.Body, b: b2.Body, anchor: b2.Vec2) -> b2.RevoluteJoint:
        return world.create_revolute_joint(
            a, b, anchor=anchor, enable_motor=True, max_motor_torque=self.friction_torque
        )

    def changed(self, control: str) -> None:
        for joint in self.joints:
            joint.max_motor_torque = self.friction_torque

    def status(self) -> str:
        force = max(joint.constraint_force.length for joint in self.joints)
        return f"greatest force in a hinge {force / 1000:.2f} kN"


class Car(Sample):
    """Two wheel joints with springs, dampers and motors carry a chassis over hills, which are a chain. Drive with the
    arrow keys."""

    name = "Car"
    category = "Joints"
    camera = (-12, -4, 12, 9)
    frames = 150
    keys = {"left, right": "drive", "space": "brake"}
    demo = ((6.0, "right"), (1.5, "space"), (2.0, "left"), (1.0, ""))
    hertz_ = Slider(4.0, 1.0, 10.0, unit="Hz", label="suspension")
    damping = Slider(0.7, 0.0, 2.0)
    speed = Slider(35.0, 5.0, 60.0, unit="rad/s", label="top speed")

    def build(self, world: b2.World) -> None:
        land = [
            (300.0, 0.0),
            *((x, 1.2 * math.sin(0.35 * x) * min(x / 20, 1.0)) for x in range(240, 9, -1)),
            (-60.0, 0.0),
            (-60.0, 20.0),
        ]
        world.create_static_body().create_chain(land, friction=0.9)
        # The drag of the air keeps it level in jumps
        self.chassis = world.create_dynamic_body((0, 1.2), angular_damping=3)
        self.chassis.create_shape(
            b2.Polygon([(-1.5, -0.3), (1.5, -0.3), (1.5, 0.1), (0.3, 0.8), (-1.0, 0.8), (-1.5, 0.2)], radius=0.05)
        )
        # The engine, low down: a high centre of mass would make the car stand up at full throttle.
        self.chassis.create_shape(b2.Box(1.2, 0.12, (0, -0.3)), density=8)
        self.wheels = []
        for x in (-1.0, 1.0):
            wheel = world.create_dynamic_body((x, 0.55))
            wheel.create_shape(b2.Circle(0.4), density=2, friction=1.5, rolling_resistance=0.02)
            joint = world.create_wheel_joint(
                self.chassis,
                wheel,
                anchor=(x, 0.55),
                axis=(0, 1),
                enable_spring=True,
                hertz=self.hertz_,
                damping_ratio=self.damping,
                enable_limit=True,
                lower_translation=-0.25,
                upper_translation=0.25,
                enable_motor=True,
                max_motor_torque=20,
            )
            self.wheels.append(joint)

    def changed(self, control: str) -> None:
        for joint in self.wheels:
            joint.hertz, joint.damping_ratio = self.hertz_, self.damping

    def step(self, world: b2.World) -> None:
        way = self.pressed("left") - self.pressed("right")
        for joint in self.wheels:
            joint.motor_speed = self.speed * way
            joint.max_motor_torque = 32 if way or self.pressed("space") else 2
        if way:
            self.chassis.awake = True

    def look_at(self) -> b2.Vec2:
        return self.chassis.position + (0, 1.5)

    def status(self) -> str:
        return f"{3.6 * self.chassis.linear_velocity.x:.0f} km/h"


class DoublePendulum(Sample):
    """Ten double pendulums start with angles that differ by a thousandth of a radian. For some seconds they move
    together, then chaos separates them. Every run still gives the same bits."""

    name = "Double pendulum"
    category = "Joints"
    camera = (-8, -5, 8, 5)
    substeps = 8
    frames = 420
    color_by = "body"
    start = Slider(2.2, 0.2, 3.1, unit="rad", restart=True)

    def build(self, world: b2.World) -> None:
        pivot = world.create_static_body()
        self.ends = []
        for k in range(10):
            turn = self.start + 0.001 * k
            previous, at = pivot, b2.Vec2(0, 0)
            for _ in range(2):
                tip = at + (2 * math.sin(turn), -2 * math.cos(turn))
                body = world.create_dynamic_body(tip, turn, can_sleep=False)
                body.create_shape(b2.Circle(0.25), density=4, filter=b2.Filter(mask=0))
                body.create_shape(b2.Box(0.05, 1, (0, 1)), density=0.1, filter=b2.Filter(mask=0))
                world.create_revolute_joint(previous, body, anchor=at)
                previous, at = body, tip
            self.ends.append(previous)
        self.trail = [self.ends[0].position]

    def step(self, world: b2.World) -> None:
        self.trail = [*self.trail[-120:], self.ends[0].position]

    def draw(self, draw: b2.DrawList) -> None:
        draw.path(self.trail, 0x5A6B80)

    def status(self) -> str:
        return f"first and last are {self.ends[0].position.distance(self.ends[-1].position):.3f} m apart"


class Doors(Sample):
    """Revolute joints with springs, limits and friction: a door that closes itself, a swing door that returns to its
    middle, a door with a lower and an upper limit, and a door with a brake."""

    name = "Doors"
    category = "Joints"
    options = {"gravity": (0, 0)}
    camera = (-12, -8, 12, 8)
    frames = 110
    stiffness = Slider(1.0, 0.1, 5.0, unit="Hz")
    damping = Slider(0.4, 0.0, 2.0)

    def build(self, world: b2.World) -> None:
        wall = world.create_static_body()
        self.doors = []
        for k, said in enumerate(("closes itself", "swings", "has stops", "has a brake")):
            x = -9 + 6 * k
            for at in (x - 1.6, x + 3.0):
                wall.create_shape(b2.Box(0.5, 0.3, (at, 0)))
            door = world.create_dynamic_body((x, 0), linear_damping=0.05)
            door.create_shape(b2.Box(1.1, 0.12, (0.1, 0)), density=2)
            hinge = world.create_revolute_joint(
                wall,
                door,
                anchor=(x - 1, 0),
                enable_spring=k < 2,
                hertz=self.stiffness,
                damping_ratio=self.damping,
                enable_limit=k in (0, 2),
                lower_angle=-0.01 if k == 0 else -1.2,
                upper_angle=2.0 if k == 0 else 0.8,
                enable_motor=k == 3,
                max_motor_torque=6,
            )
            self.doors.append((hinge, said))
            for shot in range(2):
                ball = world.create_dynamic_body((x + 0.6, -6 - 6 * shot), linear_velocity=(0, 9))
                ball.create_shape(b2.Circle(0.4), density=0.7, restitution=0.3)

    @Button
    def throw(self) -> None:
        for k in range(4):
            ball = self.world.create_dynamic_body((-8.4 + 6 * k, 7), linear_velocity=(0, -10))
            ball.create_shape(b2.Circle(0.4), density=0.7)

    def changed(self, control: str) -> None:
        for hinge, _ in self.doors:
            hinge.hertz, hinge.damping_ratio = self.stiffness, self.damping

    def draw(self, draw: b2.DrawList) -> None:
        for k, (hinge, said) in enumerate(self.doors):
            draw.text((-10.5 + 6 * k, -1.2), f"{said} ({math.degrees(hinge.angle):.0f})")


class MotorFollow(Sample):
    """A motor joint pulls a body to a target pose with springs of limited force. The target is the mouse. The body
    pushes obstacles away, but never with more than its maximum force."""

    name = "Motor joint"
    category = "Joints"
    camera = (-11, -1, 11, 12.5)
    frames = 200
    stiffness = Slider(3.0, 0.2, 10.0, unit="Hz")
    force = Slider(400.0, 10.0, 2000.0, unit="N")
    demo_path = ((0, 6), (6, 9), (6, 2), (0, 6), (-6, 9), (-6, 2))

    def build(self, world: b2.World) -> None:
        self.ground(world, 12)
        self.target = world.create_static_body((0, 6))
        self.mover = world.create_dynamic_body((0, 6))
        self.mover.create_shape(b2.Box(1.5, 0.4), density=2)
        self.joint = world.create_motor_joint(
            self.target,
            self.mover,
            local_anchor_a=(0, 0),
            local_anchor_b=(0, 0),
            linear_hertz=self.stiffness,
            max_spring_force=self.force,
            angular_hertz=self.stiffness,
            max_spring_torque=self.force,
            collide_connected=True,
        )
        for k in range(20):
            world.create_dynamic_body((-6 + 12 * (k % 5) / 4, 0.5 + k // 5)).create_shape(b2.Box(0.5, 0.5))

    def changed(self, control: str) -> None:
        joint = self.joint
        joint.linear_hertz = joint.angular_hertz = self.stiffness
        joint.max_spring_force = joint.max_spring_torque = self.force

    def step(self, world: b2.World) -> None:
        self.target.position = self.pointer
        self.target.angle = 0.5 * math.sin(1.2 * self.time)
        self.mover.awake = True

    def draw(self, draw: b2.DrawList) -> None:
        draw.shape(b2.Box(1.5, 0.4), self.target.position, self.target.angle, "yellow")

    def status(self) -> str:
        behind = self.mover.position.distance(self.target.position)
        return f"{self.joint.constraint_force.length:.0f} of {self.force:.0f} N, {behind:.2f} m behind"


class Elevator(Sample):
    """Prismatic joints with motors and limits: a lift that carries boxes between floors, and a slider on a spring that
    weighs them: x = m g / k with k = m_slider (2 pi f)^2."""

    name = "Lift and scales"
    category = "Joints"
    camera = (-10, -1, 12, 13)
    frames = 150
    keys = {"up, down": "lift"}
    demo = ((3.2, "up"), (3.2, "down"))
    force = Slider(600.0, 50.0, 2000.0, unit="N")

    def build(self, world: b2.World) -> None:
        ground = self.ground(world, 12)
        ground.create_shape(b2.Box(2.4, 0.2, (-6.5, 5)))
        car = world.create_dynamic_body((-2, 0.4))
        car.create_shape(b2.Box(1.7, 0.15), density=4, friction=0.9)
        self.lift = world.create_prismatic_joint(
            ground,
            car,
            anchor=(-2, 0.4),
            axis=(0, 1),
            enable_motor=True,
            max_motor_force=self.force,
            enable_limit=True,
            lower_translation=0,
            upper_translation=9,
        )
        for k in range(3):
            world.create_dynamic_body((-3 + k, 1.2)).create_shape(b2.Box(0.45, 0.45), density=4)
        self.scales = []
        for k in range(3):
            x = 3 + 3 * k
            pan = world.create_dynamic_body((x, 4), can_sleep=False)
            pan.create_shape(b2.Box(1.1, 0.1), density=2)
            joint = world.create_prismatic_joint(
                ground, pan, anchor=(x, 4), axis=(0, 1), enable_spring=True, hertz=2, damping_ratio=0.5
            )
            load = world.create_dynamic_body((x, 5))
            load.create_shape(b2.Box(0.4, 0.4), density=1 + 2 * k)
            self.scales.append((joint, pan, load))

    def changed(self, control: str) -> None:
        self.lift.max_motor_force = self.force

    def step(self, world: b2.World) -> None:
        self.lift.motor_speed = 3.0 * (self.pressed("up") - self.pressed("down"))

    def draw(self, draw: b2.DrawList) -> None:
        for joint, pan, load in self.scales:
            stiffness = pan.mass * (2 * math.pi * 2) ** 2
            weighed = -joint.translation * stiffness / 10 - pan.mass
            draw.text(pan.position + (-0.6, -0.9), f"{weighed:.2f} kg")
            draw.text(load.position + (-0.6, 0.7), f"{load.mass:.2f} kg", "yellow")

    def status(self) -> str:
        return f"the lift's motor uses {self.lift.motor_force:.0f} N"


class FilterJoints(Sample):
    """A filter joint lets two bodies pass through each other and does nothing else. Each ball has filter joints with
    the boards of the other colours, so it falls to the board of its own colour. The button makes all boards solid."""

    name = "Filter joint"
    category = "Joints"
    camera = (-11, -1, 11, 12)
    frames = 100

    def build(self, world: b2.World) -> None:
        self.ground(world, 12)
        colors = 0xE5534B, 0x4FB06D, 0x4C8FE5
        boards = [world.create_static_body((0, 2 + 2.5 * row)) for row in range(3)]
        for board, color in zip(boards, colors, strict=True):
            board.create_shape(b2.Box(9, 0.12), color=color)
        self.filters = []
        for k in range(12):
            ball = world.create_dynamic_body((-8.2 + 1.5 * k, 9 + 0.5 * (k % 4)))
            ball.create_shape(b2.Circle(0.35), color=colors[k % 3])
            others = [board for row, board in enumerate(boards) if row != k % 3]
            self.filters += [world.create_filter_joint(board, ball) for board in others]

    @Button
    def make_all_solid(self) -> None:
        for joint in self.filters:
            joint.destroy()

    def status(self) -> str:
        return f"{len(self.world.joints)} filter joints"
