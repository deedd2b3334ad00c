"""The compiled core: the only module that imports `_core`."""

from __future__ import annotations

from .._core import ffi, lib

__all__ = ["ffi", "lib"]
