"""Bodies: types, forces, damping, locks, sleep."""

from __future__ import annotations

import math

import numpy as np

import box2dpy as b2

from ._sample import Button, Sample, Slider, Toggle


class BodyTypes(Sample):
    """Static bodies never move. Kinematic bodies follow their velocity and are not stopped by contacts. Dynamic bodies
    obey forces. The buttons change the type of the platform."""

    name = "Body types"
    category = "Bodies"
    camera = (-14, -1.5, 14, 12)
    speed = Slider(3.0, 0.0, 8.0, unit="m/s")

    def build(self, world: b2.World) -> None:
        self.ground(world, 14)
        self.platform = world.create_kinematic_body((0, 4), linear_velocity=(self.speed, 0), name="platform")
        self.platform.create_shape(b2.Box(4, 0.4), friction=0.9)
        for k in range(5):
            world.create_dynamic_body((-2 + k, 5 + 1.2 * k)).create_shape(b2.Box(0.45, 0.45))

    def step(self, world: b2.World) -> None:
        x, _ = self.platform.position
        if self.platform.type is b2.BodyType.KINEMATIC:
            turn = -1 if x > 7 else 1 if x < -7 else math.copysign(1, self.platform.linear_velocity.x)
            self.platform.linear_velocity = turn * self.speed, 0

    @Button
    def kinematic(self) -> None:
        self.platform.type = "kinematic"

    @Button
    def dynamic(self) -> None:
        self.platform.type = "dynamic"

    @Button
    def static(self) -> None:
        self.platform.type = "static"

    def status(self) -> str:
        return f"the platform is {self.platform.type.name.lower()}"


class Damping(Sample):
    """Linear damping slows a body down in the way thick air does: v' = -d v. Ten discs start with equal speed and with
    damping from 0 to 4.5 per second. Each one glides a distance of v / d in total."""

    name = "Damping"
    category = "Bodies"
    options = {"gravity": (0, 0)}
    camera = (-2, -1, 26, 12)
    frames = 200
    speed = Slider(8.0, 1.0, 20.0, unit="m/s", restart=True)
    spin = Toggle(True, restart=True)

    def build(self, world: b2.World) -> None:
        self.discs = []
        for k in range(10):
            disc = world.create_dynamic_body(
                (0, 1.1 * k),
                linear_velocity=(self.speed, 0),
                angular_velocity=6.0 * self.spin,
                linear_damping=0.5 * k,
                angular_damping=0.5 * k,
                can_sleep=False,
            )
            disc.create_shape(b2.Circle(0.45))
            self.discs.append(disc)

    def draw(self, draw: b2.DrawList) -> None:
        for k in range(1, 10):
            end = self.speed / (0.5 * k)
            draw.line((end, 1.1 * k - 0.5), (end, 1.1 * k + 0.5), "red")

    def status(self) -> str:
        last = self.discs[-1].position.x
        return f"damping 4.5: {last:.3f} m, theory at most {self.speed / 4.5:.3f} m"


class MotionLocks(Sample):
    """`lock_x`, `lock_y` and `lock_rotation` each remove one degree of freedom from a body. Balls fall on six boards
    with different locks. The text names the locks of each board."""

    name = "Motion locks"
    category = "Bodies"
    camera = (-13, -1.5, 14, 12)
    frames = 150

    def build(self, world: b2.World) -> None:
        self.ground(world, 14)
        self.boards = []
        kinds = ("free", "lock_x", "lock_y", "lock_rotation", "lock_x lock_y", "lock_y lock_rotation")
        for k, kind in enumerate(kinds):
            locks = {lock: True for lock in kind.split() if lock != "free"}
            board = world.create_dynamic_body((-10 + 4 * k, 4), gravity_scale=0.3, **locks)
            board.create_shape(b2.Box(1.4, 0.15), density=2)
            self.boards.append((board, kind))

    def step(self, world: b2.World) -> None:
        if round(self.time * 60) % 20 == 0 and len(world.bodies) < 70:
            number = len(world.bodies)
            ball = world.create_dynamic_body((-10 + 4 * (number % 6) + 0.9 * math.sin(number), 11))
            ball.create_shape(b2.Circle(0.25), density=2)

    def draw(self, draw: b2.DrawList) -> None:
        for board, kind in self.boards:
            for row, lock in enumerate(reversed(kind.split())):  # one below the other: the boards are side by side
                draw.text(board.position + (-1.2, 0.9 + 0.7 * row), lock.replace("lock_", "no "), "yellow")


class GravityScale(Sample):
    """`gravity_scale` multiplies gravity for one body: -0.5 for the balloons, 1 for the lead, and 0 for the body that
    floats. After t seconds of free fall the theory gives y = y0 - s g t^2 / 2."""

    name = "Gravity scale"
    category = "Bodies"
    camera = (-12, -1, 12, 14)
    frames = 75
    low = Slider(-0.5, -1.0, 0.0, restart=True)
    high = Slider(1.0, 0.1, 2.0, restart=True)

    def build(self, world: b2.World) -> None:
        self.ground(world, 12)
        self.balls = []
        for k in range(11):
            scale = self.low + (self.high - self.low) * k / 10
            ball = world.create_dynamic_body((-10 + 2 * k, 8), gravity_scale=scale)
            ball.create_shape(b2.Circle(0.5), restitution=0.5)
            self.balls.append(ball)
        self.error = 0.0

    def step(self, world: b2.World) -> None:
        if self.time < 0.9:
            last = self.balls[-2]
            self.error = last.position.y - (8 - 5 * last.gravity_scale * self.time**2)

    def draw(self, draw: b2.DrawList) -> None:
        for ball in self.balls:
            draw.text(ball.position + (-0.4, 0.7), f"{ball.gravity_scale:.2f}")

    def status(self) -> str:
        return f"height minus theory while falling: {1000 * self.error:.1f} mm (substeps make it -g t h / 2)"


class Lander(Sample):
    """A moon lander that flies by forces: `apply_force` acts at the nozzles of a body that can turn. Land with less
    than 2 m/s. An autopilot brakes the lander until you switch it off."""

    name = "Moon lander"
    category = "Bodies"
    options = {"gravity": (0, -1.62)}
    camera = (-24, -2, 24, 28)
    frames = 160
    keys = {"up": "main engine", "left, right": "turn", "space": "autopilot on and off"}
    demo = ((1.0, ""), (0.4, "right"), (8.6, ""))
    thrust = Slider(3.0, 1.5, 8.0, unit="x weight")

    def build(self, world: b2.World) -> None:
        land = [(40.0 - 2 * k, 1.5 * math.sin(1.7 * k) * (abs(k - 20) > 3)) for k in range(41)]
        world.create_static_body().create_chain(land, friction=0.9)
        self.ship = world.create_dynamic_body((-12, 24), linear_velocity=(3, 0), angular_damping=1.0)
        self.ship.create_shape(
            b2.Polygon([(-0.8, -0.4), (0.8, -0.4), (0.9, 0.4), (0.4, 1.1), (-0.4, 1.1), (-0.9, 0.4)])
        )
        for side in (-1, 1):
            self.ship.create_shape(b2.Capsule((0.7 * side, -0.3), (1.3 * side, -1.1), 0.08), density=2)
        self.autopilot, self.fire = True, 0.0

    def key(self, key: str) -> None:
        self.autopilot = self.autopilot != (key == "space")

    def step(self, world: b2.World) -> None:
        ship, weight = self.ship, self.ship.mass * 1.62
        vx, vy = ship.linear_velocity
        turn = self.pressed("left") - self.pressed("right")
        self.fire = float(self.pressed("up"))
        if self.autopilot and not (turn or self.fire):
            height = max(ship.position.y - 1.2, 0.0)
            wanted = -math.sqrt(1.2 * height) - 0.5
            lean = max(min(0.25 * (vx + 0.3 * ship.position.x), 0.5), -0.5)
            turn = 4 * (lean - ship.angle) - 3 * ship.angular_velocity
            self.fire = min(max(0.35 + 0.6 * (wanted - vy), 0.0), 1.0) if height > 0.1 else 0.0
        if self.fire:
            ship.apply_force(ship.world_vector((0, self.fire * self.thrust * weight)), ship.world_point((0, -0.4)))
        ship.apply_torque(max(min(turn, 1), -1) * ship.mass, wake=bool(turn))

    def draw(self, draw: b2.DrawList) -> None:
        tip = self.ship.world_point((0, -0.5 - 1.8 * self.fire))
        left, right = self.ship.world_point((-0.35, -0.4)), self.ship.world_point((0.35, -0.4))
        if self.fire:
            draw.fill([left, tip, right], "orange", 0.8)

    def status(self) -> str:
        vx, vy = self.ship.linear_velocity
        return f"{'autopilot' if self.autopilot else 'by hand'}; speed {abs(vx):.1f} sideways, {-vy:.1f} m/s down"


class Orbits(Sample):
    """The world has no gravity. A force towards the sun acts on each planet, and Kepler's third law T^2 = 4 pi^2 a^3 /
    GM appears. With one substep the orbits stay closed (symplectic Euler); with more, the force is constant within a
    step and the orbits drift outwards."""

    name = "Orbits"
    category = "Bodies"
    options = {"gravity": (0, 0)}
    camera = (-20, -12.5, 20, 12.5)
    substeps = 1
    frames = 400
    pull = Slider(60.0, 20.0, 200.0, unit="m^3/s^2", restart=True, label="G M")

    def build(self, world: b2.World) -> None:
        sun = world.create_static_body()
        sun.create_shape(b2.Circle(1.0), color=0xE8C547)
        self.planets, self.trails, self.laps = [], [], [0.0]
        for k, (radius, ellipse) in enumerate(((3, 1.0), (5, 1.0), (7.5, 1.0), (11, 0.75))):
            speed = ellipse * math.sqrt(self.pull / radius)
            planet = world.create_dynamic_body(
                (radius, 0), linear_velocity=(0, speed), angular_velocity=2, can_sleep=False
            )
            planet.create_shape(b2.Circle(0.25 + 0.06 * k))
            self.planets.append(planet)
            self.trails.append([planet.position])
        self.before = 1.0

    def step(self, world: b2.World) -> None:
        for planet, trail in zip(self.planets, self.trails, strict=True):
            r = planet.position
            planet.apply_force(r * (-planet.mass * self.pull / r.length**3))
            trail[:] = [*trail[-200:], r]
        y = self.planets[0].position.y
        if self.before < 0 <= y:
            self.laps.append(self.time)
        self.before = y

    def draw(self, draw: b2.DrawList) -> None:
        for trail in self.trails:
            draw.path(trail, 0x5A6B80)

    def status(self) -> str:
        theory = 2 * math.pi * math.sqrt(27 / self.pull)
        measured = (self.laps[-1] - self.laps[0]) / max(len(self.laps) - 1, 1)
        return f"year of the inner planet {measured:.2f} s, theory {theory:.2f} s"


class Parachutes(Sample):
    """Air drag c v^2 is applied as a force in each step. A falling body approaches the terminal speed sqrt(m g / c),
    sooner if its canopy is wider."""

    name = "Parachutes"
    category = "Bodies"
    camera = (-14, -60, 14, -42)
    frames = 300
    drag = Slider(0.6, 0.1, 3.0, unit="kg/m^2")

    def build(self, world: b2.World) -> None:
        self.fallers = []
        for k in range(5):
            width = 0.4 + 0.45 * k
            body = world.create_dynamic_body((-10 + 5 * k, 0), angular_damping=3)
            body.create_shape(b2.Box(0.25, 0.4, (0, -1.4)), density=4)
            for side in (-1, 1):
                body.create_shape(
                    b2.Polygon([(0, 0.9), (side * width, 0.4), (side * width, 0.6)], radius=0.05), density=0.1
                )
                body.create_shape(b2.Capsule((side * width, 0.4), (0.1 * side, -1), 0.02), density=0.01)
            self.fallers.append((body, width))

    def step(self, world: b2.World) -> None:
        for body, width in self.fallers:
            v = body.linear_velocity
            body.apply_force(v * (-self.drag * 2 * width * v.length), body.world_point((0, 0.5)))

    def terminal(self, body: b2.Body, width: float) -> float:
        return math.sqrt(10 * body.mass / (self.drag * 2 * width))

    def draw(self, draw: b2.DrawList) -> None:
        for body, width in self.fallers:
            said = f"{-body.linear_velocity.y:.1f} of {self.terminal(body, width):.1f}"
            draw.text(body.position + (-1.2, 1.2), said)

    def look_at(self) -> b2.Vec2:
        return b2.Vec2(0, sum(body.position.y for body, _ in self.fallers) / 5)

    def status(self) -> str:
        return "speed of terminal speed in m/s"


class RolyPoly(Sample):
    """A toy that always stands up again: its `local_center` is far below the middle of its round hull. Small swings
    have the period 2 pi sqrt(I / m g d)."""

    name = "Roly-poly"
    category = "Bodies"
    camera = (-9, -1, 9, 9)
    frames = 300
    depth = Slider(0.5, 0.1, 0.9, unit="m", restart=True)

    def build(self, world: b2.World) -> None:
        self.ground(world, 12)
        self.toys = []
        for k in range(4):
            toy = world.create_dynamic_body((-6 + 4 * k, 1), 0.5 + 0.8 * k, angular_damping=0.1)
            toy.create_shape(b2.Circle(1.0), rolling_resistance=0.002)
            toy.create_shape(b2.Circle(0.55, (0, 1.4)), density=0.2)
            toy.local_center = 0, -self.depth
            self.toys.append(toy)
        self.crossings: list[float] = []
        self.before = self.toys[0].angle

    @Button
    def knock_over(self) -> None:
        for k, toy in enumerate(self.toys):
            toy.apply_angular_impulse((-1) ** k * 6 * toy.inertia)

    def step(self, world: b2.World) -> None:
        angle = self.toys[0].angle
        if self.before < 0 <= angle:
            self.crossings.append(self.time)
        self.before = angle

    def draw(self, draw: b2.DrawList) -> None:
        draw.dots([toy.world_center for toy in self.toys], "red", 8)

    def status(self) -> str:
        toy = self.toys[0]
        rolling = toy.inertia + toy.mass * (1 - self.depth) ** 2  # about the contact point
        theory = 2 * math.pi * math.sqrt(rolling / (toy.mass * 10 * self.depth))
        if len(self.crossings) < 2:
            return f"theory for small swings {theory:.2f} s"
        return f"period {self.crossings[-1] - self.crossings[-2]:.2f} s, theory for small swings {theory:.2f} s"


class Galaxy(Sample):
    """One call of `create_bodies` creates a disc of 400 stars. In each step numpy computes a force for every row of the
    `BodyArray`, and one call of `apply_force` applies them all."""

    name = "Galaxy"
    category = "Bodies"
    options = {"gravity": (0, 0), "sleeping": False}
    camera = (-32, -20, 32, 20)
    frames = 240
    color_by = "body"
    swirl = Slider(1.0, 0.0, 1.6, restart=True)

    def build(self, world: b2.World) -> None:
        k = np.arange(400)
        radius, turn = 3 + 0.75 * np.sqrt(2 * k), 2.39996 * k
        places = np.column_stack([radius * np.cos(turn), radius * np.sin(turn)])
        speed = self.swirl * np.sqrt(200 / radius)[:, None] * np.column_stack([-np.sin(turn), np.cos(turn)])
        self.stars = world.create_bodies(places, geometry=b2.Circle(0.18), linear_velocities=speed, restitution=0.9)
        self.centers = (0.0, 0.0), (40.0, 10.0)

    def step(self, world: b2.World) -> None:
        places = self.stars.position
        visitor = (40 - 12 * self.time, 14 - 1.5 * self.time)
        self.centers = (0.0, 0.0), visitor
        force = np.zeros_like(places)
        for center, pull in zip(self.centers, (200, 120), strict=True):
            away = places - center
            force -= pull * away / (np.hypot(*away.T)[:, None] ** 2 + 1) ** 1.5
        self.stars.apply_force(force * self.stars.mass[:, None])

    def draw(self, draw: b2.DrawList) -> None:
        draw.dots(self.centers, "yellow", 14)

    def status(self) -> str:
        return f"{len(self.stars)} stars; a second galaxy passes by"


class Blinking(Sample):
    """`enabled = False` removes a body from the simulation, and `True` puts it back at the same place. The platforms
    switch off in turn and let boxes fall through."""

    name = "Enable and disable"
    category = "Bodies"
    camera = (-11, -1.5, 11, 14)
    frames = 130
    period = Slider(1.2, 0.3, 4.0, unit="s")

    def build(self, world: b2.World) -> None:
        self.ground(world, 12)
        self.platforms = [world.create_static_body((-6 + 4 * k, 3 + 2 * (k % 3))) for k in range(4)]
        for platform in self.platforms:
            platform.create_shape(b2.Box(1.9, 0.2))
        for k in range(24):
            world.create_dynamic_body((-7.5 + 1.8 * (k % 8), 9 + 1.5 * (k // 8))).create_shape(b2.Box(0.4, 0.4))

    def step(self, world: b2.World) -> None:
        for k, platform in enumerate(self.platforms):
            there = (self.time / self.period + k / 4) % 1 < 0.7
            if platform.enabled != there:
                platform.enabled = there

    def draw(self, draw: b2.DrawList) -> None:
        for platform in self.platforms:
            if not platform.enabled:
                draw.box(platform.position - (1.9, 0.2), platform.position + (1.9, 0.2), 0x444C58)

    def status(self) -> str:
        return f"{sum(platform.enabled for platform in self.platforms)} of 4 platforms are enabled"
