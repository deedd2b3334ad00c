"""Springs given by their stiffness and damping, in N/m and N s/m or N m/rad and N m s/rad, for every joint that has a
spring: static loads, periods, dampers, other masses and places, and reading either form."""

from __future__ import annotations

import itertools
import math
from typing import Any

import pytest

import box2dpy as b2

from ..stepping import advance

SOLVERS = ("iterative", "direct")
SPRINGS = [
    ("distance", ""), ("prismatic", ""), ("wheel", ""), ("pogo", ""), ("weld", "linear_"), ("motor", "linear_"),
    ("revolute", ""), ("rotary_spring", ""), ("weld", "angular_"), ("motor", "angular_"),
]  # fmt: skip
TURNS = {("revolute", ""), ("rotary_spring", ""), ("weld", "angular_"), ("motor", "angular_")}


def spring(
    world: b2.World,
    kind: str,
    prefix: str,
    stiffness: float,
    damping: float,
    *,
    size: float = 0.3,
    density: float = 2.0,
) -> tuple[b2.Body, Any]:
    """A body on a spring along x, or about its centre, at rest at 0. The body gets its mass after the joint."""
    # A torque on a small body would turn it by more than 45 degrees before its spring acts
    wall, body = world.create_static_body(), world.create_dynamic_body(allow_fast_rotation=True)
    options: dict[str, Any] = {f"{prefix}stiffness": stiffness, f"{prefix}damping": damping}
    if kind in ("weld", "motor", "prismatic", "wheel", "revolute"):
        options["anchor"] = 0, 0
    elif kind == "distance":
        options |= {"local_anchor_a": (-2, 0), "local_anchor_b": (0, 0), "length": 2.0}
    elif kind == "pogo":
        options |= {"frame_a": b2.Frame((-2, 0), 0.0), "frame_b": b2.Frame((0, 0), 0.0), "rest_length": 2.0}
    if kind == "motor":
        options |= {"max_spring_force": math.inf, "max_spring_torque": math.inf}
    joint = getattr(world, f"create_{kind}_joint")(wall, body, **options)
    body.create_shape(b2.Box(size, 0.5 * size), density=density)
    return body, joint


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize(("kind", "prefix"), SPRINGS)
def test_a_load_stretches_a_spring_by_its_stiffness_whatever_the_mass(solver: Any, kind: str, prefix: str) -> None:
    for stiffness, size in itertools.product((10.0, 100.0, 3000.0), (0.1, 0.5, 2.0)):
        with b2.World(gravity=(0, 0), joint_solver=solver, sleeping=False) as world:
            turns = (kind, prefix) in TURNS
            body, joint = spring(world, kind, prefix, stiffness, 0.0, size=size)
            setattr(joint, f"{prefix}damping", math.sqrt(stiffness * (body.inertia if turns else body.mass)))
            load = 0.1 * stiffness
            for _ in range(60 * 40 if size == 2.0 else 600):
                body.apply_torque(load) if turns else body.apply_force((load, 0))
                world.step()
            moved = body.angle if turns else body.position.x
            assert moved == pytest.approx(0.1, rel=2e-3), (stiffness, size)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize(("kind", "prefix"), SPRINGS)
def test_the_period_of_a_spring_follows_from_stiffness_and_mass(solver: Any, kind: str, prefix: str) -> None:
    for stiffness, density in itertools.product((5.0, 40.0), (0.5, 5.0)):
        with b2.World(gravity=(0, 0), joint_solver=solver, sleeping=False) as world:
            turns = (kind, prefix) in TURNS
            body, _ = spring(world, kind, prefix, stiffness, 0.0, density=density)
            wanted = math.tau * math.sqrt((body.inertia if turns else body.mass) / stiffness)
            if wanted < 0.15:
                continue
            if turns:
                body.angle = 0.1
            else:
                body.position = 0.1, 0
            path = []
            for _ in range(600):
                world.step()
                path.append(body.angle if turns else body.position.x)
            rises = [k + a / (a - b) for k, (a, b) in enumerate(itertools.pairwise(path)) if a < 0 <= b]
            period = (rises[-1] - rises[0]) / (len(rises) - 1) / 60
            assert period == pytest.approx(wanted, rel=5e-3), (stiffness, density)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize(("kind", "prefix"), SPRINGS)
def test_a_damper_alone_slows_as_its_damping_says(solver: Any, kind: str, prefix: str) -> None:
    with b2.World(gravity=(0, 0), joint_solver=solver, sleeping=False) as world:
        turns = (kind, prefix) in TURNS
        body, joint = spring(world, kind, prefix, 0.0, 1.0)
        assert getattr(joint, f"{prefix}stiffness") == 0.0
        setattr(joint, f"{prefix}damping", 1.5 * (body.inertia if turns else body.mass))
        if turns:
            body.angular_velocity = 1.0
        else:
            body.linear_velocity = 1.0, 0.0
        advance(world, 60, 1 / 60, 32)
        speed = body.angular_velocity if turns else body.linear_velocity.x
        assert speed == pytest.approx(math.exp(-1.5), rel=3e-3)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("gravity", [(0, -10), (-10, 0), (5, -8), (3, 3)])
def test_a_soft_weld_off_the_centre_is_as_stiff_in_all_directions(solver: Any, gravity: Any) -> None:
    with b2.World(gravity=gravity, joint_solver=solver, sleeping=False) as world:
        wall, body = world.create_static_body(), world.create_dynamic_body((1, 0.5))
        body.create_shape(b2.Box(1, 0.5))
        joint = world.create_weld_joint(
            wall, body, anchor=(0, 0), linear_stiffness=500, linear_damping=40, angular_stiffness=300,
            angular_damping=60,
        )  # fmt: skip
        advance(world, 1500)
        hook = body.world_point(joint.local_anchor_b)
        arm = body.world_center - hook
        for axis in range(2):
            assert hook[axis] == pytest.approx(body.mass * gravity[axis] / 500, abs=1e-5)
        assert joint.angle == pytest.approx(arm.cross(gravity) * body.mass / 300, abs=1e-5)


def test_a_spring_reads_in_either_form_and_takes_the_form_that_is_assigned() -> None:
    for kind, prefix in SPRINGS:
        with b2.World(gravity=(0, 0)) as world:
            body, joint = spring(world, kind, prefix, 50.0, 3.0)
            mass = body.inertia if (kind, prefix) in TURNS else body.mass
            omega = math.sqrt(50.0 / mass)

            def form(joint: Any = joint, prefix: str = prefix) -> list[float]:
                names = ("stiffness", "damping", "hertz", "damping_ratio")
                return [getattr(joint, prefix + name) for name in names]

            expected = [50.0, 3.0, omega / math.tau, 3.0 / (2 * mass * omega)]
            assert form() == pytest.approx(expected, rel=1e-5), kind
            body.mass *= 4  # scales the inertia, too: the stiffness stays
            assert form()[:2] == pytest.approx([50.0, 3.0])
            assert form()[2] == pytest.approx(0.5 * omega / math.tau, rel=1e-5)
            setattr(joint, f"{prefix}hertz", 2.0)  # the ratio stays as it was
            assert form()[3] == pytest.approx(3.0 / (4 * mass * omega), rel=1e-5)
            body.mass /= 4  # now hertz and ratio stay
            assert form()[0] == pytest.approx(mass * (2 * math.tau) ** 2, rel=1e-5)
            setattr(joint, f"{prefix}damping_ratio", 0.7)
            assert form() == pytest.approx(
                [mass * (2 * math.tau) ** 2, 2 * 0.7 * mass * 2 * math.tau, 2.0, 0.7], rel=1e-5
            )
            setattr(joint, f"{prefix}damping", 0.0)
            setattr(joint, f"{prefix}stiffness", 0.0)
            assert form() == [0.0, 0.0, 0.0, 0.0]


def test_one_form_at_a_time_and_only_numbers_from_0_on() -> None:
    with b2.World() as world:
        a, b = world.create_static_body(), world.create_dynamic_body()
        with pytest.raises(ValueError, match=r"stiffness=5 and hertz=2: give the spring in one of the two forms"):
            world.create_revolute_joint(a, b, anchor=(0, 0), hertz=2, stiffness=5)
        with pytest.raises(ValueError, match=r"angular_damping=5 and angular_damping_ratio=2: give"):
            world.create_weld_joint(a, b, anchor=(0, 0), angular_damping_ratio=2, angular_damping=5)
        for value in (-1, math.inf, math.nan, 1e31):
            with pytest.raises(ValueError, match="stiffness="):
                world.create_revolute_joint(a, b, anchor=(0, 0), stiffness=value)
        joint = world.create_wheel_joint(a, b, anchor=(0, 0), stiffness=5)
        assert joint.enable_spring
        for value in (-1.0, None, math.nan):
            with pytest.raises(ValueError, match="stiffness="):
                joint.stiffness = value  # type: ignore[assignment]
        assert joint.stiffness == 5.0
        weld = world.create_weld_joint(a, b, anchor=(0, 0), linear_stiffness=0.0, linear_damping=0.0)
        assert weld.linear_hertz == 0.0  # rigid, as without a spring


def test_copies_files_and_strategies_keep_the_bits_of_such_springs() -> None:
    def build(**options: Any) -> b2.World:
        world = b2.World(**options)
        ground = world.create_static_body((0, -3))
        ground.create_shape(b2.Box(20, 0.5))
        for k, (kind, prefix) in enumerate(SPRINGS):
            body, _ = spring(world, kind, prefix, 30.0 + k, 2.0)
            body.linear_velocity = 0.1 * k, -1
            other = world.create_dynamic_body((2.0 + k, 0))
            other.create_shape(b2.Box(0.4, 0.2))
            world.create_distance_joint(
                body, other, local_anchor_a=(0.1, 0.1), local_anchor_b=(0.3, 0.1), stiffness=20.0, damping=0.5
            )
        return world

    with build() as world:
        advance(world, 20)
        with world.clone() as clone, b2.World.from_snapshot(world.snapshot()) as loaded:
            for _ in range(40):
                for each in (world, clone, loaded):
                    each.step()
            assert clone.state_hash() == loaded.state_hash() == world.state_hash()
        world.validate()
        wanted = world.state_hash()
    for options in (
        *({"simd": simd} for simd in b2.cpu_features()),
        *({"workers": 2}, {"broadphase": "brute"}, {"schedule": "batches"}, {"narrowphase": "per_pair"}),
    ):
        with build(**options) as world:
            advance(world, 60)
            assert world.state_hash() == wanted, options
    with build() as world, b2.WorldBatch(world, 3, workers=2) as batch:
        advance(batch, 60)
        assert {int(each) for each in batch.state_hash()} == {wanted}
    with build() as world, b2.World.from_dict(world.to_dict()) as level:
        assert level.to_dict() == world.to_dict()
        advance(level, 60)
        assert level.state_hash() == wanted
