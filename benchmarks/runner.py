"""Runs scenes on engines and keeps what was measured; no output here.

A `Run` is one pass over a scene: step 0 apart, then every step by itself, the scene's own step function included.
A `Result` is all passes of one engine over one scene. Runs of an engine are bit-equal, so each step's minimum over the
passes is its time without the noise of the machine; totals are given as minimum and median of whole passes.
"""

from __future__ import annotations

import gc
import math
import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, cast

import box2dpy as b2
from box2dpy.scenes import Scene

from . import box2d_program, peers

DT = 1 / 60
SUBSTEPS = 4
SPIKE = 3.0  # times the median of the steps around it
SPIKE_WINDOW = 31

# pyb2d3 (Box2D 3.1, SSE2) over Box2D 3.2 (clang, AVX2), one worker, measured once side by side; good to 10 %, washer to 15 %,
# and spinner is rough: there 102 of its 6076 bodies leak out of pyb2d3's circle.
BOX2D_RELATION = {
    "compounds": 1.80,
    "joint_grid": 1.11,
    "junkyard": 2.11,
    "large_pyramid": 2.28,
    "many_pyramids": 1.98,
    "rain": 1.26,
    "smash": 1.41,
    "spinner": 1.37,
    "tumbler": 1.55,
    "washer": 1.65,
}

# Box2D 3.2 with one worker over itself with two, of the same table.
BOX2D_SPEEDUP_2 = {
    "compounds": 1.42,
    "joint_grid": 1.53,
    "junkyard": 1.48,
    "large_pyramid": 1.63,
    "many_pyramids": 2.27,
    "rain": 1.51,
    "smash": 1.94,
    "spinner": 1.48,
    "tumbler": 1.25,
    "washer": 1.46,
}

# Box2D 3.2 over ours: what each scene should reach, with one worker and with two
GOAL = {
    "compounds": 3.5,
    "joint_grid": 4.0,
    "junkyard": 3.0,
    "large_pyramid": 3.0,
    "many_pyramids": 3.5,
    "rain": 4.5,
    "smash": 4.5,
    "spinner": 3.5,
    "tumbler": 3.5,
    "washer": 4.5,
}
TEN_SCENES = tuple(GOAL)

# Stages that run on the calling thread alone. Of the others the joining and sorting of keys, merges of the workers' bits and
# the lists of events are serial too: what these make out shows in the scaling curve.
SERIAL_STAGES = ("create_contacts", "edges", "split", "sleep")


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

    step0_ms: float = math.nan  # a program may not tell
    step_ms: list[float] = field(default_factory=list)  # steps 1 to n - 1; a program may not tell
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
    memory: int | None = None  # bytes by which a fresh process grew, where that was measured

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
    """Numbers of the steps (from 1) over three times the median of the 31 around them, but for those that create or destroy."""
    half = SPIKE_WINDOW // 2
    found = []
    for i, time in enumerate(step_ms):
        first = max(0, min(i - half, len(step_ms) - SPIKE_WINDOW))
        around = statistics.median(step_ms[first : first + SPIKE_WINDOW])
        if time > SPIKE * around and not changed[i]:
            found.append(i + 1)
    return found


def values(table: Any, names: Sequence[str]) -> dict[str, Any]:
    return {name: getattr(table, name) for name in names if hasattr(table, name)}


def names_of(table: Any) -> list[str]:
    """The numbers that a profile or a counters object has."""
    names: Sequence[str] = getattr(table, "_fields", None) or [name for name in dir(table) if name[0] != "_"]
    return [name for name in names if isinstance(getattr(table, name), (int, float))]


def run_once(engine: Engine, scene: Scene, steps: int, scale: float = 1.0, budget_s: float = float("inf")) -> Run:
    """One pass of `steps` steps, the first of them untimed; fewer when `budget_s` seconds have passed.

    Raises:
        CannotExpress: the peer lacks something.
        ProgramError: Box2D's program cannot do it.
    """
    if engine.path:
        return _run_program(engine, scene, steps, scale)
    return _run_ours(engine, scene, steps, scale, budget_s) if engine.ours else _run_peer(engine, scene, steps, scale)


def _run_ours(engine: Engine, scene: Scene, steps: int, scale: float, budget_s: float) -> Run:
    run = Run()
    with scene.world(workers=engine.workers, **dict(engine.options)) as world, _no_collection():
        state = scene.build(world, scale)
        stages = names_of(world.profile)
        sums = dict.fromkeys(stages, 0.0)
        end = perf_counter() + budget_s
        for number in range(steps):
            start = perf_counter()
            changed = scene.advance(world, state, number)
            world.step(DT, SUBSTEPS)
            now = perf_counter()
            if number == 0:
                run.step0_ms = 1000 * (now - start)
                continue
            run.step_ms.append(1000 * (now - start))
            run.changed.append(changed)
            run.allocations += world.counters.step_allocations
            profile = world.profile
            for name in stages:
                sums[name] += getattr(profile, name)
            if now > end:
                break
        run.profile_ms = {name: total / max(1, len(run.step_ms)) for name, total in sums.items()}
        counters = world.counters
        run.counters = {name: int(value) for name, value in values(counters, names_of(counters)).items()}
        run.state_hash = int(world.state_hash())
    return run


def _run_peer(engine: Engine, scene: Scene, steps: int, scale: float) -> Run:
    run = Run()
    peer = peers.create(engine.name, **scene.options)
    world = cast(b2.World, peer)  # it has what the scenes use
    with _no_collection():
        state = scene.build(world, scale)
        for number in range(steps):
            start = perf_counter()
            changed = scene.advance(world, state, number)
            world.step(DT, SUBSTEPS)
            time_ms = 1000 * (perf_counter() - start)
            if number == 0:
                run.step0_ms = time_ms
            else:
                run.step_ms.append(time_ms)
                run.changed.append(changed)
    run.counters = peer.counts._asdict()
    peer.close()
    return run


def _run_program(engine: Engine, scene: Scene, steps: int, scale: float) -> Run:
    output = box2d_program.run(engine.path, scene, engine.workers, steps, scale)
    run = Run(whole_ms=output.total_ms, counters={**output.counters, "steps": output.steps})
    if output.step_ms:
        run.step0_ms, run.step_ms = output.step_ms[0], output.step_ms[1:]
        run.changed = [scene.name == "rain" and number % 8 == 0 for number in range(1, output.steps)]
    return run


class _no_collection:
    """Python's cycle collector rests during a run, for every engine alike."""

    def __enter__(self) -> None:
        gc.collect()
        gc.disable()

    def __exit__(self, *_: object) -> None:
        gc.enable()


def run_scene(
    scene: Scene,
    engines: Sequence[Engine],
    *,
    steps: int | None = None,
    repeat: int = 1,
    scale: float = 1.0,
    before: Callable[[Scene, Engine, int], None] | None = None,
) -> list[Result]:
    """All engines over one scene, alternating: every engine once, then every engine again."""
    results = [Result(scene.name, engine, scale=scale) for engine in engines]
    for turn in range(repeat):
        for result in results:
            if result.skipped:
                continue
            if before is not None:
                before(scene, result.engine, turn)
            try:
                result.runs.append(run_once(result.engine, scene, steps or scene.steps, scale))
            except (peers.CannotExpress, box2d_program.ProgramError) as reason:
                result.skipped = str(reason)
    return results


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


def ratio(result: Result, peer: str, results: Sequence[Result]) -> float | None:
    """The peer's total over ours in the same scene; above 1 we are faster. A peer with worker counts is taken at ours."""
    for other in results:
        same_workers = not other.engine.path or other.engine.workers == result.engine.workers
        if other.engine.name == peer and other.scene == result.scene and other.runs and same_workers:
            return other.total_min / result.total_min
    return None


def box2d_ratio(result: Result, results: Sequence[Result]) -> float | None:
    """Box2D 3.2's total over ours with as many workers: measured where its program ran, else derived through pyb2d3."""
    if any(other.engine.path and other.runs for other in results):
        return ratio(result, "box2d", results)
    relation = BOX2D_RELATION.get(result.scene)
    measured = ratio(result, "pyb2d3", results)
    if relation is None or measured is None or result.engine.workers > 2 or result.scale != 1.0:
        return None
    return measured / relation / (BOX2D_SPEEDUP_2[result.scene] if result.engine.workers == 2 else 1.0)


def geometric_mean(values: Sequence[float]) -> float:
    return math.exp(sum(map(math.log, values)) / len(values))
