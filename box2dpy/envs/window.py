"""A window of pygame that shows the pictures of an environment."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..arguments import missing

if TYPE_CHECKING:
    from numpy.typing import NDArray


def tiled(pictures: Sequence[NDArray[np.uint8]]) -> NDArray[np.uint8]:
    """Pictures of one size side by side, in rows that are as many as their columns or one fewer."""
    columns = math.ceil(math.sqrt(len(pictures)))
    rows = math.ceil(len(pictures) / columns)
    height, width, channels = pictures[0].shape
    out = np.zeros((rows * height, columns * width, channels), np.uint8)
    for k, picture in enumerate(pictures):
        y, x = k // columns * height, k % columns * width
        out[y : y + height, x : x + width] = picture
    return out


class Window:
    """Shows pictures at a rate; closed by the user, it opens again with the next picture.

    Raises:
        ModuleNotFoundError: pygame is not installed.
    """

    def __init__(self, title: str, fps: int) -> None:
        try:
            import pygame
        except ModuleNotFoundError:
            raise missing("a window", "pygame-ce", "gym", "pygame") from None
        self._pygame, self._title, self._fps = pygame, title, fps
        pygame.display.init()
        self._clock = pygame.time.Clock()

    def show(self, picture: NDArray[np.uint8]) -> None:
        """Shows a picture, uint8, shape (height, width, 3), and waits for the rest of the time of a frame."""
        pygame = self._pygame
        size = picture.shape[1], picture.shape[0]
        screen = pygame.display.get_surface()
        if screen is None or screen.get_size() != size:
            screen = pygame.display.set_mode(size)
            pygame.display.set_caption(self._title)
        screen.blit(pygame.surfarray.make_surface(picture.swapaxes(0, 1)), (0, 0))
        pygame.event.pump()
        pygame.display.flip()
        self._clock.tick(self._fps)

    def close(self) -> None:
        """Closes the window."""
        self._pygame.display.quit()
