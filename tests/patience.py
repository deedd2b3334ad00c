"""Waiting for other processes and threads: the only place of the tests that has to do with time.

No test passes or fails by how long something takes (tests/lint/test_clocks.py). A process that hangs would stop the
suite for ever, so each wait has an end, which is far beyond what the slowest machine needs.
"""

from __future__ import annotations

import time
from collections.abc import Callable

PATIENCE = 1800.0  # s: no result depends on it, as long as nothing hangs


def wait(condition: Callable[[], object]) -> None:
    """Returns when a condition of another process is true, which is looked at twenty times a second.

    Raises:
        TimeoutError: it did not become true within `PATIENCE`.
    """
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(f"nothing happened in {PATIENCE:.0f} s")
        time.sleep(0.05)
