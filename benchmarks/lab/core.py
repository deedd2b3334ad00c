"""The C functions of csrc/include/box2dpy_lab.h, for the harnesses of this folder alone."""

from __future__ import annotations

from box2dpy._bridge.library import ffi, lib

__all__ = ["ffi", "lib"]
