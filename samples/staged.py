"""Staged steps: contacts and constraints that the program makes in numpy, between the parts of a step."""

from __future__ import annotations

import numpy as np

import box2dpy as b2

from ._sample import Sample, Slider


class OwnConstraints(Sample):
    """A rope and a gear that the engine does not know. In each substep the program changes velocities so that the bob
    stays within the rope, and the small wheel turns against the large one. `world.connect` tells the engine that the
    wheels sleep and wake together."""

    name = "Own rope and gear"
    category = "Joints"
    camera = (-6, -4, 8, 6)
    length = Slider(3.0, 1.0, 4.0, unit="m")

    def build(self, world: b2.World) -> None:
        ground = world.create_static_body()
        self.bob = world.create_dynamic_body((0, 4))
        self.bob.create_shape(b2.Circle(0.3))
        self.wheels = [world.create_dynamic_body((x, 0)) for x in (3, 6)]
        for wheel, radius in zip(self.wheels, (2, 1), strict=True):
            wheel.create_shape(b2.Box(radius, 0.1))
            wheel.create_shape(b2.Box(0.1, radius))
            world.create_revolute_joint(ground, wheel, anchor=wheel.position)
        world.connect(*self.wheels)
        self.wheels[0].angular_velocity = 1.0

    def advance(self, world: b2.World, dt: float, substeps: int) -> None:
        large, small = (wheel.index for wheel in self.wheels)
        with world.staged_step(dt, substeps) as step:
            for _ in step.substeps():
                # The rope: the speed with which it would end too long
                d = step.world_center[self.bob.index] - (-3, 4)
                length = np.hypot(*d)
                n, v = d / length, step.linear_velocity[self.bob.index]
                excess = v @ n + (length - self.length) / step.substep_dt
                if excess > 0 and step.inverse_mass[self.bob.index] > 0:
                    v -= (excess * n).astype(np.float32)
                # The gear: w_large + w_small / 2 = 0
                w, inverse = step.angular_velocity, step.inverse_inertia
                mass = inverse[large] + inverse[small] / 4
                if mass > 0:
                    impulse = -(w[large] + w[small] / 2) / mass
                    w[large] += inverse[large] * impulse
                    w[small] += inverse[small] * impulse / 2

    def status(self) -> str:
        distance = np.hypot(*(np.array(self.bob.position) - (-3, 4)))
        speeds = [wheel.angular_velocity for wheel in self.wheels]
        return f"rope {distance:.3f} m\nwheels {speeds[0]:.2f}, {speeds[1]:.2f} rad/s"


class SineTerrain(Sample):
    """Balls on the ground y = sin(x), which is a formula in numpy and no shape. The contacts are added to each step,
    with the impulses of the step before, so that the balls rest without creeping."""

    name = "Terrain by a formula"
    category = "Collision"
    camera = (-10, -3, 10, 6)
    radius = 0.25

    def build(self, world: b2.World) -> None:
        count = max(4, int(60 * self.scale))
        spots = np.stack([np.linspace(-9, 9, count), 3 + np.arange(count) % 3], axis=1)
        self.balls = world.create_bodies(spots, geometry=b2.Circle(self.radius)).indices
        self.impulses = np.zeros((3, self.balls.max() + 1), np.float32)

    def advance(self, world: b2.World, dt: float, substeps: int) -> None:
        x, y = world.arrays.position[self.balls].T
        foot = x.copy()
        for _ in range(6):  # Newton's method for the nearest point of the curve
            slope = np.cos(foot)
            foot -= (foot - x + (np.sin(foot) - y) * slope) / (1.2 + slope**2)
        toward = np.stack([foot - x, np.sin(foot) - y], axis=1)
        distance = np.hypot(*toward.T)
        near = distance < self.radius + 0.05
        rows = b2.new_contacts(int(near.sum()))
        rows["body_a"], rows["normal"] = self.balls[near], toward[near] / distance[near, None]
        rows["point"] = np.stack([foot, np.sin(foot)], axis=1)[near]
        rows["separation"] = distance[near] - self.radius
        rows["radius_a"], rows["rolling_resistance"] = self.radius, 0.05
        names = ("normal_impulse", "tangent_impulse", "rolling_impulse")
        for name, values in zip(names, self.impulses, strict=True):
            rows[name] = values[rows["body_a"]]
        with world.staged_step(dt, substeps) as step:
            step.add_contacts(rows)
        self.impulses[:] = 0
        for name, values in zip(names, self.impulses, strict=True):
            values[rows["body_a"]] = step.added_contacts[name]

    def draw(self, draw: b2.DrawList) -> None:
        x = np.linspace(-12, 12, 200)
        draw.path(np.stack([x, np.sin(x)], axis=1), "green")
