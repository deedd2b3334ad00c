"""A scheduler that borrows threads from the program: late, in any order, at once or never, the bits are the same."""

from __future__ import annotations

import gc
import queue
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import box2dpy as b2
from box2dpy.scenes import SCENES

from ..patience import in_threads

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


class Again:
    """Runs each function several times: some at once and on two threads, and all of them again at the end."""

    def __init__(self, executor: ThreadPoolExecutor) -> None:
        self.executor = executor
        self.kept: list[Work] = []

    def submit(self, function: Callable[[Any], Any], argument: Any) -> None:
        self.kept.append((function, argument))
        if len(self.kept) % 2:
            function(argument)
        for _ in range(2):
            self.executor.submit(function, argument)

    def run_all(self) -> None:
        for function, argument in self.kept:
            function(argument)


class Dropping:
    """Forgets every function."""

    def __init__(self) -> None:
        self.count = 0

    def submit(self, function: Callable[[Any], Any], argument: Any) -> None:
        self.count += 1


class Waiting:
    """Runs each function on another thread and waits for it inside of submit."""

    def __init__(self, executor: ThreadPoolExecutor) -> None:
        self.executor = executor
        self.count = 0

    def submit(self, function: Callable[[Any], Any], argument: Any) -> None:
        self.count += 1
        self.executor.submit(function, argument).result()


class Interrupted(Dropping):
    """Its next submit is interrupted when it is armed."""

    def __init__(self, error: type[BaseException]) -> None:
        super().__init__()
        self.error, self.armed = error, False

    def submit(self, function: Callable[[Any], Any], argument: Any) -> None:
        if self.armed:
            self.armed = False
            raise self.error


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


def test_functions_that_run_several_times_count_once() -> None:
    """Also when they run while others do, and when the worlds and the scheduler are gone."""
    wanted = final_hash(1)
    with ThreadPoolExecutor(4) as executor:
        again = Again(executor)
        for _ in range(3):
            scheduler = b2.Scheduler(4, executor=again)
            assert final_hash(scheduler) == wanted
            again.run_all()
            assert final_hash(scheduler) == wanted
            del scheduler
            gc.collect()
            again.run_all()
    again.run_all()


def test_functions_that_are_dropped_are_not_waited_for() -> None:
    """Each job may ask again: a function that is dropped is not open any more."""
    dropping = Dropping()
    assert final_hash(b2.Scheduler(4, executor=dropping)) == final_hash(1)
    assert dropping.count >= 20


def test_an_executor_without_other_threads_is_asked_once_in_a_job() -> None:
    """A step has some ten jobs with hundreds of stages."""
    with ThreadPoolExecutor(3) as pool:
        for executor in (Dropping(), Waiting(pool)):
            final_hash(b2.Scheduler(4, executor=executor))
            assert executor.count <= 20 * 12


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_an_interrupt_in_submit_is_raised_when_the_call_is_over(
    error: type[BaseException], capfd: pytest.CaptureFixture[str]
) -> None:
    def calls(world: b2.World, batch: b2.WorldBatch) -> dict[str, Callable[[], object]]:
        def staged() -> None:
            with world.staged_step() as step:
                for _ in step.substeps():
                    pass

        rows = [(0.1 * k, 50.0) for k in range(4000)]
        return {
            "step": world.step, "staged": staged, "ray_casts": lambda: world.ray_casts(rows, [(0, -60)] * 4000),
            "overlaps": lambda: world.overlap_aabbs(rows, rows), "batch": batch.step,
            "batch rays": lambda: batch.ray_casts(rows[:100], [(0, -60)] * 100),
        }  # fmt: skip

    def run(workers: int | b2.Scheduler, make: Callable[[Callable[[], object]], None]) -> list[int]:
        scene = SCENES["large_pyramid"]
        with scene.world(workers=workers) as world:
            scene.build(world, 1.0)
            world.sleeping = False
            batch = b2.WorldBatch(small(), 300, workers=workers)
            for _ in range(3):
                for call in calls(world, batch).values():
                    make(call)
            return [world.state_hash(), *batch.state_hash().tolist()]

    def small() -> b2.World:
        world = b2.World()
        world.create_static_body((0, -1)).create_shape(b2.Box(50, 1))
        for k in range(5):
            world.create_dynamic_body((0, 0.5 + k)).create_shape(b2.Box(0.5, 0.5))
        return world

    executor = Interrupted(error)

    def interrupted(call: Callable[[], object]) -> None:
        executor.armed = True
        with pytest.raises(error):
            call()
        call()

    def twice(call: Callable[[], object]) -> None:
        call()
        call()

    assert run(b2.Scheduler(4, executor=executor), interrupted) == run(1, twice)
    assert capfd.readouterr().err == ""


def test_worlds_of_several_threads_share_a_hosted_scheduler() -> None:
    wanted = final_hash(1)
    hashes: list[int] = []
    with ThreadPoolExecutor(2) as executor:
        scheduler = b2.Scheduler(3, executor=executor)
        in_threads([lambda: hashes.append(final_hash(scheduler))] * 3)
    assert hashes == [wanted] * 3


def test_an_object_that_is_no_executor_is_refused() -> None:
    with pytest.raises(TypeError, match="submit"):
        b2.Scheduler(2, executor=3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="workers"):
        b2.Scheduler(0, executor=Inline())
