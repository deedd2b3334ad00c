"""Machines at random: no joint, contact or load gives them energy, and what is heavy does not rebound from what is
light because something hangs on it."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Any

import pytest
from box2dpy.benchmarks import quality

import box2dpy as b2
from tests.golden.matrix import some_options
from tests.seeds import draws
from tests.stepping import advance
from tests.sweeps import part

Place = Callable[[float, float], b2.Vec2]


def turned(angle: float, scale: float = 1.0) -> Place:
    """Places in axes whose y points against gravity."""
    c, s = scale * math.cos(angle), scale * math.sin(angle)
    return lambda x, y: b2.Vec2(c * x - s * y, s * x + c * y)


def world_of(angle: float, **options: Any) -> b2.World:
    return b2.World(gravity=(10 * math.sin(angle), -10 * math.cos(angle)), sleeping=False, **options)


def shape(draw: random.Random, size: float) -> Any:
    kind = draw.randrange(4)
    if kind == 0:
        return b2.Circle(size / 2)
    if kind == 1:
        return b2.Box(size / 2, size / 2 * draw.uniform(0.2, 1))
    if kind == 2:
        return b2.Capsule((-0.35 * size, 0), (0.35 * size, 0), size * draw.uniform(0.08, 0.15))
    start, count = draw.uniform(0, 6.28), draw.randrange(3, 7)
    corners = [start + 2 * math.pi * k / count for k in range(count)]
    return b2.Polygon([(size / 2 * math.cos(a), size / 2 * math.sin(a)) for a in corners])


def join(draw: random.Random, world: b2.World, a: b2.Body, b: b2.Body, anchor: b2.Vec2, scale: float) -> None:
    kind = draw.randrange(6)
    options: Any = {"collide_connected": draw.random() < 0.3}
    limits: Any
    if kind == 0:
        world.create_revolute_joint(a, b, anchor=anchor, **options)
    elif kind == 1:
        world.create_weld_joint(a, b, anchor=anchor, **options)
    elif kind == 2:
        world.create_distance_joint(a, b, local_anchor_a=(0, 0), local_anchor_b=(0, 0), **options)
    elif kind == 3:
        world.create_prismatic_joint(a, b, anchor=anchor, axis=(draw.uniform(-1, 1), 1), **options)
    elif kind == 4:
        limits = {"lower_angle": -draw.uniform(0, 1), "upper_angle": draw.uniform(0, 1)}
        world.create_revolute_joint(a, b, anchor=anchor, enable_limit=True, **limits, **options)
    else:
        limits = {"lower_translation": -scale * draw.uniform(0, 0.5), "upper_translation": scale * draw.uniform(0, 0.5)}
        world.create_prismatic_joint(a, b, anchor=anchor, axis=(1, 0), enable_limit=True, **limits, **options)


def machines(draw: random.Random, **options: Any) -> tuple[b2.World, float]:
    """Bodies of up to 300 masses on a grid above a bin, joined with their neighbours; and the scale of lengths."""
    angle, scale = draw.choice((0.0, 1.57, draw.uniform(0, 6.28))), 10 ** draw.uniform(-1, 1)
    place, columns, rows = turned(angle, scale), 6, draw.randrange(1, 6)
    world = world_of(angle, **options)
    for x, y, half_x, half_y in ((0, -1, 9, 1), (-8, 9, 1, 12), (8, 9, 1, 12)):
        wall = world.create_static_body(place(x, y), angle)
        wall.create_shape(b2.Box(half_x * scale, half_y * scale))
    ratio, bodies, places = 10 ** draw.uniform(0, 2.5), [], []
    for k in range(columns * rows):
        places.append((2.1 * (k % columns) - 5.25, 2 + 2.1 * (k // columns)))
        bodies.append(world.create_dynamic_body(place(*places[-1]), draw.uniform(-3, 3)))
        geometry = shape(draw, scale * draw.uniform(0.5, 1.7))
        bodies[-1].create_shape(geometry, density=ratio ** draw.random(), friction=draw.choice((0, 0.3, 1)))
    share = draw.uniform(0.02, 0.32)
    for k in range(len(bodies)):
        for other in (k + 1, k + 2, k + columns, k + columns + 1):
            if other >= len(bodies) or other % columns < k % columns or draw.random() > share:
                continue
            t, (x, y), (to_x, to_y) = draw.choice((0, 0.5, 1)), places[k], places[other]
            join(draw, world, bodies[k], bodies[other], place(x + t * (to_x - x), y + t * (to_y - y)), scale)
    return world, scale


def fallen(draw: random.Random) -> tuple[float, int]:
    """Returns how far the energy of machines that fall rises above the least before, over that of a fall of 10 m, and
    how many bodies are disabled."""
    world, scale = machines(draw)
    with world:
        dt, substeps = draw.choice((1 / 60, 1 / 30, 1 / 120)), draw.choice((2, 4, 8))
        least, gained = math.inf, 0.0
        for _ in range(round(4 / dt)):
            world.step(dt, substeps)
            energy = world.kinetic_energy + world.potential_energy
            least = min(least, energy)
            gained = max(gained, energy - least)
        mass = sum(body.mass for body in world.bodies)
        return gained / (mass * 100 * scale), sum(not body.enabled for body in world.bodies)


@pytest.mark.parametrize("first", [30, 50])
def test_random_machines_gain_no_energy(first: int) -> None:
    """Light bodies between heavy ones threw whole machines away, with up to 7,000 times their energy: contacts spun
    them by radians in a substep, and the joints of small assemblies counted with the rotation."""
    found = [fallen(draws(seed)) for seed in part(range(first, first + 20), 0.5)]
    assert max(gained for gained, _ in found) < 0.05
    assert sum(disabled for _, disabled in found) == 0


def pulled(kind: str, seed: int) -> tuple[float, float]:
    """Bodies on a grid in a box, whose joints pull some into each other and turn others beyond their limits. Returns
    what they gain over the least energy before, over that of a fall of 10 m, and the greatest speed."""
    draw = draws(seed)
    half, gravity = draw.uniform(2, 5), draw.choice((0, 10))
    dt, substeps, ratio = draw.choice((1 / 60, 1 / 30, 1 / 120)), draw.choice((1, 2, 4, 8)), draw.choice((1, 10, 100))
    with b2.World(gravity=(0, -gravity), sleeping=False) as world:
        box = world.create_static_body()
        for x, y, half_x, half_y in ((-half - 1, 50, 1, 52), (half + 1, 50, 1, 52), (0, -1, half + 2, 1)):
            box.create_shape(b2.Box(half_x, half_y, center=(x, y)))
        bodies, columns = list[b2.Body](), int(2 * half) - 1
        for k in range(draw.randrange(3, 25)):
            body = world.create_dynamic_body((1 - half + k % columns, 1 + k // columns))
            size = draw.uniform(0.2, 0.4)
            capsule = b2.Capsule((-size, 0), (size, 0), 0.3 * size)
            geometry = draw.choice((b2.Circle(size), b2.Box(size, size * draw.uniform(0.3, 1)), capsule))
            body.create_shape(geometry, density=ratio ** draw.random(), friction=draw.choice((0, 0.3, 1)))
            body.linear_velocity = (draw.uniform(-5, 5), draw.uniform(-5, 5))
            body.angular_velocity = draw.uniform(-5, 5)
            bodies.append(body)
        for _ in range(draw.randrange(2, len(bodies) + 2)):
            k, step = draw.randrange(len(bodies)), draw.choice((1, columns))
            if k + step >= len(bodies):
                continue
            a, b, off = bodies[k], bodies[k + step], draw.uniform(0.2, 0.5)
            half_way = (b.position - a.position) / 2
            ends: Any = {"local_anchor_a": half_way, "local_anchor_b": b2.Vec2(off, 0) - half_way}
            match kind:
                case "rope":
                    world.create_rope_joint(a, b, max_length=1 - off, collide_connected=True)
                case "limit":
                    limits: Any = {"lower_angle": -0.3, "upper_angle": 0.3, "enable_limit": True}
                    world.create_revolute_joint(a, b, collide_connected=True, **ends, **limits)
                case _:
                    centers: Any = {"local_anchor_a": (0, 0), "local_anchor_b": (0, 0)}
                    world.create_distance_joint(a, b, length=1 - off, collide_connected=True, **centers)
        least, gained, fastest = math.inf, 0.0, 0.0
        for _ in range(round(6 / dt)):
            world.step(dt, substeps)
            energy = world.kinetic_energy + world.potential_energy
            least, gained = min(least, energy), max(gained, energy - least)
            fastest = max(fastest, *(body.linear_velocity.length for body in bodies))
        return gained / sum(100 * body.mass for body in bodies), fastest


@pytest.mark.parametrize("kind", ["rope", "limit", "rod"])
def test_what_joints_pull_into_each_other_does_not_explode(kind: str) -> None:
    """Contacts pushed apart what the joints pulled together: bodies flew at 400 m/s, with 660 to 14,500 times the
    energy of a fall of 10 m."""
    found = [pulled(kind, seed) for seed in part(range(30), 0.4)]
    assert max(gained for gained, _ in found) < 0.2
    assert max(speed for _, speed in found) < 60  # of the lightest, of a hundredth of the mass


def test_machines_whose_limits_turn_parts_into_each_other_are_not_thrown() -> None:
    """One flew off as a whole at 90 m/s: its bodies had been slowed down to the greatest speed within the step, which
    took the momentum of some of them. In that of seed 131 bodies without joints lay between such parts and were thrown
    to and fro within steps: it gained 64 % of a fall of 10 m."""
    seeds = (*range(125, 140), *part(range(600), 0.05))
    assert quality.machine_gain(b2.World, 300, True, seeds) < 20  # %; of 600 seeds one has 15.8, the next 8.8


def thrown_by_disagreement(seed: int, solver: Any) -> float:
    """Two to six bodies in a ring of joints whose lengths and places do not fit, in free fall. Returns the greatest
    speed beside the centre of mass; a turn counts at half a metre."""
    draw = draws(seed)
    dt, substeps = draw.choice(((1 / 60, 4), (1 / 60, 1), (1 / 30, 2), (1 / 120, 8)))
    with b2.World(gravity=(0, -10), sleeping=False, joint_solver=solver) as world:
        bodies = list[b2.Body]()
        for _ in range(draw.randint(2, 6)):
            bodies.append(world.create_dynamic_body((draw.uniform(-1, 1), draw.uniform(-1, 1)), draw.uniform(-3, 3)))
            box = b2.Box(draw.uniform(0.1, 0.5), draw.uniform(0.1, 0.5))
            bodies[-1].create_shape(box, density=10 ** draw.uniform(-1, 1), filter=b2.Filter(group=-draw.randint(0, 1)))
        for k, body in enumerate(bodies):
            for other in {(k + 1) % len(bodies), draw.randrange(len(bodies))} - {k}:
                ends: Any = {
                    name: (draw.uniform(-0.5, 0.5), draw.uniform(-0.5, 0.5))
                    for name in ("local_anchor_a", "local_anchor_b")
                }
                ends["collide_connected"] = draw.random() < 0.3
                match draw.choice(("hinge", "weld", "rod", "rope", "slide")):
                    case "hinge":
                        world.create_revolute_joint(body, bodies[other], **ends)
                    case "weld":
                        world.create_weld_joint(body, bodies[other], **ends)
                    case "rod":
                        world.create_distance_joint(body, bodies[other], length=draw.uniform(0.1, 2), **ends)
                    case "rope":
                        world.create_rope_joint(body, bodies[other], max_length=draw.uniform(0.1, 1), **ends)
                    case _:
                        axis = draw.uniform(-1, 1), draw.uniform(0.1, 1)
                        world.create_prismatic_joint(body, bodies[other], axis=axis, **ends)
        fastest, mass = 0.0, sum(body.mass for body in bodies)
        for _ in range(300):
            world.step(dt, substeps)
            whole = sum((body.mass / mass * body.linear_velocity for body in bodies), b2.Vec2(0, 0))
            speeds = [(body.linear_velocity - whole).length + abs(body.angular_velocity) / 2 for body in bodies]
            fastest = max(fastest, *speeds)
        return fastest


@pytest.mark.parametrize("solver", ["auto", "iterative"])
def test_joints_that_disagree_throw_nothing(solver: Any) -> None:
    """They gave energy in every step: of 300 such rings 47 flew apart at up to 155 m/s, iterated 170 at up to 1e32."""
    for seed in part(range(300), 0.15):
        assert thrown_by_disagreement(seed, solver) < 3, seed


def torn_ring(world: b2.World, draw: random.Random) -> None:
    bodies = [world.create_dynamic_body((math.cos(k), math.sin(k)), angular_velocity=k % 3) for k in range(6)]
    for k, body in enumerate(bodies):
        body.create_shape(b2.Circle(0.1), filter=b2.Filter(mask=0))
        ends: Any = {"local_anchor_a": (draw.uniform(-0.3, 0.3), 0), "local_anchor_b": (0, draw.uniform(-0.3, 0.3))}
        match draw.randrange(3):
            case 0:
                world.create_distance_joint(bodies[k - 1], body, length=draw.uniform(0.9, 1.1), **ends)
            case 1:
                world.create_revolute_joint(bodies[k - 1], body, **ends)
            case _:
                world.create_weld_joint(bodies[k - 1], body, **ends)


def test_open_loops_have_the_same_bits_in_a_batch() -> None:
    """Parts of a separation that a type of joint does not have were read from the joint before."""
    draw, worlds = draws(3), [b2.World(gravity=(0, -10), sleeping=False) for _ in range(8)]
    for world in worlds:
        torn_ring(world, draw)
    with b2.WorldBatch(worlds, len(worlds), dt=1 / 60, substeps=4) as batch:
        for _ in range(120):
            batch.step()
            for world in worlds:
                world.step(1 / 60)
        assert batch.state_hash().tolist() == [world.state_hash() for world in worlds]


def test_a_cloth_swings_on() -> None:
    """The joints of a large net are open under its weight; a bound of its energy stopped it in the air."""
    with b2.World(gravity=(0, -10), sleeping=False) as world:
        ends: Any = {"local_anchor_a": (0, 0), "local_anchor_b": (0, 0)}
        places = [(k // 24, k % 24) for k in range(24 * 24)]
        cloth = {place: world.create_dynamic_body((0.25 * place[0], -0.25 * place[1])) for place in places}
        for (x, y), body in cloth.items():
            body.create_shape(b2.Circle(0.08), filter=b2.Filter(mask=0))
            for other in ((x + 1, y), (x, y + 1)):
                if other in cloth:
                    world.create_distance_joint(body, cloth[other], **ends)
        for corner in ((0, 0), (23, 0)):
            world.create_revolute_joint(world.create_static_body(), cloth[corner], anchor=cloth[corner].position)
        for _ in range(6):
            advance(world, 60, 1 / 60, 2)
            assert world.kinetic_energy > 1


@pytest.mark.parametrize("seed", [46, 47, 48])
def test_random_machines_have_the_same_bits_everywhere(seed: int) -> None:
    """Workers, widths, broad phases and worlds of a batch. 46 exploded: its rows are filled again, its presses have
    joints."""
    hashes = set()
    for options in some_options():
        world, _ = machines(draws(seed), **options)
        with world, b2.WorldBatch(world, 3, dt=1 / 60, substeps=4) as batch:
            for _ in range(150):
                world.step(1 / 60)
                batch.step()
            hashes |= {world.state_hash(), *map(int, batch.state_hash())}
    assert len(hashes) == 1


def dropped(draw: random.Random) -> float:
    """A box on up to five boxes of a 5th to a 1000th of its mass, with something hung on it or on the uppermost of
    them. Returns how high it could fly by its greatest speed upwards after the impact, over what it may fall."""
    ratio, height, count = 10 ** draw.uniform(0.7, 3), 10 ** draw.uniform(-1, 1.2), draw.choice((1, 2, 3, 5))
    angle, kind = draw.uniform(0, 6.28), draw.choice(("hinge", "weld", "rod", "wheel", "chain", "slide"))
    dt, substeps = draw.choice((1 / 60, 1 / 30, 1 / 120)), draw.choice((2, 4, 8))
    place, on_top = turned(angle), draw.random() < 0.7
    with world_of(angle) as world:
        world.create_static_body(place(0, -1), angle).create_shape(b2.Box(50, 1))
        for k in range(count):
            light = world.create_dynamic_body(place(0, 0.5 + k), angle)
            light.create_shape(b2.Box(0.5, 0.5))
        heavy = world.create_dynamic_body(place(0, count + height + 0.5), angle)
        heavy.create_shape(b2.Box(0.5, 0.5), density=ratio)
        holder, y = (heavy, count + height + 0.5) if on_top else (light, count - 0.5)
        links = 3 if kind == "chain" else 1
        density, x, side = (ratio if on_top else 1) * 10 ** draw.uniform(-2.5, -0.7) / links, 0.0, draw.choice((-1, 1))
        for k in range(links):
            at = side * (1.2 + 0.7 * k)
            ball = world.create_dynamic_body(place(at, y), angle)
            ball.create_shape(b2.Circle(0.25), density=density / (math.pi / 16))
            middle = place((x + at) / 2, y)
            if kind == "weld":
                world.create_weld_joint(holder, ball, anchor=middle)
            elif kind == "rod":
                world.create_distance_joint(holder, ball, local_anchor_a=(0, 0), local_anchor_b=(0, 0))
            elif kind == "slide":
                limits: Any = {"enable_limit": True, "lower_translation": -0.2, "upper_translation": 0.2}
                world.create_prismatic_joint(holder, ball, anchor=middle, axis=(0, 1), **limits)
            else:
                world.create_revolute_joint(holder, ball, anchor=ball.position if kind == "wheel" else middle)
            holder, x = ball, at
        fastest, landed, up = 0.0, False, place(0, 1)
        for _ in range(round(3 / dt)):
            world.step(dt, substeps)
            landed = landed or heavy.position.dot(up) < count + 0.55
            fastest = max(fastest, heavy.linear_velocity.dot(up) if landed else 0)
        return fastest**2 / 20 / (height + count)


@pytest.mark.parametrize("first", [0, 60, 120])
def test_a_heavy_body_with_something_hung_on_it_does_not_rebound(first: int) -> None:
    """3 of 10 returned over 5 %, up to 54 %, since a pile with a joint was no press."""
    assert max(dropped(draws(seed)) for seed in range(first, first + 60)) < 0.02
