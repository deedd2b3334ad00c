"""Draws worlds with pygame: `box2dpy.pygame.draw(surface, world, camera)`. Needs the extra `box2dpy[pygame]`.

```
import box2dpy as b2
import box2dpy.pygame
import pygame

screen = pygame.display.set_mode((960, 600))
clock = pygame.time.Clock()
stepper = b2.FixedStepper(world)
while not pygame.event.get(pygame.QUIT):
    stepper.advance(clock.tick(60) / 1000)
    screen.fill("white")
    box2dpy.pygame.draw(screen, world, (-10, 0, 10, 12), stepper=stepper)
    pygame.display.flip()
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._bridge.arguments import choice, instance
from ._bridge.errors import missing, short_repr
from ._draw.camera import View, camera_now, visible
from ._draw.draw_list import DrawList
from ._draw.style import BY, THEMES, Theme, pieces, readable, rgb
from ._helpers.stepper import FixedStepper

try:
    import pygame
except ModuleNotFoundError:
    raise missing("box2dpy.pygame", "pygame", "pygame") from None

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ._draw.camera import CameraLike
    from ._draw.style import ColorBy, ThemeName
    from ._world.world import World

__all__ = ["draw"]


def __dir__() -> list[str]:
    return __all__


def draw(
    surface: pygame.Surface,
    world: World,
    camera: CameraLike = None,
    *,
    stepper: FixedStepper | None = None,
    draw: DrawList | None = None,
    theme: ThemeName = "light",
    by: ColorBy = "kind",
) -> View:
    """Draws all shapes that the camera sees over what is on the surface; takes about 10 us for each of them.

    Args:
        surface: any surface of pygame or pygame-ce, the window's or another one.
        world: any world that is not being stepped.
        camera: left, bottom, right, top in metres, fitted into the surface and centred, or a function that returns
            them, as a `FollowCamera` does; None shows everything.
        stepper: shows the bodies at the interpolated poses of this `FixedStepper`, so that they move evenly at any
            frame rate; None shows their present poses.
        draw: what else to draw, as from `World.debug_draw`.
        theme: colours for a "light" or a "dark" background.
        by: what colours moving bodies: "kind" of shape, "island" or "body".

    Returns:
        The view, which converts between the world and the surface: `view.to_world(pygame.mouse.get_pos())`.

    Raises:
        ModuleNotFoundError: pygame is not installed; importing this module raises it.
        ValueError: the camera is empty or not finite, an unknown name.
        TypeError: a wrong type.
    """
    colors = THEMES[choice(theme, "theme", THEMES)]
    if not isinstance(surface, pygame.Surface):
        raise TypeError(f"surface={short_repr(surface)} must be a pygame.Surface")
    stepper, draw = instance(stepper, FixedStepper, "stepper"), instance(draw, DrawList, "draw")
    poses = None if stepper is None else stepper.interpolated()
    view = View(camera_now(camera, world, poses), *surface.get_size())
    for piece in pieces(world, colors, by=choice(by, "by", BY), view=view, poses=poses):
        corners = piece.points.tolist()
        if len(corners) == 2:
            pygame.draw.aaline(surface, piece.edge, *corners)
            continue
        _polygon(surface, piece.fill, piece.alpha, corners)
        pygame.draw.aalines(surface, piece.edge, True, corners)
        if piece.spoke is not None:
            pygame.draw.aaline(surface, piece.edge, *piece.spoke.tolist())
    if draw is not None:
        _draw_list(surface, draw, view, colors)
    return view


def _polygon(surface: pygame.Surface, color: tuple[int, int, int], alpha: int, corners: list[Any]) -> None:
    if alpha == 255:
        pygame.draw.polygon(surface, color, corners)
        return
    # pygame writes the alpha of a polygon instead of mixing its colour, so it gets a surface of its own.
    xs, ys = zip(*corners, strict=True)
    left, top = int(max(min(xs), 0)), int(max(min(ys), 0))
    right, bottom = int(min(max(xs), surface.get_width())) + 1, int(min(max(ys), surface.get_height())) + 1
    layer = pygame.Surface((right - left, bottom - top), pygame.SRCALPHA)
    pygame.draw.polygon(layer, (*color, alpha), [(x - left, y - top) for x, y in corners])
    surface.blit(layer, (left, top))


def _draw_list(surface: pygame.Surface, draw: DrawList, view: View, theme: Theme) -> None:
    def ink(color: int) -> tuple[int, int, int]:
        return rgb(readable(color, theme))

    shown = visible(draw, view)
    for corners, fill in shown.fills:
        _polygon(surface, ink(fill.color), round(255 * fill.alpha), corners.tolist())
    for (ax, ay, bx, by), color in zip(shown.lines.tolist(), shown.line_colors, strict=True):
        pygame.draw.aaline(surface, ink(color), (ax, ay), (bx, by))
    for (x, y, diameter), color in zip(shown.dots.tolist(), shown.dot_colors, strict=True):
        pygame.draw.circle(surface, ink(color), (x, y), 0.5 * diameter)
    if shown.labels:
        _texts(surface, [(x, y, label.text, ink(label.color)) for x, y, label in shown.labels])


def _texts(surface: pygame.Surface, texts: Sequence[tuple[float, float, str, tuple[int, int, int]]]) -> None:
    """Texts whose lower left corners are at the given pixels."""
    pygame.font.init()
    font = pygame.font.Font(None, 16)
    for x, y, text, color in texts:
        for k, line in enumerate(reversed(text.split("\n"))):
            surface.blit(font.render(line, True, color), (x, y - (k + 1) * font.get_linesize()))
