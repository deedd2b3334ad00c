"""Counts what code does, instead of the time that it takes: the count is the same in every run and on every machine."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import box2dpy

PACKAGE = str(Path(box2dpy.__file__).parent)


def lines_run(action: Callable[[], object]) -> int:
    """How many lines of Python of the package an action runs, those of loops and comprehensions included."""
    count = 0

    def line(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal count
        count += event == "line"
        return line

    def call(frame: FrameType, event: str, argument: Any) -> Any:
        return line if frame.f_code.co_filename.startswith(PACKAGE) else None

    before, collects = sys.gettrace(), gc.isenabled()
    gc.disable()  # finalizers of other tests would count too
    sys.settrace(call)
    try:
        action()
    finally:
        sys.settrace(before)
        if collects:
            gc.enable()
    return count
