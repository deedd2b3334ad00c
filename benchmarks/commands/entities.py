"""What one more body costs in a world of a batch: n boxes and discs piled up in a room, beside Jax2D on the CPU.

Both engines step the same room by 1/60 s, ours with 4 substeps, Jax2D with its ten iterations, on one thread; the
processor time is the mean of the steps in which the pile falls, and the least of a step when it is at rest (it does not
sleep). The mean height of the bodies tells that both have the same pile. Jax2D needs the packages jax, jax2d and chex;
its lists of pairs are made in numpy here, because its own loop calls JAX once for each pair.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import math
import os
from time import process_time
from typing import Any

import numpy as np

import box2dpy as b2

from ..output.machine import machine, sentence
from ..output.progress import Progress
from ..output.report import number, table
from .options import counts

SIDE, GRID, FLOOR = 0.4, 0.5, 0.4  # of a box; from centre to centre at the start; height of the floor, m
SETTLED = 180  # steps until the pile is at rest
MOST_PAIRS = 4_000_000  # of all worlds of Jax2D together: some GB


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--entities", type=counts, default=[10, 30, 100, 300, 1000], help="bodies of a world")
    parser.add_argument("--worlds", type=counts, default=[1, 64], help="numbers of worlds, with commas")
    parser.add_argument("--seconds", type=float, default=1.0, help="how long each case is measured")


def places(n: int) -> tuple[float, np.ndarray]:
    """The side of the room, and where n bodies begin, boxes and discs by turns."""
    columns = math.ceil(math.sqrt(n))
    row, column = np.divmod(np.arange(n), columns)
    return GRID * (columns + 2), np.stack([GRID * (column + 1) + 0.02 * (row % 2), GRID * (row + 1) + FLOOR], axis=1)


def room(n: int) -> b2.World:
    world = b2.World(gravity=(0, -9.81), sleeping=False, profiling="off")
    size, starts = places(n)
    walls = world.create_static_body()
    for x, y, width, height in ((size / 2, FLOOR - 1, size, 1), (-1, size / 2, 1, size), (size + 1, size / 2, 1, size)):
        walls.create_shape(b2.Box(width, height, (x, y)), friction=1.0)
    for k, place in enumerate(starts.tolist()):
        body = world.create_dynamic_body(place)
        body.create_shape(b2.Circle(SIDE / 2) if k % 2 else b2.Box(SIDE / 2, SIDE / 2), density=1.0, friction=1.0)
    return world


def least(call: Any, seconds: float, calls: int = 3) -> float:
    """Processor time of a call, s."""
    times: list[float] = []
    while sum(times) < seconds or len(times) < calls:
        start = process_time()
        call()
        times.append(process_time() - start)
    return min(times)


def measured(step: Any, height: Any, seconds: float) -> tuple[float, float, float]:
    """Seconds of a step while the pile falls and at rest, and the mean height of its bodies then. Where a step takes
    long, only the first one."""
    first = least(step, 0.0, 1)
    if first * SETTLED > 30:
        return first, math.nan, math.nan
    start = process_time()
    for _ in range(SETTLED):
        step()
    falling = (process_time() - start) / SETTLED
    return falling, least(step, seconds), float(height())


def ours(n: int, worlds: int, seconds: float) -> tuple[float, float, float]:
    with room(n) as template, b2.WorldBatch(template, worlds, dt=1 / 60, substeps=4) as batch:
        return measured(batch.step, lambda: batch.position[0, 1:, 1].mean(), seconds)


def jax2d(n: int, worlds: int, seconds: float) -> tuple[float, float, float]:
    os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
    os.environ["JAX_PLATFORMS"] = "cpu"
    jax, engine = importlib.import_module("jax"), importlib.import_module("jax2d.engine")
    kinds = importlib.import_module("jax2d.sim_state")
    boxes, discs = (n + 1) // 2, n // 2
    given = kinds.StaticSimParams(num_polygons=4 + boxes, num_circles=discs, num_joints=1, num_thrusters=1)

    def pairs(params: Any) -> Any:
        fixed = params.num_static_fixated_polys
        ones, others = np.triu_indices(params.num_polygons, 1)
        keep = others >= fixed
        discs_and_boxes = np.indices((params.num_circles, params.num_polygons)).reshape(2, -1).T
        lists = (
            np.stack(np.triu_indices(params.num_circles, 1), axis=1), discs_and_boxes,
            np.stack([ones[keep], others[keep]], axis=1),
        )  # fmt: skip
        return *(np.int64(len(each)) for each in lists), *(jax.numpy.asarray(each.astype(np.int32)) for each in lists)

    engine.get_pairwise_interaction_indices = pairs
    size, starts = places(n)
    state = engine.create_empty_sim(given, scene_size=size)
    corners = np.array([(-1, 1), (1, 1), (1, -1), (-1, -1)], np.float32) * SIDE / 2
    polygon, circle = state.polygon, state.circle
    mass, disc = SIDE**2, math.pi * (SIDE / 2) ** 2
    polygon = polygon.replace(
        position=polygon.position.at[4:].set(starts[::2]),
        vertices=polygon.vertices.at[4:].set(corners),
        inverse_mass=polygon.inverse_mass.at[4:].set(1 / mass),
        inverse_inertia=polygon.inverse_inertia.at[4:].set(6 / (mass * SIDE**2)),
        active=polygon.active.at[4:].set(True),
    )
    circle = circle.replace(
        position=circle.position.at[:].set(starts[1::2]),
        radius=circle.radius.at[:].set(SIDE / 2),
        inverse_mass=circle.inverse_mass.at[:].set(1 / disc),
        inverse_inertia=circle.inverse_inertia.at[:].set(8 / (disc * SIDE**2)),
        active=circle.active.at[:].set(True),
    )
    state = state.replace(polygon=polygon, circle=circle)
    params = kinds.SimParams(clip_position=4 * size)
    made = engine.PhysicsEngine(given)
    many = jax.tree_util.tree_map(lambda x: jax.numpy.repeat(x[None], worlds, axis=0), state)
    actions = jax.numpy.zeros((worlds, 2))
    step = jax.jit(jax.vmap(lambda each, action: made.step(each, params, action)[0]))

    def advance() -> None:
        nonlocal many
        many = jax.block_until_ready(step(many, actions))

    advance()  # compiles

    def height() -> Any:
        return np.concatenate([many.polygon.position[0, 4:, 1], many.circle.position[0, :, 1]]).mean()

    return measured(advance, height, seconds)


def run(arguments: argparse.Namespace) -> int:
    print(sentence(machine()), end="\n\n")
    engines = {"box2dpy": ours}
    if all(importlib.util.find_spec(name) for name in ("jax", "jax2d")):
        engines["Jax2D"] = jax2d
    rows = []
    cases = [(n, worlds, name) for n in arguments.entities for worlds in arguments.worlds for name in engines]
    with Progress(len(cases)) as progress:
        for n, worlds, name in cases:
            progress.begin(f"{n} bodies, {worlds} worlds, {name}")
            if name == "Jax2D" and worlds * n**2 / 2 > MOST_PAIRS:
                found = math.nan, math.nan, math.nan
            else:
                found = engines[name](n, worlds, arguments.seconds)
            falling, rest = (1e6 * seconds / worlds for seconds in found[:2])
            shown = number(falling, ".1f"), number(rest, ".1f"), number(falling / n), number(rest / n)
            rows.append([f"{n}", f"{worlds}", name, *shown, number(found[2])])
    head = [
        "bodies", "worlds", "engine", "us a world, falling", "at rest", "us a body, falling", "at rest", "height, m",
    ]  # fmt: skip
    print(table(head, rows))
    if len(engines) == 1:
        print("\nJax2D is not installed: pip install jax jax2d")
    return 0
