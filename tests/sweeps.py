"""The length of the longest sweeps. `make test` takes a fixed part of their cases, `make nightly` all of them.

A sweep is shortened only if its cases take more than some seconds; its bounds hold for all of them.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypeVar

Case = TypeVar("Case")

ALL = os.environ.get("B2D_SWEEPS") == "all"
GOLDEN_RATIO = (5**0.5 - 1) / 2  # its multiples are spread evenly, also over the factors of a product


def part(cases: Sequence[Case], share: float) -> list[Case]:
    return [case for k, case in enumerate(cases) if ALL or k * GOLDEN_RATIO % 1 < share]
