"""Exceptions that must wait until C has returned: Ctrl-C in a function of the program that a worker calls.

What leaves a function that C calls is printed and lost. `keep_interrupt` keeps it for the thread, and the Python
function that has called C raises it when C has returned: `if INTERRUPTS: raise_interrupt()`.
"""

from __future__ import annotations

from threading import get_ident
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import TracebackType

INTERRUPTS: dict[int, BaseException] = {}  # by thread


def keep_interrupt(_: object, error: BaseException, trace: TracebackType) -> None:
    """Called by cffi with what left a function."""
    INTERRUPTS.setdefault(get_ident(), error)


def raise_interrupt() -> None:
    """Raises what has been kept for this thread."""
    error = INTERRUPTS.pop(get_ident(), None)
    if error is not None:
        try:
            raise error
        finally:
            del error  # otherwise its traceback would refer to itself
