"""Pictures of a world: the methods `debug_draw`, `to_svg` and `plot` of `World`. The first picture imports the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._bridge.arguments import bounded, choice, finite, finite_pair, floats
from .._bridge.errors import short_repr
from .._geometry.shapes import ORIGIN
from .draw_list import DrawList

if TYPE_CHECKING:
    from .._bridge.vectors import Vec2Like
    from .style import DrawableWorld


def debug_draw(
    world: DrawableWorld,
    draw: DrawList | None = None,
    *flags: str,
    view: tuple[float, float, float, float] | None = None,
    offset: Vec2Like = ORIGIN,
    scale: float = 1.0,
) -> DrawList:
    """Adds a picture of the state of the engine to a list of lines, points and texts, which any renderer can show.

    Args:
        draw: the list to add to; a new one if None.
        flags: any of "joints", "boxes", "fat_boxes", "nodes" of the broad phase, "contacts", "normals", "forces",
        "friction",
            "joint_forces", "colors" of the solver, "mass", "velocities", "islands", "ids"; "joints" and "contacts" if
            none is given.
        view: left, bottom, right, top in metres; what lies far outside is left out.
        offset: added to all coordinates, metres.
        scale: of forces: a contact impulse of 1 N s a substep is so many metres long, others by the square root.

    Raises:
        ValueError: an unknown flag, or a number that is not finite.
        TypeError: a wrong type.

    >>> with World() as world:
    ...     _ = world.create_static_body().create_shape(Box(1, 1))
    ...     world.debug_draw(None, "boxes")
    <DrawList of 4 lines, 0 points, 0 fills, 0 texts>
    """
    from .debug_draw import add_to_list

    if not isinstance(draw, DrawList | None):
        raise TypeError(f"draw={short_repr(draw)} must be a DrawList or None")
    draw = DrawList() if draw is None else draw
    add_to_list(
        world,
        draw,
        flags or ("joints", "contacts"),
        None if view is None else _camera(view, "view"),
        finite_pair(offset, "offset"),
        bounded(scale, "scale", 0.0, 1e9),
    )
    return draw


def _camera(value: Any, name: str) -> tuple[float, float, float, float]:
    """Left, bottom, right and top: four finite numbers."""
    rows = floats(value, name)
    if rows.shape != (4,):
        raise ValueError(f"{name}={short_repr(value)} must be four numbers: left, bottom, right, top")
    finite(rows, value, name)
    left, bottom, right, top = rows.tolist()
    return left, bottom, right, top


def to_svg(
    world: DrawableWorld,
    *,
    camera: tuple[float, float, float, float] | None = None,
    size: tuple[int, int] = (640, 400),
    draw: DrawList | None = None,
    by: str = "kind",
) -> str:
    """A picture of all shapes as SVG text; needs no library. Notebooks show a world in this way.

    Args:
        camera: left, bottom, right, top in metres, fitted into the picture and centred; None shows everything.
        size: width and height in pixels.
        draw: what else to draw over it, as from `debug_draw`.
        by: what colours moving bodies: "kind" of shape, "island" or "body".

    Raises:
        ValueError: the camera is empty or `by` is none of these.

    >>> with World() as world:
    ...     _ = world.create_dynamic_body().create_shape(Circle(1))
    ...     world.to_svg().count("<circle")
    1
    """
    from .svg import svg_of

    return svg_of(world, camera, size, draw, choice(by, "by", ("kind", "island", "body")))


def plot(world: DrawableWorld, axes: Any = None, *, draw: DrawList | None = None, by: str = "kind") -> Any:
    """Draws all shapes into matplotlib axes, in metres; returns them.

    Args:
        axes: where to; a new figure's if None.
        draw: what else to draw over it, as from `debug_draw`.
        by: what colours moving bodies: "kind" of shape, "island" or "body".

    Raises:
        ModuleNotFoundError: matplotlib is not installed.
        ValueError: `by` is none of these.
    """
    from .plot import plot_into

    return plot_into(world, axes, draw, choice(by, "by", ("kind", "island", "body")))
