"""Experiments: other algorithms for the parts of a step, and what measures them.

A program of one world needs none of this. `Strategies` chooses algorithms where a world is made, `trace` and `spans`
show what each worker does in a step. `docs/lab.md` describes the algorithms and compares them. Names and behaviour may
change in any version.

```
import box2dpy as b2

with b2.World(strategies=b2.lab.Strategies(broadphase="tree", islands="dfs")) as world:
    b2.lab.trace(world)
    world.step()
    print(world.strategies, b2.lab.spans(world)["stage"])
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._bridge.arguments import integer
from ._bridge.errors import raise_if
from ._bridge.handles import records
from ._bridge.library import lib
from ._bridge.world_base import check_world
from ._world.counters import shape_version
from ._world.strategies import NAMES, Strategies

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ._world.world import World

__all__ = ["NAMES", "Strategies", "shape_version", "spans", "trace"]


def __dir__() -> list[str]:
    return __all__


def trace(world: World, spans: int = 4096, *, alone: bool = False) -> None:
    """Records the work of each worker for timelines: at most `spans` pieces for each worker and step; 0 ends it.

    Each piece of work then costs two readings of the clock. New workers start without a trace. With `alone` the calling
    thread runs everything, in stages as they are cut for the world's number of workers, and each stage is one piece.

    Raises:
        ValueError: negative or over a million.
        TypeError: not an integer, or no world.
        WorldLockedError: another world is using the same `Scheduler` now, or there is no memory.
    """
    check_world(world)
    raise_if(lib.b2d_world_trace(world._ptr, integer(spans, "spans", 0, 1_000_000), bool(alone)), world, value=spans)


def spans(world: World) -> NDArray[np.void]:
    """The work of the last step after `trace`, by worker and time: a copy as a record array.

    Fields: `worker`, `stage` (index into the fields of `Profile`), `begin` and `end` in milliseconds since the step
    began, and `grains`, the parts that workers could share; a task beside the solver has none. A trace with `alone` has
    `longest`, the time of the longest part where each has a single item. The time between the spans of worker 0, the
    calling thread, is serial work or waiting.

    Raises:
        TypeError: no world.
        WorldLockedError: another world is using the same `Scheduler` now.

    >>> with World() as world:
    ...     lab.trace(world)
    ...     body = world.create_dynamic_body()
    ...     world.step()
    ...     {world.profile._fields[stage] for stage in lab.spans(world)["stage"].tolist()} >= {"solve", "finalize"}
    True
    """
    check_world(world)
    return records(world, "b2d_span", lambda *out: lib.b2d_world_spans(world._ptr, *out))
