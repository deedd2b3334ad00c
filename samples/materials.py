"""Materials: friction, restitution, rolling resistance, moving surfaces, and how those of two shapes are mixed."""

from __future__ import annotations

import math

import box2dpy as b2

from ._parts import walls
from ._sample import Choice, Sample, Slider, Toggle

ICE, RUBBER, WOOD, STEEL = 1, 2, 3, 4


class FrictionRamp(Sample):
    """Boxes on a slope: friction mu holds a box on slopes of up to atan mu. On a steeper slope it slides with g (sin a
    - mu cos a). The mixed friction of two shapes is the square root of their product."""

    name = "Friction ramp"
    category = "Materials"
    camera = (-17, -5.5, 17, 17.5)
    frames = 90
    slope = Slider(25.0, 5.0, 45.0, unit="degrees", restart=True)

    def build(self, world: b2.World) -> None:
        tilt = math.radians(self.slope)
        self.boxes = []
        for k in range(6):
            friction = 0.1 + 0.12 * k
            lane = b2.Filter(2 << k, 2 << k)
            board = world.create_static_body((0, 0.3 + 2.2 * k), -tilt)
            board.create_shape(b2.Box(9.5, 0.1), friction=friction, filter=lane)
            start = b2.Vec2(-8, 0.4).rotated(-tilt) + board.position
            box = world.create_dynamic_body(start, -tilt)
            box.create_shape(b2.Box(0.5, 0.3), friction=friction, filter=lane)
            self.boxes.append((box, friction, start))

    def draw(self, draw: b2.DrawList) -> None:
        for box, friction, _ in self.boxes:
            draw.text(box.position + (0.7, 0.3), f"{friction:.2f}")

    def status(self) -> str:
        tilt = math.radians(self.slope)
        box, friction, start = self.boxes[0]
        theory = 5 * max(math.sin(tilt) - friction * math.cos(tilt), 0) * self.time**2
        slid = box.position.distance(start)
        return f"boxes with friction above {math.tan(tilt):.2f} hold; first box {slid:.2f} m, theory {theory:.2f} m"


class RestitutionRow(Sample):
    """Balls with restitution e from 0 to 1 fall from the same height: each bounce reaches e^2 of the height before. The
    lines show the height that theory predicts for the first bounce."""

    name = "Restitution"
    category = "Materials"
    camera = (-13, -1.5, 13, 13)
    frames = 160
    height = Slider(10.0, 2.0, 12.0, unit="m", restart=True)

    def build(self, world: b2.World) -> None:
        self.ground(world, 13)
        self.balls = []
        for k in range(11):
            ball = world.create_dynamic_body((-11 + 2.2 * k, self.height + 0.4), can_sleep=False)
            ball.create_shape(b2.Circle(0.4), restitution=0.1 * k)
            self.balls.append([ball, 0.0, False])

    def step(self, world: b2.World) -> None:
        for row in self.balls:
            ball = row[0]
            row[2] = row[2] or ball.linear_velocity.y >= 0 < self.time
            if row[2] and self.time < 2.6 * math.sqrt(self.height / 5):
                row[1] = max(row[1], ball.position.y - 0.4)

    def draw(self, draw: b2.DrawList) -> None:
        for k, (ball, _, _) in enumerate(self.balls):
            top = 0.4 + (0.1 * k) ** 2 * self.height
            draw.line((ball.position.x - 0.8, top), (ball.position.x + 0.8, top), "red")
            draw.text((ball.position.x - 0.3, -0.7), f"{0.1 * k:.1f}")

    def status(self) -> str:
        said = ", ".join(f"{self.balls[k][1]:.2f} ({(0.1 * k) ** 2 * self.height:.2f})" for k in (5, 7, 9))
        return f"height of the first bounce with 0.5, 0.7, 0.9 (theory): {said} m"


class RollingResistance(Sample):
    """Equal balls start with the same speed. A rolling resistance c brakes a ball with the torque c r N, so it stops
    after a distance of 3 v^2 / (4 c g), which the marks show."""

    name = "Rolling resistance"
    category = "Materials"
    camera = (-3, -2, 37, 23)
    frames = 330
    speed = Slider(6.0, 1.0, 12.0, unit="m/s", restart=True)
    factors = 0.0, 0.02, 0.03, 0.05, 0.08, 0.13, 0.2, 0.3

    def build(self, world: b2.World) -> None:
        self.balls = []
        for k, factor in enumerate(self.factors):
            y = 19.5 - 2.6 * k
            world.create_static_body((20, y)).create_shape(b2.Box(60, 0.1), friction=0.8)
            ball = world.create_dynamic_body(
                (0, y + 0.8), linear_velocity=(self.speed, 0), angular_velocity=-self.speed / 0.7
            )
            ball.create_shape(b2.Circle(0.7), rolling_resistance=factor, friction=0.8)
            self.balls.append(ball)

    def theory(self, factor: float) -> float:
        return 0.75 * self.speed**2 / (factor * 10)

    def draw(self, draw: b2.DrawList) -> None:
        for ball, factor in zip(self.balls, self.factors, strict=True):
            _, y = ball.position
            draw.text((-2.6, y - 0.2), f"{factor:.2f}")
            if factor:
                draw.line((self.theory(factor), y - 0.7), (self.theory(factor), y + 0.7), "red")

    def status(self) -> str:
        return f"resistance 0.20: {self.balls[6].position.x:.2f} m, theory {self.theory(0.2):.2f} m"


class Conveyor(Sample):
    """`tangent_speed` moves a surface. Belts carry boxes from one to the next and round again, while the static body
    itself does not move. A negative value of the slider reverses the belts."""

    name = "Conveyor belts"
    category = "Materials"
    camera = (-13, -1.5, 13, 14)
    frames = 240
    speed = Slider(3.0, -6.0, 6.0, unit="m/s")
    friction = Slider(0.8, 0.0, 1.5)

    def build(self, world: b2.World) -> None:
        walls(self, world, 12, 4)
        self.belts = []
        for k in range(4):
            side = (-1) ** k
            belt = world.create_static_body((2.0 * side, 2.5 + 2.4 * k), 0.05 * side)
            form = b2.Capsule((-8, 0), (8, 0), 0.25)
            self.belts.append((belt.create_shape(form), side))
        self.changed("")
        self.parcels = 0

    def changed(self, control: str) -> None:
        for belt, side in self.belts:
            belt.tangent_speed, belt.friction = -self.speed * side, self.friction

    def step(self, world: b2.World) -> None:
        if round(self.time * 60) % 30 == 0 and self.parcels < 40:
            size = 0.3 + 0.12 * (self.parcels * 7 % 4)
            parcel = world.create_dynamic_body((-3 + 4 * (self.parcels % 2), 12.5))
            parcel.create_shape(b2.Box(size, 0.8 * size))
            self.parcels += 1

    def draw(self, draw: b2.DrawList) -> None:
        for belt, side in self.belts:
            at = belt.body.position
            draw.arrow(at, at + (-1.5 * side * math.copysign(1, self.speed), 0), "yellow")


class MaterialPairs(Sample):
    """`world.set_material_pair(a, b, friction=...)` sets the friction between two materials and overrides the values of
    the shapes. Four materials lie on three tilting floors: ice, rubber and wood."""

    name = "Material pairs"
    category = "Materials"
    camera = (-12, -4, 12, 11)
    frames = 110
    names = {ICE: "ice", RUBBER: "rubber", WOOD: "wood", STEEL: "steel"}
    pairs = {
        (ICE, ICE): 0.02,
        (ICE, RUBBER): 0.15,
        (ICE, WOOD): 0.05,
        (ICE, STEEL): 0.03,
        (RUBBER, RUBBER): 1.1,
        (RUBBER, WOOD): 0.8,
        (RUBBER, STEEL): 0.7,
        (WOOD, WOOD): 0.4,
        (WOOD, STEEL): 0.3,
        (STEEL, STEEL): 0.5,
    }
    table = Toggle(True, label="use the table")

    def build(self, world: b2.World) -> None:
        self.floors = []
        for row, floor in enumerate((WOOD, RUBBER, ICE)):
            board = world.create_kinematic_body((0, 4 * row), angular_velocity=-0.22)
            board.create_shape(b2.Box(10, 0.15), material=floor)
            self.floors.append(board)
            for k, material in enumerate((ICE, RUBBER, WOOD, STEEL)):
                box = world.create_dynamic_body((-7 + 3.5 * k, 4 * row + 0.5))
                box.create_shape(b2.Box(0.6, 0.35), material=material, friction=0.3, data=material)
        self.changed("table")

    def changed(self, control: str) -> None:
        for (a, b), friction in self.pairs.items():
            if self.table:
                self.world.set_material_pair(a, b, friction=friction)
            else:
                self.world.remove_material_pair(a, b)

    def step(self, world: b2.World) -> None:
        for board in self.floors:
            if board.angle < -0.45:
                board.angular_velocity = 0

    def draw(self, draw: b2.DrawList) -> None:
        for shape in self.world.shapes:
            if shape.data:
                draw.text(shape.body.position + (-0.5, 0.5), self.names[shape.data])
        for board, floor in zip(self.floors, ("wood", "rubber", "ice"), strict=True):
            draw.text(board.position + (-11, 0.3), floor, "yellow")

    def status(self) -> str:
        return (
            f"slope {math.degrees(-self.floors[0].angle):.0f} degrees = friction {math.tan(-self.floors[0].angle):.2f}"
        )


class MixingRules(Sample):
    """The friction of a contact is mixed from two shapes by `world.friction_mixing`. Nine pairs of plank and box have
    frictions from 0.1 on 0.9 to 0.9 on 0.1. Choose a rule and watch which boxes slide."""

    name = "Mixing rules"
    category = "Materials"
    camera = (-13, -5, 13, 6)
    frames = 100
    rule = Choice("geometric", ("geometric", "arithmetic", "min", "max", "multiply"))
    pulling = Slider(4.3, 0.0, 10.0, unit="m/s^2", label="sideways gravity")

    def build(self, world: b2.World) -> None:
        self.boxes = []
        for k in range(9):
            mu = 0.1 + 0.1 * k
            world.create_static_body((0, 4.5 - 1.1 * k)).create_shape(b2.Box(11, 0.1), friction=1 - mu)
            box = world.create_dynamic_body((-8.5, 4.9 - 1.1 * k), can_sleep=False)
            box.create_shape(b2.Box(0.5, 0.3), friction=mu)
            self.boxes.append(box)
        self.changed("")

    def changed(self, control: str) -> None:
        self.world.friction_mixing = self.rule
        self.world.gravity = self.pulling, -10
        if self.time:
            for k, box in enumerate(self.boxes):
                box.position, box.linear_velocity = (-8.5, 4.9 - 1.1 * k), (0, 0)

    def draw(self, draw: b2.DrawList) -> None:
        for k, box in enumerate(self.boxes):
            contacts = [contact.friction for contact in box.contacts if contact.touching]
            mixed = f"{contacts[0]:.2f}" if contacts else "-"
            draw.text((-12.8, 4.6 - 1.1 * k), f"{0.1 + 0.1 * k:.1f} on {0.9 - 0.1 * k:.1f}")
            draw.text((11.3, 4.6 - 1.1 * k), mixed, "yellow")

    def status(self) -> str:
        return f"{self.rule}: a box slides if the mixed friction is below {self.pulling / 10:.2f}"


class DragRace(Sample):
    """Wheels whose motors have the same torque, on ground with different friction. Too much torque makes a wheel slip.
    The start is best where the torque over the radius equals friction times load."""

    name = "Drag race"
    category = "Materials"
    camera = (-6, -4, 54, 30)
    frames = 200
    torque = Slider(14.0, 1.0, 60.0, unit="N m", restart=True)
    grips = 0.05, 0.2, 0.4, 0.6, 0.8, 1.2

    def build(self, world: b2.World) -> None:
        self.cars = []
        for k, grip in enumerate(self.grips):
            y = 24 - 5 * k
            world.create_static_body((50, y - 0.1)).create_shape(b2.Box(58, 0.1), friction=grip)
            chassis = world.create_dynamic_body((0, y + 1.1))
            chassis.create_shape(
                b2.Polygon([(-1.8, -0.3), (2, -0.3), (1.6, 0.05), (0.2, 0.5), (-1.6, 0.5)]), density=1.5
            )
            joints = []
            for x in (-1.2, 1.2):
                wheel = world.create_dynamic_body((x, y + 0.6))
                wheel.create_shape(b2.Circle(0.6), density=1.0, friction=grip)
                joint = world.create_wheel_joint(
                    chassis,
                    wheel,
                    anchor=(x, y + 0.6),
                    axis=(0, 1),
                    hertz=5,
                    damping_ratio=0.8,
                    enable_motor=x < 0,
                    motor_speed=-60,
                    max_motor_torque=self.torque,
                )
                joints.append(joint)
            self.cars.append((chassis, joints[0]))

    def draw(self, draw: b2.DrawList) -> None:
        for (chassis, joint), grip in zip(self.cars, self.grips, strict=True):
            slip = -0.6 * joint.speed - chassis.linear_velocity.x
            draw.text(chassis.position + (-2, 1), f"friction {grip}: slip {max(slip, 0):.1f} m/s")

    def status(self) -> str:
        order = sorted(range(6), key=lambda k: -self.cars[k][0].position.x)
        return f"in front: the car with friction {self.grips[order[0]]} with {self.cars[order[0]][0].position.x:.1f} m"
