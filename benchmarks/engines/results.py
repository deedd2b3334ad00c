"""What a measurement consists of: the engine, the passes over a scene, and the statistics of their steps.

A `Run` is one pass over a scene. Step 0 is kept apart, then every step is timed by itself, with the scene's own step
function. A `Result` holds all passes of one engine over one scene. The runs of one engine are equal bit by bit, so the
minimum of each step over the passes is the time of that step without the noise of the machine. Totals are given as the
minimum and the median of whole passes.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import box2dpy as b2

from . import peers

SPIKE = 3.0  # times the median of the steps around it
SPIKE_WINDOW = 31

# Stages that run on the calling thread alone. The other stages have serial parts too (joining and sorting of keys,
# merging of the
# workers' bits, lists of events); the scaling curve shows their effect.
SERIAL_STAGES = ("create_contacts", "contact_transitions", "split", "sleep")


@dataclass(frozen=True)
class Engine:
    """Our engine with its options, or a peer by its name."""

    name: str = "box2dpy"
    workers: int = 1
    options: tuple[tuple[str, str], ...] = ()  # simd, broadphase, narrowphase where given
    path: str = ""  # of Box2D's program

    @property
    def ours(self) -> bool:
        return self.name == "box2dpy"

    @property
    def label(self) -> str:
        if self.path:
            return f"{self.name} x{self.workers}"
        if not self.ours:
            return self.name
        extra = "".join(f" {value}" for _, value in self.options)
        return f"box2dpy x{self.workers}{extra}"

    @property
    def version(self) -> str:
        if self.path:
            return self.path
        return b2.__version__ if self.ours else str(peers.version(self.name))


@dataclass
class Run:
    """One pass."""

    step0_ms: float = math.nan  # not every program reports it
    step_ms: list[float] = field(default_factory=list)  # steps 1 to n - 1; not every program reports them
    whole_ms: float | None = None  # their sum, where that was measured by itself
    changed: list[bool] = field(default_factory=list)  # of those, which created or destroyed bodies
    profile_ms: dict[str, float] = field(default_factory=dict)  # mean of the timed steps
    counters: dict[str, int] = field(default_factory=dict)  # after the last step
    allocations: int = 0  # of the timed steps
    state_hash: int | None = None

    @property
    def total_ms(self) -> float:
        return sum(self.step_ms) if self.whole_ms is None else self.whole_ms

    @property
    def serial_share(self) -> float | None:
        """Part of the steps' time that runs on the calling thread alone whatever the number of workers, at least."""
        whole = self.profile_ms.get("step")
        if not whole:
            return None
        named = sum(time for name, time in self.profile_ms.items() if name != "step")
        serial = sum(self.profile_ms.get(name, 0.0) for name in SERIAL_STAGES)
        return (serial + max(0.0, whole - named)) / whole


@dataclass
class Result:
    """All passes of one engine over one scene."""

    scene: str
    engine: Engine
    runs: list[Run] = field(default_factory=list)
    skipped: str = ""  # why there are none
    scale: float = 1.0
    memory: int | None = None  # growth of a new process in bytes, where that was measured

    @property
    def step_ms(self) -> list[float]:
        """Each step's minimum over the passes."""
        return [min(times) for times in zip(*(run.step_ms for run in self.runs), strict=True)]

    @property
    def total_min(self) -> float:
        return min(run.total_ms for run in self.runs)

    @property
    def total_median(self) -> float:
        return statistics.median(run.total_ms for run in self.runs)

    @property
    def step0(self) -> float:
        return min(run.step0_ms for run in self.runs)

    @property
    def best(self) -> Run:
        return min(self.runs, key=lambda run: run.total_ms)

    def spikes(self) -> list[int]:
        return find_spikes(self.step_ms, self.runs[0].changed) if self.step_ms else []

    def record(self) -> dict[str, Any]:
        """Everything, for JSON."""
        head: dict[str, Any] = {
            "engine": self.engine.name,
            "version": self.engine.version,
            "scene": self.scene,
            "workers": self.engine.workers,
            "scale": self.scale,
            **dict(self.engine.options),
        }
        if self.skipped:
            return {**head, "skipped": self.skipped}
        steps = self.step_ms
        hash_ = self.best.state_hash
        return {
            **head,
            "steps": self.best.counters.get("steps", len(steps) + 1),
            "repeats": len(self.runs),
            "total_ms": {"minimum": self.total_min, "median": self.total_median},
            "step_ms": {"median": median(steps), "p99": percentile(steps, 0.99), "max": max(steps)} if steps else None,
            "step0_ms": None if math.isnan(self.step0) else self.step0,
            "profile_ms": self.best.profile_ms,
            "serial_share": self.best.serial_share,
            "memory_bytes": self.memory,
            "counters": self.best.counters,
            "allocations": max(run.allocations for run in self.runs),
            "spikes": self.spikes(),
            "state_hash": None if hash_ is None else f"{hash_:016x}",
        }


def median(values: Sequence[float]) -> float:
    return statistics.median(values)


def percentile(values: Sequence[float], part: float) -> float:
    """The smallest value that at least this part of them does not exceed."""
    ranked = sorted(values)
    return ranked[max(0, min(len(ranked), -int(-part * len(ranked) // 1)) - 1)]


def find_spikes(step_ms: Sequence[float], changed: Sequence[bool]) -> list[int]:
    """Numbers of the steps (from 1) over three times the median of the 31 around them, but for those that create or
    destroy."""
    half = SPIKE_WINDOW // 2
    found = []
    for i, time in enumerate(step_ms):
        first = max(0, min(i - half, len(step_ms) - SPIKE_WINDOW))
        around = statistics.median(step_ms[first : first + SPIKE_WINDOW])
        if time > SPIKE * around and not changed[i]:
            found.append(i + 1)
    return found


def hash_mismatches(results: Sequence[Result]) -> Iterator[str]:
    """One sentence for each of our runs that ended in another state than the first of its scene."""
    first: dict[str, tuple[int | None, str]] = {}
    for result in results:
        if not result.engine.ours:
            continue
        for turn, run in enumerate(result.runs):
            who = f"{result.engine.label}, pass {turn + 1}"
            expected, model = first.setdefault(result.scene, (run.state_hash, who))
            if run.state_hash != expected:
                yield f"{result.scene}: {who} ends in another state than {model}"
