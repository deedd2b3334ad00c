"""Characters and games: samples that are driven with keys."""

from __future__ import annotations

import math
import random

import box2dpy as b2

from ._parts import links, ring
from ._sample import Button, Sample, Slider, Toggle

PLATFORM = 8


class Platformer(Sample):
    """`Mover` as the character of a platformer: it jumps through one-way platforms from below, rides the lifts up, down
    and sideways, and pushes crates with a bounded force. The down key lets it fall through a platform."""

    name = "Platformer"
    category = "Character"
    camera = (-15, -2, 15, 16)
    frames = 130
    keys = {"left, right": "run", "up": "jump", "down": "fall through"}
    demo = ((0.7, "right"), (0.3, "right up")) * 4 + ((0.7, "left"), (0.3, "left up")) * 4
    speed = Slider(6.0, 1.0, 12.0, unit="m/s")
    jump = Slider(9.5, 3.0, 15.0, unit="m/s")
    push = Slider(60.0, 0.0, 300.0, unit="N")

    def build(self, world: b2.World) -> None:
        self.ground(world, 30)
        for x, y, half in ((-8, 3, 2.5), (-2, 5.5, 2), (4, 8, 2.5), (-5, 8.7, 1.5), (9, 3.2, 2)):
            platform = world.create_static_body((x, y))
            platform.create_shape(b2.Box(half, 0.12), one_way=(0, 1), color=0x4FB06D, filter=b2.Filter(PLATFORM))
        self.lifts = [world.create_kinematic_body(at) for at in ((12.5, 2), (0, 2.2))]
        for lift in self.lifts:
            lift.create_shape(b2.Box(1.5, 0.15), friction=0.9)
        for k in range(3):
            world.create_dynamic_body((2 + 0.2 * k, 0.5 + k)).create_shape(b2.Box(0.45, 0.45), density=4)
        self.hero = b2.Mover(world, b2.Capsule((0, 0.4), (0, 1.2), 0.4), (-12, 1))
        self.coins = [b2.Vec2(-8 + 2 * k, 4 + 6 * abs(math.sin(1.1 * k))) for k in range(12)]
        self.won = 0

    def step(self, world: b2.World) -> None:
        hero, standing = self.hero, self.hero.ground is not None
        run, leap = self.pressed("right") - self.pressed("left"), self.pressed("up")
        vx, vy = hero.velocity
        vx += (0.3 if standing else 0.06) * (self.speed * run - vx)
        hero.velocity = b2.Vec2(vx, self.jump if leap and standing else vy - 10 / 60)
        hero.filter = b2.Filter(mask=~PLATFORM & 2**64 - 1) if self.pressed("down") else None
        hero.push_force = self.push
        hero.move(1 / 60)
        self.lifts[0].linear_velocity = 0, 2.5 * math.sin(0.8 * self.time)
        self.lifts[1].linear_velocity = 3 * math.sin(0.6 * self.time), 0
        left = [coin for coin in self.coins if (coin - hero.position - (0, 0.8)).length > 0.9]
        self.won += len(self.coins) - len(left)
        self.coins = left

    def draw(self, draw: b2.DrawList) -> None:
        draw.shape(self.hero.geometry, self.hero.position, 0, "orange" if self.hero.ground is None else "lime")
        draw.dots(self.coins, "yellow", 8)

    def status(self) -> str:
        ground = self.hero.ground
        return f"{self.won} coins of 12; " + (
            "it flies" if ground is None else f"it stands on body {ground.body.index}"
        )


class Pinball(Sample):
    """The flippers are revolute joints whose motors swing between two limits, the bumpers are round shapes with
    restitution above 1, and the ball is a bullet. The left and right keys move the flippers, the space bar shoots."""

    name = "Pinball"
    category = "Character"
    options = {"gravity": (0, -9)}
    camera = (-14, -1, 14, 21)
    frames = 200
    keys = {"left": "left flipper", "right": "right flipper", "space": "shoot a ball"}
    torque = Slider(900.0, 50.0, 3000.0, unit="N m")

    def build(self, world: b2.World) -> None:
        table = world.create_static_body()
        outline = [
            (-6, 0),
            (-6, 3.6),
            (-7.5, 5),
            (-7.5, 17),
            *((7.5 * math.cos(t), 17 + 3.5 * math.sin(t)) for t in [math.pi - math.pi * k / 12 for k in range(1, 12)]),
            (7.5, 17),
            (7.5, 5),
            (6, 3.6),
            (6, 0),
        ]
        table.create_chain(outline, loop=True, friction=0.1, restitution=0.3)  # clockwise: solid on the inside
        self.bumpers = {}
        for x, y, radius in (
            (-3, 14, 0.9),
            (3, 14, 0.9),
            (0, 11.2, 0.9),
            (-4.8, 9.5, 0.5),
            (4.8, 9.5, 0.5),
            (0, 17.2, 0.6),
        ):
            bumper = table.create_shape(b2.Circle(radius, (x, y)), restitution=1.25, hit_events=True, color=0xD06BC9)
            self.bumpers[bumper] = b2.Vec2(x, y)
        self.flippers = []
        for side in (-1, 1):
            table.create_shape(
                b2.Polygon([(side * 6.9, 4.6), (side * 6, 3.9), (side * 3.4, 2.6), (side * 3.4, 2.9)]), friction=0.1
            )
            at = side * 3.2, 2.5
            flipper = world.create_dynamic_body(at)
            wide, thin = (0, 0.25), (-side * 2.3, 0.1)
            flipper.create_shape(
                b2.Polygon([(0, wide[1]), (0, -wide[1]), (thin[0], thin[1]), (thin[0], -thin[1])], radius=0.05),
                density=4,
            )
            joint = world.create_revolute_joint(
                table,
                flipper,
                anchor=at,
                enable_limit=True,
                enable_motor=True,
                lower_angle=-0.5 if side < 0 else -0.45,
                upper_angle=0.45 if side < 0 else 0.5,
            )
            self.flippers.append((joint, side))
        self.balls: list[b2.Body] = []
        self.score, self.shots, self.flash = 0, 0, {}
        self.shoot()

    @Button
    def shoot(self) -> None:
        ball = self.world.create_dynamic_body(
            (6.9, 6), linear_velocity=(-0.8 + 0.3 * (self.shots % 4), 22), bullet=True
        )
        self.shots += 1
        ball.create_shape(b2.Circle(0.3), density=2, friction=0.1, restitution=0.3)
        self.balls.append(ball)

    def key(self, key: str) -> None:
        if key == "space" and len(self.balls) < 8:
            self.shoot()

    def step(self, world: b2.World) -> None:
        for hit in world.events.contact_hit:
            for shape in (hit.shape_a, hit.shape_b):
                if shape in self.bumpers:
                    self.score += 100
                    self.flash[shape] = self.time + 0.15
        for ball in [ball for ball in self.balls if ball.position.y < 0.5]:
            ball.destroy()
            self.balls.remove(ball)
        if not self.balls:
            self.shoot()
        for joint, side in self.flippers:
            up = self.pressed("left" if side < 0 else "right")
            joint.motor_speed = -25 * side if up else 15 * side
            joint.max_motor_torque = self.torque

    def demonstrate(self) -> str:
        near = [ball.position.x for ball in self.balls if 1 < ball.position.y < 3.1 and self.time % 0.8 < 0.4]
        return " ".join(key for key, side in (("left", -1), ("right", 1)) if any(0.6 < x * side < 3.2 for x in near))

    def draw(self, draw: b2.DrawList) -> None:
        for shape, until in self.flash.items():
            if until > self.time:
                draw.circle(self.bumpers[shape], 1.2, "yellow")

    def status(self) -> str:
        return f"{self.score} points, balls in play: {len(self.balls)}"


class Grapple(Sample):
    """A hook on a rope: a ray finds the point where it holds, a rope joint with `max_length` carries the body, and the
    keys change the length. Swing from beam to beam."""

    name = "Grappling hook"
    category = "Character"
    camera = (-16, -2, 16, 18)
    frames = 60
    keys = {"space": "hook and let go", "left, right": "swing", "up, down": "reel"}
    demo = ((1.6, "right"), (1.6, "left"))
    reel = Slider(4.0, 1.0, 10.0, unit="m/s")

    def build(self, world: b2.World) -> None:
        self.ground(world, 60)
        self.rock = world.create_static_body()
        for k in range(12):
            self.rock.create_shape(b2.Box(2.2, 0.4, (-18 + 7 * k, 14 + 2 * math.sin(1.7 * k))))
            self.rock.create_shape(b2.Box(0.8, 1 + k % 3, (-14 + 7 * k, 1 + k % 3)))
        self.hero = world.create_dynamic_body((-8, 6), linear_velocity=(8, 0), angular_damping=2)
        self.hero.create_shape(b2.Capsule((0, -0.35), (0, 0.35), 0.35), density=2, friction=0.4)
        self.rope: b2.DistanceJoint | None = None
        self.key("space")

    def key(self, key: str) -> None:
        if key != "space":
            return
        if self.rope is not None:
            self.rope.destroy()
            self.rope = None
            return
        for lean in (0.5, 0.2, 0.0, -0.4, 0.9, -0.9):
            hit = self.world.ray_cast(self.hero.position, b2.Vec2(0, 16).rotated(-lean))
            if hit is not None and hit.shape.body is self.rock:
                self.rope = self.world.create_rope_joint(
                    self.hero, self.rock, local_anchor_a=(0, 0.3), local_anchor_b=hit.point, max_length=None
                )
                return

    def step(self, world: b2.World) -> None:
        run = self.pressed("right") - self.pressed("left")
        self.hero.apply_force((25 * run, 0), wake=bool(run))
        if self.rope is not None:
            way = self.pressed("down") - self.pressed("up")
            self.rope.max_length = max(1.0, self.rope.max_length + way * self.reel / 60)

    def draw(self, draw: b2.DrawList) -> None:
        if self.rope is not None:
            draw.line(self.hero.world_point((0, 0.3)), self.rope.local_anchor_b, "yellow")

    def look_at(self) -> b2.Vec2:
        return b2.Vec2(self.hero.position.x, 8)

    def status(self) -> str:
        length = f"rope {self.rope.current_length:.1f} m" if self.rope is not None else "no rope"
        return f"{length}, {self.hero.linear_velocity.length:.1f} m/s"


class CastMover(Sample):
    """A character that is not a body: in each step it casts a capsule along its path, slides along obstacles and climbs
    steps. It does not slide down slopes, and crates move only as far as it pushes them."""

    name = "Shape cast character"
    category = "Character"
    camera = (-15, -2, 15, 15)
    frames = 150
    keys = {"left, right": "walk", "up": "jump"}
    demo = ((1.1, "right"), (0.2, "right up")) * 4 + ((1.1, "left"), (0.2, "left up")) * 4
    speed = Slider(5.0, 1.0, 12.0, unit="m/s")
    push = Slider(8.0, 0.0, 40.0, unit="N s")

    def build(self, world: b2.World) -> None:
        land = [
            (20, 12),
            (20, 2),
            (13, 2),
            (10, 4),
            (7, 4),
            (5, 1),
            (1, 0),
            (-4, 0),
            (-8, 2.5),
            (-11, 2.5),
            (-20, 1),
            (-20, 12),
        ]
        world.create_static_body().create_chain(land)
        for k in range(3):
            world.create_static_body((-7 + 4 * k, 5.5 + 1.2 * k)).create_shape(b2.Box(1.4, 0.15))
        for k in range(5):
            world.create_dynamic_body((-1.5 + k % 3, 0.5 + k // 3)).create_shape(b2.Box(0.4, 0.4), density=0.5)
        self.form = b2.Capsule((0, -0.45), (0, 0.45), 0.35)
        self.place, self.velocity, self.stands = b2.Vec2(-12, 4.5), b2.Vec2(0, 0), False

    def slide(self, way: b2.Vec2) -> None:
        """Moves as far as possible, then along the obstacle, three times at most."""
        self.stands = self.stands and self.velocity.y <= 0
        for _ in range(3):
            hit = self.world.shape_cast(self.form, self.place, 0, way)
            if hit is None:
                self.place += way
                return
            normal = hit.normal
            if not normal.length:  # it overlaps something: move out of it
                near = self.world.nearest(self.place, 1.0)
                self.place += (self.place - near.point).normalized() * 0.02 if near is not None else (0, 0.02)
                return
            self.place += way * max(hit.fraction - 0.01 / max(way.length, 0.01), 0.0)
            self.stands = self.stands or normal.y > 0.7
            body = hit.shape.body
            if body.type is b2.BodyType.DYNAMIC and abs(normal.x) > 0.5:
                body.apply_impulse(normal * (-self.push / 60), hit.point)
            way -= normal * min(way.dot(normal), 0.0)
            self.velocity -= normal * min(self.velocity.dot(normal), 0.0)
            way += normal * 1e-4

    def step(self, world: b2.World) -> None:
        run, leap = self.pressed("right") - self.pressed("left"), self.pressed("up")
        vx, vy = self.velocity
        vx += (0.3 if self.stands else 0.05) * (self.speed * run - vx)
        vy = 8.5 if leap and self.stands else (max(vy, -0.5) if self.stands else vy) - 20 / 60
        self.velocity = b2.Vec2(vx, vy)
        self.stands = False
        self.slide(self.velocity / 60)

    def draw(self, draw: b2.DrawList) -> None:
        draw.shape(self.form, self.place, 0, "lime" if self.stands else "orange")
        draw.arrow(self.place, self.place + 0.25 * self.velocity, "yellow")

    def status(self) -> str:
        return f"{'stands' if self.stands else 'flies'}, {self.velocity.length:.1f} m/s"


class RopeBridgeRun(Sample):
    """A ball that is driven by a torque: roll over a hanging bridge, a seesaw and a mill to the flag. The torque moves
    the ball only where there is friction."""

    name = "Marble run"
    category = "Character"
    camera = (-14, -6, 14, 11)
    frames = 120
    keys = {"left, right": "roll", "up": "hop"}
    demo = ((1.0, "right"), (1.0, ""))
    torque = Slider(40.0, 5.0, 120.0, unit="N m")

    def build(self, world: b2.World) -> None:
        ground = world.create_static_body(name="ground")
        for left, right, top in ((-14, -5, 0), (5, 12, 0), (20, 26, 1), (34, 60, 0)):
            ground.create_shape(b2.Box(0.5 * (right - left), 2, (0.5 * (left + right), top - 2)), friction=0.9)
        planks = links(world, ground, (-5, -0.2), 14, 10.2 / 14, (1, 0), density=2, thickness=0.15)
        world.create_revolute_joint(planks[-1], ground, anchor=(5, -0.2))
        seesaw = world.create_dynamic_body((16, 0.6))
        seesaw.create_shape(b2.Box(3.8, 0.15), density=1, friction=0.9)
        world.create_revolute_joint(
            ground, seesaw, anchor=(16, 0.6), enable_limit=True, lower_angle=-0.35, upper_angle=0.35
        )
        mill = world.create_dynamic_body((30, 0))
        for k in range(2):
            mill.create_shape(b2.Box(3.5, 0.15, angle=math.pi * k / 2), friction=0.9)
        world.create_revolute_joint(
            ground, mill, anchor=(30, 0), enable_motor=True, motor_speed=-0.8, max_motor_torque=4000
        )
        self.ball = world.create_dynamic_body((-10, 1))
        self.ball.create_shape(b2.Circle(0.7), friction=1.2, density=1)

    def step(self, world: b2.World) -> None:
        run = self.pressed("left") - self.pressed("right")
        self.ball.apply_torque(run * self.torque, wake=bool(run))
        if abs(self.ball.angular_velocity) > 18:
            self.ball.angular_velocity *= 0.95

    def key(self, key: str) -> None:
        if key == "up" and any(contact.touching for contact in self.ball.contacts):
            self.ball.apply_impulse((0, 6 * self.ball.mass))

    def look_at(self) -> b2.Vec2:
        return b2.Vec2(self.ball.position.x, 2.5)

    def draw(self, draw: b2.DrawList) -> None:
        draw.line((50, 0), (50, 4), "white")
        draw.fill([(50, 4), (50, 2.8), (52, 3.4)], "red", 0.9)

    def status(self) -> str:
        left = 50 - self.ball.position.x
        return f"{left:.0f} m to the flag" if left > 0 else "at the flag"


class Breakout(Sample):
    """The paddle is kinematic, the bricks are static until they are hit, and the ball keeps its speed: one use for each
    body type. Move the paddle with the mouse or the keys; without input it follows the ball."""

    name = "Breakout"
    category = "Character"
    options = {"gravity": (0, 0)}
    camera = (-13, -1, 13, 16)
    frames = 260
    keys = {"left, right": "paddle"}
    speed = Slider(14.0, 5.0, 40.0, unit="m/s")
    falling = Toggle(True, label="bricks fall")

    def build(self, world: b2.World) -> None:
        court = world.create_static_body()
        court.create_chain([(11, 0), (11, 15), (-11, 15), (-11, 0)][::-1], friction=0, restitution=1)
        self.bricks = {}
        for row in range(6):
            for k in range(10):
                brick = world.create_static_body((-9.5 + 2.11 * k, 9 + 0.75 * row))
                color = (0xE5534B, 0xE8933A, 0xE8C547, 0x4FB06D, 0x4C8FE5, 0x8F7BE8)[row]
                self.bricks[brick.create_shape(b2.Box(0.95, 0.28), color=color, restitution=1, friction=0)] = brick
        self.paddle = world.create_kinematic_body((0, 1))
        self.paddle.create_shape(b2.Capsule((-1.3, 0), (1.3, 0), 0.3), restitution=1, friction=0)
        self.ball = world.create_dynamic_body((0, 5), linear_velocity=(5, 12), bullet=True)
        self.ball.create_shape(b2.Circle(0.3), restitution=1, friction=0)
        self.lost, self.rng = 0, random.Random(1)

    def step(self, world: b2.World) -> None:
        for begin in world.events.contact_begin:
            for shape in (begin.shape_a, begin.shape_b):
                brick = self.bricks.pop(shape, None)
                if brick is not None and self.falling:
                    brick.type, brick.gravity_scale, shape.filter = "dynamic", 1.0, b2.Filter(mask=0)
                    brick.linear_velocity, brick.angular_velocity = (
                        (self.rng.uniform(-3, 3), -6),
                        self.rng.uniform(-6, 6),
                    )
                elif brick is not None:
                    brick.destroy()
        run = self.pressed("right") - self.pressed("left")
        self.paddle.linear_velocity = 12 * run, 0
        v = self.ball.linear_velocity
        if self.ball.position.y < 0:
            self.ball.position, v, self.lost = (0, 5), b2.Vec2(4, 10), self.lost + 1
        steep = b2.Vec2(v.x, math.copysign(max(abs(v.y), 0.3 * self.speed), v.y))
        self.ball.linear_velocity = steep.normalized() * self.speed

    def demonstrate(self) -> str:
        off = self.ball.position.x + 0.8 * math.sin(3 * self.time) - self.paddle.position.x
        return "right" if off > 0.3 else "left" if off < -0.3 else ""

    def status(self) -> str:
        return f"{60 - len(self.bricks)} of 60 bricks hit, {self.lost} balls lost"


class Asteroids(Sample):
    """No gravity, a thrust force, and shots that split rocks along a random line into two convex halves. Geometries are
    values, so new shapes are cheap. Steer with the keys."""

    name = "Asteroids"
    category = "Character"
    options = {"gravity": (0, 0)}
    camera = (-18, -11, 18, 11)
    frames = 150
    keys = {"left, right": "turn", "up": "thrust", "space": "fire"}
    demo = ((0.1, "left space"), (0.2, "")) * 12 + ((0.5, "up"),)
    rocks = Slider(8, 2, 20, restart=True)

    def build(self, world: b2.World) -> None:
        self.rng = random.Random(7)
        for k in range(self.rocks):
            at = b2.Vec2(9 + 3 * (k % 2), 0).rotated(2 * math.pi * k / self.rocks)
            self.rock(at, [(x * self.rng.uniform(0.8, 1.2), y) for x, y in ring(7, self.rng.uniform(1.2, 2.2))])
        self.ship = world.create_dynamic_body((0, 0), linear_damping=0.3, angular_damping=4)
        self.ship.create_shape(b2.Polygon([(0.9, 0), (-0.6, 0.5), (-0.6, -0.5)]), color=0x4CC3E0)
        self.shots: list[tuple[b2.Body, float]] = []
        self.hit = 0

    def rock(
        self, at: b2.Vec2, corners: list[tuple[float, float]], speed: b2.Vec2 | None = None, spin: float = 0.0
    ) -> None:
        body = self.world.create_dynamic_body(
            at, angular_velocity=spin or self.rng.uniform(-1, 1), data="rock", can_sleep=False
        )
        body.create_shape(b2.Polygon(corners), restitution=0.6)
        drift = b2.Vec2(self.rng.uniform(-2, 2), self.rng.uniform(-2, 2))
        body.linear_velocity = drift if speed is None else speed

    def split(self, rock: b2.Body, way: b2.Vec2) -> None:
        corners = rock.shapes[0].geometry.vertices
        cut, middle = rock.local_vector(way).perpendicular(), rock.local_center
        for side in (-1, 1):
            half = []
            for a, b in zip(corners, corners[1:] + corners[:1], strict=True):
                da, db = (side * cut.dot(corner - middle) for corner in (a, b))
                if da >= 0:
                    half.append(a)
                if da * db < 0:
                    half.append(a.lerp(b, da / (da - db)))
            if 3 <= len(half) <= 8 and rock.mass > 0.8:
                turned = [tuple(corner.rotated(rock.angle)) for corner in half]
                push = rock.world_vector(cut) * (1.5 * side)
                self.rock(rock.position, turned, rock.linear_velocity + push, rock.angular_velocity + side)
        rock.destroy()

    def fire(self) -> None:
        nose = self.ship.world_point((1.2, 0))
        way = self.ship.world_vector((1, 0))
        shot = self.world.create_dynamic_body(
            nose, linear_velocity=self.ship.linear_velocity + 30 * way, bullet=True, data="shot"
        )
        shot.create_shape(b2.Circle(0.12), color=0xE8C547, density=0.5)
        self.shots.append((shot, self.time + 1.2))

    def key(self, key: str) -> None:
        if key == "space":
            self.fire()

    def step(self, world: b2.World) -> None:
        for begin in world.events.contact_begin:
            pair = [shape.body for shape in (begin.shape_a, begin.shape_b) if shape.alive]
            kinds = {body.data: body for body in pair}
            if kinds.keys() >= {"rock", "shot"}:
                self.hit += 1
                self.split(kinds["rock"], kinds["shot"].linear_velocity.normalized())
                kinds["shot"].destroy()
        turn, thrust = self.pressed("left") - self.pressed("right"), float(self.pressed("up"))
        self.ship.apply_torque(9.0 * turn * self.ship.mass, wake=True)
        self.ship.apply_force(self.ship.world_vector((14.0 * thrust * self.ship.mass, 0)))
        for shot, end in self.shots:
            if end < self.time:
                shot.destroy()
        self.shots = [(shot, end) for shot, end in self.shots if shot.alive]
        for body in world.bodies:  # a body that leaves on one side returns on the other
            x, y = body.position
            if abs(x) > 18.5 or abs(y) > 11.5:
                body.position = (
                    x - math.copysign(37, x) if abs(x) > 18.5 else x,
                    y - math.copysign(23, y) if abs(y) > 11.5 else y,
                )

    def status(self) -> str:
        return f"hits: {self.hit}, rocks: {sum(body.data == 'rock' for body in self.world.bodies)}"
