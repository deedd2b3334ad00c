"""Stacking: towers, walls and pyramids that must stand."""

from __future__ import annotations

import itertools
import math
import random

import numpy as np

import box2dpy as b2

from ._parts import walls
from ._sample import Button, Sample, Slider, Toggle


class Tower(Sample):
    """One column of boxes. The lowest box carries all others, so the sinking and swaying of the tower show how stiff
    contacts are. Twice the substeps with twice the `contact_hertz` let it sink a quarter as far."""

    name = "Tower"
    category = "Stacking"
    camera = (-12, -1.5, 12, 14)
    boxes = Slider(12, 2, 40, restart=True)
    friction = Slider(0.6, 0.0, 1.0, restart=True)

    def build(self, world: b2.World) -> None:
        self.ground(world)
        self.tower = [world.create_dynamic_body((0, 0.5 + k)) for k in range(self.boxes)]
        for body in self.tower:
            body.create_shape(b2.Box(0.5, 0.5), friction=self.friction)

    @Button
    def throw_a_ball(self) -> None:
        ball = self.world.create_dynamic_body((-20, 3), linear_velocity=(40, 4), bullet=True)
        ball.create_shape(b2.Circle(0.4), density=8)

    def status(self) -> str:
        top = self.tower[-1].position.y
        return f"the top is {1000 * (len(self.tower) - 0.5 - top):.1f} mm lower than at the start"


class Arch(Sample):
    """Wedge-shaped stones carry each other and two blocks without mortar. Only friction keeps the feet from sliding;
    below about 0.36 the arch falls."""

    name = "Arch"
    category = "Stacking"
    camera = (-12, -1.5, 12, 12)
    stones = Slider(9, 5, 25, restart=True)
    friction = Slider(0.6, 0.0, 1.0, restart=True)

    def build(self, world: b2.World) -> None:
        self.ground(world, friction=self.friction)
        inner, outer = 5.0, 6.6
        for k in range(self.stones):
            turns = [math.pi * (k + side) / self.stones for side in (0, 1)]
            corners = [
                (r * math.cos(turn), r * math.sin(turn))
                for r, turn in ((inner, turns[0]), (outer, turns[0]), (outer, turns[1]), (inner, turns[1]))
            ]
            world.create_dynamic_body().create_shape(b2.Polygon(corners), friction=self.friction)
        for k in range(2):
            world.create_dynamic_body((0, outer + 0.5 + k)).create_shape(
                b2.Box(1.5 - 0.5 * k, 0.5), friction=self.friction
            )


class CardHouse(Sample):
    """Thin boards lean against each other in pairs with flat ones between them. Each board stands on edges only, so the
    house stands as long as friction holds the feet."""

    name = "Card house"
    category = "Stacking"
    camera = (-8, -1, 8, 9)
    frames = 120
    floors = Slider(5, 1, 8, restart=True)
    friction = Slider(0.7, 0.1, 1.0, restart=True)

    def build(self, world: b2.World) -> None:
        self.ground(world, 12, friction=self.friction)
        half, thin, lean = 0.62, 0.02, 0.4
        height, reach = half * math.cos(lean) + thin * math.sin(lean), half * math.sin(lean) + thin * math.cos(lean)
        step = 2.0 * 2 * reach
        bottom = 0.0
        self.cards = []
        for floor in range(self.floors):
            tents = self.floors - floor
            left = -0.5 * step * (tents - 1)
            for k in range(tents):
                for side in (-1, 1):
                    at = left + k * step + side * (reach + 0.001), bottom + height
                    self.cards.append(world.create_dynamic_body(at, side * lean))
            for k in range(tents - 1):
                self.cards.append(world.create_dynamic_body((left + (k + 0.5) * step, bottom + 2 * height + thin)))
                self.cards[-1].data = True
            bottom += 2 * (height + thin)
        for card in self.cards:
            form = b2.Box(0.5 * step - 0.01, thin) if card.data else b2.Box(thin, half)
            card.create_shape(form, friction=self.friction, density=2)
        self.top = bottom

    @Button
    def flick(self) -> None:
        ball = self.world.create_dynamic_body((-9, 1), linear_velocity=(16, 2), bullet=True)
        ball.create_shape(b2.Circle(0.2), density=2)

    def status(self) -> str:
        top = max(card.aabb.upper.y for card in self.cards)
        return f"{len(self.cards)} cards, height {top:.2f} m of {self.top:.2f} m"


class Dominoes(Sample):
    """A pushed domino topples the next, larger one. Each can topple one that is half as large again, so a light touch
    of the first topples the last, which is many times as heavy."""

    name = "Dominoes"
    category = "Stacking"
    camera = (-16, -1.5, 16, 13)
    frames = 420
    growth = Slider(1.12, 1.0, 1.2, restart=True)
    gap = Slider(0.45, 0.2, 0.9, unit="height", restart=True)

    def build(self, world: b2.World) -> None:
        self.ground(world, 60, friction=0.8)
        self.stones = []
        x, half = -15.0, 0.45
        while x < 14 and len(self.stones) < 60:
            stone = world.create_dynamic_body((x, half))
            stone.create_shape(b2.Box(0.1 * half / 0.5, half), friction=0.5)
            self.stones.append(stone)
            x += 2 * half * self.gap + 0.15
            half *= self.growth if half < 4 else 1.0
        self.stones[0].apply_impulse((self.stones[0].mass * 1.5, 0), self.stones[0].world_point((0, 0.4)))

    def status(self) -> str:
        fallen = sum(abs(stone.angle) > 0.5 for stone in self.stones)
        ratio = self.stones[-1].mass / self.stones[0].mass
        return f"{fallen} of {len(self.stones)} have fallen; the last weighs {ratio:.0f} times the first"


class Overhang(Sample):
    """The harmonic stack: bricks can lean out by 1/2 + 1/4 + 1/6 + ... of half their length, without limit. At nine
    tenths of the limit the stack stands; closer to it the softness of the contacts makes it fall."""

    name = "Harmonic overhang"
    category = "Stacking"
    camera = (-8, -1, 8, 9)
    frames = 90
    bricks = Slider(10, 2, 20, restart=True)
    share = Slider(0.88, 0.7, 1.1, restart=True)

    def build(self, world: b2.World) -> None:
        table = world.create_static_body((-4, 1))
        table.create_shape(b2.Box(4, 1))
        self.ground(world, 12)
        x, self.stack = -2.0, []
        for k in range(self.bricks):
            x += self.share * 2.0 / (self.bricks - k)
            brick = world.create_dynamic_body((x, 2.2 + 0.4 * k))
            brick.create_shape(b2.Box(2, 0.2))
            self.stack.append(brick)

    def draw(self, draw: b2.DrawList) -> None:
        draw.line((0, 2), (0, 9), 0x5A6B80)

    def status(self) -> str:
        limit = sum(2.0 / k for k in range(1, self.bricks + 1))
        return f"overhang {self.stack[-1].position.x + 2:.3f} m; the limit for {self.bricks} bricks is {limit:.3f} m"


class Jenga(Sample):
    """Three blocks on each floor, seen from the end and from the side in turn. The button pulls out a block. Three
    go by themselves, from the middle of their floors, and the tower stands; with enough others it falls."""

    name = "Jenga"
    category = "Stacking"
    camera = (-10, -1, 10, 12)
    frames = 190
    floors = Slider(14, 4, 20, restart=True)

    def build(self, world: b2.World) -> None:
        self.ground(world, 12)
        self.rng = random.Random(5)
        self.blocks, self.middle = [], []
        for floor in range(self.floors):
            y = 0.3 + 0.6 * floor
            for k in range(3 if floor % 2 == 0 else 1):
                block = world.create_dynamic_body((0.72 * (k - 1) if floor % 2 == 0 else 0.0, y))
                block.create_shape(b2.Box(0.34 if floor % 2 == 0 else 1.06, 0.3), friction=0.5)
                if floor % 2 == 0 and 0 < floor < self.floors - 2:
                    (self.middle if k == 1 else self.blocks).append(block)

    def step(self, world: b2.World) -> None:
        if round(self.time * 60) in (60, 120, 180) and self.middle:
            self.middle.pop(self.rng.randrange(len(self.middle))).destroy()

    @Button
    def pull_a_block(self) -> None:
        rest = self.middle + self.blocks
        if rest:
            block = self.rng.choice(rest)
            (self.middle if block in self.middle else self.blocks).remove(block)
            block.destroy()

    def status(self) -> str:
        top = max((body.position.y for body in self.world.bodies if body.mass), default=0.0)
        left = len(self.blocks) + len(self.middle)
        return f"{left} blocks are left to pull; height {top + 0.3:.2f} m of {0.6 * self.floors:.1f} m"


class Logs(Sample):
    """Round logs between two posts: a pile of circles pushes sideways, and the lowest posts carry the load of the whole
    wedge. Without the posts it flattens."""

    name = "Log pile"
    category = "Stacking"
    camera = (-12, -1.5, 12, 12)
    frames = 130
    rows = Slider(9, 3, 12, restart=True)
    rolling = Slider(0.02, 0.0, 0.3, label="rolling resistance", restart=True)

    def build(self, world: b2.World) -> None:
        self.ground(world, 60)
        self.posts = []
        for side in (-1, 1):
            post = world.create_static_body((side * (0.5 * self.rows + 0.2), 0.6))
            post.create_shape(b2.Box(0.15, 0.6))
            self.posts.append(post)
        for row in range(self.rows):
            for k in range(self.rows - row):
                at = k - 0.5 * (self.rows - row - 1), 0.5 + 0.87 * row
                world.create_dynamic_body(at).create_shape(b2.Circle(0.5), rolling_resistance=self.rolling)

    def step(self, world: b2.World) -> None:
        if round(self.time * 60) == 45:
            self.take_the_posts_away()

    @Button
    def take_the_posts_away(self) -> None:
        for post in self.posts:
            post.destroy()


class Stonehenge(Sample):
    """Posts and lintels on three storeys, without mortar. Shake the ground with the sliders until they fall: a post
    tips when the ground accelerates by more than g width / height."""

    name = "Earthquake"
    category = "Stacking"
    camera = (-13, -1.5, 13, 13)
    frames = 150
    sway = Slider(0.12, 0.0, 1.0, unit="m")
    rate = Slider(1.2, 0.1, 5.0, unit="Hz")

    def build(self, world: b2.World) -> None:
        self.table = world.create_kinematic_body((0, -0.5))
        self.table.create_shape(b2.Box(12, 0.5), friction=0.9)
        for storey in range(3):
            count = 6 - 2 * storey
            y = 3.0 * storey
            xs = [2.6 * (k - 0.5 * (count - 1)) for k in range(count)]
            for x in xs:
                world.create_dynamic_body((x, y + 1.2)).create_shape(b2.Box(0.35, 1.2), friction=0.8, density=2)
            for a, b in itertools.pairwise(xs):
                world.create_dynamic_body((0.5 * (a + b), y + 2.7)).create_shape(
                    b2.Box(1.29, 0.3), friction=0.8, density=2
                )

    def step(self, world: b2.World) -> None:
        self.table.set_target((self.sway * math.sin(2 * math.pi * self.rate * self.time), -0.5), 0.0, 1 / 60)

    def status(self) -> str:
        most = self.sway * (2 * math.pi * self.rate) ** 2
        return f"the ground accelerates by up to {most:.1f} m/s^2, a single post tips at {10 * 0.35 / 1.2:.1f} m/s^2"


class SandPile(Sample):
    """Grains from a funnel form a heap whose slope is the angle of repose. Round grains roll away; corners and friction
    make the heap steeper."""

    name = "Angle of repose"
    category = "Stacking"
    camera = (-14, -1.5, 14, 15)
    frames = 420
    friction = Slider(0.6, 0.0, 1.0, restart=True)
    round_grains = Toggle(False, restart=True)

    def build(self, world: b2.World) -> None:
        self.ground(world, 9, friction=1.0)
        self.poured = 0

    def step(self, world: b2.World) -> None:
        if round(self.time * 60) % 2 == 0 and self.poured < 200:
            grain = world.create_dynamic_body(
                (0.5 * math.sin(2.4 * self.poured), 9), 1.7 * self.poured, linear_velocity=(0, -4)
            )
            grain.create_shape(b2.Circle(0.28) if self.round_grains else b2.Box(0.27, 0.24), friction=self.friction)
            self.poured += 1

    def heap(self) -> tuple[float, float]:
        inside = [
            body for body in self.world.bodies if body.mass and abs(body.position.x) < 9 and 0 < body.position.y < 7
        ]
        resting = [body.position for body in inside if body.linear_velocity.length < 1]
        top = max((y for _, y in resting), default=0.0)
        foot = sorted(abs(x) for x, y in resting if y < 0.6)
        return top, foot[int(0.8 * len(foot))] if foot else 0.0

    def draw(self, draw: b2.DrawList) -> None:
        top, foot = self.heap()
        draw.path([(-foot, 0), (0, top), (foot, 0)], "red")

    def status(self) -> str:
        top, foot = self.heap()
        return f"{self.poured} grains; slope about {math.degrees(math.atan2(top, foot)):.0f} degrees"


class WallAndBall(Sample):
    """A sleeping brick wall, laid in bond, and a wrecking ball. The wall wakes where the ball hits it. Each press of
    the button swings the ball again."""

    name = "Wrecking ball"
    category = "Stacking"
    camera = (-14, -1.5, 14, 16)
    frames = 190
    mass = Slider(20.0, 1.0, 100.0, unit="kg/m^2", restart=True, label="density of the ball")

    def build(self, world: b2.World) -> None:
        self.ground(world, 60)
        for row in range(14):
            for k in range(9):
                x = 1 + 1.02 * k + 0.5 * (row % 2)
                world.create_dynamic_body((x, 0.3 + 0.6 * row), awake=False).create_shape(b2.Box(0.5, 0.3))
        hook = world.create_static_body((-2, 15))
        previous, self.chain = hook, []
        for k in range(8):
            link = world.create_dynamic_body(
                (-2 - 1.2 * (k + 0.5) * 0.9, 15 - 1.2 * (k + 0.5) * 0.43), math.atan2(-0.43, -0.9)
            )
            link.create_shape(b2.Capsule((-0.5, 0), (0.5, 0), 0.08), density=5, filter=b2.Filter(mask=0))
            world.create_revolute_joint(previous, link, anchor=(-2 - 1.2 * k * 0.9, 15 - 1.2 * k * 0.43))
            previous = link
        self.ball = world.create_dynamic_body((-2 - 9.6 * 0.9, 15 - 9.6 * 0.43))
        self.ball.create_shape(b2.Circle(1.0), density=self.mass)
        world.create_revolute_joint(previous, self.ball, anchor=self.ball.position)
        world.create_rope_joint(hook, self.ball)

    @Button
    def push_the_ball(self) -> None:
        self.ball.apply_impulse((10 * self.ball.mass, 0))

    def status(self) -> str:
        return f"{self.world.counters.awake_bodies} bodies are awake"


class Lintel(Sample):
    """A pyramid of pairs of boxes is a harder test than a tower, because the weight of each stone is carried by two
    others. The contacts show their forces."""

    name = "Force chains"
    category = "Stacking"
    camera = (-12, -1.5, 12, 13)
    frames = 120
    rows = Slider(11, 2, 16, restart=True)
    heavy = Toggle(True, restart=True, label="a heavy stone on top")

    def build(self, world: b2.World) -> None:
        walls(self, world, 10, 3)
        for row in range(self.rows):
            for k in range(self.rows - row):
                x = 1.08 * (k - 0.5 * (self.rows - row - 1))
                world.create_dynamic_body((x, 0.5 + row)).create_shape(b2.Box(0.5, 0.5))
        if self.heavy:
            world.create_dynamic_body((0, self.rows + 0.5)).create_shape(b2.Box(0.9, 0.5), density=8)

    def draw(self, draw: b2.DrawList) -> None:
        contacts = self.world.arrays.contacts
        for k in range(2):
            rows = contacts[contacts["point_count"] > k]
            force = 240 * rows["normal_impulse"][:, k]  # impulse of a substep to force, N
            for row, size in zip(rows, np.minimum(0.002 * force, 0.3), strict=True):
                point, normal = b2.Vec2(row["px"][k], row["py"][k]), b2.Vec2(row["normal_x"], row["normal_y"])
                along, across = 0.5 * normal, size * normal.perpendicular()
                draw.fill([point - along, point + across, point + along, point - across], "red", 0.7)

    def status(self) -> str:
        rows = self.world.arrays.contacts
        down = float(
            sum(
                row["normal_impulse"][: row["point_count"]].sum() for row in rows if 0 in (row["body_a"], row["body_b"])
            )
        )
        weight = 10 * sum(body.mass for body in self.world.bodies)
        return f"the floor carries {240 * down:.0f} N, the stones weigh {weight:.0f} N"
