"""Cameras: what part of a world a picture shows, where its points are in the picture, and what of a `DrawList` it
shows."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from .._bridge.arguments import bounded, finite, finite_pair, floats, number, pair, points
from .._bridge.errors import short_repr
from .._bridge.vectors import Vec2
from .._geometry.geometry import ORIGIN
from .._objects.body import Body

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .._bridge.vectors import AABB, Vec2Like
    from .._objects.arrays import Arrays
    from .draw_list import DrawList, Fill, Label

MARGIN = 0.04  # of the larger side, around a world whose camera is not given

Camera = tuple[float, float, float, float]
"""The part of the world to show: left, bottom, right, top, in metres."""

CameraLike = Camera | Callable[[], Camera] | None
"""A camera, a function that returns one for each picture (as a `FollowCamera` does), or None for all shapes."""


class DrawableWorld(Protocol):
    """The attributes of a world that drawing reads."""

    @property
    def arrays(self) -> Arrays: ...
    @property
    def bounds(self) -> AABB: ...


Poses = tuple["NDArray[np.float64]", "NDArray[np.float32]"]
"""Positions (n, 2) and rotations (n, 2) as cosine and sine, rows as in `World.arrays`: `FixedStepper.interpolated`."""


def drawable(world: Any) -> None:
    """Refuses an object without the attributes of a `DrawableWorld`.

    Raises:
        TypeError: it lacks one.
    """
    if not all(hasattr(type(world), name) for name in ("arrays", "bounds")):
        raise TypeError(f"world={short_repr(world)} must be a World")


def bounds(world: DrawableWorld) -> Camera:
    """A camera that shows all shapes with a margin."""
    lower, upper = world.bounds
    if not len(world.arrays.shapes):
        return (-1.0, -1.0, 1.0, 1.0)
    margin = MARGIN * max(upper.x - lower.x, upper.y - lower.y, 1.0)
    return lower.x - margin, lower.y - margin, upper.x + margin, upper.y + margin


def _checked(slot: str, check: Callable[[Any, str], Any], doc: str) -> property:
    """A property that may be assigned what its check accepts, and is kept in a slot with an underscore before its
    name."""

    def assign(self: Any, value: Any) -> None:
        setattr(self, slot, check(value, slot[1:]))

    return property(attrgetter(slot), assign, doc=doc)


def _rows(value: Any, name: str) -> NDArray[np.float64]:
    """Numbers in pairs, shape (2,) or (n, 2)."""
    rows = floats(value, name)
    if rows.ndim not in (1, 2) or rows.shape[-1] != 2:
        raise ValueError(f"{name}={short_repr(value)} must have shape (n, 2), not {rows.shape}")
    return rows


def _finite(value: Any, name: str) -> Any:
    bounded(value, name, -1e300, 1e300)
    return value  # numbers of pixels stay whole numbers


def _length(value: Any, name: str) -> float:
    return bounded(value, name, 1e-6, 1e9)


def _body(value: Any, name: str) -> Body:
    if not isinstance(value, Body):
        raise TypeError(f"{name}={short_repr(value)} must be a Body")
    return value


class View:
    """Converts metres, y upwards, to pixels, y downwards; the centre of the camera is that of the picture.

    Args:
        camera: left, bottom, right, top in metres, fitted into the picture.
        width, height: of the picture in pixels.

    Raises:
        ValueError: the camera or the picture is empty.

    >>> view = View((0, 0, 10, 5), 200, 100)
    >>> view.scale, view.to_world((200, 0)), view.to_pixel((5, 2.5))
    (20.0, Vec2(10.0, 5.0), Vec2(100.0, 50.0))
    """

    __slots__ = ("__weakref__", "_height", "_scale", "_width", "_x", "_y")
    width = _checked("_width", _finite, "Pixels.")
    height = _checked("_height", _finite, "Pixels.")
    x = _checked("_x", _finite, "The column of the origin of the world, pixels.")
    y = _checked("_y", _finite, "The row of the origin of the world, pixels.")

    def __init__(self, camera: Camera, width: int, height: int) -> None:
        left, bottom, right, top = (number(each, "camera") for each in camera)
        if not (right > left and top > bottom):
            raise ValueError(f"camera must have left < right and bottom < top, not {camera}")
        self.width, self.height = width, height
        scale = min(number(width, "width") / (right - left), number(height, "height") / (top - bottom))
        if not 0.0 < scale < float("inf"):
            raise ValueError(f"width={width} and height={height} must be positive, and the camera {camera} finite")
        self.scale = scale
        self.x = 0.5 * width - self.scale * 0.5 * (left + right)
        self.y = 0.5 * height + self.scale * 0.5 * (bottom + top)

    @property
    def scale(self) -> float:
        """Pixels per metre, more than 0; the pixel (`x`, `y`) keeps the origin of the world."""
        return self._scale

    @scale.setter
    def scale(self, value: float) -> None:
        scale = number(value, "scale")
        if scale <= 0.0:
            raise ValueError(f"scale={value} must be positive")
        self._scale = scale

    @property
    def camera(self) -> Camera:
        """Left, bottom, right, top of all that the picture shows, metres."""
        (left, bottom), (right, top) = self.to_world((0, self.height)), self.to_world((self.width, 0))
        return left, bottom, right, top

    def to_world(self, pixel: Vec2Like) -> Vec2:
        """The point in the world, metres, that a pixel shows, for example that of the mouse."""
        x, y = pair(pixel, "pixel")
        return Vec2((x - self.x) / self.scale, (self.y - y) / self.scale)

    def to_pixel(self, point: Vec2Like) -> Vec2:
        """Where a point in the world is in the picture."""
        x, y = pair(point, "point")
        return Vec2(self.x + self.scale * x, self.y - self.scale * y)

    def project(self, points: Any) -> NDArray[np.float64]:
        """Points in the world, shape (n, 2), as pixels."""
        return _rows(points, "points") * (self.scale, -self.scale) + (float(self.x), float(self.y))

    def shows(self, lower: Any, upper: Any) -> NDArray[np.bool_]:
        """Which boxes of pixels, lower and upper corners of shape (n, 2), overlap the picture."""
        lower, upper = _rows(lower, "lower"), _rows(upper, "upper")
        if lower.shape != upper.shape:
            raise ValueError(f"lower and upper must have one shape, not {lower.shape} and {upper.shape}")
        return np.asarray(((upper >= 0) & (lower <= (self.width, self.height))).all(axis=-1), bool)

    def far(self, pixels: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Which pixels, shape (n, 2), are so far outside that a shape with them has to be clipped. Libraries draw a
        polygon row by row, also the rows far outside of the picture."""
        pixels = points(pixels, "pixels")
        size = (self.width, self.height)
        return np.asarray(((pixels < np.multiply(-2, size)) | (pixels > np.multiply(3, size))).any(axis=-1), bool)

    def clipped(self, border: NDArray[np.float64]) -> NDArray[np.float64]:
        """The part of a convex polygon or a line, pixels of shape (n, 2), that is in the picture or less than a
        picture's size outside of it (Sutherland and Hodgman, 1974)."""
        border = points(border, "border")
        for axis, size in ((0, self.width), (1, self.height)):
            for sign, limit in ((1, -size), (-1, -2 * size)):
                inner = sign * border[:, axis] - limit  # positive on the side that is kept
                kept: list[NDArray[np.float64]] = []
                for k in range(len(border)):
                    before, now = inner[k - 1], inner[k]
                    if (before < 0) != (now < 0) and (k > 0 or len(border) > 2):
                        kept.append(border[k - 1] + before / (before - now) * (border[k] - border[k - 1]))
                    if now >= 0:
                        kept.append(border[k])
                border = np.array(kept).reshape(-1, 2)
        return border


def camera_now(camera: CameraLike, world: DrawableWorld, poses: Poses | None = None) -> Camera:
    """The four numbers of any kind of camera.

    Raises:
        ValueError: not four finite numbers, or empty.
        TypeError: no numbers.
    """
    drawable(world)
    if camera is None:
        return bounds(world)
    value = camera.at(poses) if isinstance(camera, FollowCamera) else camera() if callable(camera) else camera
    return four_numbers(value, "camera")


def four_numbers(value: Any, name: str) -> Camera:
    """Left, bottom, right and top: four finite numbers."""
    rows = floats(value, name)
    if rows.shape != (4,):
        raise ValueError(f"{name}={short_repr(value)} must be four numbers: left, bottom, right, top")
    finite(rows, value, name)
    left, bottom, right, top = rows.tolist()
    return left, bottom, right, top


class FollowCamera:
    """A camera that follows a body, for films and for `box2dpy.pygame.draw` and `box2dpy.pyglet.Drawer`.

    Args:
        body: the body to follow. When it has been destroyed the camera stays where it is.
        width: of what the picture shows, metres.
        height: the picture shows at least that much, metres; None: half the width.
        offset: from the body's position to the centre of the picture, metres.
        smoothing: the part of the way to the body that is left after each picture, 0 to 0.99. 0 keeps the body exactly
            in its place; larger values move the camera more evenly, and let it fall behind a fast body.

    Raises:
        ValueError: not finite or out of range.
        TypeError: a wrong type.

    >>> with World() as world:
    ...     FollowCamera(world.create_dynamic_body((7, 3)), width=20)()
    (-3.0, -2.0, 17.0, 8.0)
    """

    __slots__ = ("__weakref__", "_body", "_center", "_height", "_offset", "_smoothing", "_width")
    body = _checked("_body", _body, "The body that it follows.")
    width = _checked("_width", _length, "Of what the picture shows, metres.")
    height = _checked("_height", _length, "The picture shows at least that much, metres.")
    offset = _checked(
        "_offset",
        lambda value, name: Vec2(*finite_pair(value, name)),
        "From the position of the body to the centre of the picture, metres.",
    )
    smoothing = _checked(
        "_smoothing",
        lambda value, name: bounded(value, name, 0.0, 0.99),
        "The part of the way that is left after each picture.",
    )

    def __init__(
        self,
        body: Body,
        width: float = 20.0,
        *,
        height: float | None = None,
        offset: Vec2Like = ORIGIN,
        smoothing: float = 0.0,
    ) -> None:
        self.body = body
        self.width = width
        self.height = 0.5 * self.width if height is None else height
        self.offset = Vec2(*finite_pair(offset, "offset"))
        self.smoothing = smoothing
        self._center: Vec2 | None = None

    def at(self, poses: Poses | None = None) -> Camera:
        """The camera of the next picture, which shows the bodies at these poses; None: at the present ones.

        Raises:
            TypeError: the poses are not what `FixedStepper.interpolated` gives.
        """
        if self.body.alive:
            position = self.body.position if poses is None else self._position_in(poses)
            goal = position + self.offset
            self._center = goal if self._center is None else goal + self.smoothing * (self._center - goal)
        x, y = self._center or self.offset
        return x - 0.5 * self.width, y - 0.5 * self.height, x + 0.5 * self.width, y + 0.5 * self.height

    __call__ = at

    def _position_in(self, poses: Poses) -> Vec2:
        try:
            x, y = poses[0][self.body.index].tolist()
        except (AttributeError, IndexError, KeyError, TypeError, ValueError):
            raise TypeError(f"poses={short_repr(poses)} must be positions and rotations of all bodies") from None
        return Vec2(x, y)


class Visible(NamedTuple):
    """What of a `DrawList` a view shows, in pixels."""

    fills: list[tuple[NDArray[np.float64], Fill]]
    """Corners, shape (n, 2), and the fill that they belong to."""
    lines: NDArray[np.float64]
    """x and y of both ends, shape (n, 4)."""
    line_colors: list[int]
    dots: NDArray[np.float64]
    """x, y and diameter, shape (n, 3)."""
    dot_colors: list[int]
    labels: list[tuple[float, float, Label]]
    """x, y and the label that starts there."""


def visible(draw: DrawList, view: View) -> Visible:
    """What of a list a view shows."""
    fills = [(view.project(fill.points), fill) for fill in draw.fills]
    fills = [(view.clipped(corners) if view.far(corners).any() else corners, fill) for corners, fill in fills]
    ends = view.project(draw.line_ends.reshape(-1, 2)).reshape(-1, 2, 2)
    seen = view.shows(ends.min(axis=1), ends.max(axis=1))
    dots = np.column_stack([view.project(draw.points[:, :2]), draw.points[:, 2]])
    near = view.shows(dots[:, :2] - dots[:, 2:], dots[:, :2] + dots[:, 2:])
    labels = [(*view.to_pixel((label.x, label.y)), label) for label in draw.labels]
    return Visible(
        [(corners, fill) for corners, fill in fills if len(corners) > 2 and view.shows(corners.min(0), corners.max(0))],
        ends[seen].reshape(-1, 4),
        draw.line_colors[seen].tolist(),
        dots[near],
        draw.point_colors[near].tolist(),
        [(x, y, label) for x, y, label in labels if -view.width <= x <= view.width and 0 <= y <= 1.1 * view.height],
    )
