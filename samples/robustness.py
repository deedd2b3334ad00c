"""Robustness: scenes that are hard for a solver."""

from __future__ import annotations

import math

import box2dpy as b2

from ._parts import ring, walls
from ._sample import Button, Sample, Slider, Toggle


class HeavyOnLight(Sample):
    """A block on two light boxes is 400 times as heavy as they are. Block and boxes are solved as a whole, so the block
    neither rebounds nor sinks away. The text shows how deep the boxes are pressed."""

    name = "Heavy on light"
    category = "Robustness"
    camera = (-8, -1.5, 8, 9)
    ratio = Slider(400.0, 1.0, 2000.0, log=True, restart=True)

    def build(self, world: b2.World) -> None:
        self.ground(world)
        for x in (-2, 2):
            world.create_dynamic_body((x, 0.5)).create_shape(b2.Box(0.5, 0.5))
        self.block = world.create_dynamic_body((0, 3))
        self.block.create_shape(b2.Box(4, 2), density=self.ratio / 32)

    def status(self) -> str:
        return f"the block is {1000 * (3 - self.block.position.y):.1f} mm too low"


class Overlaps(Sample):
    """Forty boxes start inside each other. They are pushed apart with at most `contact_push_speed`, so nothing is shot
    away."""

    name = "Overlaps"
    category = "Robustness"
    camera = (-10, -1.5, 10, 11)
    frames = 90
    push = Slider(3.0, 0.5, 20.0, unit="m/s", label="push speed")

    def build(self, world: b2.World) -> None:
        self.ground(world)
        for k in range(40):
            angle = 2.4 * k
            body = world.create_dynamic_body((0.04 * k * math.cos(angle), 3 + 0.04 * k * math.sin(angle)), angle)
            body.create_shape(b2.Box(0.5, 0.5))

    def changed(self, control: str) -> None:
        self.world.contact_push_speed = self.push

    def status(self) -> str:
        speed = max(body.linear_velocity.length for body in self.world.bodies)
        return f"fastest {speed:.1f} m/s"


class MassRatioTower(Sample):
    """Each box of the tower is heavier than the one below by the given ratio. Soft contacts carry loads under which
    rigid ones would shake. A larger `contact_hertz`, with as many more substeps, presses the lowest box less. From a
    ratio of 4 on the tower is solved as a whole and sinks by some millimetres."""

    name = "Growing masses"
    category = "Robustness"
    camera = (-10, -1.5, 10, 13)
    frames = 150
    ratio = Slider(3.0, 1.0, 10.0, restart=True)
    boxes = Slider(6, 2, 10, restart=True)

    def build(self, world: b2.World) -> None:
        self.ground(world)
        self.stack, y = [], 0.0
        for k in range(self.boxes):
            half = 0.5 + 0.12 * k
            box = world.create_dynamic_body((0, y + half))
            box.create_shape(b2.Box(half, half))
            box.mass = self.ratio**k
            self.stack.append((box, y + half))
            y += 2 * half

    def status(self) -> str:
        top, at = self.stack[-1]
        ratio = self.ratio ** (self.boxes - 1)
        return f"mass ratio 1:{ratio:.0f}; the top is {1000 * (at - top.position.y):.0f} mm too low"


class TallTower(Sample):
    """Sixty boxes on top of each other. It takes many steps until information from the top reaches the ground, but
    warm starting keeps it from step to step. Does the tower stand?"""

    name = "Tall tower"
    category = "Robustness"
    camera = (-45, -2, 45, 84)
    frames = 200
    boxes = Slider(60, 10, 100, restart=True)
    lean = Slider(0.0, 0.0, 0.02, unit="m", label="offset from box to box", restart=True)

    def build(self, world: b2.World) -> None:
        self.ground(world)
        self.tower = []
        for k in range(self.boxes):
            box = world.create_dynamic_body((self.lean * (-1) ** k, 0.5 + k))
            box.create_shape(b2.Box(0.5, 0.5), friction=0.8)
            self.tower.append(box)

    @Button
    def poke(self) -> None:
        self.tower[len(self.tower) // 2].apply_impulse((0.5, 0))

    def draw(self, draw: b2.DrawList) -> None:
        draw.line((-3, self.boxes), (3, self.boxes), "red")

    def status(self) -> str:
        top = self.tower[-1].position
        return f"the top sank {1000 * (self.boxes - 0.5 - top.y):.0f} mm and moved {1000 * top.x:.1f} mm sideways"


class Sizes(Sample):
    """Boxes from 5 mm to 50 m in one world; each is dropped from its own height and comes to rest. Tolerances are 5 mm,
    so the smallest boxes are soft cushions. `length_unit` changes this scale."""

    name = "Tiny to huge"
    category = "Robustness"
    camera = (-4, -0.5, 14, 10.5)
    frames = 400
    base = Slider(0.05, 0.02, 0.2, unit="m", label="smallest", restart=True)

    def build(self, world: b2.World) -> None:
        self.ground(world, 2000)
        self.boxes, x, half = [], -3.0, 0.5 * self.base
        while half < 30:
            for k in range(3):
                box = world.create_dynamic_body((x + half, half * (1.5 + 2.3 * k)))
                box.create_shape(b2.Box(half, half))
                self.boxes.append((box, half * (1 + 2 * k), half))
            x += 2.6 * half
            half *= 1.6

    def status(self) -> str:
        worst = max(self.boxes, key=lambda row: abs(row[0].position.y - row[1]) / row[2])
        share = max((worst[1] - worst[0].position.y) / worst[2], 0.0)  # negative while they fall
        small, large = 2000 * self.boxes[0][2], 2 * self.boxes[-1][2]
        return f"{len(self.boxes)} boxes, {small:.0f} mm to {large:.0f} m; overlap up to {100 * share:.1f} % of a box"


class Press(Sample):
    """A press with a force far above the weight of the boxes: the motor of a prismatic joint squeezes a pile and yields
    at its maximum force. The overlap grows with the force, but nothing explodes."""

    name = "Press"
    category = "Robustness"
    camera = (-9, -1.5, 9, 11)
    frames = 200
    force = Slider(5000.0, 100.0, 100000.0, log=True, unit="N")

    def build(self, world: b2.World) -> None:
        frame = walls(self, world, 4, 8)
        plate = world.create_dynamic_body((0, 9))
        plate.create_shape(b2.Box(3.9, 0.5), density=5)
        self.ram = world.create_prismatic_joint(
            frame, plate, anchor=(0, 9), axis=(0, -1), enable_motor=True, motor_speed=2, max_motor_force=self.force
        )
        for k in range(36):
            form = (b2.Box(0.5, 0.5), b2.Circle(0.55), b2.Polygon(ring(5, 0.6)))[k % 3]
            world.create_dynamic_body((-3.1 + 1.24 * (k % 6), 0.7 + 1.25 * (k // 6))).create_shape(form)

    def step(self, world: b2.World) -> None:
        self.ram.max_motor_force = self.force
        self.ram.motor_speed = 2.0 if self.time % 8 < 6 else -2.0

    def status(self) -> str:
        rows = self.world.arrays.contacts
        deepest = min((float(row["separation"][: row["point_count"]].min()) for row in rows), default=0.0)
        return f"motor {self.ram.motor_force:.0f} N, deepest overlap {-1000 * min(deepest, 0):.0f} mm"


class Whirl(Sample):
    """Wheels that rotate at 1000 rad/s fall on the ground. Rotation is limited to 45 degrees a step unless
    `allow_fast_rotation` is set. The wheels must roll away and not explode."""

    name = "Spinning wheels"
    category = "Robustness"
    camera = (-14, -2, 60, 25)
    frames = 150
    spin = Slider(300.0, 10.0, 1000.0, unit="rad/s", restart=True)
    lifted = Toggle(True, label="allow fast rotation", restart=True)

    def build(self, world: b2.World) -> None:
        self.ground(world, 400)
        self.wheels = []
        for k in range(5):
            wheel = world.create_dynamic_body(
                (-10 + 4 * k, 4 + 2 * k), angular_velocity=-self.spin * (k + 1) / 5, allow_fast_rotation=self.lifted
            )
            wheel.create_shape(b2.Circle(0.8), friction=0.8)
            wheel.create_shape(b2.Polygon(ring(6, 0.75)), friction=0.8)
            self.wheels.append(wheel)

    def status(self) -> str:
        return (
            "rim minus road: "
            + ", ".join(f"{-0.8 * w.angular_velocity - w.linear_velocity.x:.1f}" for w in self.wheels)
            + " m/s"
        )


class Crowd(Sample):
    """A force pulls hundreds of bodies to one point: a ball of contacts that never quite rests, the worst case for
    colouring and islands. The text counts the colours in use."""

    name = "Crowd"
    category = "Robustness"
    options = {"gravity": (0, 0)}
    camera = (-16, -10, 16, 10)
    frames = 200
    pull = Slider(20.0, -20.0, 60.0, unit="m/s^2")

    def build(self, world: b2.World) -> None:
        places = [
            (0.5 * math.sqrt(k + 8) * math.cos(2.4 * k) * 1.3, 0.5 * math.sqrt(k + 8) * math.sin(2.4 * k))
            for k in range(300)
        ]
        self.boxes = world.create_bodies(places, geometry=b2.Box(0.25, 0.25), angles=[0.7 * k for k in range(300)])

    def step(self, world: b2.World) -> None:
        places = self.boxes.position
        reach = ((places**2).sum(axis=1, keepdims=True) + 0.5) ** 0.5
        self.boxes.apply_force(-self.pull * places / reach * self.boxes.mass[:, None])

    def status(self) -> str:
        counters = self.world.counters
        return (
            f"{counters.touching} contacts in {counters.colors} colours, {counters.overflow_contacts} in the overflow"
        )
