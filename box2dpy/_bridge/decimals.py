"""Short decimals from which the same bits come back, for levels."""

from __future__ import annotations

import math
import struct
from typing import Any

_single = struct.Struct("f")


def float32(value: float) -> float:
    return float(_single.unpack(_single.pack(value))[0])


def short(value: float) -> Any:
    """The shortest decimal that gives the same float32; a text for what JSON has no number for."""
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    for digits in range(6, 10):
        near = float(f"{value:.{digits}g}")
        if abs(near) < 3.4e38 and float32(near) == value:
            return near
    return value  # it is no float32


def direction_angle(c: float, s: float) -> float | None:
    """The shortest decimal whose cosine and sine, rounded to float32, are these; they are of a unit vector, rounded.
    None where they lie so near to an axis that no float64 is exact enough."""
    near = math.atan2(s, c)
    length = math.hypot(c, s)
    low, high = -1e-6, 1e-6  # of the difference to `near`
    for rounded, exact, slope in ((c, c / length, -s / length), (s, s / length, c / length)):
        half = _half_ulp(rounded)
        if abs(slope) * 1e-6 > half:
            ends = sorted(((rounded - exact - half) / slope, (rounded - exact + half) / slope))
            low, high = max(low, ends[0]), min(high, ends[1])
    middle = near + 0.5 * (low + high)
    decimals = (float(f"{middle:.{digits}g}") for digits in range(1, 18))
    turned = (near + k * math.tau for k in (0, 1, -1, 2, -2))  # programs also give angles such as 1.5 * pi
    return next((a for a in (*decimals, *turned) if (float32(math.cos(a)), float32(math.sin(a))) == (c, s)), None)


def _half_ulp(value: float) -> float:
    """Half the distance from a float32 to the next."""
    return math.ldexp(1.0, max(math.frexp(value)[1], -125) - 25)
