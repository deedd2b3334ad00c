"""What debug drawing shows of joints: the types list these parts in `_DRAWN`.

Rows are those of `Arrays.joints`, a pen adds to a `DrawList`, and `moving` says, by body index, whether a body is not
static.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .._objects.joint import DrawnPart, Pen


def draw_anchors(pen: Pen, rows: NDArray[np.void], moving: NDArray[np.bool_]) -> None:
    """A dot at each anchor: orange on body A, cyan on body B."""
    pen.dots(rows["ax"], rows["ay"], "orange", 5)
    pen.dots(rows["bx"], rows["by"], "cyan", 4)


def draw_arms(pen: Pen, rows: NDArray[np.void], moving: NDArray[np.bool_]) -> None:
    """A line from the centre of mass of each moving body to its anchor; the centre of a static body has no meaning."""
    for side in "ab":
        some = rows[moving[rows[f"body_{side}"]]]
        pen.lines(some[f"center_{side}x"], some[f"center_{side}y"], some[f"{side}x"], some[f"{side}y"], "grey")


def draw_axis(pen: Pen, rows: NDArray[np.void], moving: NDArray[np.bool_]) -> None:
    """The axis between its limits, with red bars at its ends, or one metre either way, with green bars, if it has no
    limits. An infinite limit is drawn a metre from zero, or from the other limit."""
    limited = rows["limited"]
    for some, color in ((rows[limited], "red"), (rows[~limited], "green")):
        x, y, nx, ny = some["ax"], some["ay"], some["axis_x"], some["axis_y"]
        lower, upper = (some["lower"], some["upper"]) if color == "red" else (-1.0, 1.0)
        low = np.where(np.isinf(lower), np.minimum(upper - 1.0, -1.0), lower)
        high = np.where(np.isinf(upper), np.maximum(lower + 1.0, 1.0), upper)
        pen.lines(x + low * nx, y + low * ny, x + high * nx, y + high * ny, "green")
        for end in (low, high):
            end_x, end_y, half = x + end * nx, y + end * ny, 0.15
            pen.lines(end_x - half * ny, end_y + half * nx, end_x + half * ny, end_y - half * nx, color)


def draw_angle_limits(pen: Pen, rows: NDArray[np.void], moving: NDArray[np.bool_]) -> None:
    """Hands at the lower (red) and the upper limit (green) and at the angle (cyan)."""
    limited = rows[rows["limited"]]
    for limit, color in (("lower", "red"), ("upper", "green")):
        some = limited[np.isfinite(limited[limit])]
        x, y, angle = some["ax"], some["ay"], some["angle_a"] + some[limit]
        pen.lines(x, y, x + 0.3 * np.cos(angle), y + 0.3 * np.sin(angle), color)
    x, y, angle = limited["bx"], limited["by"], limited["angle_b"]
    pen.lines(x, y, x + 0.3 * np.cos(angle), y + 0.3 * np.sin(angle), "cyan")


def draw_ropes(pen: Pen, rows: NDArray[np.void], moving: NDArray[np.bool_]) -> None:
    """The ropes of a pulley, and a line from wheel to wheel."""
    for side in "ab":
        pen.lines(rows[f"{side}x"], rows[f"{side}y"], rows[f"ground_{side}x"], rows[f"ground_{side}y"], "cyan")
    pen.lines(rows["ground_ax"], rows["ground_ay"], rows["ground_bx"], rows["ground_by"], "grey")


def between_anchors(color: str) -> DrawnPart:
    """A line from anchor to anchor."""
    return lambda pen, rows, moving: pen.lines(rows["ax"], rows["ay"], rows["bx"], rows["by"], color)


def between_centers(color: str) -> DrawnPart:
    """A line from centre of mass to centre of mass."""
    return lambda pen, rows, moving: pen.lines(
        rows["center_ax"], rows["center_ay"], rows["center_bx"], rows["center_by"], color
    )
