"""Bodies: types, forces, damping, locks, sleep."""

from __future__ import annotations

import math

import box2dpy as b2

from ._sample import Button, Sample, Slider, Toggle


class BodyTypes(Sample):
    """Static bodies never move, kinematic ones follow their velocity whatever they meet, dynamic ones obey forces.
    The platform changes the type it has with the buttons."""

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
    """Linear damping slows bodies down like thick air: v' = -d v. Ten discs start alike with damping 0 to 4.5 a second;
    each glides v / d in the end."""

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
        return f"damping 4.5: {last:.3f} m of {self.speed / 4.5:.3f} m that theory allows"
