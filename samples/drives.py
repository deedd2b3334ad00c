"""Joints: vehicles, legs, ratchets and grooves. Most are driven with keys."""

from __future__ import annotations

import math

import box2dpy as b2

from ._parts import ring
from ._sample import Button, Sample, Slider, Toggle

LOOSE = b2.Filter(group=-1)  # parts of one machine that do not collide with each other


def hills(x: float) -> float:
    return 0.8 * math.sin(0.3 * x) * min(abs(x) / 15, 1.5) + 0.25 * math.sin(1.1 * x)


class Tank(Sample):
    """A track of forty links, joined by revolute joints, runs around driven wheels. The load is spread over many
    contacts, so the tank climbs obstacles that stop wheels."""

    name = "Tank"
    category = "Joints"
    camera = (-11, -5, 11, 8.5)
    substeps = 8
    frames = 200
    keys = {"left, right": "drive", "down": "stop"}
    demo = ((12.0, "right"), (2.0, "down"), (4.0, "left"))
    speed = Slider(5.0, 1.0, 12.0, unit="rad/s")

    def build(self, world: b2.World) -> None:
        land = [(120 - 0.5 * k, hills(120 - 0.5 * k)) for k in range(300)]
        ground = world.create_static_body()
        ground.create_chain(land, friction=0.9)
        for k in range(12):
            ground.create_shape(b2.Box(0.5, 0.35, (10 + 5 * k, hills(10 + 5 * k)), 0.3 * k))
        at = b2.Vec2(0, 2.2)
        self.hull = world.create_dynamic_body(at)
        armour = b2.Filter(category=16, mask=1)
        self.hull.create_shape(b2.Polygon([(-2.6, 0), (2.6, 0), (2.2, 0.7), (-2.2, 0.7)]), filter=armour, density=1.5)
        self.hull.create_shape(b2.Box(0.8, 0.35, (-0.2, 1.0)), filter=armour)
        self.hull.create_shape(b2.Box(1.1, 0.08, (1.5, 1.1)), filter=armour)
        self.wheels = []
        radius, reach = 0.62, 2.1
        for k in range(4):
            wheel = world.create_dynamic_body(at + (-reach + 1.4 * k, -0.4))
            wheel.create_shape(b2.Circle(radius), density=1, friction=2.0, filter=b2.Filter(category=2, mask=4))
            joint = world.create_wheel_joint(
                self.hull,
                wheel,
                anchor=wheel.position,
                axis=(0, 1),
                hertz=6,
                damping_ratio=0.8,
                enable_motor=True,
                max_motor_torque=120,
                enable_limit=True,
                lower_translation=-0.15,
                upper_translation=0.15,
            )
            self.wheels.append(joint)
        self.track(world, at + (0, -0.4), reach, radius + 0.1)

    def track(self, world: b2.World, at: b2.Vec2, reach: float, radius: float) -> None:
        around = 4 * reach + 2 * math.pi * radius
        count = 40

        def place(k: float) -> b2.Vec2:
            s = around * (k % count) / count
            if s < 2 * reach:
                return at + (-reach + s, radius)
            s -= 2 * reach
            if s < math.pi * radius:
                return at + (reach + radius * math.sin(s / radius), radius * math.cos(s / radius))
            s -= math.pi * radius
            if s < 2 * reach:
                return at + (reach - s, -radius)
            s -= 2 * reach
            return at + (-reach - radius * math.sin(s / radius), -radius * math.cos(s / radius))

        links = []
        for k in range(count):
            a, b = place(k), place(k + 1)
            link = world.create_dynamic_body(0.5 * (a + b), (b - a).angle)
            half = 0.5 * a.distance(b)
            tread = b2.Filter(category=4, mask=3, group=-2)
            link.create_shape(b2.Box(half, 0.06, radius=0.02), density=3, friction=1.2, filter=tread)
            links.append(link)
        for k in range(count):
            world.create_revolute_joint(links[k - 1], links[k], anchor=place(k))

    def step(self, world: b2.World) -> None:
        way = self.pressed("right") - self.pressed("left")
        for joint in self.wheels:
            joint.motor_speed = -self.speed * way
        self.hull.awake = True

    def look_at(self) -> b2.Vec2:
        return self.hull.position + (0, 1)

    def status(self) -> str:
        torque = sum(abs(joint.motor_torque) for joint in self.wheels)
        return f"{3.6 * self.hull.linear_velocity.x:.0f} km/h, the motors use {torque:.0f} N m"


class Lorry(Sample):
    """A lorry with a trailer full of crates: wheel joints with springs, a revolute joint as the coupling, and rolling
    resistance in the tyres. Deliver as many crates as you can."""

    name = "Lorry"
    category = "Joints"
    camera = (-14, -4, 14, 12)
    frames = 220
    keys = {"left, right": "drive", "down": "brake"}
    demo = ((3.0, "right"), (2.0, ""))
    speed = Slider(14.0, 2.0, 30.0, unit="rad/s")
    crates = Slider(12, 1, 20, restart=True)

    def build(self, world: b2.World) -> None:
        land = [(300 - k, 0.5 * hills(300 - k)) for k in range(340)]
        world.create_static_body().create_chain(land, friction=1.0)
        cab = world.create_dynamic_body((0, 1.4))
        cab.create_shape(b2.Box(1.6, 0.3), density=2, filter=LOOSE)
        cab.create_shape(
            b2.Polygon([(0.1, 0.3), (1.6, 0.3), (1.5, 1.2), (0.9, 1.9), (0.1, 1.9)]), density=1, filter=LOOSE
        )
        trailer = world.create_dynamic_body((-5.2, 1.5))
        trailer.create_shape(b2.Box(3.4, 0.15), density=2, filter=LOOSE, friction=0.9)
        for x, tall in ((-3.3, 0.6), (3.3, 0.9)):
            trailer.create_shape(b2.Box(0.1, tall, (x, tall)), density=1, filter=LOOSE)
        world.create_revolute_joint(
            cab, trailer, anchor=(-1.5, 1.4), enable_limit=True, lower_angle=-0.5, upper_angle=0.5
        )
        self.cab, self.trailer, self.wheels = cab, trailer, []
        for body, x, driven in ((cab, 1.0, True), (cab, -0.9, True), (trailer, -6.4, False), (trailer, -7.7, False)):
            wheel = world.create_dynamic_body((x, 0.8))
            wheel.create_shape(b2.Circle(0.6), density=2, friction=1.6, rolling_resistance=0.015, filter=LOOSE)
            joint = world.create_wheel_joint(
                body,
                wheel,
                anchor=(x, 0.8),
                axis=(0, 1),
                hertz=4,
                damping_ratio=0.8,
                enable_motor=True,
                enable_limit=True,
                lower_translation=-0.3,
                upper_translation=0.3,
            )
            self.wheels.append((joint, driven))
        self.load = []
        for k in range(self.crates):
            crate = world.create_dynamic_body((-8 + 0.9 * (k % 7), 2.1 + 0.85 * (k // 7)))
            crate.create_shape(b2.Box(0.4, 0.4), density=0.5, friction=0.7)
            self.load.append(crate)

    def step(self, world: b2.World) -> None:
        way = self.pressed("right") - self.pressed("left")
        for joint, driven in self.wheels:
            joint.motor_speed = -self.speed * way
            joint.max_motor_torque = 90 if (driven and way) or self.pressed("down") else 0.5
        self.cab.awake = True

    def look_at(self) -> b2.Vec2:
        return self.cab.position + (-2, 2)

    def status(self) -> str:
        aboard = sum(self.trailer.local_point(crate.position).y > 0 for crate in self.load)
        return f"{3.6 * self.cab.linear_velocity.x:.0f} km/h, {aboard} of {len(self.load)} crates aboard"


class TopDownCar(Sample):
    """A car seen from above: each tyre is a mover joint with the axes of the car, which rolls ahead and grips sideways
    until its force is too small. Steering turns the frames of the front tyres."""

    name = "Car from above"
    category = "Joints"
    camera = (-22, -16, 22, 16)
    frames = 220
    keys = {"left, right": "steer", "up": "accelerate", "down": "brake"}
    demo = ((2.0, "up"), (2.5, "up left"), (1.5, "up right"), (1.0, "down"))
    grip = Slider(3000.0, 200.0, 10000.0, unit="N")
    drive = Slider(2500.0, 500.0, 8000.0, unit="N")

    def build(self, world: b2.World) -> None:
        world.gravity = 0, 0
        street = world.create_static_body()
        street.create_chain([(-20, -14), (20, -14), (20, 14), (-20, 14)], loop=True, front="inside")
        for k in range(24):
            cone = world.create_dynamic_body(
                (-14 + 4 * (k % 8), -8 + 8 * (k // 8)), linear_damping=4, angular_damping=4
            )
            cone.create_shape(b2.Circle(0.3), density=20)
        self.car = world.create_dynamic_body((-16, -12), linear_damping=0.1, can_sleep=False)
        self.car.create_shape(b2.Box(2.0, 0.9, radius=0.1), density=150)
        self.tyres = [
            world.create_mover_joint(
                street, self.car, axes="b", frame_a=b2.Frame((0, 0), 0), frame_b=b2.Frame((x, y), 0)
            )
            for x in (1.4, -1.4)
            for y in (0.8, -0.8)
        ]

    def step(self, world: b2.World) -> None:
        steer = 0.5 * (self.pressed("left") - self.pressed("right"))
        ahead, brake = self.pressed("up"), self.pressed("down")
        for k, tyre in enumerate(self.tyres):
            front = k < 2
            if front:
                tyre.local_angle_b += min(max(steer - tyre.local_angle_b, -0.03), 0.03)
            force = self.grip if brake else self.drive if ahead and not front else 0.0
            tyre.linear_velocity = (20.0 if ahead and not brake else 0.0), 0.0
            tyre.max_velocity_force = force, self.grip

    def draw(self, draw: b2.DrawList) -> None:
        for tyre in self.tyres:
            place, angle = self.car.world_point(tyre.local_anchor_b), self.car.angle + tyre.local_angle_b
            slides = abs(tyre.motor_force.y) > 0.98 * self.grip
            draw.shape(b2.Box(0.4, 0.15), place, angle, "red" if slides else "black")

    def status(self) -> str:
        return f"{3.6 * self.car.linear_velocity.length:.0f} km/h"


class PogoWalker(Sample):
    """A character on a spring leg. In each step a ray finds the ground, and a new pogo joint is created between the
    ground and the body. A mover joint pushes the body sideways with limited force."""

    name = "Pogo and mover"
    category = "Character"
    camera = (-12, -3, 12, 10)
    frames = 110
    keys = {"left, right": "walk", "up": "jump"}
    demo = ((2.3, "right"), (0.2, "right up"))
    stiffness = Slider(5.0, 1.0, 12.0, unit="Hz")
    force = Slider(40.0, 1.0, 200.0, unit="N")

    def build(self, world: b2.World) -> None:
        ground = world.create_static_body()
        ground.create_chain([(100 - 0.5 * k, hills(100 - 0.5 * k)) for k in range(260)], friction=0.9)
        for k in range(10):
            ground.create_shape(b2.Box(0.7, 0.2, (8 + 4 * k, hills(8 + 4 * k) + 0.1)))
        for k in range(6):
            world.create_dynamic_body((14 + 0.3 * k, 2 + k)).create_shape(b2.Box(0.4, 0.4), density=0.3)
        self.hero = world.create_dynamic_body((0, 2), lock_rotation=True)
        self.hero.create_shape(b2.Capsule((0, -0.2), (0, 0.6), 0.4), friction=0, density=2)
        self.legs = world.create_mover_joint(
            ground, self.hero, max_velocity_force=(self.force, 0), collide_connected=True
        )
        self.leg: b2.PogoJoint | None = None
        self.foot = b2.Vec2(0, 0)

    def step(self, world: b2.World) -> None:
        if self.leg is not None:
            self.leg.destroy()
            self.leg = None
        hip = self.hero.position
        hit = world.ray_cast(hip + (0, -0.65), (0, -1.2))
        if hit is not None and hit.shape.body is not self.hero and self.hero.linear_velocity.y < 4:
            other = hit.shape.body
            self.leg = world.create_pogo_joint(
                other,
                self.hero,
                local_anchor_a=other.local_point(hit.point),
                local_anchor_b=(0, 0),
                rest_length=1.3,
                hertz=self.stiffness,
                damping_ratio=0.7,
                max_tension_force=0,
                collide_connected=True,
            )
            self.foot = hit.point
        run = self.pressed("right") - self.pressed("left")
        self.legs.linear_velocity = 5.0 * run, 0
        self.legs.max_velocity_force = self.force, 0
        if self.leg is not None and self.pressed("up"):
            v = self.hero.linear_velocity
            self.hero.linear_velocity = v.x, 8.0
            self.leg.destroy()
            self.leg = None

    def look_at(self) -> b2.Vec2:
        return self.hero.position + (0, 2)

    def draw(self, draw: b2.DrawList) -> None:
        if self.leg is not None:
            a, b = self.hero.position + (0, -0.5), self.foot
            points = [a.lerp(b, k / 8) + (0.12 * (-1) ** k * (0 < k < 8), 0) for k in range(9)]
            draw.path(points, "yellow")

    def status(self) -> str:
        carried = self.leg.spring_force if self.leg is not None else 0.0
        return f"the leg carries {carried:.0f} N of {10 * self.hero.mass:.0f} N; {self.hero.linear_velocity.x:.1f} m/s"


class Winch(Sample):
    """A ratchet joint lets a drum turn in one direction only. The drum is turned in jerks, and the ratchet holds the
    load at the last tooth reached. Without the ratchet the load falls back at once."""

    name = "Ratchet winch"
    category = "Joints"
    camera = (-8, -1, 8, 9)
    frames = 260
    teeth = Slider(12, 3, 36, restart=True)
    ratchet = Toggle(True, restart=True)

    def build(self, world: b2.World) -> None:
        ground = self.ground(world, 9)
        self.drum = world.create_dynamic_body((0, 6))
        self.drum.create_shape(b2.Circle(1.2), filter=LOOSE)
        for k, (x, y) in enumerate(ring(int(self.teeth), 1.3)):
            self.drum.create_shape(b2.Box(0.12, 0.08, (x, y), 2 * math.pi * k / self.teeth), filter=LOOSE)
        self.shaft = world.create_revolute_joint(ground, self.drum, anchor=(0, 6))
        if self.ratchet:
            world.create_ratchet_joint(ground, self.drum, ratchet=2 * math.pi / self.teeth)
        load = world.create_dynamic_body((3, 0.6))
        load.create_shape(b2.Box(0.6, 0.6), density=2)
        self.lift = world.create_prismatic_joint(
            ground, load, anchor=(3, 0.6), axis=(0, 1), enable_limit=True, lower_translation=0, upper_translation=5
        )
        world.create_gear_joint(self.shaft, self.lift, ratio=-1 / 0.5)

    def step(self, world: b2.World) -> None:
        pull = self.time % 1.5 < 0.6 and self.lift.translation < 4.5
        if pull:
            self.drum.apply_torque(25.0)

    @Button
    def jerk(self) -> None:
        self.drum.apply_angular_impulse(10.0)

    def draw(self, draw: b2.DrawList) -> None:
        draw.path([(0.5, 6.2), (3, 6.2), self.lift.body_b.position + (0, 0.6)], 0x8E959E)

    def status(self) -> str:
        return f"turned {math.degrees(self.shaft.angle):.0f} degrees, lifted {self.lift.translation:.2f} m"


class ScotchYoke(Sample):
    """A groove joint keeps the pin of a crank in the slot of a slider, so the slider follows an exact sine, r sin a.
    Beside it, a bead slides down a groove with the acceleration g sin a."""

    name = "Groove joint"
    category = "Joints"
    camera = (-8, -4.5, 9, 5)
    frames = 110
    speed = Slider(3.0, -10.0, 10.0, unit="rad/s")

    def build(self, world: b2.World) -> None:
        base = world.create_static_body()
        self.crank = world.create_dynamic_body((-4, 0))
        self.crank.create_shape(b2.Circle(1.6), filter=LOOSE)
        self.crank.create_shape(b2.Circle(0.2, (1.3, 0)), filter=LOOSE, color=0xE8C547)
        self.motor = world.create_revolute_joint(
            base, self.crank, anchor=(-4, 0), enable_motor=True, motor_speed=self.speed, max_motor_torque=300
        )
        yoke = world.create_dynamic_body((-2.7, 0))
        for side in (-1, 1):
            yoke.create_shape(b2.Box(0.1, 1.8, (0.3 * side, 0)), filter=LOOSE)
        yoke.create_shape(b2.Box(2.2, 0.12, (2.5, 0)), filter=LOOSE)
        self.slider = world.create_prismatic_joint(base, yoke, anchor=(-2.7, 0), axis=(1, 0))
        world.create_groove_joint(
            yoke, self.crank, groove_start=(0, -1.6), groove_end=(0, 1.6), local_anchor_b=(1.3, 0)
        )
        self.bead = world.create_dynamic_body((4, 3.5))
        self.bead.create_shape(b2.Circle(0.25), filter=b2.Filter(mask=0))
        self.run = world.create_groove_joint(base, self.bead, groove_start=(4, 3.5), groove_end=(8, -3.5))

    def changed(self, control: str) -> None:
        self.motor.motor_speed = self.speed

    @Button
    def bead_up(self) -> None:
        self.bead.position, self.bead.linear_velocity = (4, 3.5), (0, 0)

    def status(self) -> str:
        theory = 1.3 * math.cos(self.motor.angle)
        return (
            f"slider at {self.slider.translation + 1.3:.3f} m, theory {theory:.3f} m; bead {self.run.translation:.2f} m"
        )


class Mousetraps(Sample):
    """Rotary springs: a light catch holds each arm down against a spring of torque k (a - a0). Each trap releases the
    next one, and the last one throws a ball."""

    name = "Rotary springs"
    category = "Joints"
    camera = (-13, -1.5, 13, 12)
    frames = 130
    stiffness = Slider(3.0, 0.5, 8.0, unit="Hz", restart=True)

    def build(self, world: b2.World) -> None:
        ground = self.ground(world, 40)
        self.arms = []
        for k in range(9):
            x = -10 + 2.4 * k
            arm = world.create_dynamic_body((x, 0.3), can_sleep=False)
            arm.create_shape(b2.Box(1.0, 0.1, (1.0, 0)), density=2, filter=LOOSE)
            axle = world.create_revolute_joint(
                ground, arm, anchor=(x, 0.3), enable_limit=True, lower_angle=0, upper_angle=2.6
            )
            world.create_rotary_spring_joint(ground, arm, target_angle=2.4, hertz=self.stiffness, damping_ratio=0.1)
            catch = world.create_weld_joint(ground, arm, anchor=(x + 2, 0.3))
            self.arms.append((axle, catch))
            ball = world.create_dynamic_body((x + 1.7, 0.75))
            ball.create_shape(b2.Circle(0.3), density=0.6, restitution=0.3)
        self.next = 0

    @Button
    def release_the_next(self) -> None:
        if self.next < len(self.arms):
            self.arms[self.next][1].destroy()
            self.next += 1

    def step(self, world: b2.World) -> None:
        fired = self.next and self.arms[self.next - 1][0].angle > 1.2
        if (fired or self.time > 0.4) and (self.next == 0 or fired):
            self.release_the_next()

    def status(self) -> str:
        fastest = max(body.linear_velocity.length for body in self.world.bodies)
        return f"{self.next} traps have sprung; fastest {fastest:.1f} m/s"
