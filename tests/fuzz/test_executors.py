"""Executors of any kind give the bits of one worker, and each interrupt in them leaves one call."""

from __future__ import annotations

from .executors import run


def test_random_executors_change_no_bit() -> None:
    assert run(800, 1) == []
