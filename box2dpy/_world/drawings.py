"""How to look at a world: debug drawing, SVG, matplotlib. The first picture imports what draws."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from .._bridge.arguments import bounded, choice, pair
from .._bridge.tables import Tables
from .._draw.draw_list import DrawList
from .._geometry.shapes import ORIGIN

if TYPE_CHECKING:
    from .._bridge.vectors import Vec2Like
    from .world import World


class Drawings(Tables):
    """The part of `World` that shows it."""

    def debug_draw(
        self,
        draw: DrawList | None = None,
        *flags: str,
        view: tuple[float, float, float, float] | None = None,
        offset: Vec2Like = ORIGIN,
        scale: float = 1.0,
    ) -> DrawList:
        """Adds what an engineer wants to see to a list of lines, points and texts; any renderer can show it.

        Args:
            draw: the list to add to; a new one if None.
            flags: any of "joints", "boxes", "fat_boxes", "nodes" of the broad phase, "contacts", "normals", "forces",
            "friction",
                "joint_forces", "colors" of the solver, "mass", "velocities", "islands", "ids"; "joints" and "contacts" if
                none is given.
            view: left, bottom, right, top in metres: nothing far outside is added.
            offset: added to all coordinates, metres.
            scale: of forces: a contact impulse of 1 N s a substep is so many metres long, others by the square root.

        Raises:
            ValueError: an unknown flag.

        >>> with World() as world:
        ...     _ = world.create_static_body().create_shape(Box(1, 1))
        ...     world.debug_draw(None, "boxes")
        <DrawList of 4 lines, 0 points, 0 fills, 0 texts>
        """
        from .._draw.debug_draw import debug_draw

        draw = DrawList() if draw is None else draw
        world = cast("World", self)
        debug_draw(
            world,
            draw,
            flags or ("joints", "contacts"),
            view,
            pair(offset, "offset"),
            bounded(scale, "scale", 0.0, 1e9),
        )
        return draw

    def to_svg(
        self,
        *,
        camera: tuple[float, float, float, float] | None = None,
        size: tuple[int, int] = (640, 400),
        draw: DrawList | None = None,
        by: str = "kind",
    ) -> str:
        """A picture of all shapes as SVG text, without any library; notebooks show worlds so.

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
        from .._draw.svg import to_svg

        return to_svg(cast("World", self), camera, size, draw, choice(by, "by", ("kind", "island", "body")))

    def _repr_svg_(self) -> str:
        return self.to_svg()

    def plot(self, axes: Any = None, *, draw: DrawList | None = None, by: str = "kind") -> Any:
        """Draws all shapes into matplotlib axes, in metres; returns them.

        Args:
            axes: where to; a new figure's if None.
            draw: what else to draw over it, as from `debug_draw`.
            by: what colours moving bodies: "kind" of shape, "island" or "body".

        Raises:
            ModuleNotFoundError: matplotlib is not installed.
            ValueError: `by` is none of these.
        """
        from .._draw.plot import plot

        return plot(cast("World", self), axes, draw, choice(by, "by", ("kind", "island", "body")))
