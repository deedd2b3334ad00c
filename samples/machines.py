"""Joints: machines made of several joints."""

from __future__ import annotations

import itertools
import math

import box2dpy as b2

from ._parts import ring
from ._sample import Sample, Slider, Toggle

LOOSE = b2.Filter(group=-1)  # parts of one machine that do not collide with each other


class CrankSlider(Sample):
    """Three revolute joints and a prismatic one: the crank of a motor drives a piston. With the crank radius r and the
    rod length l the piston is at r cos a + sqrt(l^2 - r^2 sin^2 a)."""

    name = "Crank and piston"
    category = "Joints"
    camera = (-5, -4.5, 11, 5.5)
    speed = Slider(4.0, -12.0, 12.0, unit="rad/s")
    torque = Slider(500.0, 0.0, 1000.0, unit="N m")

    def build(self, world: b2.World) -> None:
        base = world.create_static_body()
        for side in (-1, 1):
            base.create_shape(b2.Box(3, 0.2, (7, 1.2 * side)))
        crank = world.create_dynamic_body((0.75, 0))
        crank.create_shape(b2.Box(0.95, 0.2), filter=LOOSE)
        rod = world.create_dynamic_body((3.5, 0))
        rod.create_shape(b2.Box(2.1, 0.12), filter=LOOSE)
        self.piston = world.create_dynamic_body((5.5, 0))
        self.piston.create_shape(b2.Box(0.5, 0.95), filter=LOOSE)
        self.motor = world.create_revolute_joint(
            base, crank, anchor=(0, 0), enable_motor=True, motor_speed=self.speed, max_motor_torque=self.torque
        )
        world.create_revolute_joint(crank, rod, anchor=(1.5, 0))
        world.create_revolute_joint(rod, self.piston, anchor=(5.5, 0))
        world.create_prismatic_joint(base, self.piston, anchor=(5.5, 0), axis=(1, 0))
        for k in range(3):
            world.create_dynamic_body((8 + 0.6 * k, -0.6)).create_shape(b2.Circle(0.28), restitution=0.5)

    def changed(self, control: str) -> None:
        self.motor.motor_speed, self.motor.max_motor_torque = self.speed, self.torque

    def status(self) -> str:
        angle = self.motor.angle
        theory = 1.5 * math.cos(angle) + math.sqrt(16 - (1.5 * math.sin(angle)) ** 2)
        torque = self.motor.motor_torque
        return f"piston at {self.piston.position.x:.3f} m, theory {theory:.3f} m; motor {torque:.0f} N m"


class Newton(Sample):
    """Newton's cradle: balls on rods transfer momentum. Equal elastic balls exchange their velocities, so as many balls
    leave as were lifted. Small gaps separate the impacts in time, as in a real cradle of steel balls."""

    name = "Newton's cradle"
    category = "Joints"
    camera = (-7, -6.5, 7, 2)
    options = {"restitution_threshold": 0.0}
    hertz = 240.0
    substeps = 2
    frames = 330
    lifted = Slider(1, 1, 4, restart=True)
    restitution = Slider(1.0, 0.0, 1.0, restart=True)

    def build(self, world: b2.World) -> None:
        beam = world.create_static_body()
        beam.create_shape(b2.Box(4, 0.15), filter=b2.Filter(mask=0))
        self.balls = []
        for k in range(5):
            x = 1.06 * (k - 2)
            lift = 0.9 * (k < self.lifted)
            at = x - 4 * math.sin(lift), -4 * math.cos(lift)
            ball = world.create_dynamic_body(at, can_sleep=False)
            ball.create_shape(b2.Circle(0.5), restitution=self.restitution, friction=0)
            world.create_distance_joint(beam, ball, local_anchor_a=(x, 0), local_anchor_b=(0, 0))
            self.balls.append(ball)
        self.start = self.energy()

    def energy(self) -> float:
        return sum(
            0.5 * ball.mass * ball.linear_velocity.length_squared + 10 * ball.mass * (ball.position.y + 4)
            for ball in self.balls
        )

    def status(self) -> str:
        return f"{100 * self.energy() / self.start:.0f} % of the energy is left"


class GearTrain(Sample):
    """Gear joints couple hinges: angle a + ratio x angle b is constant, where the ratio is that of the radii. One motor
    turns three gears, and a rack on a prismatic joint moves with the last gear."""

    name = "Gear train"
    category = "Joints"
    camera = (-8, -5, 10, 6)
    speed = Slider(1.5, -6.0, 6.0, unit="rad/s")

    def build(self, world: b2.World) -> None:
        base = world.create_static_body()
        self.joints, self.radii = [], (2.0, 1.0, 1.5)
        x = -4.0
        for k, radius in enumerate(self.radii):
            gear = world.create_dynamic_body((x, 0))
            teeth = round(12 * radius)
            gear.create_shape(b2.Circle(radius - 0.1), filter=LOOSE)
            for j, point in enumerate(ring(teeth, radius, (k % 2) * math.pi / teeth)):
                turn = 2 * math.pi * j / teeth + (k % 2) * math.pi / teeth
                gear.create_shape(b2.Box(0.14, 0.1, point, turn), filter=LOOSE)
            self.joints.append(world.create_revolute_joint(base, gear, anchor=(x, 0)))
            x += radius + self.radii[(k + 1) % 3]
        self.motor = self.joints[0]
        self.motor.enable_motor, self.motor.max_motor_torque, self.motor.motor_speed = True, 200, self.speed
        for k in range(2):
            ratio = self.radii[k + 1] / self.radii[k]
            world.create_gear_joint(self.joints[k], self.joints[k + 1], ratio=ratio)
        rack = world.create_dynamic_body((1.5, -1.65))
        rack.create_shape(b2.Box(4, 0.12), filter=LOOSE)
        for k in range(30):
            rack.create_shape(b2.Box(0.07, 0.1, (-3.8 + 0.262 * k, 0.15)), filter=LOOSE)
        self.rack = world.create_prismatic_joint(
            base, rack, anchor=(1.5, -1.65), axis=(1, 0), enable_limit=True, lower_translation=-3, upper_translation=3
        )
        world.create_gear_joint(self.joints[2], self.rack, ratio=-1 / 1.5)
        self.turning = 1

    def step(self, world: b2.World) -> None:
        if abs(self.rack.translation) > 2.5:
            self.turning = -1 if self.rack.translation * self.rack.speed > 0 else self.turning
        if abs(self.rack.translation) > 2.5 and self.rack.translation * self.rack.speed > 0:
            self.motor.motor_speed = -self.motor.motor_speed

    def changed(self, control: str) -> None:
        self.motor.motor_speed = self.speed

    def status(self) -> str:
        speeds = [joint.speed for joint in self.joints]
        said = ", ".join(f"{speed:.2f}" for speed in speeds)
        rim, rack = abs(speeds[0]) * 2, abs(self.rack.speed)
        return f"speeds {said} rad/s; all rims {rim:.2f} m/s, rack {rack:.2f} m/s"


class Atwood(Sample):
    """Atwood's machine: a rope over two wheels with ratio 1 accelerates the loads with g (m2 - m1) / (m2 + m1). With
    ratio 2 the pulley is a tackle, and half the load balances the whole."""

    name = "Pulleys"
    category = "Joints"
    camera = (-9, -1, 9, 11)
    frames = 50
    mass = Slider(1.5, 0.5, 4.0, unit="kg", restart=True)

    def build(self, world: b2.World) -> None:
        self.ground(world, 10)
        self.pairs = []
        for x, ratio in ((-4.5, 1.0), (4.5, 2.0)):
            light = world.create_dynamic_body((x - 1.5, 4), can_sleep=False)
            heavy = world.create_dynamic_body((x + 1.5, 4))
            light.create_shape(b2.Box(0.5, 0.5))
            heavy.create_shape(b2.Box(0.5, 0.5), density=self.mass)
            world.create_pulley_joint(
                light,
                heavy,
                local_anchor_a=(0, 0.5),
                local_anchor_b=(0, 0.5),
                ground_anchor_a=(x - 1.5, 10),
                ground_anchor_b=(x + 1.5, 10),
                ratio=ratio,
            )
            self.pairs.append((light, heavy, ratio))
        self.measured = 0.0

    def step(self, world: b2.World) -> None:
        if 0.3 < self.time < 0.32:
            self.measured = -self.pairs[0][1].linear_velocity.y / self.time

    def status(self) -> str:
        theory = 10 * (self.mass - 1) / (self.mass + 1)
        return f"left: the heavy box falls with {self.measured:.2f} m/s^2, theory {theory:.2f} m/s^2"


class Scissors(Sample):
    """A scissor lift: crossed bars with hinges at their middles and ends, lifted by a motor on the lowest slider. A
    short motion of the slider becomes a long motion of the table, and the force grows when the lift is folded."""

    name = "Scissor lift"
    category = "Joints"
    camera = (-10, -1, 10, 12)
    substeps = 8
    frames = 200
    lift = Slider(0.15, -0.5, 0.5, unit="m/s")
    stages = Slider(3, 1, 6, restart=True)

    def build(self, world: b2.World) -> None:
        ground = self.ground(world, 10)
        half, lean = 2.5, 0.3
        dx, dy = half * math.cos(lean), half * math.sin(lean)
        bars: list[tuple[b2.Body, b2.Body]] = []
        for k in range(self.stages):
            middle = 0.4 + dy * (2 * k + 1)
            pair = [world.create_dynamic_body((0, middle), side * lean) for side in (1, -1)]
            for bar in pair:
                bar.create_shape(b2.Capsule((-half, 0), (half, 0), 0.1), filter=LOOSE)
            world.create_revolute_joint(
                pair[0], pair[1], anchor=(0, middle), enable_limit=True, lower_angle=-2.2, upper_angle=0.02
            )
            if bars:
                world.create_revolute_joint(bars[-1][1], pair[0], anchor=(-dx, middle - dy))
                world.create_revolute_joint(bars[-1][0], pair[1], anchor=(dx, middle - dy))
            bars.append((pair[0], pair[1]))
        world.create_revolute_joint(ground, bars[0][0], anchor=(-dx, 0.4))
        foot = bars[0][1]
        self.drive = world.create_wheel_joint(
            ground,
            foot,
            anchor=(dx, 0.4),
            axis=(1, 0),
            enable_spring=False,
            enable_limit=True,
            lower_translation=-3,
            upper_translation=0,
        )
        top = 0.4 + 2 * dy * self.stages
        self.table = world.create_dynamic_body((0, top + 0.25))
        self.table.create_shape(b2.Box(3, 0.15), filter=LOOSE, friction=0.9)
        world.create_revolute_joint(bars[-1][1], self.table, anchor=(-dx, top))
        world.create_wheel_joint(self.table, bars[-1][0], anchor=(dx, top), axis=(1, 0), enable_spring=False)
        for k in range(3):
            world.create_dynamic_body((-1.5 + 1.5 * k, top + 0.9)).create_shape(b2.Box(0.45, 0.45), friction=0.9)
        self.motor = world.create_distance_joint(
            ground,
            foot,
            local_anchor_a=(-dx - 1, 1.4),
            local_anchor_b=(half, 0),
            enable_spring=True,
            enable_motor=True,
            max_motor_force=6000,
            motor_speed=-self.lift,
        )

    def changed(self, control: str) -> None:
        self.motor.motor_speed = -self.lift

    def step(self, world: b2.World) -> None:
        if self.table.position.y > 3.6 * self.stages:
            self.motor.motor_speed = max(self.motor.motor_speed, 0)

    def status(self) -> str:
        height, speed = self.table.position.y, self.table.linear_velocity.y
        return f"table at {height:.2f} m, rising {speed:.2f} m/s; motor {self.motor.motor_force:.0f} N"


class Walker(Sample):
    """The walking machine of Theo Jansen: each leg has eleven rods, and its foot draws a flat path while the crank
    turns. Six legs share one crank, a third of a turn apart. Drive it with the left and right keys."""

    name = "Walker"
    category = "Joints"
    camera = (-14, -1.5, 14, 15)
    frames = 240
    keys = {"left, right": "walk"}
    demo = ((12.0, "left"), (1.0, ""), (12.0, "right"), (1.0, ""))
    speed = Slider(2.0, 0.5, 4.0, unit="rad/s")

    def build(self, world: b2.World) -> None:
        self.ground(world, 80, friction=0.9)
        for k in range(40):
            world.create_dynamic_body((-40 + 2 * k, 0.2)).create_shape(b2.Circle(0.15))
        at = b2.Vec2(0, 6.2)
        self.chassis = world.create_dynamic_body(at)
        self.chassis.create_shape(b2.Box(2.5, 1.0), filter=LOOSE)
        wheel = world.create_dynamic_body(at)
        wheel.create_shape(b2.Circle(1.6), filter=LOOSE)
        self.motor = world.create_revolute_joint(
            self.chassis, wheel, anchor=at, enable_motor=True, motor_speed=self.speed, max_motor_torque=400
        )
        for turn in (0.0, 2 * math.pi / 3, -2 * math.pi / 3):
            wheel.angle = turn
            for side in (-1, 1):
                self.leg(world, at, wheel, side)
        wheel.angle = 0

    def leg(self, world: b2.World, at: b2.Vec2, wheel: b2.Body, side: int) -> None:
        crank = at + (0, -0.8)
        places = ((5.4, -6.1), (7.2, -1.2), (4.3, -1.9), (3.1, 0.8), (6.0, 1.5), (2.5, 3.7))
        p1, p2, p3, p4, p5, p6 = (b2.Vec2(side * x, y) for x, y in places)
        lower = world.create_dynamic_body(at, angular_damping=10)
        lower.create_shape(b2.Polygon([p1, p2, p3]), filter=LOOSE)
        upper = world.create_dynamic_body(at + p4, angular_damping=10)
        upper.create_shape(b2.Polygon([(0, 0), p5 - p4, p6 - p4]), filter=LOOSE)
        rods = (
            (lower, at + p2, upper, at + p5),
            (lower, at + p3, upper, at + p4),
            (wheel, crank, upper, at + p6),
            (wheel, crank, lower, at + p3),
        )
        for a, start, b, end in rods:
            world.create_distance_joint(
                a,
                b,
                local_anchor_a=a.local_point(start),
                local_anchor_b=b.local_point(end),
                length=start.distance(end),
                enable_spring=True,
                hertz=12,
                damping_ratio=0.7,
            )
        world.create_revolute_joint(self.chassis, upper, anchor=at + p4)

    def step(self, world: b2.World) -> None:
        way = self.pressed("left") - self.pressed("right")
        self.motor.motor_speed = self.speed * way

    def look_at(self) -> b2.Vec2:
        return self.chassis.position

    def status(self) -> str:
        return f"it has walked {self.chassis.position.x:.1f} m"


class Trebuchet(Sample):
    """A heavy box falls on the short arm of a beam, the long arm swings a sling, and the stone leaves when the sling
    has swung past its pin. Heavier weights throw farther, up to a limit. The camera follows the stone until it
    rests."""

    name = "Trebuchet"
    category = "Joints"
    camera = (-10, -1.5, 34, 26)
    substeps = 8
    frames = 48
    weight = Slider(60.0, 10.0, 200.0, unit="kg/m^2", restart=True, label="counterweight")
    release = Slider(0.55, 0.2, 1.2, unit="rad", restart=True)

    def build(self, world: b2.World) -> None:
        ground = self.ground(world, 600)
        axle = b2.Vec2(0, 4)
        ground.create_shape(b2.Polygon([(-1.2, 1), (1.2, 1), (0, 5)]), filter=b2.Filter(mask=0))
        tilt = 0.65
        beam = world.create_dynamic_body(axle, tilt)
        beam.create_shape(
            b2.Polygon([(-5.5, -0.08), (-5.5, 0.08), (1.4, 0.25), (1.4, -0.25)]), density=0.5, filter=LOOSE
        )
        world.create_revolute_joint(ground, beam, anchor=axle)
        short = beam.world_point((1.4, 0))
        weight = world.create_dynamic_body(short + (0, -1.2))
        weight.create_shape(b2.Box(0.7, 0.7), density=self.weight, filter=LOOSE)
        world.create_revolute_joint(beam, weight, anchor=short)
        tip = beam.world_point((-5.5, 0))
        self.stone = world.create_dynamic_body((tip.x + 3.6, 0.35), bullet=True)
        self.stone.create_shape(b2.Circle(0.35), density=3, filter=LOOSE, friction=0.1, rolling_resistance=0.3)
        self.sling = world.create_rope_joint(
            beam, self.stone, local_anchor_a=(-5.5, 0), local_anchor_b=(0, 0), collide_connected=True
        )
        self.beam, self.weight_body = beam, weight
        self.height = weight.position.y
        self.path: list[b2.Vec2] = []
        self.best = 0.0
        for k in range(6):
            world.create_dynamic_body((30, 0.5 + k)).create_shape(b2.Box(0.5, 0.5))

    def step(self, world: b2.World) -> None:
        if self.sling.alive:
            v = self.stone.linear_velocity
            if v.x > 3 and v.y < v.x * math.tan(self.release) * 1.6 and v.y > 0 and self.stone.position.y > 6:
                self.sling.destroy()
                self.stone.shapes[0].friction = 1.0  # it slid on the ground before, and stops where it lands now
        else:
            self.best = max(self.best, self.stone.position.x)
        if round(self.time * 60) % 10 == 0 and self.stone.awake:
            self.path.append(self.stone.position)

    def draw(self, draw: b2.DrawList) -> None:
        for a, b in itertools.pairwise(self.path):
            draw.line(a, b, "grey")
        for k in range(60):
            draw.line((10 * k, 0), (10 * k, -0.6), "yellow")
            draw.text((10 * k + 0.2, -0.8), f"{10 * k} m")

    def look_at(self) -> b2.Vec2:
        x, y = self.stone.position if self.stone.awake else (0.0, 0.0)
        return b2.Vec2(max(12, x - 10), max(12.2, y - 8))

    def status(self) -> str:
        drop = self.weight_body.mass * 10 * (self.height - self.weight_body.position.y)
        energy = 0.5 * self.stone.mass * self.stone.linear_velocity.length_squared
        return f"distance {self.best:.1f} m; the weight lost {drop:.0f} J, kinetic energy of the stone {energy:.0f} J"


class Claw(Sample):
    """A gripper on a gantry: two prismatic joints move it, and two motors close the fingers with limited torque, so
    only friction holds the load."""

    name = "Claw"
    category = "Joints"
    camera = (-11, -1, 11, 13)
    frames = 150
    keys = {"left, right, up, down": "move", "space": "close and open"}
    demo = ((1.9, "down"), (0.9, "space"), (2.0, "up"), (1.5, "right"), (0.5, "space"), (1.2, "left"))
    grip = Slider(60.0, 5.0, 300.0, unit="N m")

    def build(self, world: b2.World) -> None:
        ground = self.ground(world, 12)
        ground.create_shape(b2.Box(0.2, 1.5, (5, 2.5)))
        for k in range(14):
            form = (b2.Box(0.5, 0.5), b2.Circle(0.5), b2.Polygon(ring(5, 0.6)))[k % 3]
            world.create_dynamic_body((-7 + 1.2 * (k % 9), 1 + k // 9)).create_shape(form, density=0.5, friction=0.9)
        trolley = world.create_dynamic_body((0, 11.5))
        trolley.create_shape(b2.Box(1, 0.25), filter=LOOSE)
        self.across = world.create_prismatic_joint(
            ground,
            trolley,
            anchor=(0, 11.5),
            axis=(1, 0),
            enable_motor=True,
            max_motor_force=3000,
            enable_limit=True,
            lower_translation=-9,
            upper_translation=9,
        )
        palm = world.create_dynamic_body((0, 8))
        palm.create_shape(b2.Box(0.5, 0.2), density=3, filter=LOOSE)
        palm.create_shape(b2.Box(0.06, 1.6, (0, 1.8)), density=0.5, filter=b2.Filter(mask=0))
        self.down = world.create_prismatic_joint(
            trolley,
            palm,
            anchor=(0, 8),
            axis=(0, 1),
            enable_motor=True,
            max_motor_force=3000,
            enable_limit=True,
            lower_translation=-6.3,
            upper_translation=1,
        )
        self.fingers = []
        for side in (-1, 1):
            finger = world.create_dynamic_body((side * 0.5, 8))
            finger.create_shape(b2.Capsule((0, 0), (side * 0.8, -0.8), 0.1), filter=LOOSE, friction=1.2)
            finger.create_shape(b2.Capsule((side * 0.8, -0.8), (side * 0.3, -1.9), 0.1), filter=LOOSE, friction=1.2)
            hinge = world.create_revolute_joint(
                palm,
                finger,
                anchor=(side * 0.5, 8),
                enable_motor=True,
                max_motor_torque=self.grip,
                enable_limit=True,
                lower_angle=-0.6 if side > 0 else -0.7,
                upper_angle=0.7 if side > 0 else 0.6,
            )
            self.fingers.append((hinge, side))
        self.closed = False

    def key(self, key: str) -> None:
        if key == "space":
            self.closed = not self.closed

    def step(self, world: b2.World) -> None:
        x, y = self.pressed("right") - self.pressed("left"), self.pressed("up") - self.pressed("down")
        self.across.motor_speed, self.down.motor_speed = 4.5 * x, 3.0 * y
        for hinge, side in self.fingers:
            hinge.motor_speed = 3 * side * (-1 if self.closed else 1)
            hinge.max_motor_torque = self.grip

    def status(self) -> str:
        torque = max(abs(hinge.motor_torque) for hinge, _ in self.fingers)
        return f"{'closed' if self.closed else 'open'}; fingers use {torque:.0f} of {self.grip:.0f} N m"


class Windmill(Sample):
    """The wind acts as a force on each blade, which follows from the speed of the air against the blade. The shaft
    lifts a bucket by a rope on a drum. Stronger wind lifts more."""

    name = "Windmill"
    category = "Joints"
    camera = (-10, -1, 10, 13)
    frames = 220
    wind = Slider(9.0, 0.0, 20.0, unit="m/s")
    load = Slider(2.0, 0.2, 10.0, unit="kg", restart=True)
    blades = Toggle(True, label="four blades", restart=True)

    def build(self, world: b2.World) -> None:
        ground = self.ground(world, 12)
        ground.create_shape(b2.Polygon([(-1.4, 1), (1.4, 1), (0.5, 8.5), (-0.5, 8.5)]), filter=b2.Filter(mask=0))
        self.rotor = world.create_dynamic_body((0, 9))
        self.count = 4 if self.blades else 2
        for k in range(self.count):
            turn = 2 * math.pi * k / self.count
            self.rotor.create_shape(
                b2.Box(1.7, 0.12, (2 * math.cos(turn), 2 * math.sin(turn)), turn), density=0.5, filter=LOOSE
            )
        self.shaft = world.create_revolute_joint(ground, self.rotor, anchor=(0, 9))
        bucket = world.create_dynamic_body((5, 1))
        bucket.create_shape(b2.Box(0.5, 0.4))
        bucket.mass = self.load
        lift = world.create_prismatic_joint(
            ground, bucket, anchor=(5, 1), axis=(0, 1), enable_limit=True, lower_translation=-0.5, upper_translation=7
        )
        world.create_gear_joint(self.shaft, lift, ratio=1 / 0.3)  # the drum has a radius of 0.3 m
        self.lift = lift

    def step(self, world: b2.World) -> None:
        for k in range(self.count):  # wind from the front pushes a blade at 45 degrees sideways
            turn = 2 * math.pi * k / self.count
            at = self.rotor.world_point((2.4 * math.cos(turn), 2.4 * math.sin(turn)))
            sideways = self.rotor.world_vector((math.sin(turn), -math.cos(turn)))
            against = self.wind - self.rotor.velocity_at(at).dot(sideways)
            self.rotor.apply_force(sideways * (0.35 * against * abs(against)), at)

    def draw(self, draw: b2.DrawList) -> None:
        draw.line((0.3, 9), (5, 9), 0x8E959E)
        draw.line((5, 9), self.lift.body_b.position, 0x8E959E)

    def status(self) -> str:
        turns = abs(self.shaft.speed) * 60 / (2 * math.pi)
        return f"{turns:.0f} turns a minute; the bucket is at {self.lift.translation + 1:.1f} m"
