"""Moving pictures of the algorithms at work: each frame is the state of a real run, drawn with pillow."""

from __future__ import annotations

from typing import Any

import numpy as np

import box2dpy as b2
from box2dpy.scenes import get

from ..engines.runner import DT, SUBSTEPS
from .claim import Film, Run, Section
from .core import lib
from .phase import Phase
from .pictures import CYCLE, Parents, fill_slots, links_of, node_boxes, pyramid

INK, PALE, LINE, RED = "#303030", "#e4e4e4", "#8a8a8a", "#b0413e"


def box(draw: Any, x0: float, y0: float, x1: float, y1: float, fill: str | None = PALE, ink: str = LINE) -> None:
    draw.rectangle((min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)), fill=fill, outline=ink)


def arrow(draw: Any, start: tuple[float, float], end: tuple[float, float], ink: str = RED) -> None:
    draw.line((*start, *end), fill=ink, width=2)
    way = np.subtract(start, end)
    way = 9 * way / max(float(np.hypot(*way)), 1e-9)
    side = np.array([-way[1], way[0]]) * 0.5
    draw.polygon([tuple(end), tuple(np.add(end, way + side)), tuple(np.add(end, way - side))], fill=ink)


def end_points_film(run: Run, section: Section) -> None:
    """Boxes of a world on one axis; the swaps of the engine's own sweep-and-prune beside those of the picture."""
    run.begin("film: end points that swap")
    draw_numbers = np.random.default_rng(4)
    count = 7
    phase = Phase("sap", count)
    frames: list[tuple[list[tuple[float, float, float, float]], list[int], list[int], int]] = []
    order: list[int] = []  # end points in sorted order: twice the box, and one more for its upper end
    total = first = 0
    with b2.World(gravity=(0, 0), sleeping=False) as world:
        for x in (-11, 11):
            world.create_static_body((x, 0)).create_shape(b2.Box(0.5, 8))
        bodies = []
        for k in range(count):
            body = world.create_dynamic_body((3.0 * k - 9, 3.0 * (k % 4) - 4.5))
            body.create_shape(b2.Box(draw_numbers.uniform(0.5, 1.4), 0.6), restitution=1.0, friction=0.0, density=1.0)
            body.linear_velocity = (draw_numbers.uniform(5, 9) * (-1) ** k, 0)
            body.lock_rotation = True
            bodies.append(body)
        ids = np.arange(count, dtype=np.int32)
        for number in range(70):
            world.step(DT, SUBSTEPS)
            boxes = np.array([[*body.shapes[0].aabb.lower, *body.shapes[0].aabb.upper] for body in bodies], np.float32)
            values = boxes[:, [0, 2]].reshape(-1)
            phase.move(ids, boxes, lib.B2D_LAB_CREATE_MOVING if number == 0 else lib.B2D_LAB_MOVE)
            phase.run()
            if number == 0:
                order = np.argsort(values, kind="stable").tolist()
            old = list(order)
            for k in range(1, len(order)):  # insertion sort: what has not moved past a neighbour costs one comparison
                at = k
                while at > 0 and values[order[at - 1]] > values[order[at]]:
                    order[at - 1], order[at] = order[at], order[at - 1]
                    at, total = at - 1, total + 1
            frames.append((boxes.tolist(), old, list(order), total))
            if number == 0:
                first = phase.result.swaps
        if phase.result.swaps - first != total:
            raise RuntimeError("the picture swaps other end points than the engine")
    section.parts.append(
        "A sweep-and-prune on one axis, 70 steps of boxes that fly between two walls. Below are the end points of the "
        "boxes in their sorted array. In most steps nothing changes place; where two end points pass, they swap (red), "
        f"{total} times in all, as the counter of the engine's own sweep-and-prune says too. "
        "Only a lower end that passes an upper end can begin or end an overlap."
    )

    def draw(image: Any, k: int) -> None:
        boxes, old, now, swaps = frames[k]
        for each, (x0, y0, x1, y1) in enumerate(boxes):
            box(image, 240 + 21 * x0, 100 - 15 * y0, 240 + 21 * x1, 100 - 15 * y1, CYCLE[each])
        for place, (was, end) in enumerate(zip(old, now, strict=True)):
            x = 20 + 32 * place
            moved = was != end
            box(image, x, 205, x + 30, 235, "#f3d3d1" if moved else "#ffffff", RED if moved else LINE)
            image.text((x + 7, 211), f"{'[' if end % 2 == 0 else ']'}{end // 2}", fill=CYCLE[end // 2])
        image.text((20, 245), f"step {k + 1}, {swaps} swaps so far", fill=INK)

    section.parts.append(Film("end-points-swap", "End points that swap while boxes move", draw, len(frames)))


def tree_film(run: Run, section: Section) -> None:
    run.begin("film: a tree that refits and refines")
    frames: list[tuple[Any, Any, float]] = []
    numbers = np.random.default_rng(2)
    with b2.World(gravity=(0, 0), broadphase="refined_tree", sleeping=False) as world:
        for at, v in zip(numbers.uniform(-6, 6, (24, 2)), numbers.uniform(-4, 4, (24, 2)), strict=True):
            body = world.create_dynamic_body(at, linear_velocity=v)
            body.create_shape(b2.Box(0.3, 0.3), filter=b2.Filter(mask=0))
        for number in range(132):
            for body in world.bodies:  # turned back at the border
                x, y = body.position
                vx, vy = body.linear_velocity
                if body.type == b2.BodyType.DYNAMIC and ((x * vx > 0 and abs(x) > 8) or (y * vy > 0 and abs(y) > 8)):
                    turned = (-vx if abs(x) > 8 else vx, -vy if abs(y) > 8 else vy)
                    body.linear_velocity = turned
            world.step(DT, 1)
            if number % 2 == 0:
                lines = node_boxes(world)
                places = np.array([b.position for b in world.bodies if b.type == b2.BodyType.DYNAMIC])
                frames.append((lines, places, float(np.hypot(*(lines[:, 2:] - lines[:, :2]).T).sum())))
    section.parts.append(
        "The nodes of a refined tree over 24 boxes that fly through each other. In each step the boxes of the nodes "
        "are refitted to what moved, so they grow and overlap; in turn parts of the tree are then built anew, and some "
        "boxes shrink at once. The number is the length of all bounds, which is what a search pays for."
    )

    def draw(image: Any, k: int) -> None:
        lines, places, around = frames[k]
        for x0, y0, x1, y1 in lines:
            image.line((240 + 13.5 * x0, 128 - 13.5 * y0, 240 + 13.5 * x1, 128 - 13.5 * y1), fill=CYCLE[0])
        for x, y in places:
            box(image, 236 + 13.5 * x, 124 - 13.5 * y, 244 + 13.5 * x, 132 - 13.5 * y, CYCLE[1], CYCLE[1])
        image.text((20, 250), f"step {2 * k + 1}: {around:.0f} m of bounds", fill=INK)

    section.parts.append(Film("tree-refines", "Nodes of a tree that refits and refines", draw, len(frames)))


def union_find_film(run: Run, section: Section) -> None:
    run.begin("film: union-find that collapses")
    with pyramid(5) as world:
        links = links_of(world)
        at = {body.index: body.position for body in world.bodies if body.type == b2.BodyType.DYNAMIC}
    sets = Parents(at)
    states: list[tuple[dict[int, int], tuple[int, int] | None, str]] = [(dict(sets.of), None, "every box is a set")]
    for a, b in reversed(links):  # so that chains of parents come about
        low, high = sets.link(a, b)
        said = f"{a} touches {b}: " + (f"root {high} gets the parent {low}" if low != high else "they are in one set")
        states.append((dict(sets.of), (a, b), said))
    for body in sorted(at):
        if sets.of[body] != sets.root(body):
            sets.of[body] = sets.root(body)
            states.append((dict(sets.of), None, f"collapse: {body} points at its root"))
    states += [(dict(sets.of), None, "one root: one island")] * 4
    section.parts.append(
        f"Union-find on the {len(links)} contacts of a pyramid of {len(at)} boxes. Each contact (blue) links the roots "
        "of two boxes; the arrows are the parents, which lead in chains to the lowest box. At last the collapse points "
        "every box at its root."
    )

    def draw(image: Any, k: int) -> None:
        parents, touched, said = states[k]
        centre = {body: (285 + 42 * place.x, 222 - 42 * place.y) for body, place in at.items()}
        for body, (x, y) in centre.items():
            box(image, x - 20, y - 20, x + 20, y + 20, PALE if parents[body] != body else "#d6e6d0")
            image.text((x - 8, y + 4), str(body), fill=INK)
        if touched is not None:
            image.line((*centre[touched[0]], *centre[touched[1]]), fill=CYCLE[0], width=4)
        for body, above in parents.items():
            if body != above:
                arrow(image, centre[body], centre[above])
        image.text((20, 250), said, fill=INK)

    section.parts.append(Film("union-find-collapses", "Union-find: links, parents, collapse", draw, len(states), 350))


def merged_bits_film(run: Run, section: Section) -> None:
    run.begin("film: bits that are merged")
    frames: list[tuple[list[int], int, str]] = []  # contacts that began, words that are merged, what happens
    with get("tumbler2000").world(sleeping=False) as world:
        state = get("tumbler2000").build(world, 0.1)
        before: set[int] = set()
        for number in range(700):
            get("tumbler2000").advance(world, state, number)
            world.step(DT, SUBSTEPS)
            contacts = world.arrays.contacts
            now = set(contacts["contact"][contacts["point_count"] > 0].tolist())
            begun = sorted(each for each in now - before if each < 192)
            before = now
            if number > 40 and len(begun) >= 3 and len(frames) < 48:
                said = f"step {number}: "
                frames.append((begun, 0, said + "workers set bits of their own"))
                frames += [(begun, word + 1, said + f"word {word + 1} of 3 is merged by OR") for word in range(3)]
                visit = ", ".join(map(str, begun[:12]))
                frames += [(begun, 3, said + f"contacts begin in this order: {visit}")] * 2
    section.parts.append(
        "Bits of the contacts that begin in steps of a tumbler. Each worker sets bits in words of its own, here the "
        "first one those of even contacts and the second those of odd ones; the calling thread merges word by word "
        "and visits what is set in ascending order. Whichever worker finds a contact, the order is the same."
    )

    def draw(image: Any, k: int) -> None:
        begun, merged, said = frames[k]
        for row, name in enumerate(("worker 0", "worker 1", "merged")):
            top = 40 + 66 * row
            image.text((12, top + 12), name, fill=INK)
            for id_ in range(192):
                x, y = 92 + 5.9 * (id_ % 64), top + 15 * (id_ // 64)
                seen = id_ in begun and (id_ % 2 == row if row < 2 else id_ // 64 < merged)
                box(image, x, y, x + 5, y + 12, CYCLE[0] if seen else "#ffffff", CYCLE[0] if seen else "#d0d0d0")
        image.text((12, 250), said, fill=INK)

    section.parts.append(Film("bits-merge", "Bits of two workers that are merged", draw, len(frames), 300))


def colors_film(run: Run, section: Section) -> None:
    run.begin("film: colours of a pile")
    frames: list[tuple[list[tuple[float, float, float]], list[tuple[float, float, int]], int]] = []
    draw_numbers = np.random.default_rng(7)
    with b2.World(sleeping=False) as world:
        for at, half in (((0, -0.5), (6.0, 0.5)), ((-6.5, 4), (0.5, 5)), ((6.5, 4), (0.5, 5))):
            world.create_static_body(at).create_shape(b2.Box(*half))
        for number in range(330):
            if number % 12 == 0 and number < 290:
                body = world.create_dynamic_body((draw_numbers.uniform(-4, 4), 8.5))
                body.create_shape(b2.Box(0.6, 0.6))
            world.step(DT, SUBSTEPS)
            if number % 5 == 0:
                contacts = world.arrays.contacts
                rows = contacts[contacts["color"] >= 0]
                touching = [row for row in rows if row["point_count"] > 0]
                points = [
                    (float(row["px"][: row["point_count"]].mean()), float(row["py"][: row["point_count"]].mean()),
                     int(row["color"])) for row in touching
                ]  # fmt: skip
                bodies = [(body.position.x, body.position.y, body.angle) for body in world.bodies
                          if body.type == b2.BodyType.DYNAMIC]  # fmt: skip
                frames.append((bodies, points, len({row["color"] for row in rows})))
    numbers = {color: k for k, color in enumerate(sorted({point[2] for frame in frames for point in frame[1]}))}
    section.parts.append(
        "Contacts get a colour when they begin, the lowest that neither of the two boxes has yet, and keep it; those "
        "with the ground and walls count from the top. No box has two contacts of one colour, so all contacts of a "
        "colour are solved at once."
    )

    def draw(image: Any, k: int) -> None:
        bodies, points, used = frames[k]

        def place(x: float, y: float) -> tuple[float, float]:
            return 240 + 24 * x, 225 - 24 * y

        for x0, y0, x1, y1 in ((-7, -1, 7, 0), (-7, -1, -6, 9), (6, -1, 7, 9)):
            box(image, *place(x0, y0), *place(x1, y1), "#c9c9c9", "#c9c9c9")
        for x, y, angle in bodies:
            c, s = 0.6 * np.cos(angle), 0.6 * np.sin(angle)
            corners = [place(x + c - s, y + s + c), place(x - c - s, y - s + c), place(x - c + s, y - s - c),
                       place(x + c + s, y + s - c)]  # fmt: skip
            image.polygon(corners, fill=PALE, outline=LINE)
        for px, py, color in points:
            x, y = place(px, py)
            image.ellipse((x - 4, y - 4, x + 4, y + 4), fill=CYCLE[numbers[color] % len(CYCLE)])
        image.text((20, 250), f"{len(points)} contacts, {used} colours", fill=INK)

    section.parts.append(Film("colors-of-a-pile", "Colours of the contacts of a growing pile", draw, len(frames)))


def slots_film(run: Run, section: Section) -> None:
    run.begin("film: slots that fill")
    with pyramid(6) as world:
        contacts = world.arrays.contacts
        contacts = contacts[contacts["point_count"] > 0]
        moving = {body.index for body in world.bodies if body.type == b2.BodyType.DYNAMIC}
        places = {body.index: body.position for body in world.bodies if body.index in moving}
        rows = [(int(row["body_a"]), int(row["body_b"])) for row in contacts]
    width, registers = 16, fill_slots(rows, moving)
    into = {k: slot for slot, register in enumerate(registers) for k in register}
    section.parts.append(
        f"The {len(rows)} contacts of a pyramid go into slots of {width} lanes, in their order: each into the first "
        "slot that has room and none of its two boxes. The boxes of the slot that was chosen are dark. No colours are "
        f"kept from step to step; {len(registers)} slots do for these contacts."
    )

    def draw(image: Any, k: int) -> None:
        number = min(k, len(rows) - 1)
        slot = into[number]
        inside = {body for each in registers[slot] if each <= number for body in rows[each]}
        for body, at in places.items():
            x, y = 118 + 30 * at.x, 215 - 30 * at.y
            fill = RED if body in rows[number] else "#9fb8cc" if body in inside else PALE
            box(image, x - 14, y - 14, x + 14, y + 14, fill)
        for row in range(len(registers)):
            for lane in range(width):
                x, y = 222 + 15 * lane, 40 + 22 * row
                filled = lane < len(registers[row]) and registers[row][lane] <= number
                newest = filled and registers[row][lane] == number
                box(image, x, y, x + 12, y + 15, RED if newest else CYCLE[row % len(CYCLE)] if filled else "#ffffff")
        image.text((20, 250), f"contact {number + 1} goes into slot {slot + 1}", fill=INK)

    section.parts.append(Film("slots-fill", "Slots that fill with the contacts of a pyramid", draw, len(rows) + 6, 220))
