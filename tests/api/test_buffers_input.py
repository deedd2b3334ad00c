"""`box2dpy.buffers` refuses bad input and changes nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import box2dpy as b2
from box2dpy import buffers

from .buffer_scene import Scene, pyramid, same


def edited(name: str, field: str, value: Any, row: int = 2) -> Callable[[Scene], None]:
    def edit(scene: Scene) -> None:
        array = getattr(scene.bodies, name, None)
        if array is None:
            array = scene.colliders if name == "colliders" else getattr(scene, name)
        array[field][row] = value

    return edit


def replaced(name: str, change: Callable[[Any], Any]) -> Callable[[Scene], None]:
    def edit(scene: Scene) -> None:
        if name in buffers.Bodies._fields:
            scene.bodies = scene.bodies._replace(**{name: change(getattr(scene.bodies, name))})
        else:
            setattr(scene, name, change(getattr(scene, name)))

    return edit


def read_only(array: np.ndarray) -> np.ndarray:
    array = array.copy()
    array.flags.writeable = False
    return array


def shared(scene: Scene) -> None:
    memory = np.zeros(4096, np.uint8)
    scene.sleeping, scene.active = memory[:800].view(np.uint64), memory[792:992].view(np.int32)


BAD_COLLIDE: list[tuple[str, Callable[[Scene], None], type[Exception], str]] = [
    ("position", edited("poses", "position", (np.nan, 0)), ValueError, r"poses\[2\]: the position must be finite"),
    ("rotation", edited("poses", "rotation", (1, 1)), ValueError, r"poses\[2\]: the rotation must be a cosine"),
    ("center", edited("poses", "local_center", (np.inf, 0)), ValueError, r"poses\[2\]: the local centre"),
    ("mass", edited("masses", "mass", -1), ValueError, r"masses\[2\]: the mass must be 0"),
    ("inertia", edited("masses", "inertia", np.nan), ValueError, r"masses\[2\]: the inertia"),
    ("scale", edited("masses", "gravity_scale", np.inf), ValueError, r"masses\[2\]: the gravity scale"),
    ("damping", edited("masses", "linear_damping", -1), ValueError, r"masses\[2\]: dampings"),
    ("velocity", edited("velocities", "angular", np.nan), ValueError, r"velocities\[2\]: the velocity"),
    ("body", edited("colliders", "body", 99), ValueError, r"colliders\[2\]: there is no such body"),
    ("tag", edited("colliders", "tag", 1), ValueError, r"colliders\[2\]: another collider has its tag"),
    ("count", edited("colliders", "count", 9), ValueError, r"colliders\[2\]: the count of vertices"),
    ("radius", edited("colliders", "radius", np.nan), ValueError, r"colliders\[2\]: the radius"),
    ("vertex", edited("colliders", "x", np.nan), ValueError, r"colliders\[2\]: vertices must be finite"),
    ("order", edited("colliders", "x", [1, -1, -1, 1, 0, 0, 0, 0]), ValueError, "vertices must be convex"),
    ("point", edited("colliders", "count", 1), ValueError, r"colliders\[2\]: circles and capsules need a radius"),
    ("friction", edited("colliders", "friction", -1), ValueError, r"colliders\[2\]: the friction"),
    ("bounce", edited("colliders", "restitution", np.nan), ValueError, r"colliders\[2\]: the restitution"),
    ("rolling", edited("colliders", "rolling_resistance", -1), ValueError, r"colliders\[2\]: the rolling"),
    ("belt", edited("colliders", "tangent_speed", np.inf), ValueError, r"colliders\[2\]: the tangent speed"),
    ("dtype", replaced("poses", lambda a: a["position"].copy()), TypeError, "poses must be an array of"),
    ("list", replaced("idle", lambda a: a.tolist()), TypeError, "idle=.* must be a numpy array"),
    ("rows", replaced("masses", lambda a: a[:-1]), ValueError, "masses has 10 rows, but poses has 11"),
    ("shape", replaced("idle", lambda a: a[:, None]), ValueError, r"idle must have shape \(n,\), not \(11, 1\)"),
    ("strides", replaced("colliders", lambda a: np.repeat(a, 2)[::2]), ValueError, "colliders must be contiguous"),
    ("locked", replaced("contacts", read_only), ValueError, "contacts is read-only, but the call writes it"),
    ("arena", replaced("arena", read_only), ValueError, "arena is read-only"),
    ("overlap", shared, ValueError, "(sleeping and active|active and sleeping) overlap in memory"),
    ("links", lambda s: setattr(s, "connections", np.array([(0, 99)], np.int32)), ValueError,
     r"connections\[0\]: there is no such body"),
    ("link shape", lambda s: setattr(s, "connections", np.zeros(4, np.int32)), ValueError, r"must have shape \(n, 2\)"),
]  # fmt: skip


def arrays_of(scene: Scene) -> list[bytes]:
    """All arrays but the arena, as bytes."""
    each = [*scene.bodies, scene.colliders, scene.contacts, scene.sleeping, scene.active, *scene.cache]
    return [np.asarray(array).tobytes() for array in each]


@pytest.mark.parametrize(
    ("edit", "error", "message"), [case[1:] for case in BAD_COLLIDE], ids=[c[0] for c in BAD_COLLIDE]
)
def test_bad_input_to_collide_raises_and_changes_nothing(
    edit: Callable[[Scene], None], error: type[Exception], message: str
) -> None:
    scene = pyramid(4)
    scene.step(3)
    edit(scene)
    before = arrays_of(scene)
    with pytest.raises(error, match=message):
        scene.collide()
    assert arrays_of(scene) == before


def contact(field: str, value: Any, row: int = 2) -> Callable[[dict[str, Any]], None]:
    def edit(given: dict[str, Any]) -> None:
        given["contacts"][field][row] = value

    return edit


def given_as(name: str, value: Any) -> Callable[[dict[str, Any]], None]:
    return lambda given: given.update({name: value})


BAD_SIMULATE: list[tuple[str, Callable[[dict[str, Any]], None], type[Exception], str]] = [
    ("normal", contact("normal", (np.nan, 0)), ValueError, r"contacts\[2\]: the normal must be a unit vector"),
    ("lever", contact("lever", np.inf), ValueError, r"contacts\[2\]: levers must be finite"),
    ("separation", contact("separation", np.nan), ValueError, r"contacts\[2\]: separations must be finite"),
    ("no point", contact("feature", 0xFFFF), ValueError, r"contacts\[2\]: it has no first point"),
    ("features", contact("feature", 3), ValueError, r"contacts\[2\]: its points must have different features"),
    ("body", contact("body_b", 99), ValueError, r"contacts\[2\]: it needs two bodies that exist"),
    ("friction", contact("friction", -1), ValueError, r"contacts\[2\]: the values of its material"),
    ("radius", contact("radius_a", -1), ValueError, r"contacts\[2\]: radii must be"),
    ("tag order", contact("tag", 2**50), ValueError, r"contacts\[3\]: contacts must ascend by tag"),
    ("tag", contact("tag", buffers.NO_TAG, -1), ValueError, "this tag stands for free rows"),
    ("active", lambda g: g.update(active=g["active"][1:]), ValueError, "a body of it is not active"),
    ("active twice", given_as("active", np.array([1, 1], np.int32)), ValueError, r"active\[1\]: indices"),
    ("active range", given_as("active", np.array([1, 99], np.int32)), ValueError, r"active\[1\]: indices"),
    ("sleeping", given_as("sleeping", np.array([9, 8], np.uint64)), ValueError, r"sleeping\[1\]: tags must be"),
    ("both", lambda g: g.update(sleeping=g["contacts"]["tag"][:1].copy()), ValueError,
     r"sleeping\[0\]: there is a contact with this tag"),
    ("cache order", lambda g: g["cache"].tags.__setitem__(1, 0), ValueError, r"cache.tags\[1\]: tags must be greater"),
    ("cache hole", lambda g: g["cache"].tags.__setitem__(2, buffers.NO_TAG), ValueError, r"no tag may follow"),
    ("cache nan", lambda g: g["cache"].impulses["normal"].__setitem__(1, np.nan), ValueError,
     r"cache.impulses\[1\]: impulses must be finite"),
    ("cache rows", lambda g: g.update(cache=buffers.Cache(g["cache"].tags, g["cache"].impulses[1:])), ValueError,
     "cache.impulses has"),
    ("cache type", given_as("cache", 3), TypeError, "cache=3 must be a Cache"),
    ("bodies type", given_as("bodies", 3), TypeError, "bodies=3 must be a Bodies"),
    ("locked", lambda g: g.update(bodies=g["bodies"]._replace(poses=read_only(g["bodies"].poses))), ValueError,
     "poses is read-only"),
    ("overlap", lambda g: g.update(arena=g["bodies"].poses.view(np.uint8)), ValueError, "overlap in memory"),
    ("dt", given_as("dt", np.nan), ValueError, "dt=nan must be finite and in range"),
    ("substeps", given_as("substeps", 0), ValueError, "substeps=0 must be finite and in range"),
    ("gravity", given_as("gravity", (0, np.inf)), ValueError, r"gravity=\(0, inf\) must be finite"),
    ("idle speed", given_as("idle_speed", -1), ValueError, "idle_speed=-1 must be finite"),
    ("infinite", lambda g: g["cache"].impulses["normal"].__setitem__(slice(0, 4), 9e29) or g["bodies"].masses["mass"].
     __setitem__(slice(1, None), 1e-12), ValueError, "the velocity of the body became infinite"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("edit", "error", "message"), [case[1:] for case in BAD_SIMULATE], ids=[case[0] for case in BAD_SIMULATE]
)
def test_bad_input_to_simulate_raises_and_changes_nothing(
    edit: Callable[[dict[str, Any]], None], error: type[Exception], message: str
) -> None:
    scene = pyramid(4)
    scene.step(3)
    found = scene.collide()
    given: dict[str, Any] = {
        "bodies": scene.bodies, "active": found.active, "contacts": found.contacts, "sleeping": found.sleeping,
        "cache": scene.cache, "arena": scene.arena,
    }  # fmt: skip
    edit(given)
    before = arrays_of(scene)
    with pytest.raises(error, match=message):
        buffers.simulate(**given)
    assert arrays_of(scene) == before


def test_arrays_may_be_aligned_as_numpy_aligns_them() -> None:
    """Rows are read by kernels that want 16 bytes; the caller's may lie at any multiple of 8."""
    scene, moved = pyramid(5), pyramid(5)
    memory = np.zeros(moved.bodies.poses.nbytes + 16, np.uint8)
    start = 8 - memory.ctypes.data % 16 % 8
    start += 8 * ((memory.ctypes.data + start) % 16 == 0)
    poses = memory[start : start + moved.bodies.poses.nbytes].view(buffers.POSE)
    poses[:] = moved.bodies.poses
    moved.bodies = moved.bodies._replace(poses=poses)
    moved.arena = np.zeros(len(moved.arena) + 1, np.uint8)[1:]
    scene.step(10)
    moved.step(10)
    assert same(scene.state(), moved.state())


def test_no_bodies_are_fine() -> None:
    scene = Scene(np.zeros((0, 2)), [])
    found = scene.step()
    assert (len(found.active), found.broad_pairs) == (0, 0)


def test_set_geometry_refuses_what_has_no_thickness() -> None:
    rows = buffers.new_colliders(1)
    with pytest.raises(ValueError, match="must be a Circle, Capsule, Polygon or Box"):
        buffers.set_geometry(rows, b2.Segment((0, 0), (1, 0)))
    with pytest.raises(TypeError, match="must be rows of COLLIDER"):
        buffers.set_geometry(np.zeros(1), b2.Circle(1))  # type: ignore[arg-type]
