"""`Scheduler`: a pool of worker threads that worlds may share, and what the processor can do."""

from __future__ import annotations

from typing import Any

from .._bridge.arguments import integer
from .._bridge.errors import raise_error
from .._bridge.library import ffi, lib
from .._bridge.lists import shared_list

SIMD_NAMES = {name: number for number, (_, name) in enumerate(shared_list("simd"))}
SIMD_NUMBERS = {number: name for name, number in SIMD_NAMES.items()}


class Scheduler:
    """Worker threads, which wait between steps. Several worlds may share one: `World(workers=scheduler)`.

    Worlds keep it alive; `world.workers = scheduler` replaces it between steps. The results of a world never
    depend on it. If several threads step worlds of one scheduler at the same
    time, one world gets the workers and the others run on their own threads.

    Args:
        workers: 1 to 64, the calling thread included.

    Raises:
        ValueError: out of range.
        TypeError: not an integer.
        MemoryError: the threads could not be started.

    >>> pool = Scheduler(2)
    >>> with World(workers=pool) as first, World(workers=pool) as second:
    ...     first.step()
    ...     second.step()
    ...     pool.workers
    2
    """

    __slots__ = ("__weakref__", "_ptr")

    def __init__(self, workers: int) -> None:
        out = ffi.new("b2d_scheduler **")
        status = lib.b2d_scheduler_create(integer(workers, "workers", 1, 64), out)
        if status:
            raise_error(status, self, workers=workers)
        self._ptr: Any = ffi.gc(out[0], lib.b2d_scheduler_destroy)

    @property
    def workers(self) -> int:
        """The number of threads, the calling one included."""
        return int(lib.b2d_scheduler_workers(pool_of(self)))

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

    >>> "scalar" in cpu_features()
    True
    """
    return tuple(name for name, number in SIMD_NAMES.items() if lib.b2d_cpu_has(number))


def best_simd() -> str:
    """The instruction set that `World(simd="auto")` uses on this machine."""
    return SIMD_NUMBERS[lib.b2d_cpu_best()]
