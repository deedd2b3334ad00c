"""Joints: ropes, chains, cloth, soft bodies and figures made of many bodies."""

from __future__ import annotations

import math

import box2dpy as b2
from box2dpy.scenes.human import create_human

from ._parts import links, ring
from ._sample import Button, Sample, Slider, Toggle

LOOSE = b2.Filter(group=-1)  # parts of one object that do not collide with each other


class Swing(Sample):
    """A swing on two chains of capsules, whose links are revolute joints. The child pumps: it stands up where the swing
    is fast and sits down where it is slow."""

    name = "Swing"
    category = "Joints"
    camera = (-9, -1, 9, 11)
    frames = 260
    pumping = Toggle(True)

    def build(self, world: b2.World) -> None:
        ground = self.ground(world, 12)
        ground.create_shape(b2.Box(3, 0.15, (0, 11)))
        self.seat = world.create_dynamic_body((0, 2.4))
        self.seat.create_shape(b2.Box(1.3, 0.12), density=12)
        for side in (-1, 1):
            made = links(world, ground, (1.2 * side, 9.85), 14, 0.525, density=4, filter=LOOSE)
            world.create_revolute_joint(made[-1], self.seat, anchor=(1.2 * side, 2.5))
            world.create_rope_joint(
                ground, self.seat, local_anchor_a=(1.2 * side, 10.85), local_anchor_b=(1.2 * side, 0.1)
            )
        child = world.create_dynamic_body((0, 3.4))
        child.create_shape(b2.Capsule((0, -0.4), (0, 0.3), 0.3), density=6, filter=LOOSE)
        child.create_shape(b2.Circle(0.28, (0, 0.9)), density=3, filter=LOOSE)
        self.pump = world.create_prismatic_joint(
            self.seat,
            child,
            anchor=(0, 3.4),
            axis=(0, 1),
            enable_spring=True,
            hertz=1.2,
            damping_ratio=0.8,
            enable_limit=True,
            lower_translation=-0.3,
            upper_translation=0.5,
        )
        self.seat.linear_velocity = child.linear_velocity = (3, 0)
        self.highest = 0.0

    def step(self, world: b2.World) -> None:
        x, _ = self.seat.position
        rising = abs(x) < 1.6  # the child stands up where the swing is fast and sits down at the ends
        self.pump.target_translation = (0.45 if rising else -0.25) if self.pumping else 0.0
        if abs(self.seat.linear_velocity.x) < 0.3:
            self.highest = abs(math.atan2(x, 10 - self.seat.position.y))

    @Button
    def stop(self) -> None:
        self.seat.linear_velocity = 0, 0

    def status(self) -> str:
        return f"last swing {math.degrees(self.highest):.0f} degrees"


class Ragdolls(Sample):
    """Figures of eleven bones: capsules, revolute joints with limits, springs and friction, and a filter group for each
    figure, so its own bones do not collide. They fall down stairs."""

    name = "Ragdolls"
    hide_joints = True
    category = "Joints"
    camera = (-9, -1, 9, 10)
    frames = 150
    stiffness = Slider(3.0, 0.0, 20.0, unit="Hz", restart=True)
    friction = Slider(0.4, 0.0, 3.0, unit="N m", restart=True)

    def build(self, world: b2.World) -> None:
        ground = self.ground(world, 20)
        for k in range(7):
            ground.create_shape(b2.Box(0.5 * (8 - k), 0.3, (-9 + 0.5 * (8 - k), 1.3 + 0.6 * k)))
        for k in range(8):
            at = -8.5 + 0.8 * k, 6.2 + 0.5 * (k % 3)
            human = create_human(world, at, scale=1.5, friction_torque=self.friction, hertz=self.stiffness, group=k + 1)
            for bone in human:
                bone.linear_velocity = 2.5, 0

    def status(self) -> str:
        return f"{len(self.world.joints)} joints"


class Cloth(Sample):
    """A sheet of small discs and distance joints, fixed at its top edge. The wind pushes each cell by the width that
    faces it. Click to cut the cloth."""

    name = "Cloth"
    category = "Joints"
    camera = (-11, -9, 11, 5)
    substeps = 4
    frames = 150
    keys = {"space": "release the corner"}
    demo = ((1.5, ""), (0.2, "space"))
    wind = Slider(4.0, -15.0, 15.0, unit="m/s")

    def build(self, world: b2.World) -> None:
        beam = world.create_static_body()
        beam.create_shape(b2.Box(8, 0.15, (0, 4.3)))
        self.width, self.depth, size = 22, 15, 0.6
        grid: dict[tuple[int, int], b2.Body] = {}
        self.pins = []
        for y in range(self.depth):
            for x in range(self.width):
                at = size * (x - 0.5 * (self.width - 1)), 4 - size * y
                knot = world.create_dynamic_body(at, linear_damping=0.3)
                knot.create_shape(b2.Circle(0.1), density=10, filter=b2.Filter(group=-1))
                grid[x, y] = knot
                for a in ((x - 1, y), (x, y - 1)):
                    if a in grid:
                        world.create_distance_joint(grid[a], knot, local_anchor_a=(0, 0), local_anchor_b=(0, 0))
                if y == 0 and x % 3 == 0:
                    pin = world.create_distance_joint(beam, knot, local_anchor_a=(at[0], 4.3), local_anchor_b=(0, 0))
                    self.pins.append(pin)
        self.grid = grid
        for k in range(3):
            world.create_dynamic_body((-9, -2 - 2 * k), linear_velocity=(9, 6), gravity_scale=0.5).create_shape(
                b2.Circle(0.4)
            )

    def key(self, key: str) -> None:
        if self.pins:
            self.pins.pop().destroy()

    def click(self, point: b2.Vec2) -> bool:
        near = [knot for knot in self.grid.values() if knot.alive and knot.position.distance(point) < 0.5]
        for knot in near:
            for joint in knot.joints:
                joint.destroy()
        return bool(near)

    def step(self, world: b2.World) -> None:
        gust = self.wind * (0.7 + 0.3 * math.sin(2.0 * self.time))
        for (x, y), knot in self.grid.items():
            if y % 2 == 0:
                flutter = math.sin(3 * self.time - 0.5 * x)
                knot.apply_force((0.25 * gust, 0.05 * gust * flutter), wake=abs(gust) > 0.1)

    def status(self) -> str:
        return f"{len(self.world.joints)} joints connect {len(self.grid)} nodes"


class SoftBodies(Sample):
    """A ring of capsules with soft welds and springs across: a wheel of rubber. `angular_hertz` of the weld joints sets
    the stiffness of the skin. Heavier boxes dent it."""

    name = "Soft bodies"
    category = "Joints"
    camera = (-11, -1, 11, 13)
    frames = 150
    skin = Slider(15.0, 2.0, 30.0, unit="Hz", restart=True)

    def build(self, world: b2.World) -> None:
        ground = self.ground(world, 12)
        for side in (-1, 1):
            ground.create_shape(b2.Box(0.5, 4, (side * 10, 4)))
        for k in range(5):
            self.donut(world, (-7 + 3.4 * k, 2.0 + 2.5 * (k % 2)), 1.4, k + 1)
        for k in range(5):
            world.create_dynamic_body((-6.5 + 3.4 * k, 9)).create_shape(b2.Box(0.6, 0.6), density=0.5 + 1.5 * k)

    def donut(self, world: b2.World, at: tuple[float, float], radius: float, group: int) -> None:
        count, filter = 16, b2.Filter(group=-group)
        half = math.pi * radius / count
        parts = []
        for k, (x, y) in enumerate(ring(count, radius)):
            part = world.create_dynamic_body((at[0] + x, at[1] + y), math.pi / 2 + 2 * math.pi * k / count)
            part.create_shape(b2.Capsule((-half, 0), (half, 0), 0.2), filter=filter, friction=0.4)
            parts.append(part)
        for k in range(count):
            a, b = parts[k - 1], parts[k]
            anchor = 0.5 * (a.position + b.position)
            world.create_weld_joint(a, b, anchor=anchor, angular_hertz=self.skin, angular_damping_ratio=0.3)


class DampingRow(Sample):
    """Bobs on springs with damping ratios from 0 to 2. Below 1 they swing, at 1 they come to rest soonest, above 1 they
    creep. The curve shows the past."""

    name = "Spring damping"
    category = "Joints"
    camera = (-12, -6, 12, 7)
    frames = 150
    rate = Slider(1.0, 0.3, 3.0, unit="Hz", label="hertz", restart=True)
    ratios = 0.0, 0.1, 0.3, 0.7, 1.0, 2.0

    def build(self, world: b2.World) -> None:
        beam = world.create_static_body((0, 6))
        beam.create_shape(b2.Box(11, 0.2))
        self.bobs, self.past = [], []
        for k, ratio in enumerate(self.ratios):
            x = -9.5 + 3.8 * k
            bob = world.create_dynamic_body((x, 2), can_sleep=False, gravity_scale=0)
            bob.create_shape(b2.Box(0.5, 0.5))
            world.create_prismatic_joint(beam, bob, anchor=(x, 2), axis=(0, 1), collide_connected=True)
            world.create_distance_joint(
                beam,
                bob,
                local_anchor_a=(x, 0),
                local_anchor_b=(0, 0),
                length=6,
                enable_spring=True,
                hertz=self.rate,
                damping_ratio=ratio,
            )
            self.bobs.append(bob)
            self.past.append([bob.position])
        self.crossed: list[float] = []

    @Button
    def pull(self) -> None:
        for bob in self.bobs:
            bob.position = bob.position.x, 2

    def step(self, world: b2.World) -> None:
        for k, (bob, past) in enumerate(zip(self.bobs, self.past, strict=True)):
            before = past[-1].y
            past[:] = [point + (0.015, 0) for point in past[-150:]] + [bob.position]
            if k == 0 and before > 0 >= bob.position.y:
                self.crossed.append(self.time)

    def draw(self, draw: b2.DrawList) -> None:
        draw.line((-11, 0), (11, 0), 0x3A4250)
        for bob, past, ratio in zip(self.bobs, self.past, self.ratios, strict=True):
            draw.path(past, "teal")
            draw.text((bob.position.x - 0.3, -5.2), f"{ratio}")

    def status(self) -> str:
        if len(self.crossed) < 2:
            return f"undamped period in theory {1 / self.rate:.3f} s"
        period = (self.crossed[-1] - self.crossed[0]) / (len(self.crossed) - 1)
        return f"undamped period {period:.3f} s, theory {1 / self.rate:.3f} s"
