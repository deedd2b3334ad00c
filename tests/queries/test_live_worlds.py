"""Queries right after any change: worlds with random histories, each query compared with brute force in all broad
phases."""

from __future__ import annotations

import math
import random
from collections.abc import Callable

import numpy as np
import pytest

import box2dpy as b2

from ..seeds import arrays, draws
from ..stepping import advance
from .reference import FILTERS, Placed, check_found, grazes, random_geometry, seen

BROADPHASES = b2.lab.NAMES["broadphase"][1:]
SIZE = 12.0
CLOSE = 1e-5


class History:
    """A world that is changed in every way there is; what is drawn depends on the seed only."""

    def __init__(self, seed: int, broadphase: str, workers: int = 1) -> None:
        self.draw = draws(seed)
        self.world = b2.World(gravity=(0, -3), broadphase=broadphase, workers=workers)
        self.bodies: list[b2.Body] = []
        self.changes: list[Callable[[], None]] = [
            self.create, self.create, self.create_many, self.chain, self.step, self.step, self.destroy_body,
            self.destroy_shape,
            self.teleport, self.retype, self.enable, self.sensor, self.refilter, self.reshape, self.sleep, self.push,
            self.rest,
        ]  # fmt: skip
        for _ in range(12):
            self.create()

    def place(self) -> tuple[float, float]:
        return self.draw.uniform(-SIZE, SIZE), self.draw.uniform(-SIZE, SIZE)

    def body(self) -> b2.Body:
        return self.draw.choice(self.bodies)

    def shape(self) -> b2.Shape | None:
        shapes = [shape for body in self.bodies for shape in body.shapes if shape.chain is None]
        return self.draw.choice(shapes) if shapes else None

    def change(self) -> None:
        self.draw.choice(self.changes)()

    def create(self) -> None:
        make = self.draw.choice(
            [self.world.create_static_body, self.world.create_kinematic_body, self.world.create_dynamic_body]
        )
        body = make(self.place(), self.draw.uniform(-4, 4), enabled=self.draw.random() < 0.9)
        for _ in range(self.draw.choice([1, 1, 2])):
            body.create_shape(
                random_geometry(self.draw), filter=self.draw.choice(FILTERS), sensor=self.draw.random() < 0.1
            )
        self.bodies.append(body)

    def create_many(self) -> None:
        n = self.draw.randrange(1, 6)
        self.bodies += self.world.create_bodies([self.place() for _ in range(n)], geometry=random_geometry(self.draw))

    def chain(self) -> None:
        body = self.world.create_static_body(self.place(), self.draw.uniform(-3, 3))
        points = [
            (2 * math.cos(t), 1.5 * math.sin(t)) for t in np.linspace(0, math.tau, self.draw.randrange(4, 9))[:-1]
        ]
        body.create_chain(
            points[:: self.draw.choice([1, -1])], loop=self.draw.random() < 0.5, filter=self.draw.choice(FILTERS)
        )
        self.bodies.append(body)

    def step(self) -> None:
        advance(self.world, self.draw.choice([1, 3]))

    def rest(self) -> None:
        """Steps until all bodies that may sleep are asleep."""
        self.world.sleep_time, before = 0.02, self.world.sleep_time
        for body in self.world.bodies:
            if body.type != b2.BodyType.STATIC:
                body.linear_velocity, body.angular_velocity = (0, 0), 0
        self.world.gravity = 0, 0
        advance(self.world, 3)
        self.world.gravity, self.world.sleep_time = (0, -3), before

    def destroy_body(self) -> None:
        if len(self.bodies) > 8:
            body = self.body()
            self.bodies.remove(body)
            body.destroy()

    def destroy_shape(self) -> None:
        if (shape := self.shape()) is not None:
            shape.destroy()

    def teleport(self) -> None:
        body = self.body()
        body.position, body.angle = self.place(), self.draw.uniform(-3, 3)

    def retype(self) -> None:
        self.body().type = self.draw.choice(list(b2.BodyType))

    def enable(self) -> None:
        body = self.body()
        body.enabled = not body.enabled

    def sensor(self) -> None:
        if (shape := self.shape()) is not None:
            shape.sensor = not shape.sensor

    def refilter(self) -> None:
        if (shape := self.shape()) is not None:
            shape.filter = self.draw.choice(FILTERS)

    def reshape(self) -> None:
        if (shape := self.shape()) is not None:
            shape.geometry = random_geometry(self.draw)

    def sleep(self) -> None:
        body = self.body()
        if body.type != b2.BodyType.STATIC and body.enabled:
            body.awake = not body.awake

    def push(self) -> None:
        body = self.body()
        if body.type != b2.BodyType.STATIC:
            body.linear_velocity = self.draw.uniform(-20, 20), self.draw.uniform(-20, 20)


def rotation(angle: float) -> b2.Vec2:
    return b2.World().create_static_body(angle=angle).rotation


def in_front(chain: Placed, point: tuple[float, float]) -> float:
    """How far a point is in front of the line of a segment."""
    (ax, ay), (bx, by) = chain.points
    return ((point[0] - ax) * (by - ay) - (point[1] - ay) * (bx - ax)) / math.hypot(bx - ax, by - ay)


def ask(world: b2.World, draw: random.Random) -> None:
    """One random query of each kind."""
    chosen = draw.choice([None, *FILTERS])
    shapes = [(shape, Placed.shape(shape)) for shape in seen(world, chosen)]
    start, way = (draw.uniform(-SIZE, SIZE), draw.uniform(-SIZE, SIZE)), (draw.uniform(-20, 20), draw.uniform(-20, 20))

    expected = {shape: t for shape, placed in shapes if (t := placed.ray(start, way)) is not None}
    hits = world.ray_cast_all(start, way, filter=chosen)
    for shape in set(expected) ^ {hit.shape for hit in hits}:
        assert grazes(Placed.shape(shape), start, way, 2e-6), shape
    for hit in hits:
        if hit.shape in expected and not grazes(Placed.shape(hit.shape), start, way, 2e-6):
            assert hit.fraction == pytest.approx(expected[hit.shape], abs=1e-4)
    assert [(h.fraction, h.shape.index) for h in hits] == sorted((h.fraction, h.shape.index) for h in hits)
    assert world.ray_cast(start, way, filter=chosen) == (hits[0] if hits else None)

    geometry, angle = random_geometry(draw), draw.uniform(-3, 3)
    placed = Placed.of(geometry, start, rotation(angle))
    check_found(
        world.overlap_shape(geometry, start, angle, filter=chosen), {s: p.gap(placed) for s, p in shapes}, CLOSE
    )
    upper = start[0] + abs(way[0]) / 4, start[1] + abs(way[1]) / 4
    box = Placed([start, (upper[0], start[1]), upper, (start[0], upper[1])], 0.0)
    check_found(world.overlap_aabb(start, upper, filter=chosen), {s: p.gap(box) for s, p in shapes}, CLOSE)
    check_found(
        world.point_query(start, filter=chosen), {s: p.distance(start) for s, p in shapes if not p.segment}, CLOSE
    )
    near, least = (
        world.nearest(start, 5.0, filter=chosen),
        min((p.distance(start) for _, p in shapes), default=math.inf),
    )
    assert (near is None and least > 5 - CLOSE) or (
        near is not None and near.distance == pytest.approx(least, abs=CLOSE)
    )

    mx, my = geometry.mass_data().center
    center = (
        start[0] + math.cos(angle) * mx - math.sin(angle) * my,
        start[1] + math.sin(angle) * mx + math.cos(angle) * my,
    )
    casts = {hit.shape: hit for hit in world.shape_cast_all(geometry, start, angle, way, filter=chosen)}
    for shape, other in shapes:
        if other.one_sided and (height := in_front(other, center)) < 1e-2:
            assert height > -1e-2 or shape not in casts
            continue
        fraction = casts[shape].fraction if shape in casts else 1.0
        for k in range(12):
            t = fraction * k / 12
            apart = other.gap(placed.moved(t * way[0], t * way[1])) > 0
            assert apart or (shape in casts and fraction * math.hypot(*way) < 1e-3), (shape, t, fraction)
        if shape in casts:
            assert other.gap(placed.moved(fraction * way[0], fraction * way[1])) < 3e-5
    assert set(casts) <= {shape for shape, _ in shapes}


MOVERS = [b2.Circle(0.5), b2.Capsule((0, -0.4), (0, 0.4), 0.3), b2.Box(0.4, 0.6), b2.Box(0.3, 0.3, radius=0.2)]


def ask_mover(world: b2.World, draw: random.Random) -> None:
    chosen, hero = draw.choice([None, *FILTERS]), draw.choice(MOVERS)
    start, way = (draw.uniform(-SIZE, SIZE), draw.uniform(-SIZE, SIZE)), (draw.uniform(-8, 8), draw.uniform(-8, 8))
    placed = Placed.of(hero, start, (1, 0))
    others = {shape: Placed.shape(shape) for shape in seen(world, chosen)}
    others = {shape: other for shape, other in others.items() if not other.one_sided or in_front(other, start) > 0}

    share = world.cast_mover(hero, start, way, filter=chosen)
    ahead = [other for other in others.values() if other.gap(placed) > 3e-5]
    for k in range(16):
        t = share * k / 16
        assert all(
            other.gap(placed.moved(t * way[0], t * way[1])) > 0 or share * math.hypot(*way) < 1e-3 for other in ahead
        )
    stop = placed.moved(share * way[0], share * way[1])
    assert share == 1.0 or min(other.gap(stop) for other in others.values()) < 3e-5

    margin = draw.choice([0.0, 0.1, 1.0])
    planes = world.collide_mover(hero, start, margin=margin, filter=chosen)
    found = {plane.shape: plane for plane in planes}
    assert [plane.shape.index for plane in planes if plane.shape] == sorted(s.index for s in found if s)
    for shape, other in others.items():
        if other.one_sided:
            continue  # a mover behind it passes
        gap = other.gap(placed)
        assert (shape in found) == (gap <= margin) or abs(gap - margin) < 1e-4, (shape, gap)
        if shape in found:
            (nx, ny), depth = found[shape].normal, found[shape].separation
            assert math.hypot(nx, ny) == pytest.approx(1, abs=1e-5)
            if gap > 1e-4:
                assert depth == pytest.approx(gap, abs=1e-4)
            else:  # pushed out by its depth it is free, by less it is not
                assert depth < 2e-4
                out = 2e-4 - depth
                assert other.gap(placed.moved(out * nx, out * ny)) > 0
                less = 0.98 * -depth - 2e-4
                assert other.gap(placed.moved(less * nx, less * ny)) == 0 or less < 0


@pytest.mark.parametrize("seed", range(6))
def test_every_query_agrees_with_brute_force_after_every_change(seed: int) -> None:
    history, draw = History(seed, BROADPHASES[seed % len(BROADPHASES)]), draws(1000 + seed)
    for _ in range(60):
        history.change()
        ask(history.world, draw)
    history.world.validate()


@pytest.mark.parametrize("seed", range(20, 24))
def test_mover_queries_agree_with_brute_force_after_every_change(seed: int) -> None:
    history, draw = History(seed, BROADPHASES[seed % len(BROADPHASES)]), draws(seed)
    for _ in range(60):
        history.change()
        for _ in range(2):
            ask_mover(history.world, draw)


@pytest.mark.parametrize("seed", range(40, 43))
def test_array_queries_equal_single_queries_for_every_broad_phase_and_number_of_workers(seed: int) -> None:
    """Row k of an array query equals the single query bit by bit, for any worker that computes it."""
    histories = [History(seed, *how) for how in (("grid", 1), ("tree", 3), ("brute", 2))]
    draw, n = arrays(seed), 40
    capsule = b2.Capsule((-0.5, 0), (0.5, 0.2), 0.3)
    for number in range(25):
        starts, ways, turns = draw.uniform(-SIZE, SIZE, (n, 2)), draw.uniform(-20, 20, (n, 2)), draw.uniform(-3, 3, n)
        chosen = [None, *FILTERS][number % 6]
        answers = []
        for history in histories:
            history.change()
            world = history.world
            rays, casts = (
                world.ray_casts(starts, ways, filter=chosen),
                world.shape_casts(capsule, starts, turns, ways, filter=chosen),
            )
            nears, points = world.nearests(starts, 5.0, filter=chosen), world.point_queries(starts, filter=chosen)
            boxes = world.overlap_aabbs(starts, starts + abs(ways) / 8, filter=chosen)
            forms = world.overlap_shapes(capsule, starts, turns, filter=chosen)
            answers.append([rows.tobytes() for rows in (rays, casts, nears, points, boxes, forms)])
            k = number % n
            for rows, hit in (
                (rays, world.ray_cast(starts[k], ways[k], filter=chosen)),
                (casts, world.shape_cast(capsule, starts[k], turns[k], ways[k], filter=chosen)),
                (nears, world.nearest(starts[k], 5.0, filter=chosen)),
            ):
                assert rows["shape"][k] == (-1 if hit is None else hit.shape.index)
                assert hit is None or tuple(rows["point"][k]) == hit.point
            for rows, shapes in (
                (points, world.point_query(starts[k], filter=chosen)),
                (boxes, world.overlap_aabb(starts[k], starts[k] + abs(ways[k]) / 8, filter=chosen)),
                (forms, world.overlap_shape(capsule, starts[k], turns[k], filter=chosen)),
            ):
                assert rows["shape"][rows["query"] == k].tolist() == [shape.index for shape in shapes]
                keys = list(zip(rows["query"].tolist(), rows["shape"].tolist(), strict=True))
                assert keys == sorted(keys)
        assert answers[0] == answers[1] == answers[2], number
