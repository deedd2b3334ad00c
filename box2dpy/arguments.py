"""Types and checks of arguments, for packages that build on box2dpy: their errors read as those of box2dpy do.

Each check returns the value in the form that is wanted. Otherwise it raises TypeError or ValueError with the name of
the argument and its value.

>>> arguments.integer(3, "count", 1, 8)
3
>>> arguments.choice("red", "color", ("green", "blue"))
Traceback (most recent call last):
ValueError: color='red' is not known: green, blue
"""

from __future__ import annotations

from ._bridge.arguments import choice, finite_pair, flag, floats, integer, masked, number, pair, spread
from ._bridge.choices import JointSolver
from ._bridge.errors import missing, short_repr
from ._bridge.vectors import Vec2Like

__all__ = [
    "JointSolver",
    "Vec2Like",
    "choice",
    "finite_pair",
    "flag",
    "floats",
    "integer",
    "masked",
    "missing",
    "number",
    "pair",
    "short_repr",
    "spread",
]


def __dir__() -> list[str]:
    return __all__
