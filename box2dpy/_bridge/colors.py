"""Colours: the forms in which a program may give one, of shapes and of what it draws."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from .errors import short_repr

Color: TypeAlias = "int | str | Sequence[int]"
"""0xRRGGBB, "#rrggbb", a name of `COLORS`, or (red, green, blue) from 0 to 255."""

COLORS = {
    "white": 0xF4F4F0, "black": 0x15171C, "grey": 0x8E959E, "red": 0xE5534B, "orange": 0xE8933A, "yellow": 0xE8C547,
    "lime": 0xA3C94A, "green": 0x4FB06D, "teal": 0x3FB5A8, "cyan": 0x4CC3E0, "blue": 0x4C8FE5, "violet": 0x8F7BE8,
    "magenta": 0xD06BC9, "pink": 0xEC8FA8, "brown": 0xA97C58,
}  # fmt: skip


def as_color(color: Any, name: str = "color", most: int = 0xFFFFFF) -> int:
    """0xRRGGBB of any form of a colour; a number may be up to `most`.

    Raises:
        ValueError: an unknown name or a component out of range.
        TypeError: none of the forms.
    """
    if isinstance(color, str):
        if re.fullmatch("#[0-9a-fA-F]{6}", color):
            return int(color[1:], 16)
        if color not in COLORS:
            raise ValueError(f'{name}={short_repr(color)} is no colour: "#rrggbb" or one of {", ".join(COLORS)}')
        return COLORS[color]
    if isinstance(color, (int, np.integer)) and not isinstance(color, bool):
        if not 0 <= color <= most:
            raise ValueError(f"{name}={short_repr(color)} is out of range: 0 to {most:#X}".replace("0X", "0x"))
        return int(color)
    try:
        red, green, blue = (int(part) for part in color)
    except (TypeError, ValueError):
        raise TypeError(f'{name}={short_repr(color)} must be 0xRRGGBB, "#rrggbb", a name or three numbers') from None
    if not all(0 <= part <= 255 for part in (red, green, blue)):
        raise ValueError(f"{name}={short_repr(color)} is out of range: 0 to 255")
    return red << 16 | green << 8 | blue


def shape_color(color: Any, name: str) -> int:
    """The number that a shape keeps: 32 bits, of which drawing reads the lower 24."""
    return as_color(color, name, 2**32 - 1)
