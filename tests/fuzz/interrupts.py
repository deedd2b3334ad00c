"""Interrupts steps at random moments and counts what Python promises:
`python -m tests.fuzz.interrupts [count of each kind] [seed] [kinds]`.

A timer raises SIGALRM while a world is stepped. There are four kinds of steps, each with its own count: without
callbacks, with callbacks, in parts (`staged_step`), and of a world that is recorded. After each interrupt:

* the exception has left the step as KeyboardInterrupt, also from within a callback;
* the world can be stepped and read again;
* the answer of the filter was the default one: a pair that no filter function refused has a contact.

The handler notes that it ran, so a swallowed exception is found even if nothing else shows it. Each recording is
simulated again: no frame may be damaged or differ, every step that was not interrupted has one, and an interrupt costs
the check of one step at most.
"""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import warnings
from collections.abc import Callable
from typing import Any

import box2dpy as b2

from ..seeds import draws

LONGEST = 400e-6  # seconds from the start of the timer to the signal: more than a step and its callbacks take
EACH = 100  # interrupts of one world
FAILURES = ("locked", "swallowed", "refused", "other exception", "damaged recording")


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


def step_in_parts(world: b2.World) -> None:
    with world.staged_step() as step:
        step.contacts["tangent_speed"] = 0.1
        for _ in step.substeps():
            step.angular_velocity[0] = 0.0


KINDS: dict[str, tuple[bool, Callable[[b2.World], None]]] = {
    "plain": (False, b2.World.step),
    "callbacks": (True, b2.World.step),
    "staged": (True, step_in_parts),
    "recorded": (True, b2.World.step),
}


class Interrupts:
    """Steps worlds of one kind under a timer and counts the interrupts, and what went wrong, by kind of failure."""

    def __init__(self, kind: str, seed: int) -> None:
        self.kind, self.draw = kind, draws(seed)
        self.callbacks, self.step = KINDS[kind]
        self.delivered = self.finished = 0
        self.failures: dict[str, int] = dict.fromkeys(FAILURES, 0)

    def _on_signal(self, *_: Any) -> None:
        self.delivered += 1
        raise KeyboardInterrupt

    def _fail(self, kind: str) -> None:
        self.failures[kind] += 1

    def _step_until_interrupted(self, world: b2.World) -> None:
        """A function of its own: in the block of `try`, Python 3.13 does not guard the jump back of a loop."""
        before = self.delivered
        signal.setitimer(signal.ITIMER_REAL, self.draw.uniform(1e-6, LONGEST))
        while self.delivered == before:
            self.step(world)
            self.finished += 1

    def interrupt_one_step(self, world: b2.World) -> None:
        """Steps until the signal has come, once. A new box on the floor lets the filter be called in the first step."""
        caught = False
        box = world.create_dynamic_body((20, 0.5))
        box.create_shape(b2.Box(0.5, 0.5))
        try:
            self._step_until_interrupted(world)
        except KeyboardInterrupt:
            caught = True
        except Exception:
            self._fail("other exception")
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        if not caught:
            self._fail("swallowed")
        try:
            self.step(world)
            self.finished += 1
            if not box.position.y > 0.4 or len(box.contacts) != 1:
                self._fail("refused")
            box.destroy()
        except b2.WorldLockedError:
            self._fail("locked")

    def _interrupt_world(self, count: int, path: str) -> None:
        with pairs(self.callbacks) as world:
            recorder = world.record(path, keyframe_interval=0.2) if self.kind == "recorded" else None
            self.finished = 0
            for _ in range(count):
                self.interrupt_one_step(world)
            world.validate()
            if recorder is None:
                return
            recorder.close()
        try:
            with b2.Recording(path) as recording:
                found = recording.verify()
                for frame in recording:
                    _ = frame.position, frame.shapes
                whole = len(recording) == recorder.frames == found.steps + found.skipped + 1 > self.finished
                if not found.equal or not whole or found.skipped > count:
                    self._fail("damaged recording")
        except b2.RecordingError:
            self._fail("damaged recording")

    def run(self, count: int) -> None:
        old = signal.signal(signal.SIGALRM, self._on_signal)
        handle, path = tempfile.mkstemp()
        os.close(handle)
        try:
            with warnings.catch_warnings():
                # Python may run a handler at the start of `__exit__`: then the end of the program's `with` block
                # drops the step, which is finished with a warning.
                warnings.simplefilter("ignore", ResourceWarning)
                for done in range(0, count, EACH):
                    self._interrupt_world(min(EACH, count - done), path)
        finally:
            signal.signal(signal.SIGALRM, old)
            os.remove(path)


def main() -> int:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    failed = False
    for kind in sys.argv[3:] or KINDS:
        test = Interrupts(kind, seed)
        test.run(count)
        print(f"{kind}: {test.delivered} interrupts: {test.failures}", flush=True)
        failed = failed or any(test.failures.values())
    return failed


if __name__ == "__main__":
    sys.exit(main())
