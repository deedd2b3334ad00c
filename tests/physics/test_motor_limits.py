"""A motor that drives towards a limit of its joint ends there, however strong and fast it is."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest

import box2dpy as b2

KINDS = ("revolute", "prismatic", "distance")
SOLVERS = ("iterative", "direct")
STRENGTHS = (1.0, 100.0, 1e4, 1e9, 1e20)
SPEEDS = (0.2, 2.0, 20.0, -0.2, -20.0)
STEPS = ((1 / 60, 4), (1 / 60, 1), (1 / 30, 4), (1 / 240, 8))


class Machine:
    """A body of mass 0.4 times the scale squared on a base, which moves by the joint from -0.5 to 0.5."""

    def __init__(
        self,
        world: b2.World,
        kind: str,
        solver: str,
        *,
        scale: float = 1.0,
        flip: bool = False,
        free: bool = False,
        at: tuple[float, float] = (0, 0),
        **motor: float,
    ) -> None:
        base = world.create_dynamic_body(at) if free else world.create_static_body(at)
        base.create_shape(b2.Box(0.5 * scale, 0.5 * scale), filter=b2.Filter(mask=0))
        body = world.create_dynamic_body((at[0] + scale, at[1]))
        body.create_shape(b2.Box(scale, 0.1 * scale), filter=b2.Filter(mask=0))
        self.body, self.kind, self.scale = body, kind, scale
        pair = (body, base) if flip else (base, body)
        if kind == "revolute":
            self.joint: b2.Joint = world.create_revolute_joint(
                *pair, anchor=at, lower_angle=-0.5, upper_angle=0.5, motor_speed=motor["speed"],
                max_motor_torque=motor["strength"], joint_solver=solver,
            )  # fmt: skip
        elif kind == "prismatic":
            self.joint = world.create_prismatic_joint(
                *pair, anchor=body.position, axis=(1, 0), lower_translation=-0.5, upper_translation=0.5,
                motor_speed=motor["speed"], max_motor_force=motor["strength"], joint_solver=solver,
            )  # fmt: skip
        else:
            self.joint = world.create_distance_joint(
                *pair, local_anchor_a=(0, 0), local_anchor_b=(0, 0), min_length=scale - 0.5, max_length=scale + 0.5,
                enable_limit=True, hertz=0, enable_spring=True, motor_speed=motor["speed"],
                max_motor_force=motor["strength"], joint_solver=solver,
            )  # fmt: skip

    @property
    def coordinate(self) -> float:
        if isinstance(self.joint, b2.RevoluteJoint):
            return self.joint.angle
        if isinstance(self.joint, b2.PrismaticJoint):
            return self.joint.translation
        assert isinstance(self.joint, b2.DistanceJoint)
        return self.joint.current_length - self.scale


def cases() -> Iterator[tuple[str, str, float, float, bool, bool]]:
    return itertools.product(KINDS, SOLVERS, STRENGTHS, SPEEDS, (False, True), (False, True))


@pytest.mark.parametrize(("dt", "substeps"), STEPS)
@pytest.mark.parametrize("scale", [0.6, 1.0, 20.0])
def test_no_motor_pushes_through_a_limit(dt: float, substeps: int, scale: float) -> None:
    with b2.World(gravity=(0, 0), sleeping=False) as world:
        machines = [
            (Machine(world, kind, solver, scale=scale, flip=flip, free=free, at=(100.0 * n, 0), strength=strength,
                     speed=speed), speed, strength)
            for n, (kind, solver, strength, speed, flip, free) in enumerate(cases())
        ]  # fmt: skip
        for _ in range(round(3 / dt)):
            world.step(dt, substeps)
            for machine, speed, _ in machines:  # an arrival may overshoot by a substep of its motion
                assert abs(machine.coordinate) < 0.501 + abs(speed) * dt / substeps
        for machine, speed, strength in machines:
            if strength >= 1e9:  # has arrived
                assert machine.coordinate == pytest.approx(0.5 if speed > 0 else -0.5, abs=1e-3)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("side", [-1, 1])
def test_a_motor_holds_against_a_load_that_pulls_away_from_the_limit(kind: str, solver: str, side: int) -> None:
    with b2.World(gravity=(0, 0), sleeping=False) as world:
        machine = Machine(world, kind, solver, speed=2.0 * side, strength=10.0)
        for step in range(240):
            load = 9.0 if step >= 60 else 0.0
            if kind == "revolute":
                machine.body.apply_torque(-side * load)
            else:
                machine.body.apply_force((-side * load, 0))
            world.step()
        assert machine.coordinate == pytest.approx(0.5 * side, abs=1e-3)
        joint = machine.joint
        assert isinstance(joint, (b2.RevoluteJoint, b2.PrismaticJoint, b2.DistanceJoint))
        effort = joint.motor_torque if isinstance(joint, b2.RevoluteJoint) else joint.motor_force
        assert effort == pytest.approx(9.0 * side, rel=1e-2)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("strength", [10.0, 1e9])
def test_a_joint_outside_its_limits_returns_though_its_motor_drives_on(kind: str, solver: str, strength: float) -> None:
    with b2.World(gravity=(0, 0), sleeping=False) as world:
        machine = Machine(world, kind, solver, speed=2.0, strength=strength)
        for _ in range(60):
            world.step()
        joint = machine.joint
        if isinstance(joint, b2.RevoluteJoint):
            joint.upper_angle = 0.3
        elif isinstance(joint, b2.PrismaticJoint):
            joint.upper_translation = 0.3
        elif isinstance(joint, b2.DistanceJoint):
            joint.max_length = 1.3
        for _ in range(60):
            world.step()
        assert machine.coordinate == pytest.approx(0.3, abs=1e-3)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_motor_between_limits_brakes_and_drives_as_before(kind: str, solver: str) -> None:
    """Far from the limits the speed and the bound of the force are exact, and a brake holds with either sign."""
    with b2.World(gravity=(0, 0), sleeping=False) as world:
        for speed, load in ((0.1, 0.0), (-0.1, 0.0), (0.0, 5.0), (0.0, -5.0)):
            machine = Machine(world, kind, solver, at=(10 * speed, 7 * load), speed=speed, strength=10.0)
            for _ in range(120):
                if kind == "revolute":
                    machine.body.apply_torque(load)
                else:
                    machine.body.apply_force((load, 0))
                world.step()
            assert machine.coordinate == pytest.approx(2 * speed, abs=1e-2)
