"""Interrupts steps at random moments and counts what Python promises: `python tests/fuzz/interrupts.py [count] [seed]`.

A timer raises SIGINT while a world is stepped, with callbacks or without. After each interrupt:

* the exception has left `step` as KeyboardInterrupt, also from within a callback;
* the world can be stepped and read again;
* the answer of the filter was the default one: a pair that no filter function refused has a contact.

The handler notes that it ran, so a swallowed exception is found even if nothing else shows it.
"""

from __future__ import annotations

import random
import signal
import sys
from typing import Any

import box2dpy as b2

LONGEST = 400e-6  # seconds from the start of the timer to the signal: more than a step and its callbacks take


def pairs(callbacks: bool) -> b2.World:
    """Boxes on a floor."""
    world = b2.World()
    world.create_static_body((0, -1)).create_shape(b2.Box(40, 1))
    for k in range(4):
        world.create_dynamic_body((3 * k, 0.5), sleep_threshold=0).create_shape(b2.Box(0.5, 0.5), presolve=True)
    if callbacks:
        world.on_filter = lambda a, b: True
        world.on_presolve = lambda contact: None
        world.on_body_move = lambda event: event.body.position
    return world


class Interrupts:
    """Steps a world under a timer and counts the interrupts, and what went wrong, by kind."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        self.delivered = 0
        self.failures: dict[str, int] = dict.fromkeys(("locked", "swallowed", "refused", "other exception"), 0)

    def _on_signal(self, *_: Any) -> None:
        self.delivered += 1
        raise KeyboardInterrupt

    def _fail(self, kind: str) -> None:
        self.failures[kind] += 1

    def interrupt_one_step(self, world: b2.World) -> None:
        """Steps until the signal has come, once. A new box on the floor lets the filter be called in the first step."""
        before, caught = self.delivered, False
        box = world.create_dynamic_body((20, 0.5))
        box.create_shape(b2.Box(0.5, 0.5))
        try:
            signal.setitimer(signal.ITIMER_REAL, self.draw.uniform(1e-6, LONGEST))
            while self.delivered == before:
                world.step()
        except KeyboardInterrupt:
            caught = True
        except Exception:
            self._fail("other exception")
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        if not caught:
            self._fail("swallowed")
        try:
            world.step()
            if not box.position.y > 0.4 or len(box.contacts) != 1:
                self._fail("refused")
            box.destroy()
        except b2.WorldLockedError:
            self._fail("locked")

    def run(self, count: int) -> None:
        old = signal.signal(signal.SIGALRM, self._on_signal)
        try:
            for k in range(count):
                if k % 100 == 0:
                    worlds = [pairs(False), pairs(True)]
                self.interrupt_one_step(worlds[k % 2])
            for world in worlds:
                world.validate()
        finally:
            signal.signal(signal.SIGALRM, old)


def main() -> int:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    test = Interrupts(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    test.run(count)
    print(f"{test.delivered} interrupts: {test.failures}")
    return any(test.failures.values())


if __name__ == "__main__":
    sys.exit(main())
