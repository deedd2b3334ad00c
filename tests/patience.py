"""Waiting for other processes and threads: the only place of the tests that has to do with time.

No test passes or fails by how long something takes (tests/lint/test_clocks.py). A process that hangs would stop the
suite for ever, so each wait has an end, which is far beyond what the slowest machine needs.
"""

from __future__ import annotations

import subprocess
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

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


def in_threads(calls: Iterable[Callable[[], object]]) -> None:
    """Makes these calls, each in a thread of its own, and waits for all of them.

    Raises:
        AssertionError: some of them have raised.
    """
    errors: list[BaseException] = []

    def guarded(call: Callable[[], object]) -> None:
        try:
            call()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(call,)) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors, errors


def finished(command: Sequence[object], *, check: bool = False, **options: Any) -> subprocess.CompletedProcess[str]:
    """Waits for the end of a command; its output is text. With `check` a command that fails raises an exception."""
    words = [str(word) for word in command]
    return subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE, check=check, **options)
