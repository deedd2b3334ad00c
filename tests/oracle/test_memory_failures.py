"""Each allocation of each call fails in turn. The call raises, the world stays valid, and the call can be repeated."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import box2dpy as b2
import box2dpy.buffers
from box2dpy._buffers import pointers, staged
from box2dpy._core import lib
from box2dpy._geometry import collision
from box2dpy.scenes.human import create_human

from ..fuzz.snapshots import rich_world
from ..patience import finished
from ..stepping import advance
from .lockstep import DT, make_ground, run, run_until_asleep


@contextmanager
def failing(world: b2.World, after: int) -> Iterator[None]:
    """All allocations after the next `after` fail."""
    lib.b2d_world_fail_allocation(world._ptr, after)
    try:
        yield
    finally:
        lib.b2d_world_fail_allocation(world._ptr, -1)


with b2.World() as _model:
    HUMAN = b2.Template(create_human(_model, (0, 0)))
HEXAGON = b2.Polygon([(0.5, 0), (0.25, 0.4), (-0.25, 0.4), (-0.5, 0), (-0.25, -0.4), (0.25, -0.4)])


def nothing(world: b2.World) -> None:
    pass


def pile(world: b2.World, n: int = 6) -> None:
    """A few touching boxes and a pair held by a joint."""
    make_ground(world)
    for k in range(n):
        world.create_dynamic_body((0.3 * k, 0.6 + 1.1 * k)).create_shape(b2.Box(0.5, 0.5))
    a, b = world.create_dynamic_body((-5, 0.5)), world.create_dynamic_body((-6, 0.5))
    for body in (a, b):
        body.create_shape(b2.Circle(0.4))
    world.create_revolute_joint(a, b, anchor=(-5.5, 0.5))


def stepped_pile(world: b2.World) -> None:
    pile(world)
    run(world, 20, check=False)


def woken_pile(world: b2.World) -> None:
    """Waking its bodies changes nothing."""
    stepped_pile(world)
    for body in world.bodies:
        if body.type != b2.BodyType.STATIC:
            body.linear_velocity = body.linear_velocity


def sleeping_pile(world: b2.World) -> None:
    make_ground(world)
    for k in range(12):
        world.create_dynamic_body((1.5 * (k % 4), 0.5 + k // 4)).create_shape(b2.Box(0.5, 0.5))
    a, b = world.body(3), world.body(7)
    world.create_revolute_joint(a, b, anchor=(a.position + b.position) / 2, collide_connected=True)
    run_until_asleep(world)


def nearly_asleep(world: b2.World) -> None:
    sleeping_pile(world)
    world.body(1).awake = True
    world.body(3).awake = True
    while not any(0.45 < body.sleep_timer < 0.499 for body in world.bodies):
        world.step(DT, 4)


def one_disabled(world: b2.World) -> None:
    stepped_pile(world)
    first_dynamic(world).enabled = False


def many_disabled(world: b2.World) -> None:
    """They have never been enabled, so there is no row of an island yet."""
    make_ground(world)
    for k in range(100):
        world.create_dynamic_body((1.5 * k, 0.5), enabled=False).create_shape(b2.Box(0.5, 0.5))


def bullets(world: b2.World) -> None:
    make_ground(world)
    for k in range(9):
        body = world.create_dynamic_body((k, 5), linear_velocity=(0, -300))
        body.create_shape(b2.Circle(0.1), restitution=0.5)


def jointed_chain(world: b2.World) -> None:
    pile(world, 3)
    bodies = list(world.bodies)[1:4]
    world.create_revolute_joint(bodies[0], bodies[1], anchor=(0, 1))
    run(world, 2)
    world.joint(1).destroy()


def heavy_chain(world: b2.World) -> None:
    """Solved directly; the second one becomes so with the next step."""
    for y in (5, 9):
        last = world.create_static_body((0, y))
        for k in range(6):
            link = world.create_dynamic_body((0.2 * k + 0.1, y))
            link.create_shape(b2.Box(0.1, 0.02))
            link.mass = 100.0 if k == 5 and y == 5 else 1.0
            world.create_revolute_joint(last, link, anchor=(0.2 * k, y))
            last = link
        if y == 5:
            run(world, 2, check=False)
    last.mass = 100.0


def rich(world: b2.World) -> None:
    """Sleep, joints of several kinds, chains, sensors, extra blocks, direct assemblies, one-way shapes."""
    with rich_world(2) as other:
        world.restore(other.save())


def swept(world: b2.World) -> None:
    """Bullets, fast bodies and a fast blade meet bodies, walls and sensors; functions decide about all of them."""
    world.continuous = "all"
    world.create_static_body((0, -1)).create_shape(b2.Box(40, 1), presolve=True)
    world.create_static_body((3, 2)).create_shape(b2.Box(1, 1), sensor=True, sensor_events=True)
    world.create_kinematic_body((-6, 3), angular_velocity=30.0).create_shape(b2.Box(2, 0.1))
    for k in range(10):
        ball = world.create_dynamic_body((k, 5), linear_velocity=(0, -300), bullet=k % 2 == 0)
        ball.create_shape(b2.Circle(0.1), restitution=0.6, presolve=True, sensor_events=True, hit_events=True)
        world.create_dynamic_body((k, 2)).create_shape(b2.Box(0.3, 0.3), sensor_events=True)
        world.create_dynamic_body((-5 - 0.5 * k, 3)).create_shape(b2.Box(0.1, 0.1))
    world.on_filter = lambda a, b: True
    world.on_presolve = lambda contact: None


def crossed(world: b2.World) -> None:
    """Plates search for many balls near them, or, with more plates, a few balls for these (csrc/step/plates.c)."""
    for k in range(4):
        world.create_dynamic_body((k, 0)).create_shape(b2.Box(0.4, 0.01))
        for y in (0.2, 0.5):
            world.create_dynamic_body((k, y), linear_velocity=(0, -10)).create_shape(b2.Circle(0.1))


def rarely_crossed(world: b2.World) -> None:
    for k in range(70):
        world.create_dynamic_body((k, 0)).create_shape(b2.Box(0.4, 0.01))
    world.create_dynamic_body((0, 0.2), linear_velocity=(0, -10)).create_shape(b2.Circle(0.1))


def struck(world: b2.World) -> None:
    """Bodies that fly, rest and sleep before kinematic bodies that move (csrc/step/platforms.c)."""
    for k in range(10):
        platform = world.create_kinematic_body((3 * k, 0), linear_velocity=(0, 20))
        platform.create_shape(b2.Box(1, 1))
        world.create_dynamic_body((3 * k, 2), awake=k % 2 == 0).create_shape(b2.Circle(0.1))
        ball = world.create_dynamic_body((3 * k, -1.6), linear_velocity=(0, 50))
        ball.create_shape(b2.Circle(0.1))


def refusing(world: b2.World) -> None:
    """The function refuses contacts that were allowed before."""
    stepped_pile(world)
    for shape in world.shapes:
        shape.presolve = True
    world.on_presolve = lambda contact: False


def overlapping(world: b2.World) -> None:
    make_ground(world)
    world.create_bodies([(0.3 * k, 0.2) for k in range(12)], geometry=HEXAGON)


def step(world: b2.World) -> None:
    world.step(DT, 4)


def staged_step(world: b2.World) -> None:
    with world.staged_step(DT, 4) as step:
        step.contacts["restitution"] = 0.5
        step.contacts["enabled"] = step.contacts["contact"] % 2 == 0
        rows = b2.new_contacts(3)
        rows["body_a"], rows["body_b"] = [1, 2, 3], [-1, -1, 2]
        rows["normal"], rows["separation"] = (0, -1), -0.01
        step.add_contacts(rows)
        for _ in step.substeps():
            step.linear_velocity[1, 0] += 0.1 * step.inverse_mass[1]


def first_dynamic(world: b2.World) -> b2.Body:
    return next(body for body in world.bodies if body.type == b2.BodyType.DYNAMIC)


def join(world: b2.World) -> None:
    a, b = list(world.bodies)[2:4]
    world.create_revolute_joint(a, b, anchor=a.position, force_threshold=1000.0)


ANCHORED = ("motor", "mover", "pogo", "prismatic", "weld", "wheel")


def joined(kind: str) -> Callable[[b2.World], None]:
    """A joint of the kind, with a threshold, between bodies of one island."""

    def call(world: b2.World) -> None:
        bodies = [body for body in world.bodies if body.type == b2.BodyType.DYNAMIC]
        a, b = bodies[0], bodies[1]
        if kind == "gear":
            world.create_gear_joint(world.joint(1), world.joint(2), force_threshold=1000.0)
        elif kind == "pulley":
            world.create_pulley_joint(
                a, b, local_anchor_a=(0, 0), local_anchor_b=(0, 0), ground_anchor_a=(0, 20), ground_anchor_b=(5, 20),
                force_threshold=1000.0,
            )  # fmt: skip
        elif kind == "groove":
            world.create_groove_joint(a, b, groove_start=(-1, 9), groove_end=(1, 9), force_threshold=1000.0)
        elif kind == "distance":
            world.create_distance_joint(a, b, local_anchor_a=(0, 0), local_anchor_b=(0, 0), force_threshold=1000.0)
        elif kind == "ratchet":
            world.create_ratchet_joint(a, b, ratchet=0.5, torque_threshold=1000.0)
        elif kind == "rotary_spring":
            world.create_rotary_spring_joint(a, b, torque_threshold=1000.0)
        else:
            getattr(world, f"create_{kind}_joint")(a, b, anchor=b.position, torque_threshold=1000.0)

    call.__name__ = f"{kind}_joint"
    return call


def two_hinges(world: b2.World) -> None:
    woken_pile(world)
    ground = world.body(0)
    for x in (8, 9):
        wheel = world.create_dynamic_body((x, 3))
        wheel.create_shape(b2.Circle(0.3))
        world.create_revolute_joint(ground, wheel, anchor=(x, 3))


def assign(name: str, value: Any) -> Callable[[b2.World], None]:
    def call(world: b2.World) -> None:
        setattr(first_dynamic(world), name, value)

    call.__name__ = f"body_{name}"
    return call


def assign_shape(name: str, value: Any) -> Callable[[b2.World], None]:
    def call(world: b2.World) -> None:
        setattr(first_dynamic(world).shapes[0], name, value)

    call.__name__ = f"shape_{name}"
    return call


def rows(world: b2.World) -> b2.BodyArray:
    """All dynamic bodies."""
    bodies = [body for body in world.bodies if body.type == b2.BodyType.DYNAMIC]
    return b2.BodyArray._made(
        world, np.array([body.index for body in bodies], np.int32), np.array([b._generation for b in bodies], np.uint64)
    )


def assign_rows(name: str, value: Any) -> Callable[[b2.World], None]:
    def call(world: b2.World) -> None:
        setattr(rows(world), name, value)

    call.__name__ = f"rows_{name}"
    return call


def remove_all(world: b2.World) -> None:
    for body in world.bodies:
        body.destroy()


def all_kinds_of_steps(world: b2.World) -> None:
    advance(world, 3, DT, 4)


# what leaves the world as it was when it fails: (situation, call)
ATOMIC: list[tuple[Callable[[b2.World], None], Callable[[b2.World], Any]]] = [
    (nothing, lambda w: w.create_dynamic_body()),
    (nothing, lambda w: w.create_static_body()),
    (pile, lambda w: w.create_dynamic_body((3, 3))),
    (pile, lambda w: first_dynamic(w).create_shape(b2.Box(0.2, 0.2))),
    (pile, lambda w: first_dynamic(w).create_shape(HEXAGON)),
    (stepped_pile, lambda w: w.body(0).create_shape(HEXAGON)),
    (pile, lambda w: w.create_bodies([(k, 9) for k in range(30)], geometry=HEXAGON)),
    (pile, lambda w: w.create_many(HUMAN, [(3 * k, 9) for k in range(3)])),
    (stepped_pile, lambda w: w.create_bodies([(k, 9) for k in range(200)], geometry=b2.Box(0.4, 0.4))),
    (pile, join),
    (stepped_pile, join),
    *((woken_pile, joined(kind)) for kind in (*ANCHORED, "distance", "groove", "pulley", "ratchet", "rotary_spring")),
    (two_hinges, joined("gear")),
    (pile, lambda w: w.body(0).create_chain([(k, 9) for k in range(-9, 9)])),
    (stepped_pile, lambda w: first_dynamic(w).create_shape(HEXAGON, sensor=True, sensor_events=True)),
    (stepped_pile, lambda w: first_dynamic(w).create_shape(HEXAGON, presolve=True, hit_events=True, material=3)),
    (stepped_pile, lambda w: w.create_kinematic_body((0, 9), linear_velocity=(1, 0))),
    (pile, lambda w: w.reserve(1000, 1000, 1000)),
    (stepped_pile, lambda w: setattr(w, "workers", 3)),
    (stepped_pile, lambda w: w.save()),
    (sleeping_pile, lambda w: w.clone().close()),
    (heavy_chain, lambda w: w.snapshot()),
    (rich, lambda w: w.save()),
    (rich, lambda w: w.restore(w.save())),
    (rich, lambda w: w.restore(w.snapshot())),
    (rich, lambda w: w.clone().close()),
    (rich, lambda w: b2.lab.trace(w, 100)),
]

CHANGES: list[tuple[Callable[[b2.World], None], Callable[[b2.World], Any]]] = [
    *(
        (situation, step)
        for situation in (
            nothing, pile, stepped_pile, sleeping_pile, nearly_asleep, bullets, jointed_chain, heavy_chain, rich, swept,
            crossed, rarely_crossed, struck, refusing,
        )
    ),
    *((situation, staged_step) for situation in (pile, stepped_pile, nearly_asleep, heavy_chain)),
    *((situation, all_kinds_of_steps) for situation in (pile, nearly_asleep, bullets, rich, swept)),
    (rich, lambda w: w.clear()),
    (rich, lambda w: w.resolve_overlaps()),
    (overlapping, lambda w: w.resolve_overlaps()),
    (rich, lambda w: w.arrays.set(range(7, 12), position=[(k, 7) for k in range(5)], awake=True)),
    (rich, lambda w: w.apply_buoyancy(b2.Box(9, 3), density=2.0)),
    (rich, lambda w: w.apply_wind((3, 0))),
    (rich, lambda w: w.explode((0, 1), 5, impulse_per_length=1.0)),
    (rich, lambda w: w.set_material_pair(0, 1, friction=0.9)),
    (rich, lambda w: w.remove_material_pair(1, 2)),
    (rich, lambda w: setattr(w, "on_filter", lambda a, b: False)),
    (rich, lambda w: w.chain(0).destroy()),
    (rich, remove_all),
    (jointed_chain, lambda w: w.split_islands()),
    (sleeping_pile, join),
    (sleeping_pile, assign("awake", True)),
    (sleeping_pile, assign("linear_velocity", (1, 0))),
    (sleeping_pile, assign("position", (0.4, 0.5))),
    (sleeping_pile, assign_rows("linear_velocity", (1, 0))),
    (sleeping_pile, assign_rows("position", (0.4, 0.5))),
    (sleeping_pile, assign_rows("gravity_scale", 2.0)),
    (sleeping_pile, assign_rows("awake", True)),
    (stepped_pile, assign_rows("awake", False)),
    (stepped_pile, assign_rows("enabled", False)),
    (sleeping_pile, lambda w: rows(w).apply_impulse((1, 0))),
    (sleeping_pile, assign("type", "static")),
    (sleeping_pile, assign("type", "kinematic")),
    (sleeping_pile, assign("enabled", False)),
    (sleeping_pile, lambda w: setattr(w.body(0), "type", "dynamic")),
    (one_disabled, lambda w: setattr(first_dynamic(w), "enabled", True)),
    (many_disabled, assign_rows("enabled", True)),
    (stepped_pile, lambda w: w.body(0).create_chain([(k, -3) for k in range(12)])),
    (stepped_pile, lambda w: first_dynamic(w).destroy()),
    (sleeping_pile, assign("gravity_scale", 2.0)),
    (sleeping_pile, assign_shape("filter", b2.Filter(1, 0))),
    (sleeping_pile, assign_shape("sensor", True)),
    (sleeping_pile, assign_shape("geometry", HEXAGON)),
    (sleeping_pile, assign_shape("friction", 0.1)),
    (sleeping_pile, assign_shape("restitution", 0.5)),
    (sleeping_pile, assign_shape("density", 2.0)),
    (sleeping_pile, lambda w: setattr(w, "gravity", (1, -9))),
    (sleeping_pile, lambda w: setattr(w, "sleeping", False)),
    (sleeping_pile, remove_all),
    (sleeping_pile, lambda w: w.joint(0).destroy()),
    (sleeping_pile, lambda w: setattr(w.joint(0), "collide_connected", False)),
    (sleeping_pile, lambda w: w.body(0).destroy()),
    (stepped_pile, assign("awake", False)),
    (stepped_pile, assign("type", "static")),
    (stepped_pile, assign("enabled", False)),
    (stepped_pile, assign_shape("restitution", 0.5)),
    (stepped_pile, assign_shape("hit_events", True)),
    (stepped_pile, assign_shape("geometry", HEXAGON)),
]  # fmt: skip


def case_id(case: object) -> str:
    return getattr(case, "__name__", "") or str(case)


def go_on(world: b2.World) -> None:
    """The world is valid after a failure, and stays so in steps of other lengths and in other calls."""
    with failing(world, 0), suppress(MemoryError):  # and no InvariantError
        world.validate()
    world.validate()
    for dt, substeps in ((DT / 2, 2), (0.0, 1), (2 * DT, 8)):
        world.step(dt, substeps)
        world.validate()
    body = next((body for body in world.bodies if body.type == b2.BodyType.DYNAMIC), None)
    if body is not None:
        for kind in (b2.BodyType.KINEMATIC, b2.BodyType.DYNAMIC):
            body.type = kind
        other = world.create_dynamic_body((body.position.x, body.position.y + 1))
        world.create_distance_joint(body, other, local_anchor_a=(0, 0), local_anchor_b=(0, 0))
    run(world, 1)


MOST = 400  # allocations of one call; each case ends when none is left to fail


@pytest.mark.parametrize("broadphase", b2.lab.NAMES["broadphase"][1:])
@pytest.mark.parametrize(("situation", "call"), ATOMIC, ids=case_id)
def test_a_failed_allocation_during_creation_changes_nothing(situation: Any, call: Any, broadphase: str) -> None:
    with b2.World(broadphase=broadphase) as clean:
        situation(clean)
        call(clean)
        run(clean, 5)
        wanted = clean.state_hash()
    failures = 0
    for after in range(MOST):
        with b2.World(broadphase=broadphase) as world:
            situation(world)
            before, counters = world.state_hash(), world.counters
            try:
                with failing(world, after):
                    call(world)
            except MemoryError:
                failures += 1
                world.validate()
                assert world.state_hash() == before
                now = world.counters
                assert (now.bodies, now.shapes, now.joints, now.islands) == (
                    counters.bodies,
                    counters.shapes,
                    counters.joints,
                    counters.islands,
                )
                call(world)  # the same again, now with memory
                run(world, 5, check=False)
                world.validate()
                assert world.state_hash() == wanted
            else:
                break
    else:
        raise AssertionError("the call never succeeded")
    assert failures == after


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize(("situation", "call"), CHANGES, ids=case_id)
def test_a_failed_allocation_during_a_change_leaves_a_valid_world(situation: Any, call: Any, workers: int) -> None:
    for after in range(MOST):
        with b2.World(workers=workers) as world:
            situation(world)
            failed = True
            with failing(world, after), suppress(MemoryError):
                call(world)
                failed = False
            go_on(world)
            with failing(world, 0):  # and once more in a world in full motion
                for dt in (DT, DT / 2):
                    with suppress(MemoryError):
                        world.step(dt, 4)
            go_on(world)
            if not failed:
                break
    else:
        raise AssertionError("the call never succeeded")


def test_a_step_without_memory_raises_and_the_next_step_works() -> None:
    with b2.World() as world:
        pile(world)
        with failing(world, 0), pytest.raises(MemoryError, match="memory"):
            world.step(DT, 4)
        y = world.body(3).position.y
        run(world, 60)
        assert world.body(3).position.y < y
        assert world.counters.touching > 5


def test_pairs_lost_by_a_failed_allocation_are_found_later() -> None:
    for after in range(40):
        with b2.World() as world:
            pile(world)
            try:
                with failing(world, after):
                    advance(world, 10, DT, 4)
            except MemoryError:
                run(world, 1)
                run(world, 120)
                lowest = min(body.position.y for body in world.bodies if body.type == b2.BodyType.DYNAMIC)
                assert lowest > 0.3, "nothing fell through the ground"


# Failures are injected through a world. There is none yet, so the system's allocator is replaced.
SHIM = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
static long left = -1;
void shim_fail_after(long after) { left = after; }
static int refused(void) {
    if (left < 0) return 0;
    if (left == 0) return 1;
    left--;
    return 0;
}
void* aligned_alloc(size_t alignment, size_t size) {
    static void* (*real)(size_t, size_t);
    if (real == NULL) real = (void* (*)(size_t, size_t))dlsym(RTLD_NEXT, "aligned_alloc");
    return refused() ? NULL : real(alignment, size);
}
int pthread_create(pthread_t* thread, const pthread_attr_t* attr, void* (*run)(void*), void* argument) {
    static int (*real)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
    if (real == NULL) real = (int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*))
        dlsym(RTLD_NEXT, "pthread_create");
    return refused() ? 11 : real(thread, attr, run, argument);
}
"""

CREATION = """
import ctypes, gc
import box2dpy as b2
shim = ctypes.CDLL(None).shim_fail_after
shim.argtypes = [ctypes.c_long]
for make in (b2.World, lambda: b2.World(workers=3), lambda: b2.World(broadphase="tree"), lambda: b2.Scheduler(4)):
    for after in range(100):
        shim(after)
        try:
            made = make()
        except MemoryError:
            shim(-1)
            continue
        shim(-1)
        if isinstance(made, b2.World):
            made.create_dynamic_body().create_shape(b2.Circle(1))
            made.step()
            made.validate()
            made.close()
        break
    else:
        raise SystemExit("never succeeded")
    print("failures:", after)
"""


@pytest.mark.skipif(
    sys.platform != "linux" or shutil.which("cc") is None, reason="replaces the allocator of glibc with a compiled one"
)
def test_a_failed_allocation_of_a_world_or_scheduler_raises_and_leaks_nothing(tmp_path: Path) -> None:
    if "libasan" in os.environ.get("LD_PRELOAD", "") or "libtsan" in os.environ.get("LD_PRELOAD", ""):
        pytest.skip("the sanitizer has its own allocator")
    (tmp_path / "shim.c").write_text(SHIM)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", "shim.so", "shim.c", "-ldl"], cwd=tmp_path, check=True)
    home = str(Path(b2.__file__).resolve().parent.parent)
    environment = {**os.environ, "LD_PRELOAD": str(tmp_path / "shim.so"), "PYTHONPATH": home}
    done = finished([sys.executable, "-c", CREATION], cwd=tmp_path, env=environment)
    assert done.returncode == 0, done.stderr
    assert all(int(line.split()[-1]) > 0 for line in done.stdout.splitlines())
    assert len(done.stdout.splitlines()) == 4


@pytest.mark.parametrize("change", [("type", "static"), ("type", "kinematic"), ("enabled", False)])
def test_the_base_of_a_gear_changes_whole_or_is_mended_by_the_next_step(change: tuple[str, Any]) -> None:
    failed = 0
    for after in range(60):
        with b2.World() as world:
            chassis = world.create_dynamic_body()
            chassis.create_shape(b2.Box(2, 0.5))
            hinges = []
            for x in (-1.5, 1.5):
                wheel = world.create_dynamic_body((x, 0))
                wheel.create_shape(b2.Circle(0.5))
                hinges.append(world.create_revolute_joint(chassis, wheel, anchor=(x, 0)))
            world.create_gear_joint(*hinges, ratio=2)
            world.step(DT)
            back = getattr(chassis, change[0])
            with failing(world, after):
                try:
                    setattr(chassis, *change)
                    setattr(chassis, change[0], back)
                    world.step(2 * DT)
                except MemoryError:
                    failed += 1
            world.step(DT)
            world.validate()
    assert failed > 10


class FailingArrays:
    """numpy, whose functions that make arrays find no memory after so many calls."""

    def __init__(self, after: int) -> None:
        self.left = after

    def __getattr__(self, name: str) -> Any:
        made = getattr(np, name)
        if name not in ("empty", "zeros", "array", "asarray", "ascontiguousarray"):
            return made

        def make(*arguments: Any, **options: Any) -> Any:
            self.left -= 1
            if self.left < 0:
                raise MemoryError
            return made(*arguments, **options)

        return make


def arrays_of_a_step() -> tuple[Any, ...]:
    bodies = b2.buffers.new_bodies(1)
    bodies.masses["mass"] = 1
    return bodies, np.zeros(1, np.int32), np.empty(0, b2.buffers.CONTACT), np.empty(0, np.uint64)


def test_a_step_on_arrays_without_memory_changes_nothing_and_can_be_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    for after in range(100):
        arrays, cache = arrays_of_a_step(), b2.buffers.new_cache(0)
        start = arrays[0].poses.copy()
        arrays_without_memory = FailingArrays(after)
        for module in (pointers, staged):
            monkeypatch.setattr(module, "np", arrays_without_memory)
        try:
            step = b2.buffers.StagedSimulation(*arrays, cache)
            for _ in step.substeps():
                step.linear_velocity[:, 0] = 2
            step.finish()
            break
        except MemoryError:
            assert arrays[0].poses == start
        finally:
            monkeypatch.undo()
        step = b2.buffers.StagedSimulation(*arrays, cache)
        step.finish()
        assert arrays[0].poses != start
    assert 3 < after < 100
    assert arrays[0].poses["position"][0, 0] > 0.03


def test_masses_of_many_geometries_without_memory_raise(monkeypatch: pytest.MonkeyPatch) -> None:
    geometries = [b2.Box(1, 0.5), b2.Circle(2)]
    expected = b2.mass_data(geometries)
    for after in range(20):
        monkeypatch.setattr(collision, "np", FailingArrays(after))
        try:
            found = b2.mass_data(geometries)
            break
        except MemoryError:
            found = None
        finally:
            monkeypatch.undo()
    assert after > 0
    assert found is not None
    assert (found == expected).all()


def test_an_environment_without_memory_can_be_reset() -> None:
    pytest.importorskip("gymnasium")
    from box2dpy.envs import LunarLander

    def episode(env: LunarLander) -> list[Any]:
        seen = [env.reset(seed=5)[0]]
        return seen + [env.step(np.full(2, k % 4))[0] for k in range(60)]

    with closing(LunarLander(2)) as env:
        expected = episode(env)
    failures, after = 0, -1
    while failures == after + 1:
        after += 1
        with closing(LunarLander(2)) as env:
            lib.b2d_world_fail_allocation(env.batch._cells.pointer, after)
            try:
                episode(env)
            except MemoryError:
                failures += 1
            lib.b2d_world_fail_allocation(env.batch._cells.pointer, -1)
            assert np.array_equal(episode(env), expected)
    assert failures > 5


@pytest.mark.parametrize("after", range(8))
@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 0, 2)])
def test_islands_that_were_not_merged_may_lose_all_bodies(after: int, order: tuple[int, ...]) -> None:
    """The joints unite three islands without memory for it, and the bodies are destroyed before there is some."""
    with b2.World() as world:
        bodies = [world.create_dynamic_body((k, 0)) for k in range(5)]
        lib.b2d_world_fail_allocation(world._ptr, after)
        for a, b in ((0, 1), (1, 2)):
            with suppress(MemoryError):
                world.create_revolute_joint(bodies[a], bodies[b], anchor=(0, 0))
        for k in order:
            bodies[k].destroy()
        lib.b2d_world_fail_allocation(world._ptr, -1)
        world.validate()
        world.create_revolute_joint(bodies[3], bodies[4], anchor=(0, 0))
        world.step()
        world.validate()
        b2.World.from_snapshot(world.snapshot()).close()


def test_reads_after_a_creation_without_memory_are_those_of_now() -> None:
    """The tables may have grown, and so be elsewhere, before the memory was short."""
    failed = 0
    for bodies in range(8, 40):
        for after in range(6):
            with b2.World() as world:
                for k in range(bodies):
                    body = world.create_dynamic_body((k, 0))
                assert body.rotation == (1, 0)
                try:
                    with failing(world, after):
                        world.create_dynamic_body((9, 9))
                except MemoryError:
                    failed += 1
                body.position = (3, 4)
                assert body.position == (3, 4)
                body.destroy()
                assert world.create_dynamic_body((5, 6)).rotation == (1, 0)
    assert failed > 10
