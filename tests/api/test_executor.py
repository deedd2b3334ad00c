"""A scheduler that borrows threads from the program: late, in any order, at once or never, the bits are the same."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import box2dpy as b2
from box2dpy.scenes import SCENES

Work = tuple[Callable[[Any], Any], Any]


class Inline:
    """Runs each function inside of submit."""

    def submit(self, function: Callable[[Any], Any], argument: Any) -> None:
        function(argument)


class Late:
    """Runs the functions when the program says so, the last one first."""

    def __init__(self) -> None:
        self.waiting: list[Work] = []
        self.most = 0

    def submit(self, function: Callable[[Any], Any], argument: Any) -> None:
        self.waiting.append((function, argument))
        self.most = max(self.most, len(self.waiting))

    def run_all(self) -> None:
        while self.waiting:
            function, argument = self.waiting.pop()
            function(argument)


class Reversed:
    """A thread of its own takes the newest function first."""

    def __init__(self) -> None:
        self.waiting: queue.LifoQueue[Work | None] = queue.LifoQueue()
        self.thread = threading.Thread(target=self.run_all)
        self.thread.start()

    def submit(self, function: Callable[[Any], Any], argument: Any) -> None:
        self.waiting.put((function, argument))

    def run_all(self) -> None:
        while (work := self.waiting.get()) is not None:
            work[0](work[1])

    def stop(self) -> None:
        self.waiting.put(None)  # the newest
        self.thread.join()
        while not self.waiting.empty():
            function, argument = self.waiting.get()
            function(argument)


class Broken:
    """Refuses everything, as an executor does that was shut down."""

    def submit(self, function: Callable[[Any], Any], argument: Any) -> None:
        raise RuntimeError("shut down")


def final_hash(workers: int | b2.Scheduler, after_step: Callable[[], object] = lambda: None) -> int:
    scene = SCENES["large_pyramid"]
    with scene.world(workers=workers) as world:
        scene.build(world, 0.3)
        for _ in range(20):
            world.step(1 / 60, 4)
            after_step()
        return world.state_hash()


def test_foreign_threads_run_the_jobs_with_the_same_bits() -> None:
    wanted = final_hash(1)
    threads: set[int] = set()
    with ThreadPoolExecutor(3, initializer=lambda: threads.add(threading.get_ident())) as executor:
        assert final_hash(b2.Scheduler(4, executor=executor)) == wanted
    assert threads
    late, reverse = Late(), Reversed()
    assert final_hash(b2.Scheduler(4, executor=Inline())) == wanted
    assert final_hash(b2.Scheduler(4, executor=Broken())) == wanted
    assert final_hash(b2.Scheduler(4, executor=late)) == wanted
    assert 0 < late.most <= 3  # never run: no more than the other workers
    late.run_all()
    assert final_hash(b2.Scheduler(4, executor=late), late.run_all) == wanted
    try:
        assert final_hash(b2.Scheduler(3, executor=reverse)) == wanted
    finally:
        reverse.stop()


def test_an_executor_that_is_gone_leaves_the_work_to_the_calling_thread() -> None:
    wanted = final_hash(1)
    scheduler = b2.Scheduler(4, executor=Inline())  # nothing else holds it
    assert final_hash(scheduler) == wanted


def test_help_that_comes_after_the_scheduler_is_dropped_does_nothing() -> None:
    late = Late()
    final_hash(b2.Scheduler(4, executor=late))
    assert late.waiting
    late.run_all()


def test_worlds_of_several_threads_share_a_hosted_scheduler() -> None:
    wanted = final_hash(1)
    hashes: list[int] = []
    with ThreadPoolExecutor(2) as executor:
        scheduler = b2.Scheduler(3, executor=executor)
        threads = [threading.Thread(target=lambda: hashes.append(final_hash(scheduler))) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert hashes == [wanted] * 3


def test_an_object_that_is_no_executor_is_refused() -> None:
    with pytest.raises(TypeError, match="submit"):
        b2.Scheduler(2, executor=3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="workers"):
        b2.Scheduler(0, executor=Inline())
