"""Random calls of the whole public API raise only what is documented, and leave a valid world."""

from __future__ import annotations

import pytest

from .calls import run


@pytest.mark.parametrize("seed", range(1, 21, 4))
def test_random_calls_raise_only_documented_exceptions(seed: int) -> None:
    assert run(8000, seed) == []
