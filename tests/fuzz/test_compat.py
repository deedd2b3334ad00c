"""Listeners of `box2dpy.compat` that raise change nothing but the exception."""

from __future__ import annotations

from .compat import run


def test_exceptions_of_listeners_change_nothing() -> None:
    assert run(3000, 1) == []
