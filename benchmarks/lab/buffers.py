"""Document 004: `box2dpy.buffers`, which simulates on arrays of the caller's.

The scene is a pyramid: stacks are what warm starting and rest are for.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from box2dpy import buffers

from . import pictures
from .claim import CPU, Claim, Part, Run, Section, Table, least
from .piles import BufferPyramid


def equal_state(run: Run, section: Section) -> None:
    run.begin("state")
    pyramid = BufferPyramid(6 if run.quick else 10)
    with pyramid.world(contact_recycle=0, schedule="slots") as world:
        for _ in range(240):
            world.step(1 / 60, substeps=4)
        rest = np.array([body.position for body in world.bodies])
    pyramid.step(20)
    twin = pyramid.copy()
    pyramid.step(220)
    twin.step(220)
    differ = sum(int((a != b).sum()) for a, b in zip(pyramid.bodies, twin.bodies, strict=True))
    apart = float(np.abs(rest - pyramid.bodies.poses["position"]).max())
    section.claims += [
        Claim("rows of bodies that differ between a run and a copy of its arrays", differ, 0, True, True),
        Claim("metres between the pyramid at rest and that of a world in the same order", apart, 1e-3, True, True),
    ]


def steps(run: Run, section: Section) -> None:
    run.begin("steps")
    rows = []
    for count in (10,) if run.quick else (20, 40, 80):
        pyramid = BufferPyramid(count)
        pyramid.step(10)
        twin = pyramid.copy()
        found = pyramid.collide()
        with pyramid.world(workers=1) as world:
            for _ in range(10):
                world.step(1 / 60, substeps=4)
            collide, step, whole = least(
                3 if run.quick else 15, [pyramid.collide, twin.step, partial(world.step, 1 / 60, 4)]
            )
        rows.append(
            [f"{pyramid.n - 1}", f"{len(found.contacts)}", *(f"{1000 * t:.3f}" for t in (collide, step, whole))]
        )
    head = ["boxes", "contacts", "collide ms", "collide and simulate ms", "step of a world ms"]
    section.parts.append(Table("A pyramid that is awake, one thread", head, rows))


def largest(run: Run, section: Section) -> None:
    """The largest pyramid that one thread takes through `collide` and `simulate` 60 times a second."""
    low, high = 5, 10 if run.quick else 220
    while high - low > 4:
        rows = (low + high) // 2
        run.begin(f"a pyramid of {rows} rows")
        pyramid = BufferPyramid(rows)
        pyramid.step(2)
        (seconds,) = least(3, [pyramid.step])
        low, high = (rows, high) if seconds <= 1 / 60 else (low, rows)
    boxes = low * (low + 1) // 2
    sentence = "boxes of the largest pyramid at 60 steps a second in buffers, one thread"
    section.claims.append(Claim(sentence, boxes, 10 if run.quick else 2000))


def match(run: Run, section: Section) -> None:
    run.begin("match")
    pyramid = BufferPyramid(10 if run.quick else 80)
    pyramid.step(10)
    found = pyramid.collide()
    empty = pyramid.copy()
    empty.cache = buffers.new_cache(len(pyramid.cache.tags))
    with_cache: list[float] = []
    without: list[float] = []
    for _ in range(3 if run.quick else 20):  # the cache is emptied in every call, which is its cost as well
        for each, times in ((pyramid.copy(), with_cache), (empty.copy(), without)):
            start = CPU()
            each.simulate(found)
            times.append(CPU() - start)
    share = (min(with_cache) - min(without)) / min(with_cache)
    section.parts.append(
        f"Matching {len(found.contacts)} contacts with the cache is {100 * share:.0f} % of `simulate`: three sorted "
        "lists are merged."
    )
    tags = pyramid.cache.tags[pyramid.cache.tags != buffers.NO_TAG].astype(np.uint64)
    falls = int((tags[1:] <= tags[:-1]).sum())
    section.claims.append(Claim("tags of the cache that do not ascend", falls, 0, True, True))


def rest(run: Run, section: Section) -> None:
    run.begin("rest")
    pyramid = BufferPyramid(8 if run.quick else 20)
    awake = pyramid.collide().narrow_pairs
    for _ in range(400):  # a pile may rest while it still creeps; this one is calm
        pyramid.bodies.idle[:] = 0
        pyramid.step()
    while len((found := pyramid.collide()).active):
        pyramid.simulate(found)
    resting = found.narrow_pairs
    before = pyramid.bodies.velocities["linear"].copy()
    pyramid.bodies.idle[pyramid.n // 2] = 0
    woken = pyramid.step()
    jump = float(np.abs(pyramid.bodies.velocities["linear"] - before).max())
    section.parts.append(
        f"A pyramid of {pyramid.n - 1} boxes tests {awake} pairs in a step awake. One cleared counter wakes "
        f"{len(woken.active)} bodies."
    )
    section.claims += [
        Claim("pairs that the narrow phase tests while the pile rests", resting, 0, True, True),
        Claim("bodies that a cleared counter leaves asleep", pyramid.n - 1 - len(woken.active), 0, True, True),
        Claim("greatest change of velocity in the step that wakes the pile", jump, 1e-3, True, True, "m/s"),
    ]


def tags(run: Run, section: Section) -> None:
    run.begin("tags")
    pyramid = BufferPyramid(6)
    pyramid.step(20)
    changed = pyramid.n // 2
    pyramid.colliders["tag"][changed] = 10**6
    found = pyramid.collide()
    cached = np.isin(found.contacts["tag"], pyramid.cache.tags)
    own = (found.contacts["body_a"] == changed) | (found.contacts["body_b"] == changed)
    wrong = int((cached == own).sum())
    section.claims.append(
        Claim("contacts that a new tag drops wrongly, or keeps wrongly, from the cache", wrong, 0, True, True)
    )


def append(run: Run, section: Section) -> None:
    run.begin("append")
    count = 10_000
    bodies = buffers.new_bodies(2 * count)
    more = buffers.new_bodies(count)
    more.poses["position"] = np.random.default_rng(run.seed).uniform(-100, 100, (count, 2))

    def add() -> None:
        for array, rows in zip(bodies, more, strict=True):
            array[count:] = rows

    (time,) = least(5, [add])
    section.claims.append(
        Claim("milliseconds to append 10,000 bodies by assignments", 1000 * time, 5.0, most=True, unit="ms")
    )


def arena(run: Run, section: Section) -> None:
    run.begin("arena")
    pyramid = BufferPyramid(6 if run.quick else 40)
    pyramid.step(5)
    before = [array.copy() for array in pyramid.bodies]
    found, room = pyramid.collide(), pyramid.arena
    contacts, asked = found.contacts.copy(), []
    pyramid.arena = np.zeros(0, np.uint8)
    while True:
        try:
            buffers.simulate(pyramid.bodies, found.active, contacts, found.sleeping, pyramid.cache, pyramid.arena)
            break
        except buffers.CapacityError as error:
            asked.append(error.needed)
            changed = sum(int((a != b).sum()) for a, b in zip(pyramid.bodies, before, strict=True))
            pyramid.arena = np.zeros(error.needed, np.uint8)
    pyramid.arena = room
    section.parts.append(
        f"`simulate` of {pyramid.n - 1} boxes and {len(contacts)} contacts needs an arena of "
        f"{asked[-1] / 1024:.0f} KiB; it says so, in parts, when the arena has less."
    )
    section.claims += [
        Claim("rows that a call with too small an arena changes", changed, 0, True, True),
        Claim("calls until the arena has the size that the errors ask for", len(asked), 4, True, True),
    ]


PARTS: Sequence[Part] = (
    pictures.morton_chunks, pictures.merged_tags, equal_state, append, arena, match, tags, rest, largest, steps,
)  # fmt: skip
