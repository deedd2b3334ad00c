"""Joints under load: reading forces, stiffness, thresholds, and what breaks."""

from __future__ import annotations

import itertools
import math

import box2dpy as b2

from ._parts import links
from ._sample import Button, Choice, Sample, Slider, Toggle


class BreakingBridge(Sample):
    """A joint with a `force_threshold` appears in `world.events.joint_threshold` when it carries more than that. This
    sample then destroys the joint. A heavier lorry finds the limit of the bridge. It sags by 1 m: a rope of weight W
    and length L pulls with W L / (8 sag), so a straight one would break by its own weight."""

    name = "Breakable bridge"
    category = "Joints under load"
    camera = (-18, -8, 18, 4)
    frames = 118
    strength = Slider(2000.0, 200.0, 10000.0, unit="N")
    load = Slider(5.0, 0.2, 10.0, unit="kg/m^2", restart=True, label="density of the lorry")

    def build(self, world: b2.World) -> None:
        rocks = world.create_static_body()
        for side in (-1, 1):
            rocks.create_shape(b2.Box(5, 4, (15 * side, -4)))
        ends = [b2.Vec2(x, 0.01 * x * x - 1.15) for x in range(-10, 11)]
        previous, self.hinges = rocks, []
        for a, b in itertools.pairwise(ends):
            plank = world.create_dynamic_body(a.lerp(b, 0.5), (b - a).angle)
            plank.create_shape(b2.Box(0.5 * a.distance(b), 0.12), density=3, friction=0.9)
            self.hinges.append(world.create_revolute_joint(previous, plank, anchor=a))
            previous = plank
        self.hinges.append(world.create_revolute_joint(previous, rocks, anchor=ends[-1]))
        self.changed("strength")
        lorry = world.create_dynamic_body((-13, 1.2), linear_velocity=(3, 0))
        lorry.create_shape(b2.Box(2, 0.5), density=self.load)
        lorry.create_shape(b2.Box(0.6, 0.5, (1.4, 1.0)), density=self.load)
        for x in (-1.4, 1.4):
            wheel = world.create_dynamic_body((-13 + x, 0.5))
            wheel.create_shape(b2.Circle(0.5), density=self.load, friction=1.2)
            world.create_wheel_joint(
                lorry,
                wheel,
                anchor=(-13 + x, 0.5),
                axis=(0, 1),
                hertz=4,
                enable_motor=True,
                motor_speed=-8,
                max_motor_torque=200,
            )
        self.broken: list[tuple[float, b2.Vec2]] = []

    def changed(self, control: str) -> None:
        for hinge in self.hinges:
            if hinge.alive:
                hinge.force_threshold = self.strength

    def step(self, world: b2.World) -> None:
        worst = max(world.events.joint_threshold, key=lambda event: event.force, default=None)
        if worst is not None and worst.joint.alive:
            self.broken.append((worst.force, worst.joint.body_b.world_point(worst.joint.local_anchor_b)))
            worst.joint.destroy()

    def draw(self, draw: b2.DrawList) -> None:
        for hinge in self.hinges:
            if hinge.alive:
                share = min(hinge.constraint_force.length / self.strength, 1)
                draw.dot(
                    hinge.body_b.world_point(hinge.local_anchor_b), (int(255 * share), int(200 * (1 - share)), 60), 9
                )
        for force, point in self.broken:
            draw.text(point, f"{force:.0f} N", "red")

    def status(self) -> str:
        force = max((hinge.constraint_force.length for hinge in self.hinges if hinge.alive), default=0.0)
        return f"greatest force {force:.0f} N of {self.strength:.0f} N; {len(self.broken)} broken joints"


class Truss(Sample):
    """A truss of rods; each rod is a distance joint between hinged nodes. Red rods are in tension, blue ones in
    compression, and the thickness shows the force. Theory: the upper middle rod carries M / h."""

    name = "Truss"
    category = "Joints under load"
    options = {"joint_hertz": 120.0}
    camera = (-12, -5, 12, 8)
    substeps = 12
    frames = 200
    load = Slider(40.0, 0.0, 200.0, unit="kg", restart=True)

    def build(self, world: b2.World) -> None:
        base = world.create_static_body()
        for side in (-1, 1):
            base.create_shape(b2.Polygon([(8 * side, -0.3), (8 * side - 0.6, -1.3), (8 * side + 0.6, -1.3)]))
        self.rods: list[b2.DistanceJoint] = []
        self.low = [self.knot(world, 4.0 * k - 8, 0) for k in range(5)]
        self.high = [self.knot(world, 4.0 * k - 6, 3) for k in range(4)]
        for row in (self.low, self.high):
            for a, b in itertools.pairwise(row):
                self.rod(world, a, b)
        for k in range(4):
            self.rod(world, self.low[k], self.high[k])
            self.rod(world, self.high[k], self.low[k + 1])
        self.crown = self.rods[5]
        world.create_revolute_joint(base, self.low[0], anchor=(-8, 0))
        world.create_wheel_joint(base, self.low[4], anchor=(8, 0), axis=(1, 0), enable_spring=False)
        weight = world.create_dynamic_body((0, -2.5), linear_damping=1)
        weight.create_shape(b2.Box(1, 0.7))
        weight.mass = max(self.load, 0.1)
        world.create_distance_joint(self.low[2], weight, local_anchor_a=(0, 0), local_anchor_b=(0, 0.7))
        self.weight = weight

    def knot(self, world: b2.World, x: float, y: float) -> b2.Body:
        knot = world.create_dynamic_body((x, y), can_sleep=False, linear_damping=2)
        knot.create_shape(b2.Circle(0.18), density=10, filter=b2.Filter(group=-1))
        return knot

    def rod(self, world: b2.World, a: b2.Body, b: b2.Body) -> None:
        self.rods.append(world.create_distance_joint(a, b, local_anchor_a=(0, 0), local_anchor_b=(0, 0)))

    def force(self, rod: b2.DistanceJoint) -> float:
        """The force in a rod, N: positive in tension, negative in compression."""
        along = (rod.body_b.position - rod.body_a.position).normalized()
        return -rod.constraint_force.dot(along)

    def draw(self, draw: b2.DrawList) -> None:
        for rod in self.rods:
            a, b, force = rod.body_a.position, rod.body_b.position, self.force(rod)
            across = (b - a).normalized().perpendicular() * min(0.02 + abs(force) / 2500, 0.35)
            draw.fill([a - across, b - across, b + across, a + across], "red" if force > 0 else "blue", 0.75)
            middle = 0.5 * (a + b)
            draw.text(middle + (-0.3, 0.15), f"{force:.0f}")

    def status(self) -> str:
        knot = self.low[1].mass * 10
        # Moments about the middle of the lower chord: half of the weight times 8 m, less the nodes on that side.
        total = self.weight.mass * 10 + 7 * knot + 2 * knot
        moment = 0.5 * total * 8 - knot * (8 + 4 + 6 + 2)
        return f"upper middle rods {self.force(self.crown):.0f} N, theory {-moment / 3:.0f} N"


class HeavyOnChain(Sample):
    """A wrecking ball hangs on thirty links and weighs nearly two hundred times as much as a link. The chain is solved
    directly, so it stretches by 1 % at most; by iteration it would be a quarter too long. More substeps, or one rope
    joint from the hook to the ball, reduce the rest."""

    name = "Heavy ball on a chain"
    category = "Joints under load"
    camera = (-11, -11.5, 11, 1.5)
    frames = 90
    density = Slider(40.0, 1.0, 400.0, log=True, unit="kg/m^2", restart=True)
    rope = Toggle(False, restart=True)

    def build(self, world: b2.World) -> None:
        hook = world.create_static_body()
        hook.create_shape(b2.Box(1, 0.1))
        made = links(
            world, hook, (0, 0), 30, 0.3, (1, 0), density=10, filter=b2.Filter(group=-1), collide_connected=False
        )
        self.ball = world.create_dynamic_body((9.0 + 0.8, 0), can_sleep=False)
        self.ball.create_shape(b2.Circle(0.8), density=self.density)
        world.create_revolute_joint(made[-1], self.ball, anchor=(9, 0))
        if self.rope:
            world.create_rope_joint(hook, self.ball, max_length=9.8)
        self.link, self.longest = made[0].mass, 0.0

    def step(self, world: b2.World) -> None:
        self.longest = max(self.longest, self.ball.position.length)

    def status(self) -> str:
        now = self.ball.position.length
        return (
            f"mass ratio {self.ball.mass / self.link:.0f}; length {now:.3f} m of 9.800 m, at most {self.longest:.3f} m"
        )


class Cantilever(Sample):
    """A beam of welded pieces bends under its own weight. `angular_hertz` of a weld is the frequency of its spring: a
    stiffer spring, or a rigid weld, gives a straighter beam."""

    name = "Cantilever"
    category = "Joints under load"
    camera = (-2, -5, 16, 6.2)
    frames = 240
    stiffness = Slider(35.0, 0.0, 60.0, unit="Hz", label="weld spring (0 is rigid)", restart=True)
    pieces = Slider(8, 2, 16, restart=True)

    def build(self, world: b2.World) -> None:
        wall = world.create_static_body()
        wall.create_shape(b2.Box(0.5, 4, (-0.5, 1)))
        for row, rate in enumerate((self.stiffness, 0.0)):
            y, half = 3.5 - 4 * row, 6 / self.pieces
            previous = wall
            for k in range(self.pieces):
                piece = world.create_dynamic_body((half * (2 * k + 1), y), can_sleep=False)
                piece.create_shape(b2.Box(half, 0.2), density=4)
                anchor = half * 2 * k, y
                world.create_weld_joint(previous, piece, anchor=anchor, angular_hertz=rate, angular_damping_ratio=0.5)
                previous = piece
            setattr(self, ("soft", "rigid")[row], previous)
        self.soft: b2.Body
        self.rigid: b2.Body

    @Button
    def drop_a_box(self) -> None:
        self.world.create_dynamic_body((9, 5)).create_shape(b2.Box(0.5, 0.5))

    def status(self) -> str:
        soft, rigid = 3.5 - self.soft.position.y, -0.5 - self.rigid.position.y
        return f"the tip of the soft beam sags by {soft:.2f} m, that of the rigid beam by {1000 * rigid:.0f} mm"


class Crane(Sample):
    """The ballast of a tower crane must balance its load. The revolute joint of the jib measures the torque. The crane
    tips at the limit that theory predicts, m_load x = m_ballast x_b + m_jib x_j."""

    name = "Balance"
    category = "Joints under load"
    camera = (-12, -1, 14, 13)
    frames = 250
    load = Slider(4.0, 0.5, 10.0, unit="kg")
    place = Slider(6.0, 1.0, 9.0, unit="m")

    def build(self, world: b2.World) -> None:
        ground = self.ground(world, 20)
        ground.create_shape(b2.Box(0.5, 4, (0, 5)), filter=b2.Filter(mask=0))
        self.jib = world.create_dynamic_body((2, 9.2), angular_damping=0.5)
        self.jib.create_shape(b2.Box(8, 0.2), density=0.5)
        self.jib.create_shape(b2.Box(0.7, 0.7, (-7, -0.9)), density=3)
        self.pivot = world.create_revolute_joint(
            ground, self.jib, anchor=(0, 9), enable_limit=True, lower_angle=-0.35, upper_angle=0.35
        )
        self.weight = world.create_dynamic_body((6, 4))
        self.weight.create_shape(b2.Box(0.6, 0.6))
        self.cable = world.create_rope_joint(
            self.jib, self.weight, local_anchor_a=(self.place - 2, -0.2), local_anchor_b=(0, 0.6), max_length=4
        )

    def step(self, world: b2.World) -> None:
        x, _ = self.cable.local_anchor_a
        wanted = self.place - 2 + 1.2 * math.sin(0.5 * self.time)
        self.cable.local_anchor_a = x + max(min(wanted - x, 0.03), -0.03), -0.2
        self.weight.mass = self.load

    def status(self) -> str:
        x = self.cable.local_anchor_a.x + 2
        others = self.jib.mass * self.jib.local_center.x + self.jib.mass * 2
        sign = "tips to the load" if self.load * x + others > 0 else "tips to the ballast"
        force = self.cable.constraint_force.length
        return f"load moment {10 * self.load * x:.0f} N m, ballast {-10 * others:.0f} N m: {sign}; cable {force:.0f} N"


class TugOfWar(Sample):
    """A motor pulls a cable of equal joints with growing force until the threshold of a joint is exceeded. The text
    compares the force in the joints with the force of the motor. Both ends recoil."""

    name = "Tensile test"
    category = "Joints under load"
    options = {"gravity": (0, 0)}
    camera = (-11, -6, 11, 6)
    frames = 260
    rate = Slider(150.0, 20.0, 1000.0, unit="N/s")
    strength = Slider(450.0, 50.0, 2000.0, unit="N", restart=True)
    kind = Choice("welds", ("welds", "hinges", "springs"), restart=True)

    def build(self, world: b2.World) -> None:
        wall = world.create_static_body((-9, 0))
        wall.create_shape(b2.Box(1, 2))
        previous, at, self.joints = wall, -8.0, []
        for _ in range(8):
            piece = world.create_dynamic_body((at + 0.75, 0), can_sleep=False, linear_damping=0.5, angular_damping=0.5)
            piece.create_shape(b2.Box(0.7, 0.2), density=2, filter=b2.Filter(group=-1))
            self.joints.append(self.join(world, previous, piece, at))
            previous, at = piece, at + 1.5
        grip = world.create_dynamic_body((at + 0.8, 0), linear_damping=0.5)
        grip.create_shape(b2.Box(0.8, 1), density=2)
        self.joints.append(self.join(world, previous, grip, at))
        self.drive = world.create_prismatic_joint(
            wall,
            grip,
            anchor=grip.position,
            axis=(1, 0),
            enable_motor=True,
            motor_speed=8,
            enable_limit=True,
            lower_translation=-2,
            upper_translation=4,
        )
        self.pull, self.broke = 0.0, 0.0

    def join(self, world: b2.World, a: b2.Body, b: b2.Body, x: float) -> b2.Joint:
        if self.kind == "welds":
            return world.create_weld_joint(a, b, anchor=(x, 0), force_threshold=self.strength)
        if self.kind == "hinges":
            return world.create_revolute_joint(a, b, anchor=(x, 0), force_threshold=self.strength)
        return world.create_weld_joint(a, b, anchor=(x, 0), linear_hertz=8, force_threshold=self.strength)

    def step(self, world: b2.World) -> None:
        events = list(world.events.joint_threshold)
        if events and not self.broke:
            worst = max(events, key=lambda event: (event.force, -event.joint.index))
            self.broke = self.pull
            worst.joint.destroy()
        self.pull += 0.0 if self.broke else self.rate / 60
        self.drive.max_motor_force = self.pull

    def draw(self, draw: b2.DrawList) -> None:
        for joint in self.joints:
            if joint.alive:
                at = joint.body_b.world_point(joint.local_anchor_b)
                draw.line(at, at + (0, joint.constraint_force.length / 200), "orange")

    def status(self) -> str:
        said = f"broke at {self.broke:.0f} N" if self.broke else f"pull {self.pull:.0f} N, in the joints "
        if not self.broke:
            said += f"{max(joint.constraint_force.length for joint in self.joints):.0f} N"
        return f"{said}; strength {self.strength:.0f} N"


class JointStiffness(Sample):
    """`joint_hertz` sets how stiff the rigid parts of joints are. Four equal chains with 12, 20, 35 and 60 Hz carry
    equal weights, and the text shows how far each one stretches."""

    name = "Joint stiffness"
    category = "Joints under load"
    camera = (-9, -11, 9, 1)
    frames = 200
    load = Slider(10.0, 1.0, 50.0, unit="kg", restart=True)
    damping = Slider(2.0, 0.0, 10.0, restart=True)

    def build(self, world: b2.World) -> None:
        beam = world.create_static_body()
        beam.create_shape(b2.Box(8, 0.15))
        self.loads = []
        for k, rate in enumerate((12.0, 20.0, 35.0, 60.0)):
            x = -6 + 4.0 * k
            made = links(
                world,
                beam,
                (x, 0),
                10,
                0.6,
                density=4,
                thickness=0.1,
                joint_hertz=rate,
                joint_damping_ratio=self.damping,
            )
            weight = world.create_dynamic_body((x, -6.6), can_sleep=False)
            weight.create_shape(b2.Box(0.6, 0.6))
            weight.mass = self.load
            world.create_revolute_joint(
                made[-1], weight, anchor=(x, -6), joint_hertz=rate, joint_damping_ratio=self.damping
            )
            self.loads.append((weight, rate))

    def draw(self, draw: b2.DrawList) -> None:
        draw.line((-8, -6), (8, -6), 0x3A4250)
        for weight, rate in self.loads:
            draw.text(weight.position + (-1, -1.1), f"{rate:.0f} Hz: {1000 * (-6.6 - weight.position.y):.0f} mm")


class MassRatios(Sample):
    """Three chains of discs carry a ball, which is 1, 30 and 300 times as heavy as a link. They are solved directly, so
    none of them stretches; with `joint_solver="iterative"` the last one would stretch by a third of a metre."""

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


class LiftingCrane(Sample):
    """A boom on a revolute joint with a motor lifts a load that hangs on a rope joint. The arrow shows the force in the
    hinge, which can be checked by statics."""

    name = "Crane"
    category = "Joints under load"
    camera = (-6, -3, 12, 10)
    keys = {"up, down": "raise and lower the boom"}
    demo = ((2.0, "up"), (2.0, ""), (2.0, "down"), (2.0, ""))
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
