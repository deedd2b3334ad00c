"""`BodyType`: how a body moves, and the forms in which a program may name it."""

from __future__ import annotations

from enum import IntEnum
from typing import Literal, TypeAlias

from .errors import short_repr
from .library import lib


class BodyType(IntEnum):
    """How a body moves. Every argument of this type also takes the name in lower case, for example "static", and the
    number, which JSON contains.
    """

    STATIC = lib.B2D_STATIC
    """Never moves."""
    KINEMATIC = lib.B2D_KINEMATIC
    """Moves by its velocity; forces and contacts do not change it."""
    DYNAMIC = lib.B2D_DYNAMIC
    """Moves by forces and contacts."""


BodyTypeName: TypeAlias = Literal["static", "kinematic", "dynamic"]


def as_body_type(value: object) -> BodyType:
    if isinstance(value, BodyType):
        return value
    if isinstance(value, str):
        try:
            return BodyType[value.upper()]
        except KeyError:
            raise ValueError(f"type={short_repr(value)} is not known: static, kinematic, dynamic") from None
    if isinstance(value, int) and not isinstance(value, bool):  # as JSON writes a BodyType
        try:
            return BodyType(value)
        except ValueError:
            raise ValueError(f"type={short_repr(value)} is not known: 0 static, 1 kinematic, 2 dynamic") from None
    raise TypeError(f"type={short_repr(value)} must be a BodyType or its name")
