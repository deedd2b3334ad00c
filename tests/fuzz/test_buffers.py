"""Random rows for `box2dpy.buffers` raise only what is documented, and a refused call changes nothing."""

from __future__ import annotations

from .buffers import run


def test_random_rows_are_simulated_or_refused() -> None:
    assert run(2000, 1) == []
