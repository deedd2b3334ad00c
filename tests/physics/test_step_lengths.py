"""Steps of different lengths, as the frames of a game: from 1e-9 to 0.25 s in any order."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
import pytest

import box2dpy as b2
from box2dpy._world.options import Simd

from ..seeds import draws
from ..stepping import advance
from ..sweeps import part

FRAME = 1 / 60


# ---- sequences of steps


def repeated(*lengths: float) -> Iterator[float]:
    return itertools.cycle(lengths)


def drawn(seed: int, least: float = 1e-9, most: float = 0.25) -> Iterator[float]:
    chance = draws(seed)
    while True:
        yield math.exp(chance.uniform(math.log(least), math.log(most)))


def chosen(seed: int, *lengths: float) -> Iterator[float]:
    chance = draws(seed)
    while True:
        yield chance.choice(lengths)


def ramp(factor: float, most: float = 0.25) -> Iterator[float]:
    """Down to 1e-9 s and up again."""
    while True:
        length = most
        while length >= 1e-9:
            yield length
            length /= factor
        while length < most / factor:
            length *= factor
            yield max(length, 1e-9)


def first(length: float, count: int, then: float = FRAME) -> Iterator[float]:
    yield from [length] * count
    yield from repeated(then)


SEQUENCES: dict[str, Callable[[], Iterator[float]]] = {
    **{f"{a:g} and {b:.3g}": partial(repeated, a, b) for a in (1e-9, 1e-6, 1e-3) for b in (FRAME, 0.1, 0.25)},
    **{f"every tenth {a:g}": partial(repeated, *[FRAME] * 9, a) for a in (1e-9, 1e-7, 1e-5, 1e-4, 1e-3)},
    **{f"nine of ten {a:g}": partial(repeated, FRAME, *[a] * 9) for a in (1e-9, 1e-7, 1e-5, 1e-4)},
    **{f"drawn {k}": partial(drawn, k) for k in range(4)},
    **{f"drawn below a frame {k}": partial(drawn, k, most=FRAME) for k in range(2)},
    **{f"hitches {k}": partial(chosen, k, *[FRAME] * 20, 0.25) for k in range(2)},
    "hitches at 240 Hz": partial(chosen, 1, *[1 / 240] * 80, 0.25),
    "all lengths": partial(chosen, 1, 1e-9, 1e-6, 1e-4, 1 / 240, FRAME, 1 / 30, 0.1, 0.25),
    **{f"ramp by {factor:g}": partial(ramp, factor) for factor in (1.2, 2, 10)},
    **{f"only {length:.3g}": partial(repeated, length) for length in (0.25, 0.1, 1 / 30, 1 / 240)},
    **{f"{n} of {a:g} first": partial(first, a, n) for a in (1e-9, 1e-5) for n in (1, 5)},
    "displays": partial(chosen, 1, FRAME, 1 / 75, 1 / 90, 1 / 144, 1 / 240),
    "late frames": partial(chosen, 1, 1 / 75, FRAME, 1 / 50),
}


def lengths(name: str, seconds: float, most: int) -> Iterator[float]:
    total = 0.0
    for _, length in zip(range(most), SEQUENCES[name](), strict=False):
        yield length
        total += length
        if total >= seconds:
            break


# ---- scenes at rest


def floor(world: b2.World, unit: float) -> None:
    world.create_static_body((0, -unit)).create_shape(b2.Box(60 * unit, unit))


def stack(count: int, half: float = 0.5, top: float = 1) -> Callable[[b2.World, float], None]:
    def build(world: b2.World, unit: float) -> None:
        floor(world, unit)
        for k in range(count):
            body = world.create_dynamic_body((0, (2 * k + 1) * half * unit))
            body.create_shape(b2.Box(half * unit, half * unit), density=top if k == count - 1 else 1)

    return build


def pyramid(world: b2.World, unit: float) -> None:
    floor(world, unit)
    for row in range(8):
        for k in range(8 - row):
            world.create_dynamic_body(((k + row / 2) * unit, (row + 0.5) * unit)).create_shape(
                b2.Box(0.45 * unit, 0.5 * unit)
            )


def slope(world: b2.World, unit: float) -> None:
    """Boxes that friction holds, discs that rolling resistance holds."""
    c, s = math.cos(0.35), math.sin(0.35)
    world.create_static_body((0, 0), 0.35).create_shape(b2.Box(20 * unit, 0.5 * unit), friction=0.9)
    for k, along in enumerate((-6, -3, 0, 3)):
        body = world.create_dynamic_body(((along * c - s) * unit, (along * s + c) * unit), 0.35)
        if k % 2:
            body.create_shape(b2.Box(0.5 * unit, 0.5 * unit), friction=0.9)
        else:
            body.create_shape(b2.Circle(0.5 * unit), friction=0.9, rolling_resistance=1.0)


def hanging(count: int, load: float = 1) -> Callable[[b2.World, float], None]:
    def build(world: b2.World, unit: float) -> None:
        last: b2.Body = world.create_static_body((0, 0))
        for k in range(count):
            body = world.create_dynamic_body((0, -(k + 0.5) * unit))
            body.create_shape(b2.Box(0.1 * unit, 0.5 * unit), density=load if k == count - 1 else 1)
            world.create_revolute_joint(last, body, anchor=(0, -k * unit))
            last = body

    return build


def machines(world: b2.World, unit: float) -> None:
    """One of each kind of row that can hold a weight."""
    base = world.create_static_body()

    def crate(x: float, y: float = 5) -> b2.Body:
        body = world.create_dynamic_body((x * unit, y * unit))
        body.create_shape(b2.Box(0.5 * unit, 0.5 * unit))
        return body

    weight = 10 * unit * unit**2  # of a crate, N
    strong = 20 * weight
    up, at = (0, 1), 5 * unit
    world.create_prismatic_joint(base, crate(0), anchor=(0, at), axis=up, motor_speed=0, max_motor_force=strong)
    world.create_prismatic_joint(
        base, crate(3), anchor=(3 * unit, at), axis=up, lower_translation=0, upper_translation=unit
    )
    world.create_revolute_joint(base, crate(7), anchor=(6 * unit, at), motor_speed=0, max_motor_torque=strong * unit)
    world.create_revolute_joint(base, crate(11), anchor=(10 * unit, at), lower_angle=0, upper_angle=0.5)
    world.create_distance_joint(
        base, crate(14), local_anchor_a=(14 * unit, 8 * unit), local_anchor_b=(0, 0), hertz=3, damping_ratio=1
    )
    world.create_distance_joint(base, crate(17), local_anchor_a=(17 * unit, 8 * unit), local_anchor_b=(0, 0))
    world.create_motor_joint(
        base, crate(20), local_anchor_a=(20 * unit, at), local_anchor_b=(0, 0), linear_hertz=4,
        linear_damping_ratio=1, max_spring_force=strong, angular_hertz=4, angular_damping_ratio=1,
        max_spring_torque=strong * unit,
    )  # fmt: skip
    world.create_weld_joint(
        base, crate(24), anchor=(23 * unit, at), angular_hertz=3, angular_damping_ratio=1, linear_hertz=5,
        linear_damping_ratio=1,
    )  # fmt: skip
    first_crate, second_crate = crate(27), crate(31)
    world.create_pulley_joint(
        first_crate, second_crate, local_anchor_a=(0, 0), local_anchor_b=(0, 0),
        ground_anchor_a=(27 * unit, 9 * unit), ground_anchor_b=(31 * unit, 9 * unit),
    )  # fmt: skip
    world.create_mover_joint(base, crate(34), linear_velocity=(0, 0), max_velocity_force=(strong, strong))
    last = base
    for k in range(5):
        plank = world.create_dynamic_body(((40 + k + 0.5) * unit, at))
        plank.create_shape(b2.Box(0.5 * unit, 0.1 * unit))
        world.create_weld_joint(last, plank, anchor=((40 + k) * unit, at))
        last = plank


def rigid_figures(world: b2.World, unit: float) -> None:
    """Joints of one pass: a beam, a bridge with a load, and men who stand."""
    wall = world.create_static_body()

    def beam(start: float, count: int, height: float, weld: bool) -> b2.Body:
        last: b2.Body = wall
        for k in range(count):
            body = world.create_dynamic_body(((start + k + 0.5) * unit, height * unit), linear_damping=2)
            body.create_shape(b2.Box(0.5 * unit, 0.1 * unit))
            join = world.create_weld_joint if weld else world.create_revolute_joint
            join(last, body, anchor=((start + k) * unit, height * unit), joint_solver="iterative")
            last = body
        return last

    floor(world, unit)
    beam(0, 3, 5, weld=True)
    end = beam(10, 8, 5, weld=False)
    world.create_revolute_joint(end, wall, anchor=(18 * unit, 5 * unit), joint_solver="iterative")
    world.create_dynamic_body((14 * unit, 5.5 * unit)).create_shape(b2.Box(0.4 * unit, 0.4 * unit))
    for x in (-3, -6):
        trunk, *legs = (world.create_dynamic_body(((x + dx) * unit, y * unit)) for dx, y in
                        ((0, 1.2), (-0.2, 0.45), (0.2, 0.45)))  # fmt: skip
        trunk.create_shape(b2.Box(0.3 * unit, 0.4 * unit), filter=b2.Filter(group=x))
        for leg, dx in zip(legs, (-0.2, 0.2), strict=True):
            leg.create_shape(b2.Box(0.12 * unit, 0.45 * unit), filter=b2.Filter(group=x))
            world.create_revolute_joint(
                trunk, leg, anchor=((x + dx) * unit, 0.85 * unit), joint_solver="iterative", enable_limit=True,
                lower_angle=-0.3, upper_angle=0.3,
            )  # fmt: skip


def bin_of_boxes(world: b2.World, unit: float) -> None:
    chance = draws(3)
    floor(world, unit)
    for x in (-2.6, 2.6):
        world.create_static_body((x * unit, 8 * unit)).create_shape(b2.Box(0.5 * unit, 9 * unit))
    for k in range(30):
        at = ((0.9 * (k % 4) - 1.4) * unit, (0.5 + 0.9 * (k // 4)) * unit)
        world.create_dynamic_body(at, chance.uniform(0, 0.3)).create_shape(b2.Box(0.3 * unit, 0.3 * unit))


REST = {
    "stack of 8": stack(8),
    "stack of 15": stack(15),
    "stack of boxes of 10 cm": stack(6, half=0.05),
    "10 : 1": stack(4, top=10),
    "pyramid": pyramid,
    "slope": slope,
    "chain": hanging(10),
    "chain with a load": hanging(10, load=50),
    "machines": machines,
    "rigid figures": rigid_figures,
    "bin": bin_of_boxes,
}


def settled(name: str, unit: float = 1, substeps: int = 4, slant: float = 0) -> b2.World:
    world = b2.World(length_unit=unit, gravity=(slant * unit, -10 * unit), sleeping=False)
    REST[name](world, unit)
    advance(world, 600, FRAME, substeps)
    return world


@pytest.mark.parametrize("unit", [1, 30])
@pytest.mark.parametrize("name", REST)
def test_what_rests_stays(name: str, unit: float) -> None:
    """One step of 1e-8 s threw a stack up by 34 m."""
    with settled(name, unit) as world:
        bodies = [body.index for body in world.bodies]
        before = world.arrays.position[bodies]
        worst, where = 0.0, ""
        for sequence in SEQUENCES:
            with world.clone() as other:
                for length in lengths(sequence, 3.0, 120):
                    other.step(length)
                    moved = float(abs(other.arrays.position[bodies] - before).max()) / unit
                    if not moved <= worst:
                        worst, where = moved, sequence
        assert worst < 0.01, where


@pytest.mark.parametrize("name", ["stack of 8", "10 : 1", "slope", "chain", "machines"])
def test_what_rests_stays_with_more_substeps_in_some_steps(name: str) -> None:
    with settled(name) as world:
        bodies = [body.index for body in world.bodies]
        before = world.arrays.position[bodies]
        for sequence in SEQUENCES:
            chance = draws(list(SEQUENCES).index(sequence))
            with world.clone() as other:
                for length in lengths(sequence, 2.0, 80):
                    other.step(length, chance.choice((4, 5, 8, 16)))
                    assert float(abs(other.arrays.position[bodies] - before).max()) < 0.01, sequence


PILES = ("stack of 8", "stack of 15", "10 : 1", "pyramid", "slope", "rigid figures", "bin")
FEW = list(itertools.product(PILES, ((1, 0.1, 0), (2, 1, 0), (3, 10, 1), (1, 1, -1), (5, 1, 0), (7, 0.1, 1))))


@pytest.mark.parametrize(("name", "how"), part(FEW, 0.5))
def test_what_rests_stays_with_any_number_of_substeps(name: str, how: tuple[int, float, float]) -> None:
    """Contacts are softer in long substeps, so each short one threw a stack of ten up: by 0.29 m at 1.4 m/s."""
    substeps, unit, slant = how
    with settled(name, unit, substeps, slant) as world:
        bodies = [body.index for body in world.bodies]
        before = world.arrays.position[bodies]
        for sequence in SEQUENCES:
            with world.clone() as other:
                for length in lengths(sequence, 3.0, 120):
                    other.step(length, substeps)
                    assert float(abs(other.arrays.position[bodies] - before).max()) < 0.01 * unit, sequence
                    assert float(abs(other.arrays.linear_velocity[bodies]).max()) < 0.1 * unit, sequence


@pytest.mark.parametrize("name", PILES)
def test_one_step_with_fewer_substeps_moves_nothing(name: str) -> None:
    for usual, once in itertools.product((4, 8), (1, 2)):
        with settled(name, substeps=usual) as world:
            before = world.arrays.position
            for k in range(240):
                world.step(FRAME, once if k % 60 == 20 else usual)
                assert float(abs(world.arrays.position - before).max()) < 0.002, (usual, once)


@pytest.mark.parametrize("name", [name for name in PILES if name != "bin"])  # whose boxes find other places
def test_what_rests_stays_where_the_numbers_of_substeps_let_it_rest(name: str) -> None:
    """In any order: between the places where it is with the fewest and the most, and slowly."""
    rests = []
    for substeps in (8, 4, 2, 1):
        with settled(name, substeps=substeps) as world:
            rests.append(world.arrays.position)
    for start, (few, many) in itertools.product((0, 1, 3), ((1, 8), (2, 8))):
        chance = draws(start)
        some = rests[: 4 if few == 1 or start == 3 else 3]
        least, most = np.min(some, 0) - 0.01, np.max(some, 0) + 0.01
        with settled(name, substeps=(8, 4, 2, 1)[start]) as world:
            for _ in range(600):
                world.step(FRAME, chance.choice(range(few, many + 1)))
                position = world.arrays.position
                assert (position > least).all() and (position < most).all(), (start, few)


# ---- scenes in motion


def chain(count: int, half: float = 0.5, kick: float = 0, load: float = 1) -> Callable[[], b2.World]:
    def build() -> b2.World:
        world = b2.World()
        last: b2.Body = world.create_static_body()
        for k in range(count):
            link = world.create_dynamic_body(((2 * k + 1) * half, 0), linear_velocity=(0, kick * k))
            link.create_shape(b2.Box(half, half / 5), density=load if k == count - 1 else 1, filter=b2.Filter(group=-1))
            world.create_revolute_joint(last, link, anchor=(2 * k * half, 0))
            last = link
        return world

    return build


def torn() -> b2.World:
    """Velocities that the joints forbid: the first step stops them."""
    world = chain(8)()
    for k, body in enumerate(list(world.bodies)[1:]):
        body.linear_velocity = (3 * (-1) ** k, 5 * (k % 3))
    return world


CHAINS = {
    "10": chain(10),
    "20": chain(20),
    "10, thrown": chain(10, kick=4),
    "10 of 10 cm": chain(10, half=0.05),
    "10 with a load": chain(10, load=20),
    "3, thrown": chain(3, kick=8),
    "3 of 20 cm": chain(3, half=0.1),
    "pendulum": chain(1),
    "torn": torn,
}


def fastest(world: b2.World, steps: Iterator[float]) -> float:
    most = 0.0
    with world:
        for length in steps:
            world.step(length)
            velocity = world.arrays.linear_velocity
            most = max(most, float((velocity**2).sum(1).max()) ** 0.5)
    return most


@pytest.mark.parametrize("name", CHAINS)
def test_no_chain_swings_faster_than_at_a_constant_length(name: str) -> None:
    """With every tenth step of 1e-5 s a chain of ten reached 423 m/s."""
    usual = fastest(CHAINS[name](), itertools.repeat(FRAME, 300))
    speeds = {sequence: fastest(CHAINS[name](), lengths(sequence, 5.0, 3000)) for sequence in SEQUENCES}
    worst = max(speeds, key=lambda sequence: speeds[sequence])
    assert speeds[worst] < 1.3 * usual, worst


def test_an_impact_in_the_first_moment_gives_no_more_speed_than_later() -> None:
    """Boxes that fly against the floor and each other. With a first step of 1e-9 s they left at 311 m/s."""

    def rebound(steps: Iterator[float]) -> float:
        with b2.World() as world:
            floor(world, 1)
            boxes = [world.create_dynamic_body((0, 0.5 + k), linear_velocity=(0, -4 - k)) for k in range(8)]
            for body in boxes:
                body.create_shape(b2.Box(0.5, 0.5))
            most = 0.0
            for _, length in zip(range(25), steps, strict=False):
                world.step(length)
                most = max(most, *(body.linear_velocity.y for body in boxes))
            return most

    for then in (FRAME, 0.25):
        usual = rebound(repeated(then))
        for length, count in itertools.product((1e-9, 1e-6, 1e-4), (1, 3)):
            assert rebound(first(length, count, then)) < max(1.2 * usual, 11.0)  # the fastest box has 11


def test_a_wheel_and_a_pendulum_turn_in_long_steps_as_in_short_ones() -> None:
    """A body turns by 45 degrees in 1/60 s at most, and by as much in each 1/60 s of a longer step."""

    def speeds(length: float) -> tuple[float, float, float]:
        with b2.World(gravity=(0, 0)) as world:
            base = world.create_static_body()
            wheel = world.create_dynamic_body((1, 0), angular_velocity=30)
            wheel.create_shape(b2.Circle(0.4))
            world.create_revolute_joint(base, wheel, anchor=(1, 0))
            arm = world.create_dynamic_body((5, 0), angular_velocity=20, linear_velocity=(0, 20))
            arm.create_shape(b2.Box(1, 0.1))
            world.create_revolute_joint(base, arm, anchor=(4, 0))
            for _ in range(round(2 / length)):
                world.step(length)
                assert math.dist(arm.position, (4, 0)) == pytest.approx(1, abs=0.02)
            return wheel.angular_velocity, wheel.angle + math.tau * wheel.turns, arm.angular_velocity

    usual = speeds(FRAME)
    assert usual[:2] == pytest.approx((30, 60), rel=1e-3)
    for length in (1 / 30, 0.05, 0.1, 0.25):
        assert speeds(length) == pytest.approx(usual, rel=0.01)


# ---- what is read and kept


@pytest.mark.parametrize("name", ["stack of 8", "chain", "machines"])
def test_forces_in_short_steps_are_those_of_long_ones(name: str) -> None:
    def forces(world: b2.World, substep: float) -> list[float]:
        loads = [math.hypot(*joint.constraint_force) for joint in world.joints]
        return loads + [point.normal_impulse / substep for contact in world.contacts for point in contact.points]

    with settled(name) as world:
        usual = forces(world, FRAME / 4)
        for length in (1e-9, 1e-7, 1e-5, 1e-3, FRAME, 0.25, 1e-9, 1e-9, 0.1, 1e-6):
            world.step(length)
            count = 4 if length < 0.02 else 4 * math.ceil(60 * length - 1e-3)
            assert forces(world, length / count) == pytest.approx(usual, rel=0.02, abs=0.05)


@pytest.mark.parametrize("length", [1e-9, 1e-6, 1e-3, 0.25])
@pytest.mark.parametrize("name", ["stack of 8", "slope", "chain", "machines"])
def test_what_sleeps_through_steps_of_another_length_wakes_with_its_loads(name: str, length: float) -> None:
    with settled(name) as world:
        world.sleeping = True
        for body in world.bodies:
            body.awake = False
        joints = [math.hypot(*joint.constraint_force) for joint in world.joints]
        before = world.arrays.position
        advance(world, 20, length)
        assert [math.hypot(*joint.constraint_force) for joint in world.joints] == pytest.approx(joints, rel=1e-4)
        for body in world.bodies:
            body.awake = True
        world.sleeping = False
        advance(world, 30, FRAME)
        assert float(abs(world.arrays.position - before).max()) < 0.002


def mixed_world(length: float) -> b2.World:
    """A stack, a swinging chain with a load and a box that falls, after steps of two lengths."""
    world = b2.World()
    stack(5)(world, 1)
    last: b2.Body = world.create_static_body((20, 5))
    for k in range(6):
        link = world.create_dynamic_body((20.5 + k, 5))
        link.create_shape(b2.Box(0.5, 0.1), density=40 if k == 5 else 1)
        world.create_revolute_joint(last, link, anchor=(20 + k, 5), enable_limit=True, lower_angle=-1, upper_angle=1)
        last = link
    world.create_dynamic_body((5, 3), 0.3).create_shape(b2.Box(0.3, 0.3), rolling_resistance=0.1, restitution=0.3)
    for step in range(30):
        world.step(length if step % 7 == 3 else FRAME)
    return world


def test_saved_copied_and_staged_worlds_go_on_the_same() -> None:
    steps = list(zip(lengths("drawn 1", 4.0, 60), itertools.cycle((4, 1, 8, 2)), strict=False))
    with mixed_world(1e-7) as world, b2.World() as restored, mixed_world(1e-7) as staged:
        restored.restore(world.save())
        with world.clone() as clone:
            for length, substeps in steps:
                for each in (world, restored, clone):
                    each.step(length, substeps)
                with staged.staged_step(length, substeps) as step:
                    for _ in step.substeps():
                        pass
                hashes = {each.state_hash() for each in (world, restored, clone, staged)}
                assert len(hashes) == 1


def test_worlds_of_a_batch_keep_the_lengths_of_their_own_steps() -> None:
    worlds = [mixed_world(length) for length in (FRAME, 1e-6, 1 / 200, 0.02)]
    with b2.WorldBatch(worlds, 8, dt=FRAME) as batch:
        for _ in range(40):
            batch.step()
            for world in worlds:
                world.step(FRAME)
        assert batch.state_hash().tolist() == [world.state_hash() for world in worlds] * 2


def soft_world(substeps: int, past: int) -> b2.World:
    """A stack, a heavy body on light ones and joints of one pass, after steps of other lengths."""
    world = b2.World(sleeping=False)
    rigid_figures(world, 1)
    for k in range(6):
        world.create_dynamic_body((25, 0.5 + k)).create_shape(b2.Box(0.5, 0.5))
    for x, y, half, density in ((30, 0.25, 0.25, 1), (31, 0.25, 0.25, 1), (30.5, 1, 0.5, 30)):
        world.create_dynamic_body((x, y)).create_shape(b2.Box(half, half), density=density)
    chance = draws(past)
    for _ in range(30):
        world.step(chance.choice((FRAME, 1 / 240, 1 / 50, 0.1)) if past else FRAME, substeps)
    for _ in range(past):
        world.step(FRAME, chance.choice((1, 2, 4, 8)))
    world.step(FRAME, substeps)
    return world


@pytest.mark.parametrize("simd", b2.cpu_features())
@pytest.mark.parametrize("substeps", [1, 2, 3])
def test_worlds_of_a_batch_are_as_soft_as_alone(substeps: int, simd: Simd) -> None:
    worlds = [soft_world(substeps, past) for past in (0, 3, 0, 1, 7, 2)]
    with b2.WorldBatch(worlds, 12, dt=FRAME, substeps=substeps, simd=simd) as batch:
        for k in range(40):
            batch.step()
            for lone in worlds:
                lone.step(FRAME, substeps)
            if k == 20:  # a past replaces another one
                batch.restore(worlds[1].save(), np.isin(range(12), (0, 4)))
        alone = [lone.state_hash() for lone in worlds] * 2
        alone[0] = alone[4] = alone[1]
        assert batch.state_hash().tolist() == alone
        with batch.extract(5) as world:
            for each in (world, worlds[5]):
                advance(each, 5, FRAME, substeps)
            assert world.state_hash() == worlds[5].state_hash()


def test_a_long_step_has_the_substeps_of_its_frames() -> None:
    for length, frames in ((1e-9, 1), (FRAME, 1), (1 / 50, 1), (1 / 40, 2), (1 / 30, 2), (0.05, 3), (0.1, 6), (1, 60)):
        for substeps in (1, 4):
            with b2.World() as world, world.staged_step(length, substeps) as step:
                assert step.substep_dt == pytest.approx(length / (frames * substeps))
                assert list(step.substeps()) == list(range(frames * substeps))


def test_no_body_leaves_a_step_faster_than_allowed() -> None:
    """The restitution of a light ball that a heavy one hits, and joints that are torn, come after the last motion."""
    fastest_of_all = 0.0
    for k in range(20):
        with b2.World(max_linear_speed=50, gravity=(0, 0)) as world:
            light = world.create_dynamic_body((0, 0))
            light.create_shape(b2.Circle(0.5), density=0.1, restitution=0.45)
            heavy = world.create_dynamic_body((-5 - 0.05 * k, 0), linear_velocity=(49, 0))
            heavy.create_shape(b2.Circle(1), density=100, restitution=0.45)
            for _ in range(30):
                world.step()
                fastest_of_all = max(fastest_of_all, math.hypot(*light.linear_velocity))
    assert 49 < fastest_of_all < 50.001
