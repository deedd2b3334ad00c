"""`Scheduler`: a pool of worker threads that worlds may share, and what the processor can do."""

from __future__ import annotations

import itertools
import os
import weakref
from collections.abc import Callable
from typing import Any, Protocol

from .._bridge.arguments import integer
from .._bridge.errors import raise_error, short_repr
from .._bridge.interrupts import INTERRUPTS, keep_interrupt, raise_interrupt
from .._bridge.library import ffi, lib
from .._bridge.lists import shared_list
from .._bridge.owned import owned

SIMD_NAMES = {name: number for number, (_, name) in enumerate(shared_list("simd"))}
SIMD_NUMBERS = {number: name for name, number in SIMD_NAMES.items()}
if os.environ.get("B2D_SIMD", "") not in ("", *SIMD_NAMES):
    raise ImportError(f"the environment has B2D_SIMD={os.environ['B2D_SIMD']!r}; allowed: {', '.join(SIMD_NAMES)}")


class Executor(Protocol):
    """What runs functions on other threads, as `concurrent.futures.ThreadPoolExecutor` does."""

    def submit(self, function: Callable[[Any], Any], argument: Any, /) -> Any: ...


_EXECUTORS: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()  # by the number that C passes
_NUMBERS = itertools.count(1)


@ffi.def_extern(onerror=keep_interrupt)  # type: ignore[untyped-decorator]
def b2d_enqueue_python(user: Any, help: Any) -> None:
    """Called by C when a worker is wanted. An exception of the executor means that none comes."""
    executor = _EXECUTORS.get(int(ffi.cast("intptr_t", user)))
    if executor is None:
        return
    try:
        executor.submit(_help, owned(lib.b2d_help_hold(help), lib.b2d_help_release)[1])
    except BaseException as error:
        lib.b2d_help_run(help)  # here it only closes the ticket, which the traceback may keep
        if not isinstance(error, Exception):
            raise


def _help(ticket: Any) -> None:
    """What an executor runs. The ticket keeps the scheduler alive, and counts once."""
    lib.b2d_help_run(ticket[0])
    if INTERRUPTS:
        raise_interrupt()


class Scheduler:
    """Worker threads, which wait between steps. Several worlds may share one: `World(workers=scheduler)`.

    Worlds keep it alive; `world.workers = scheduler` replaces it between steps. The results of a world never depend on
    it. If several threads step worlds of one scheduler at the same time, one world gets the workers and the others run
    on their own threads. Copies are the scheduler itself; a pickle has the number of workers only.

    Args:
        workers: 1 to 64, the calling thread included.
        executor: runs the work of the other workers on threads of the program, like
            `concurrent.futures.ThreadPoolExecutor`; None: the scheduler has threads of its own. Only its `submit` is
            called, and at most `workers - 1` of the functions that it was given are left to run at a time. It may run
            them late, in any order, at once, not at all or several times (further runs do nothing): the calling thread
            never waits for them. An executor that runs them inside of `submit` does not help, and costs little. Ctrl-C
            in `submit` is raised when the step, or the query, is over. The program keeps the executor alive.

    Raises:
        ValueError: out of range.
        TypeError: not an integer, or an executor without `submit`.
        MemoryError: the threads could not be started.

    >>> pool = Scheduler(2)
    >>> with World(workers=pool) as first, World(workers=pool) as second:
    ...     first.step()
    ...     second.step()
    ...     pool.workers
    2
    """

    __slots__ = ("__weakref__", "_keeper", "_ptr")

    def __init__(self, workers: int, *, executor: Executor | None = None) -> None:
        out, count = ffi.new("b2d_scheduler **"), integer(workers, "workers", 1, 64)
        if executor is None:
            status = lib.b2d_scheduler_create(count, out)
        elif callable(getattr(executor, "submit", None)):
            number = next(_NUMBERS)
            _EXECUTORS[number] = executor
            status = lib.b2d_scheduler_create_hosted(count, lib.b2d_enqueue_python, ffi.cast("void *", number), out)
        else:
            raise TypeError(f"executor={short_repr(executor)} has no method submit")
        if status:
            raise_error(status, self, workers=workers)
        self._ptr, self._keeper = owned(out[0], lib.b2d_scheduler_destroy)

    @property
    def workers(self) -> int:
        """The number of threads, the calling one included."""
        return int(lib.b2d_scheduler_workers(pool_of(self)))

    def __copy__(self) -> Scheduler:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Scheduler:
        return self

    def __reduce__(self) -> Any:
        return type(self), (self.workers,)

    def __repr__(self) -> str:
        return f"<Scheduler of {self.workers} workers>" if hasattr(self, "_ptr") else "<Scheduler>"


def pool_of(scheduler: Scheduler) -> Any:
    """Its C pointer."""
    pointer = getattr(scheduler, "_ptr", None)
    if pointer is None:
        raise TypeError(f"workers={scheduler!r} was never made: its __init__ has not run")
    return pointer


def compiler() -> str:
    """The compiler of the C core, with its version, for reports of speed.

    >>> any(name in compiler().lower() for name in ("gcc", "clang", "unknown"))
    True
    """
    return str(ffi.string(lib.b2d_compiler()).decode())


def cpu_features() -> tuple[str, ...]:
    """The values of `World(simd=...)` that this processor and build can run, narrowest first.

    The environment variable `B2D_SIMD`, read once when the program starts, names the widest that is used:
    `B2D_SIMD=avx2` makes a program run as on a processor without AVX-512.

    >>> "scalar" in cpu_features()
    True
    """
    return tuple(name for name, number in SIMD_NAMES.items() if lib.b2d_cpu_has(number))


def best_simd() -> str:
    """The instruction set that `World(simd="auto")` uses on this machine."""
    return SIMD_NUMBERS[lib.b2d_cpu_best()]
