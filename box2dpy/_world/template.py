"""Templates: bodies with their shapes and joints, to be created many times in one call."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from .._bridge.arguments import column, finite, pair, points
from .._bridge.errors import raise_error, raise_if, short_repr
from .._bridge.handles import HANDLE_DTYPE, HANDLES
from .._bridge.library import ffi, lib
from .._geometry.geometry import ORIGIN
from .._objects.body import Body
from .._objects.body_array import BodyArray

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from .._bridge.vectors import Vec2Like
    from .._objects.joint import Joint
    from .._objects.world_handles import WorldHandles


class Template:
    """A description of bodies with their shapes and the joints between them, for `World.create_many`.

    It is read once and does not change with the bodies, which may be destroyed afterwards. Names, `data`, forces and
    the impulses of the last step are not part of it.

    Args:
        bodies: of one world, in the order in which each copy gets them.
        origin: the point in world coordinates that goes to the position of a copy, metres.

    Raises:
        ValueError: no body, a body that is there twice, bodies of two worlds, a chain, or a joint to another body.
        TypeError: something else than a body.
        DestroyedError: a body has been destroyed.

    >>> with World() as world:
    ...     hub = world.create_dynamic_body((0, 1))
    ...     rim, spoke = hub.create_shape(Circle(0.5)), world.create_dynamic_body((0.5, 1))
    ...     bar = spoke.create_shape(Box(0.5, 0.1))
    ...     hinge = world.create_revolute_joint(hub, spoke, anchor=(0, 1))
    ...     wheel = Template([hub, spoke], origin=(0, 1))
    ...     many = world.create_many(wheel, [(3 * k, 5) for k in range(1, 101)])
    ...     wheel, len(many), len(world.joints), many.position[2]
    (<Template of 2 bodies, 2 shapes, 1 joints>, 200, 101, array([6., 5.]))
    """

    __slots__ = ("_c", "_counts", "_parts")

    def __init__(self, bodies: Iterable[Body], origin: Vec2Like = ORIGIN) -> None:
        listed, (x, y) = list(bodies), pair(origin, "origin")
        for body in listed:
            if not isinstance(body, Body):
                raise TypeError(f"bodies: {short_repr(body)} must be a Body")
        if not listed:
            raise ValueError("bodies: a template needs at least one body")
        world = listed[0]._world
        places = {body: place for place, body in enumerate(listed)}
        if len(places) < len(listed):
            raise ValueError("bodies: a body is there twice")
        for body in listed:
            if body._world is not world:
                raise ValueError(f"bodies: {body!r} belongs to another world than {listed[0]!r}")
        defined, masses = ffi.new("b2d_body_def[]", len(listed)), ffi.new("double[][4]", len(listed))
        for place, body in enumerate(listed):
            status = lib.b2d_body_definition(
                world._ptr, body._index, body._generation, ffi.addressof(defined, place), masses[place]
            )
            if status:
                raise_error(status, body)
        shapes = [(place, shape) for place, body in enumerate(listed) for shape in body.shapes]
        geometries, of_shapes = ffi.new("b2d_geometry[]", len(shapes)), ffi.new("b2d_shape_def[]", len(shapes))
        for row, (place, shape) in enumerate(shapes):
            if shape.chain is not None:
                raise ValueError(f"bodies: {listed[place]!r} has a chain, which cannot be part of a template")
            status = lib.b2d_shape_definition(
                world._ptr,
                shape._index,
                shape._generation,
                ffi.addressof(geometries, row),
                ffi.addressof(of_shapes, row),
            )
            if status:
                raise_error(status, shape)
        self._parts = (
            defined,
            masses,
            ffi.new("int32_t[]", [place for place, _ in shapes]),
            geometries,
            of_shapes,
            *_joints(world, listed, places),
        )
        self._counts = len(listed), len(shapes), len(self._parts[-1])
        bodies_c, masses_c, *rest = self._parts
        self._c = ffi.new("b2d_template *", [*self._counts, (x, y), bodies_c, ffi.cast("double *", masses_c), *rest])

    def __len__(self) -> int:
        """The number of bodies."""
        return self._counts[0]

    def __repr__(self) -> str:
        return "<Template of {} bodies, {} shapes, {} joints>".format(*self._counts)

    def __copy__(self) -> Template:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Template:
        return self  # it never changes

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Template cannot be pickled: pickle its bodies")


def _joints(world: WorldHandles, bodies: list[Body], places: dict[Body, int]) -> tuple[Any, Any, Any]:
    """The joints between the bodies: their bodies, the joints that gears couple, and their definitions."""
    found: dict[Joint, tuple[Body, Body]] = {}
    for body in bodies:
        for joint in body.joints:
            found[joint] = joint.body_a, joint.body_b
    definitions, coupled = {}, {}
    for joint, ends in found.items():
        for end in ends:
            if end not in places:
                raise ValueError(f"bodies: {joint!r} leads to {end!r}, which is not one of them")
        definition = ffi.new("b2d_joint_def *")
        raise_if(lib.b2d_joint_definition(world._ptr, joint._index, joint._generation, definition), joint)
        definitions[joint] = definition
        handles = [(handle.index, handle.generation) for handle in definition.joint]
        coupled[joint] = [
            other for key in handles for other in found if key[1] and (other._index, other._generation) == key
        ]
        if any(generation for _, generation in handles) and len(coupled[joint]) < 2:
            raise ValueError(f"bodies: {joint!r} couples a joint that leads to another body")

    def latest(joint: Joint) -> int:
        return max(places[end] for each in (joint, *coupled[joint]) for end in found[each])

    order = sorted(found, key=lambda joint: (latest(joint), len(coupled[joint]), joint.index))
    row = {joint: k for k, joint in enumerate(order)}
    return (
        ffi.new("int32_t[]", [places[end] for joint in order for end in found[joint]]),
        ffi.new("int32_t[]", [k for joint in order for k in ([row[each] for each in coupled[joint]] or [-1, -1])]),
        ffi.new("b2d_joint_def[]", [definitions[joint][0] for joint in order]),
    )


def create_many(
    world: WorldHandles, template: Template, positions: ArrayLike, angles: ArrayLike | None, groups: ArrayLike | None
) -> BodyArray:
    """What `World.create_many` does."""
    if not isinstance(template, Template):
        raise TypeError(f"template={short_repr(template)} must be a Template")
    rows = points(positions, "positions")
    finite(rows, positions, "positions")
    n = len(rows)
    turns = None if angles is None else column(angles, "angles", n)
    own_groups = None if groups is None else _whole(groups, n)
    size = len(template)
    if world._in_callback():
        array = BodyArray._made(world, np.full(n * size, -1, np.int32), np.zeros(n * size, np.uint64))
        return world._defer(array, lambda: create_many(world, template, rows, turns, own_groups))
    handles = np.zeros(n * size, HANDLE_DTYPE)
    pointer = world._ptr
    status = lib.b2d_template_place(
        pointer,
        template._c,
        n,
        ffi.from_buffer("double[]", rows),
        ffi.NULL if turns is None else ffi.from_buffer("double[]", turns),
        ffi.NULL if own_groups is None else ffi.from_buffer("int32_t[]", own_groups),
        ffi.from_buffer(HANDLES, handles, require_writable=True),
    )
    if status:
        raise_error(status, world, positions=positions, angles=angles)
    world._refresh()
    return BodyArray._made(world, np.ascontiguousarray(handles["index"]), np.ascontiguousarray(handles["generation"]))


def _whole(groups: ArrayLike, n: int) -> NDArray[np.int32]:
    given = np.array(groups)  # a copy: see `floats`
    if given.dtype.kind not in "iu":
        raise TypeError(f"groups={short_repr(groups)} must be whole numbers")
    if given.shape != (n,):
        raise ValueError(f"groups={short_repr(groups)} must have shape ({n},), not {given.shape}")
    if given.size and (given.min() < -(2**31) or given.max() >= 2**31):
        raise ValueError(f"groups={short_repr(groups)} is out of range: {-(2**31)} to {2**31 - 1}")
    return given.astype(np.int32)
