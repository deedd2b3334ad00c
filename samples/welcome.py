"""The first sample: what a game looks like."""

from __future__ import annotations

import box2dpy as b2

from ._parts import links
from ._sample import Button, Sample, Slider

FLAG = 2  # the category of the flags: only they are pushed by the wind
START = b2.Vec2(-23, 2)


class Siege(Sample):
    """A castle of loose stones, flags in the wind, a bridge and a boat on the moat. Click to throw a ball at a point,
    or pull anything with the mouse. A castle in ruins is built again."""

    name = "Siege"
    category = "Welcome"
    camera = (-25, -6, 27, 15)
    frames = 190
    hide_joints = True
    keys = {"click": "throw a ball"}
    demo = ((0.9, ""), (0.1, "click"))
    demo_path = ((8.5, 4.0), (20.5, 7.0), (14.5, 2.5), (8.5, 8.0), (20.5, 2.0), (14.5, 6.0))
    ball = Slider(4.0, 0.5, 20.0, unit="kg/m^2", label="density of a ball")
    wind = Slider(8.0, -20.0, 20.0, unit="m/s")

    def build(self, world: b2.World) -> None:
        ground = world.create_static_body()
        for left, right, top in ((-60, -7, 0), (-7, 1, -4.5), (1, 60, 0)):
            middle, half = 0.5 * (left + right), 0.5 * (top + 30)
            ground.create_shape(b2.Box(0.5 * (right - left), half, (middle, top - half)), color=0x4A5D3A)
        boat = world.create_dynamic_body((-3, -1))
        boat.create_shape(b2.Polygon([(-0.9, -0.5), (0.9, -0.5), (1.4, 0.2), (-1.4, 0.2)]), density=0.5, color=0x8A5A2B)
        previous = ground
        for k in range(10):
            plank = world.create_dynamic_body((-6.6 + 0.8 * k, 0.1))
            plank.create_shape(b2.Box(0.4, 0.1), friction=0.9, color=0x8A5A2B)
            world.create_revolute_joint(previous, plank, anchor=(-7 + 0.8 * k, 0.1))
            previous = plank
        world.create_revolute_joint(previous, ground, anchor=(1, 0.1))
        self.stones: list[b2.Body] = []
        self.balls: list[b2.Body] = []
        self.build_the_castle()

    @Button
    def build_the_castle(self) -> None:
        for body in self.stones:
            body.destroy()
        self.stones = []
        for x, columns, rows, roof in ((8.5, 3, 10, 3.0), (14.5, 8, 5, 0.0), (20.5, 3, 10, 3.0)):
            for row in range(rows):
                shift = 0.25 if row % 2 else -0.25  # a stone lies on two
                for k in range(columns):
                    self.stone((x + k - 0.5 * (columns - 1) + shift, 0.4 + 0.8 * row), b2.Box(0.49, 0.4), row + k)
            if roof:
                self.stone((x, 0.8 * rows + 0.3), b2.Box(2.0, 0.3))
                top = self.stone((x, 0.8 * rows + 0.6), b2.Polygon([(-1.9, 0), (1.9, 0), (0, 2.2)]))
                top.shapes[0].color = 0xB03A2E
                top.create_shape(b2.Box(0.06, 1.0, (0, 3.0)), density=0.1)
                side = 1 if self.wind >= 0 else -1
                cloth = b2.Filter(category=FLAG, mask=0)
                at = x, 0.8 * rows + 4.5
                flag = links(self.world, top, at, 5, 0.45, (side, 0), density=0.2, thickness=0.12, filter=cloth)
                for piece in flag:
                    piece.shapes[0].color = 0xE8B93A
                self.stones += flag
            else:
                for k in range(0, columns, 2):  # battlements
                    self.stone((x + k - 0.5 * (columns - 1), 0.8 * rows + 0.4), b2.Box(0.49, 0.4))
        self.places = [body.position for body in self.stones]

    def stone(self, at: tuple[float, float], geometry: b2.Geometry, tint: int = 0) -> b2.Body:
        body = self.world.create_dynamic_body(at)
        body.create_shape(geometry, friction=0.7, color=(0xA89F8D, 0x978E7E, 0x8A8274)[tint % 3])
        self.stones.append(body)
        return body

    def throw(self, target: b2.Vec2 | tuple[float, float]) -> None:
        """Throws a ball that reaches the target after 1.3 s."""
        flight = 1.3
        way = b2.Vec2(*target) - START
        speed = way * (1 / flight) - self.world.gravity * (0.5 * flight)
        ball = self.world.create_dynamic_body(START, linear_velocity=speed, bullet=True)
        ball.create_shape(b2.Circle(0.6), density=self.ball, friction=0.6, rolling_resistance=0.05, color=0xC9CDD4)
        self.balls.append(ball)
        if len(self.balls) > 12:
            self.balls.pop(0).destroy()

    def click(self, point: b2.Vec2) -> bool:
        if self.taken_over and any(shape.body.mass for shape in self.world.point_query(point)):
            return False  # the mouse pulls the body
        self.throw(point)
        return True

    def step(self, world: b2.World) -> None:
        world.apply_buoyancy(b2.Box(4, 1.95), (-3, -2.55), density=1.5, drag=1.5)
        world.apply_wind((self.wind, 0), drag=1.2, filter=b2.Filter(mask=FLAG))
        frame = round(self.time * 60)
        if frame % 60 == 0 and self.ruined() > 0.75:
            self.build_the_castle()

    def ruined(self) -> float:
        """The share of the stones that are not where they were built."""
        moved = [body.position.distance(place) > 1 for body, place in zip(self.stones, self.places, strict=True)]
        return sum(moved) / len(moved)

    def draw(self, draw: b2.DrawList) -> None:
        draw.shape(b2.Box(4, 1.95), (-3, -2.55), 0.0, 0x3A78C0, alpha=0.5)

    def status(self) -> str:
        counters = self.world.counters
        return f"{counters.bodies} bodies, {counters.touching} contacts, {100 * self.ruined():.0f} % in ruins"
