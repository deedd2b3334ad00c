"""Pictures of a world: the methods of `World` that draw. The first picture imports the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._bridge.arguments import bounded, choice, file_path, finite_pair
from .._bridge.errors import short_repr
from .._geometry.geometry import ORIGIN

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from .._bridge.vectors import Vec2Like
    from .camera import CameraLike, DrawableWorld
    from .draw_list import DrawList
    from .movie import SteppableWorld
    from .style import ColorBy, ThemeName


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
        flags: any of "shapes", "joints", "boxes", "fat_boxes", "nodes" of the broad phase, "contacts", "features",
            "normals", "forces", "friction", "joint_forces", "colors" of the solver, "mass", "velocities", "sleep",
            "fast", "islands", "ids"; "joints" and "contacts" if none is given. "features" are the numbers of the
            corners and edges that meet at contact points, "sleep" and "fast" the borders of sleeping bodies and of
            those that the continuous stage of the last step swept. "mass" and "velocities" are drawn at the centres
            of mass.
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
    from .camera import four_numbers
    from .debug_draw import add_to_list
    from .draw_list import DrawList

    if not isinstance(draw, DrawList | None):
        raise TypeError(f"draw={short_repr(draw)} must be a DrawList or None")
    draw = DrawList() if draw is None else draw
    add_to_list(
        world, draw, flags or ("joints", "contacts"), None if view is None else four_numbers(view, "view"),
        finite_pair(offset, "offset"), bounded(scale, "scale", 0.0, 1e9),
    )  # fmt: skip
    return draw


def to_svg(
    world: DrawableWorld,
    *,
    camera: CameraLike = None,
    size: tuple[int, int] = (640, 400),
    draw: DrawList | None = None,
    by: ColorBy = "kind",
) -> str:
    """A picture of all shapes that the camera sees as SVG text; needs no library. Notebooks show a world in this way.

    Args:
        camera: left, bottom, right, top in metres, fitted into the picture and centred, or a function that returns
            them, as a `FollowCamera` does; None shows everything.
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
    from .style import BY
    from .svg import svg_of

    return svg_of(world, camera, size, draw, choice(by, "by", BY))


def plot(world: DrawableWorld, axes: Any = None, *, draw: DrawList | None = None, by: ColorBy = "kind") -> Any:
    """Draws all shapes into matplotlib axes, in metres; returns them.

    Args:
        axes: the axes to draw into; None creates a figure.
        draw: what else to draw over it, as from `debug_draw`.
        by: what colours moving bodies: "kind" of shape, "island" or "body".

    Raises:
        ModuleNotFoundError: matplotlib is not installed; the extra `box2dpy[plot]` has it.
        ValueError: `by` is none of these.
    """
    world.arrays  # noqa: B018  raises when the world is closed, also without matplotlib
    from .plot import plot_into
    from .style import BY

    return plot_into(world, axes, draw, choice(by, "by", BY))


def save_picture(
    world: DrawableWorld,
    path: str | Path,
    *,
    camera: CameraLike = None,
    size: tuple[int, int] = (960, 600),
    theme: ThemeName = "light",
    by: ColorBy = "kind",
    draw: DrawList | None = None,
) -> None:
    """Saves a picture of all shapes that the camera sees. The ending of the path chooses the format, as `.png`.

    Args:
        path: the file; missing folders are created.
        camera: left, bottom, right, top in metres, fitted into the picture and centred, or a function that returns
            them, as a `FollowCamera` does; None shows everything.
        size: width and height in pixels.
        theme: "light" or "dark".
        by: what colours moving bodies: "kind" of shape, "island" or "body".
        draw: what else to draw over it, as from `debug_draw`.

    Raises:
        ModuleNotFoundError: pillow is not installed; the extra `box2dpy[film]` has it.
        ValueError: the camera is empty, a size out of range, an unknown theme, or an ending that pillow does not know.
        OSError: the file cannot be written.
    """
    from .render import render
    from .style import BY, THEMES

    chosen = THEMES[choice(theme, "theme", THEMES)]
    render(world, file_path(path), camera=camera, size=size, theme=chosen, by=choice(by, "by", BY), draw=draw)


def save_gif(
    world: SteppableWorld,
    path: str | Path,
    frames: int = 150,
    *,
    camera: CameraLike = None,
    size: tuple[int, int] = (640, 400),
    fps: float = 30.0,
    speed: float = 1.0,
    dt: float = 1 / 60,
    substeps: int = 4,
    before_step: Callable[[int], object] | None = None,
    draw: Callable[[DrawList], object] | None = None,
    flags: tuple[str, ...] = (),
    theme: ThemeName = "light",
    by: ColorBy = "kind",
) -> None:
    """Steps the world and saves what happens as an animated GIF. `MovieWriter` writes MP4 and numbered pictures too,
    and films worlds that the program steps itself.

    Args:
        path: the file, ending in `.gif`; missing folders are created.
        frames: number of pictures, at least 1.
        camera: left, bottom, right, top in metres, fitted into the picture and centred; a function that returns them
            for each picture, as a `FollowCamera` does; or None for all shapes at the start.
        size: width and height in pixels.
        fps: pictures a second, up to 50.
        speed: seconds of the world in a second of the film; 0.25 is slow motion.
        dt, substeps: of each step, as in `step`.
        before_step: called before each step with its number, from 0; drives motors and creates bodies.
        draw: called for each picture with a `DrawList`; what it adds is drawn over the picture.
        flags: what `debug_draw` adds to each picture, such as "joints".
        theme: "light" or "dark".
        by: what colours moving bodies: "kind" of shape, "island" or "body".

    Raises:
        ModuleNotFoundError: pillow is not installed; the extra `box2dpy[film]` has it.
        ValueError: a number out of range, another ending, an unknown name.
        TypeError: a wrong type.
        OSError: the file cannot be written.
        any exception: a function raised it; the file has the pictures so far.
    """
    from .movie import MovieWriter

    if not file_path(path).lower().endswith(".gif"):
        raise ValueError(f"path={short_repr(path)} must end in .gif; MovieWriter writes other formats")
    with MovieWriter(path, camera=camera, size=size, fps=fps, theme=theme, by=by, flags=flags) as film:
        film.record(world, frames, speed=speed, dt=dt, substeps=substeps, before_step=before_step, draw=draw)
