"""`World.debug_draw`: the state of the engine as lines, points and texts in a `DrawList`.

Everything is computed with arrays: 20,000 contacts take a few milliseconds. Only what lies in the view is added.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .._bridge.arguments import choice
from .._bridge.colors import COLORS
from .._objects.joint import JOINT_CLASSES
from .draw_list import DrawList
from .style import DARK, borders, island_color

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .._objects.arrays import Boxes
    from .camera import Camera, DrawableWorld

FLAGS = {
    "shapes": "borders of shapes",
    "joints": "anchors, axes, rods and limits of joints",
    "boxes": "the smallest box of each shape",
    "fat_boxes": "the box of each shape that the broad phase works with",
    "nodes": "bounds in the search structure of the broad phase",
    "contacts": "contact points: touching, or near",
    "features": "numbers of the corners and edges that meet at contact points",
    "normals": "contact normals",
    "forces": "normal forces at contacts, square-root scale",
    "friction": "friction forces at contacts",
    "joint_forces": "forces on joints, square-root scale",
    "colors": "contacts and joints in the colour of their solver batch",
    "mass": "centres of mass and masses",
    "velocities": "velocities of centres of mass, 0.1 s long",
    "sleep": "borders of sleeping bodies",
    "fast": "borders of bodies that the continuous stage of the last step swept",
    "islands": "a box around each island",
    "ids": "index of each body",
}
"""The flags of `World.debug_draw` and their meanings."""


TEXTS = 800  # the most texts of a flag: more cannot be read, and each costs 5 us


def inside(view: Camera | None, x: Any, y: Any) -> Any:
    """Which points lie in the view, grown by a tenth."""
    if view is None:
        return np.ones(len(x), bool)
    left, bottom, right, top = view
    dx, dy = 0.1 * (right - left), 0.1 * (top - bottom)
    return (x >= left - dx) & (x <= right + dx) & (y >= bottom - dy) & (y <= top + dy)


def color_codes(colors: NDArray[Any]) -> NDArray[np.uint32]:
    """(n, 3) from 0 to 255 as 0xRRGGBB."""
    c = colors.astype(np.uint32)
    return np.asarray(c[..., 0] << 16 | c[..., 1] << 8 | c[..., 2], np.uint32)


def add_to_list(
    world: DrawableWorld,
    draw: DrawList,
    flags: tuple[str, ...],
    view: Camera | None,
    offset: tuple[float, float],
    scale: float,
) -> None:
    for flag in flags:
        choice(flag, "flag", FLAGS)
    if view is not None:
        view = (view[0] - offset[0], view[1] - offset[1], view[2] - offset[0], view[3] - offset[1])
    pen = _Pen(draw, view, offset, scale)
    wanted = set(flags)
    if wanted & {"shapes", "sleep", "fast"}:
        _draw_shapes(world, pen, wanted)
    if wanted & {"boxes", "fat_boxes", "nodes"}:
        _draw_boxes(world, pen, wanted)
    if wanted & {"joints", "joint_forces", "colors"}:
        _draw_joints(world, pen, wanted)
    if wanted & {"contacts", "features", "normals", "forces", "friction", "colors"}:
        _draw_contacts(world, pen, wanted)
    if wanted & {"mass", "velocities", "ids", "islands"}:
        _draw_bodies(world, pen, wanted)


class _Pen:
    """Adds to a list what lies in the view, moved by the offset."""

    def __init__(self, draw: DrawList, view: Camera | None, offset: tuple[float, float], scale: float) -> None:
        self.draw, self.view, self.offset, self.scale = draw, view, np.array(offset), scale

    def lines(self, ax: Any, ay: Any, bx: Any, by: Any, color: Any) -> None:
        ends = np.stack([ax, ay, bx, by], axis=-1) + np.tile(self.offset, 2)
        self.draw.lines(ends, color)

    def dots(self, x: Any, y: Any, color: Any, size: float = 5.0) -> None:
        self.draw.dots(np.stack([x, y], axis=-1) + self.offset, color, size)

    def boxes(self, lower_x: Any, lower_y: Any, upper_x: Any, upper_y: Any, color: Any) -> None:
        self.lines(lower_x, lower_y, upper_x, lower_y, color)
        self.lines(upper_x, lower_y, upper_x, upper_y, color)
        self.lines(upper_x, upper_y, lower_x, upper_y, color)
        self.lines(lower_x, upper_y, lower_x, lower_y, color)

    def texts(self, x: Any, y: Any, words: list[str], color: int) -> None:
        dx, dy = self.offset
        for px, py, word in zip(
            (x + dx).tolist(), (y + dy).tolist(), words, strict=False
        ):  # as many as there are words
            self.draw.text((px, py), word, color)


def _draw_shapes(world: DrawableWorld, pen: _Pen, flags: set[str]) -> None:
    shown = borders(world, DARK, camera=pen.view)
    lengths = np.diff(shown.starts)
    ends = shown.starts[1:] - 1
    following = np.arange(len(shown.points)) + 1
    following[ends] = shown.starts[:-1]
    drawn = np.ones(len(shown.points), bool)
    drawn[ends[lengths == 2]] = False  # a line has no way back
    shape = np.repeat(np.arange(len(lengths)), lengths)
    a, b = shown.points, shown.points[following]
    bodies = world.arrays.bodies[shown.shapes["body"]]
    for flag, chosen, color in (
        ("shapes", drawn, None),
        ("sleep", drawn & ((bodies["type"] != 0) & ~bodies["awake"])[shape], "blue"),
        ("fast", drawn & bodies["fast"][shape], "red"),
    ):
        if flag in flags:
            tint = color_codes(shown.colors[shape[chosen], :3]) if color is None else color
            pen.lines(a[chosen, 0], a[chosen, 1], b[chosen, 0], b[chosen, 1], tint)


def _draw_boxes(world: DrawableWorld, pen: _Pen, flags: set[str]) -> None:
    kinds: tuple[tuple[str, Boxes, str], ...] = (
        ("boxes", "tight", "teal"),
        ("fat_boxes", "fat", "magenta"),
        ("nodes", "nodes", ""),
    )
    for flag, what, color in kinds:
        if flag not in flags:
            continue
        rows = world.arrays.boxes(what)
        if pen.view is not None:
            left, bottom, right, top = pen.view
            seen = (
                (rows["lower_x"] <= right)
                & (rows["upper_x"] >= left)
                & (rows["lower_y"] <= top)
                & (rows["upper_y"] >= bottom)
            )
            rows = rows[seen]
        tint = color if color else color_codes(island_color(rows["level"]))
        pen.boxes(rows["lower_x"], rows["lower_y"], rows["upper_x"], rows["upper_y"], tint)


def _draw_joints(world: DrawableWorld, pen: _Pen, flags: set[str]) -> None:
    rows = world.arrays.joints
    rows = rows[inside(pen.view, rows["ax"], rows["ay"]) | inside(pen.view, rows["bx"], rows["by"])]
    if not len(rows):
        return
    if "colors" in flags:
        solved = rows[rows["color"] >= 0]
        pen.lines(
            solved["center_ax"],
            solved["center_ay"],
            solved["center_bx"],
            solved["center_by"],
            batch_color(solved["color"]),
        )
    if "joints" in flags:
        moving = world.arrays.bodies["type"] != 0
        for number, joint_class in sorted(JOINT_CLASSES.items()):
            some = rows[rows["type"] == number]
            if len(some):
                for part in joint_class._DRAWN:
                    part(pen, some, moving)
    if "joint_forces" in flags:
        size = np.hypot(rows["force_x"], rows["force_y"])
        k = pen.scale * 0.02 * np.sqrt(size) / np.maximum(size, 1e-12)
        pen.lines(rows["bx"], rows["by"], rows["bx"] + k * rows["force_x"], rows["by"] + k * rows["force_y"], "yellow")


def batch_color(colors: Any) -> NDArray[np.uint32]:
    """Colours of the batches of the solver: a hue for each, white for the overflow."""
    codes = color_codes(island_color(colors))
    codes[np.asarray(colors) >= 32] = COLORS["white"]
    return codes


def _draw_contacts(world: DrawableWorld, pen: _Pen, flags: set[str]) -> None:
    rows = world.arrays.contacts
    size = 6.0 if len(rows) < 1000 else 4.0
    for k in range(2):
        some = rows[(rows["point_count"] > k)]
        x, y = some["px"][:, k], some["py"][:, k]
        seen = inside(pen.view, x, y)
        some, x, y = some[seen], x[seen], y[seen]
        if not len(some):
            continue
        nx, ny = some["normal_x"].astype(np.float64), some["normal_y"].astype(np.float64)
        if "colors" in flags:
            solved = some["color"] >= 0
            pen.dots(x[solved], y[solved], batch_color(some["color"][solved]), size + 1)
        elif "contacts" in flags:
            tint = np.where(some["separation"][:, k] <= 0, COLORS["red"], COLORS["blue"]).astype(np.uint32)
            pen.dots(x, y, tint, size)
        if "features" in flags:
            words = [str(feature) for feature in some["feature"][:, k].tolist()]
            pen.texts(x, y, words[:TEXTS], COLORS["white"])
        if "normals" in flags:
            pen.lines(x, y, x + 0.25 * nx, y + 0.25 * ny, "lime")
        for flag, field, ux, uy, color in (
            ("forces", "normal_impulse", nx, ny, "yellow"),
            ("friction", "tangent_impulse", ny, -nx, "orange"),
        ):
            if flag in flags:
                impulse = some[field][:, k].astype(np.float64)
                reach = pen.scale * np.sign(impulse) * np.sqrt(np.abs(impulse))
                pen.lines(x, y, x + reach * ux, y + reach * uy, color)


def _draw_bodies(world: DrawableWorld, pen: _Pen, flags: set[str]) -> None:
    bodies = world.arrays.bodies
    if "islands" in flags:
        _draw_islands(world, pen, bodies)
    if not flags & {"mass", "velocities", "ids"}:
        return
    arrays = world.arrays
    alive = bodies["type"] >= 0
    cx, cy = arrays.world_center.T
    if "velocities" in flags:
        seen = np.nonzero(alive & inside(pen.view, cx, cy))[0]
        x, y, v = cx[seen], cy[seen], np.asarray(arrays.linear_velocity)[seen]  # of the centres of mass
        pen.lines(x, y, x + 0.1 * v[:, 0], y + 0.1 * v[:, 1], "cyan")
    if "mass" in flags:
        mass = arrays.mass
        seen = np.nonzero((bodies["type"] == 2) & inside(pen.view, cx, cy))[0]
        pen.dots(cx[seen], cy[seen], "white", 4)
        pen.texts(cx[seen], cy[seen], [f"{mass[k]:.3g} kg" for k in seen[:TEXTS].tolist()], COLORS["white"])
    if "ids" in flags:
        x, y = np.asarray(arrays.position).T
        seen = np.nonzero(alive & inside(pen.view, x, y))[0]
        pen.texts(x[seen], y[seen], [str(k) for k in seen[:TEXTS].tolist()], COLORS["grey"])


def _draw_islands(world: DrawableWorld, pen: _Pen, bodies: NDArray[np.void]) -> None:
    boxes = world.arrays.boxes("tight")
    shapes = world.arrays.shapes
    island = bodies["island"][shapes["body"]]
    inside_one = island >= 0
    boxes, island = boxes[inside_one], island[inside_one]
    if not len(boxes):
        return
    count = int(island.max()) + 1
    lower, upper = np.full((count, 2), np.inf), np.full((count, 2), -np.inf)
    np.minimum.at(lower, island, np.stack([boxes["lower_x"], boxes["lower_y"]], axis=-1))
    np.maximum.at(upper, island, np.stack([boxes["upper_x"], boxes["upper_y"]], axis=-1))
    found = np.nonzero(lower[:, 0] <= upper[:, 0])[0]
    lower, upper = lower[found] - 0.05, upper[found] + 0.05
    pen.boxes(lower[:, 0], lower[:, 1], upper[:, 0], upper[:, 1], color_codes(island_color(found)))
