"""A signal handler that raises during a step: the exception arrives, and the world stays usable."""

from __future__ import annotations

import gc
import os
import signal
import sys
from typing import Any

import pytest

import box2dpy as b2

from .interrupts import Interrupts

SANITIZED = "lib" in os.environ.get("LD_PRELOAD", "")


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no interval timers")
def test_interrupts_at_random_moments_arrive_and_lock_nothing() -> None:
    test = Interrupts(seed=1)
    # Python itself swallows an exception inside a callback of the garbage collector, and hypothesis installs one.
    callbacks = gc.callbacks[:]
    gc.callbacks.clear()
    try:
        test.run(100 if SANITIZED else 1000)
    finally:
        gc.callbacks.extend(callbacks)
    assert test.failures == dict.fromkeys(test.failures, 0)


def raise_at_call(world: b2.World, target: str) -> None:
    """Lets an exception be raised at the start of the function `target`, where a signal handler can be run too."""

    def trace(frame: Any, event: str, _: Any) -> None:
        if event == "call" and frame.f_code.co_name == target:
            sys.settrace(None)
            raise KeyboardInterrupt

    sys.settrace(trace)
    try:
        world.step()
    finally:
        sys.settrace(None)


@pytest.mark.parametrize(
    "target", ["b2d_call_python", "_call", "_ask", "_shape", "_refresh", "_busy", "_finish_callbacks"]
)
def test_an_interrupt_in_a_function_of_the_step_arrives_and_allows_the_pair(target: str) -> None:
    with b2.World() as world:
        world.create_static_body((0, -1)).create_shape(b2.Box(40, 1))
        ball = world.create_dynamic_body((0, 0.5))
        ball.create_shape(b2.Circle(0.5))
        world.on_filter = lambda a, b: True
        with pytest.raises(KeyboardInterrupt):
            raise_at_call(world, target)
        assert ball.position.y == pytest.approx(0.5, abs=0.01)
        world.step()
        assert len(ball.contacts) == 1
        world.validate()
