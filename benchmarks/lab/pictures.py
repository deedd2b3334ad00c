"""Pictures of the algorithms at work, drawn from real worlds, with a paragraph that says what they show."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

import box2dpy as b2
from box2dpy import buffers
from box2dpy.scenes import get

from ..engines.runner import DT, SUBSTEPS
from .claim import Plot, Run, Section
from .piles import BufferPyramid

CYCLE = ("#2f6f9f", "#d98032", "#5b9a4e", "#8a63a8", "#b0413e", "#7f7f7f", "#c2a83e", "#4aa3a3", "#d16ba5", "#6b4f3a")


def outline(axes: Any, world: b2.World, **style: Any) -> None:
    for body in world.bodies:
        for shape in body.shapes:
            lower, upper = shape.aabb
            corners = [(lower.x, lower.y), (upper.x, lower.y), (upper.x, upper.y), (lower.x, upper.y)]
            axes.fill(*zip(*corners, strict=True), **{"facecolor": "#dddddd", "edgecolor": "#888888", **style})


def pyramid(base: int, **options: Any) -> b2.World:
    world = b2.World(sleeping=False, **options)
    world.create_static_body((0, -0.5)).create_shape(b2.Box(base, 0.5))
    for j in range(base):
        for i in range(j, base):
            world.create_dynamic_body((1.06 * i - 0.53 * j - 0.5 * base, 0.5 + j)).create_shape(b2.Box(0.5, 0.5))
    for _ in range(60):
        world.step(DT, SUBSTEPS)
    return world


def links_of(world: b2.World) -> list[tuple[int, int]]:
    """Pairs of moving bodies that touch, in the order of their contacts."""
    contacts = world.arrays.contacts
    rows = contacts[contacts["point_count"] > 0]
    moving = {body.index for body in world.bodies if body.type == b2.BodyType.DYNAMIC}
    pairs = zip(rows["body_a"].tolist(), rows["body_b"].tolist(), strict=True)
    return [(a, b) for a, b in pairs if a in moving and b in moving]


def timeline(run: Run, section: Section) -> None:
    """The central picture of document 000."""
    run.begin("timeline of a step")
    found = {}
    for strategy in ("dfs", "persistent"):
        scene = get("pyramids")
        with scene.world(sleeping=False, islands=strategy, workers=2) as world:
            scene.build(world, 0.2 if run.quick else 1.0)
            for _ in range(10):
                world.step(DT, SUBSTEPS)
            b2.lab.trace(world)
            best = None
            for _ in range(5 if run.quick else 40):
                world.step(DT, SUBSTEPS)
                spans = b2.lab.spans(world)
                key = (
                    -len(np.unique(spans["worker"])),
                    world.profile.step,
                )  # both workers had time, and no other program
                if best is None or key < best[0]:
                    best = key, spans
        found[strategy] = best
    stages = b2.Profile._fields
    section.parts.append(
        "A step as two workers spend it, which is the central picture of document 000. Narrow phase and solver "
        "are shared out; between them one worker looks for islands while the other waits. Searched from nothing, the "
        "gap grows with the world; persistent islands nearly close it, because nothing began or ended."
    )

    def draw(figure: Any) -> None:
        panes = figure.subplots(len(found), 1, sharex=True)
        for axes, (strategy, best) in zip(panes, found.items(), strict=True):
            assert best is not None
            spans = best[1]
            zero = spans["begin"].min()
            used = dict.fromkeys(spans["stage"].tolist())
            for stage in used:
                rows = spans[spans["stage"] == stage]
                axes.barh(rows["worker"], rows["end"] - rows["begin"], left=rows["begin"] - zero, height=0.7,
                          color=CYCLE[stage % len(CYCLE)], label=stages[stage])  # fmt: skip
            collide = spans["end"][spans["stage"] == stages.index("collide")]
            solve = spans["begin"][np.isin(spans["stage"], [stages.index("prepare"), stages.index("solve")])]
            if len(collide) and len(solve):
                axes.axvspan(collide.max() - zero, solve.min() - zero, color="#b0413e", alpha=0.2, label="gap")
            axes.set(yticks=[0, 1], yticklabels=["worker 0", "worker 1"], title=f'islands="{strategy}"')
            axes.legend(fontsize=6, ncols=4, loc="lower right")
        panes[-1].set_xlabel("ms since the step began")

    section.parts.append(Plot("timeline", "A step on two workers, with the gap between narrow phase and solver", draw,
                              (10.0, 4.5)))  # fmt: skip


class Parents:
    """The parents of union-find; the root of a set is its lowest member."""

    def __init__(self, members: Iterable[int]) -> None:
        self.of = {member: member for member in members}

    def root(self, member: int) -> int:
        while self.of[member] != member:
            member = self.of[member]
        return member

    def link(self, a: int, b: int) -> tuple[int, int]:
        """The roots of both, the lower one first, which is the parent of the other now."""
        low, high = sorted((self.root(a), self.root(b)))
        self.of[high] = low
        return low, high


def union_find(run: Run, section: Section) -> None:
    run.begin("union-find that collapses")
    with pyramid(4) as world:
        links = links_of(world)
        at = {body.index: body.position for body in world.bodies if body.type == b2.BodyType.DYNAMIC}
    sets = Parents(at)
    for a, b in reversed(links):  # so that chains of parents come about
        sets.link(a, b)
    merged = dict(sets.of)
    collapsed = {body: sets.root(body) for body in at}
    section.parts.append(
        f"Union-find on a pyramid of {len(at)} boxes. Left: the {len(links)} touching contacts, the edges of the "
        "island graph. Middle: each contact has linked the root of one body to that of the other; the arrows are the "
        "parents, and a chain of them leads to the lowest body. Right: the collapse points every body at its root. All "
        "bodies with one root are one island. Depth-first search finds the same parts by walking along the edges."
    )

    def draw(figure: Any) -> None:
        panes = figure.subplots(1, 3)
        for axes, title in zip(panes, ("contacts", "linked", "collapsed"), strict=True):
            for body, place in at.items():
                axes.add_patch(figure_box(place))
                axes.text(place.x, place.y, str(body), ha="center", va="center", size=7)
            axes.set(title=title, aspect="equal", xlim=(-4.5, 2.5), ylim=(-0.2, 4.4))
            axes.set_axis_off()
        for a, b in links:
            panes[0].plot([at[a].x, at[b].x], [at[a].y, at[b].y], color="#2f6f9f", linewidth=1)
        for axes, parents in ((panes[1], merged), (panes[2], collapsed)):
            for body, above in parents.items():
                if body != above:
                    axes.annotate("", (at[above].x, at[above].y), (at[body].x, at[body].y),
                                  arrowprops={"arrowstyle": "->", "color": "#b0413e"})  # fmt: skip

    section.parts.append(Plot("union-find", "Union-find: contacts, parents, collapse", draw, (9.0, 3.0)))


def figure_box(place: b2.Vec2) -> Any:
    from matplotlib.patches import Rectangle  # only where a picture is drawn

    return Rectangle((place.x - 0.5, place.y - 0.5), 1, 1, facecolor="#eeeeee", edgecolor="#888888")


def merged_bits(run: Run, section: Section) -> None:
    run.begin("bits that are merged")
    scene = get("tumbler2000")
    begun: list[int] = []
    with scene.world(sleeping=False) as world:
        state = scene.build(world, 0.1)
        for number in range(200):
            before = set(world.arrays.contacts["contact"][world.arrays.contacts["point_count"] > 0].tolist())
            scene.advance(world, state, number)
            world.step(DT, SUBSTEPS)
            now = set(world.arrays.contacts["contact"][world.arrays.contacts["point_count"] > 0].tolist())
            begun = sorted(each for each in now - before if each < 192)
            if number > 60 and len(begun) >= 4:
                break
    rows = np.zeros((3, 192), dtype=bool)
    rows[0, begun[::2]] = True
    rows[1, begun[1::2]] = True
    rows[2] = rows[0] | rows[1]
    section.parts.append(
        "Bit arrays on the way from the narrow phase to the islands: the contacts with an id below 192 that began in "
        f"a step of a tumbler ({', '.join(map(str, begun))}). Each worker sets bits in words of its own, here those "
        "of its share of the contacts; the calling thread merges the words by OR and visits the set bits in "
        "ascending order, so that the order does not depend on who found what."
    )

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        axes.imshow(rows, cmap="Blues", aspect="auto", interpolation="nearest", vmin=0, vmax=1)
        axes.set_yticks(range(3), ["worker 0", "worker 1", "merged"])
        axes.set_xticks([0, 64, 128, 191])
        for x in (63.5, 127.5):
            axes.axvline(x, color="#b0413e", linewidth=0.8)
        axes.set_xlabel("contact id; red: words of 64 bits")

    section.parts.append(Plot("bits", "Bits of two workers and the merged words", draw, (9.0, 1.8)))


def end_points(run: Run, section: Section) -> None:
    run.begin("end points that swap")
    draw_numbers = np.random.default_rng(4)
    lower, speed = draw_numbers.uniform(0, 20, 9), draw_numbers.uniform(-2, 2, 9)
    width = draw_numbers.uniform(1.5, 4, 9)
    before = sorted([(x, k, 0) for k, x in enumerate(lower)] + [(x + w, k, 1) for k, (x, w) in
                    enumerate(zip(lower, width, strict=True))])  # fmt: skip
    after = sorted((x + speed[k], k, side) for x, k, side in before)
    place = {(k, side): rank for rank, (_, k, side) in enumerate(before)}
    swaps = sum(place[a[1:]] > place[b[1:]] for i, a in enumerate(after) for b in after[i + 1 :])
    section.parts.append(
        "A sweep-and-prune on one axis: the end points of nine boxes before a step and after it. What moved a little "
        f"keeps its place; where two lines cross, two end points change places, {swaps} times here. A lower end that "
        "passes an upper end to the left may begin an overlap, an upper end that passes a lower end to the left ends "
        "one. Sorting costs what changes, and nothing at rest."
    )

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        for rank, (_, k, side) in enumerate(after):
            old, color = place[k, side], CYCLE[k % len(CYCLE)]
            axes.plot([old, rank], [1, 0], color=color, linewidth=2 if old != rank else 0.8)
            for x, y in ((old, 1), (rank, 0)):
                axes.text(x, y, f"{'[' if side == 0 else ']'}{k}", ha="center", color=color, size=9, weight="bold",
                          va="bottom" if y == 1 else "top")  # fmt: skip
        axes.set(yticks=[0, 1], yticklabels=["after", "before"], ylim=(-0.3, 1.3), xlabel="place in the sorted array")

    section.parts.append(Plot("end-points", "End points that change places", draw, (9.0, 2.6)))


def node_boxes(world: b2.World) -> np.ndarray:
    found = b2.DrawList()
    world.debug_draw(found, "nodes")
    return np.asarray(found.line_ends)


def refined_nodes(run: Run, section: Section) -> None:
    run.begin("a tree that is refitted and refined")
    found = []
    for kind in ("refined_tree", "tree"):
        numbers = np.random.default_rng(2)
        with b2.World(gravity=(0, 0), broadphase=kind, sleeping=False) as world:
            for at, v in zip(numbers.uniform(-9, 9, (40, 2)), numbers.uniform(-3, 3, (40, 2)), strict=True):
                body = world.create_dynamic_body(at, linear_velocity=v)
                body.create_shape(b2.Box(0.3, 0.3), filter=b2.Filter(mask=0))
            for number in range(121):
                world.step(DT, 1)
                if number in (0, 120):
                    lines = node_boxes(world)
                    around = float(np.hypot(*(lines[:, 2:] - lines[:, :2]).T).sum())
                    places = np.array([body.position for body in world.bodies])
                    found.append((f"{kind}, step {number}: {around:.0f} m of bounds", lines, places))
    section.parts.append(
        "The bounds of all nodes of two trees over 40 boxes that fly apart and through each other. Both begin alike; "
        "two seconds later the refined tree has rebuilt its parts in turn, and the plain tree has moved leaves one "
        "by one. The cost of a tree is the sum of these bounds in bounds of the root: the longer the lines, the more "
        "nodes a search visits."
    )

    def draw(figure: Any) -> None:
        from matplotlib.collections import LineCollection

        for axes, (title, lines, places) in zip(figure.subplots(1, 4), found, strict=True):
            axes.add_collection(LineCollection(lines.reshape(-1, 2, 2), colors="#2f6f9f", linewidths=0.6))
            axes.plot(*places.T, "s", color="#d98032", markersize=3)
            axes.autoscale()
            axes.set_title(title, fontsize=7)
            axes.set_axis_off()

    section.parts.append(Plot("tree-nodes", "Nodes of a refined tree and of a plain one, at first and later", draw,
                              (11.0, 3.0)))  # fmt: skip


def fill_slots(contacts: list[tuple[int, int]], moving: set[int]) -> list[list[int]]:
    """First fit: a contact goes into the first slot of 16 that has room and none of its moving bodies."""
    slots: list[list[int]] = []
    taken: list[set[int]] = []
    for k, pair in enumerate(contacts):
        ends = moving.intersection(pair)
        slot = next((s for s in range(len(slots)) if len(slots[s]) < 16 and not ends & taken[s]), len(slots))
        if slot == len(slots):
            slots.append([])
            taken.append(set())
        slots[slot].append(k)
        taken[slot] |= ends
    return slots


def colors_and_slots(run: Run, section: Section) -> None:
    run.begin("colours of a pile, slots that fill")
    base = 6
    with pyramid(base) as world:
        contacts = world.arrays.contacts
        contacts = contacts[contacts["point_count"] > 0]
        moving = {body.index for body in world.bodies if body.type == b2.BodyType.DYNAMIC}
        places = [(body.position.x, body.position.y) for body in world.bodies if body.index in moving]
        rows = list(zip(contacts["px"].mean(axis=1) if contacts["px"].ndim > 1 else contacts["px"],
                        contacts["py"].mean(axis=1) if contacts["py"].ndim > 1 else contacts["py"],
                        contacts["color"].tolist(), contacts["body_a"].tolist(), contacts["body_b"].tolist(),
                        strict=True))  # fmt: skip
    slots = fill_slots([row[-2:] for row in rows], moving)
    colors = sorted({row[2] for row in rows})
    number_of = {color: number for number, color in enumerate(colors)}
    used = [[k for k, row in enumerate(rows) if row[2] == color] for color in colors]
    section.parts.append(
        f"Left: a pyramid whose {len(rows)} contacts have the colours that the engine gave them; no box has two "
        "contacts of one colour, so all contacts of a colour can be solved at once. Right: the same contacts as they "
        f"fill registers of 16 lanes, a row each. Colours need {sum(-(-len(each) // 16) for each in used)} registers, "
        "the last of each colour partly empty; slots take any contact that shares no moving body with those before "
        f"it, and need {len(slots)}."
    )

    def draw(figure: Any) -> None:
        panes = figure.subplots(1, 3, width_ratios=(1.4, 1, 1))
        for x, y in places:
            panes[0].add_patch(figure_box(b2.Vec2(x, y)))
        for x, y, color, _, _ in rows:
            panes[0].plot(x, y, "o", color=CYCLE[number_of[color] % len(CYCLE)], markersize=5)
        panes[0].set(aspect="equal", title="contacts by colour")
        panes[0].set_axis_off()
        blocks = [each[k : k + 16] for each in used for k in range(0, len(each), 16)]
        for axes, title, registers in ((panes[1], "registers by colours", blocks), (panes[2], "slots", slots)):
            for y, register in enumerate(registers):
                for x, k in enumerate(register):
                    axes.add_patch(figure_box(b2.Vec2(x, y)))
                    axes.plot(x, y, "s", color=CYCLE[number_of[rows[k][2]] % len(CYCLE)], markersize=5)
            axes.set(title=title, xlim=(-1, 16), ylim=(max(len(blocks), len(slots)), -1), xlabel="lane", yticks=[])

    section.parts.append(Plot("colors", "Colours of a pile, and the registers that colours and slots fill", draw,
                              (11.0, 3.4)))  # fmt: skip


def morton_chunks(run: Run, section: Section) -> None:
    run.begin("chunks in Morton order")
    draw_places = np.random.default_rng(7).uniform(-10, 10, (48, 2))
    with b2.World(gravity=(0, 0), broadphase="morton", sleeping=False) as world:
        for at in draw_places:
            world.create_dynamic_body(at).create_shape(b2.Box(0.35, 0.35))
        for _ in range(2):
            world.step(DT, 1)
        chunks = node_boxes(world)
    cells = ((draw_places - draw_places.min(axis=0)) / np.ptp(draw_places, axis=0).max() * 65535).astype(np.int64)
    codes = [sum(((int(x) >> k & 1) | (int(y) >> k & 1) << 1) << 2 * k for k in range(16)) for x, y in cells]
    order = np.argsort(codes)
    section.parts.append(
        "The bits of x and y are interleaved to one number, and boxes are sorted by it; the line goes from box to "
        "box in that order, and boxes that are near each other on it are mostly near each other in the plane. Eight "
        "at a time are a chunk with a box of its own (blue; the largest is around all). Chunks are compared with "
        "each other, and where two overlap so are their boxes, eight at once."
    )

    def draw(figure: Any) -> None:
        from matplotlib.collections import LineCollection

        axes = figure.subplots()
        axes.plot(*draw_places[order].T, "-", color="#bbbbbb", linewidth=0.8)
        axes.plot(*draw_places.T, "s", color="#d98032", markersize=5)
        axes.add_collection(LineCollection(chunks.reshape(-1, 2, 2), colors="#2f6f9f", linewidths=0.9))
        axes.set_aspect("equal")
        axes.set_axis_off()

    section.parts.append(Plot("morton-chunks", "Boxes in Morton order, and their chunks of eight", draw, (5.0, 5.0)))


def merged_tags(run: Run, section: Section) -> None:
    run.begin("tags that are merged")
    pyramid = BufferPyramid(3)
    pyramid.step(20)
    cached = [int(tag) for tag in pyramid.cache.tags if tag != buffers.NO_TAG]
    pyramid.colliders["tag"][pyramid.n - 2] = 90  # a collider that the program has changed
    found = [int(tag) for tag in pyramid.collide().contacts["tag"]]
    kept = [tag for tag in found if tag in cached]
    section.parts.append(
        f"A contact cache with tags: left the {len(cached)} tags of the last step with their impulses, right the "
        f"{len(found)} contacts of this one, both in ascending order. The program gave one collider another tag in "
        f"between, so {len(found) - len(kept)} contacts (red) begin without an impulse; the others find theirs in one "
        "walk down both lists. A tag says which two colliders touch and with which features."
    )

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        for x, tags in ((0.0, cached), (1.0, found)):
            for k, tag in enumerate(tags):
                axes.text(x, -k, f"{tag:#018x}", fontsize=6, family="monospace", ha="right" if x == 0 else "left",
                          va="center", color="black" if tag in kept else "#b0413e")  # fmt: skip
        for tag in kept:
            axes.plot((0.02, 0.98), (-cached.index(tag), -found.index(tag)), color="#2f6f9f", linewidth=0.9)
        axes.set(xlim=(-0.6, 1.6), ylim=(-max(len(cached), len(found)), 1))
        axes.set_axis_off()

    section.parts.append(Plot("merged-tags", "Tags of the cache and of the contacts, merged", draw, (7.0, 4.0)))
