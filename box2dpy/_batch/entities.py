"""`Entities`: everything in the worlds of a batch as padded arrays with masks, for networks that look at any world."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._bridge.library import lib

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .._objects.arrays import Arrays
    from .cells import Cells


class Entities(NamedTuple):
    """What there is in n worlds, made by `WorldBatch.entities`. Rows are by index; rows that do not exist are zero, and
    their indices of other rows are -1.

    Attributes:
        body_mask: which bodies exist, bool, shape (n, bodies).
        bodies: x, y (metres, of the origin), cosine and sine of the angle, velocity x, y of the centre of mass (m/s),
            angular velocity (rad/s), mass (kg, 0: not dynamic), inertia (kg m^2, about the centre of mass), 1 for
            kinematic bodies, 1 for enabled ones; float32, shape (n, bodies, 11).
        shape_mask: which shapes exist, bool, shape (n, shapes).
        shapes: 1 for sensors, radius (metres), friction, restitution; float32, shape (n, shapes, 4).
        shape_kind: 0 circle, 1 capsule, 2 segment, 3 polygon; int32, shape (n, shapes).
        shape_body: index of the body, int32, shape (n, shapes).
        vertices: in coordinates of the body, metres, float32, shape (n, shapes, 8, 2).
        vertex_count: how many of the vertices there are, int32, shape (n, shapes).
        joint_mask: which joints exist, bool, shape (n, joints).
        joints: the two anchors (x, y, x, y, metres, world coordinates), the axis of frame A (x, y), 1 with limits,
            lower and upper limit (rad or metres, 0 where there is no bound), 1 with a motor, 1 with a spring; float32,
            shape (n, joints, 11).
        joint_kind: number of the type of joint, int32, shape (n, joints).
        joint_bodies: indices of the two bodies, int32, shape (n, joints, 2).
        contact_mask: which contacts there are, bool, shape (n, contacts).
        contacts: x, y (metres), normal x, y from the first to the second shape, separation (metres), normal and tangent
            impulse (N s) of the deeper point; float32, shape (n, contacts, 7).
        contact_shapes: indices of the two shapes, int32, shape (n, contacts, 2).
    """

    body_mask: NDArray[np.bool_]
    bodies: NDArray[np.float32]
    shape_mask: NDArray[np.bool_]
    shapes: NDArray[np.float32]
    shape_kind: NDArray[np.int32]
    shape_body: NDArray[np.int32]
    vertices: NDArray[np.float32]
    vertex_count: NDArray[np.int32]
    joint_mask: NDArray[np.bool_]
    joints: NDArray[np.float32]
    joint_kind: NDArray[np.int32]
    joint_bodies: NDArray[np.int32]
    contact_mask: NDArray[np.bool_]
    contacts: NDArray[np.float32]
    contact_shapes: NDArray[np.int32]


def entities_of(cells: Cells, columns: Any, contacts: int | None) -> Entities:
    """The entities of the worlds of a batch, whose properties of bodies and shapes are `columns`."""
    arrays: Arrays = cells.world.arrays
    n, most = cells.count, cells.objects
    mask = {kind: cells.exist(kind) for kind in most}

    rows, bodies = arrays.bodies, np.zeros((n, most["body"], 11), np.float32)
    table = bodies.reshape(-1, 11)
    table[:, 0:2], table[:, 2:4] = columns.position.reshape(-1, 2), columns.rotation.reshape(-1, 2)
    table[:, 4:6], table[:, 6] = columns.linear_velocity.reshape(-1, 2), columns.angular_velocity.ravel()
    table[:, 7], table[:, 8] = columns.mass.read().ravel(), columns.inertia.read().ravel()
    table[: len(rows), 9], table[: len(rows), 10] = rows["type"] == lib.B2D_KINEMATIC, rows["enabled"]
    bodies[~mask["body"]] = 0

    rows, count = arrays.shapes, n * most["shape"]
    at = rows["shape"]
    shapes, vertices = np.zeros((count, 4), np.float32), np.zeros((count, 8, 2), np.float32)
    kind, of_body, points = np.zeros(count, np.int32), np.full(count, -1, np.int32), np.zeros(count, np.int32)
    shapes[at, 0], shapes[at, 1] = rows["sensor"], rows["radius"]
    shapes[at, 2], shapes[at, 3] = columns.friction.read().ravel()[at], columns.restitution.read().ravel()[at]
    of_body[at] = rows["body"] % most["body"]
    kind[at] = np.where(rows["type"] == lib.B2D_CHAIN_SEGMENT, lib.B2D_SEGMENT, rows["type"])
    points[at] = np.where(rows["type"] == lib.B2D_CHAIN_SEGMENT, 2, rows["count"])
    exists = np.arange(8) < points[at][:, None]
    vertices[at, :, 0], vertices[at, :, 1] = np.where(exists, rows["x"], 0), np.where(exists, rows["y"], 0)

    rows, count = arrays.joints, n * most["joint"]
    at = rows["joint"]
    joints, type_of = np.zeros((count, 11), np.float32), np.zeros(count, np.int32)
    ends = np.full((count, 2), -1, np.int32)
    names = ("ax", "ay", "bx", "by", "axis_x", "axis_y", "limited", "lower", "upper", "motor", "spring")
    for column, name in enumerate(names):
        joints[at, column] = np.where(np.isfinite(rows[name]), rows[name], 0)
    type_of[at] = rows["type"]
    ends[at, 0], ends[at, 1] = rows["body_a"] % most["body"], rows["body_b"] % most["body"]

    rows = arrays.contacts
    world = rows["shape_a"] // most["shape"]
    rows = rows[np.argsort(world, kind="stable")]
    world = rows["shape_a"] // most["shape"]
    place = np.arange(len(rows)) - np.searchsorted(world, world)
    if contacts is None:
        contacts = int(place.max(initial=-1)) + 1
    rows, world, place = rows[place < contacts], world[place < contacts], place[place < contacts]
    touching, touches = np.zeros((n, contacts), bool), np.zeros((n, contacts, 7), np.float32)
    pairs = np.full((n, contacts, 2), -1, np.int32)
    deeper = ((rows["point_count"] > 1) & (rows["separation"][:, 1] < rows["separation"][:, 0])).astype(np.intp)
    of_point = ("px", "py", None, None, "separation", "normal_impulse", "tangent_impulse")
    touching[world, place] = True
    touches[world, place, 2], touches[world, place, 3] = rows["normal_x"], rows["normal_y"]
    for column, name_of in enumerate(of_point):
        if name_of is not None:
            touches[world, place, column] = rows[name_of][np.arange(len(rows)), deeper]
    pairs[world, place, 0], pairs[world, place, 1] = rows["shape_a"] % most["shape"], rows["shape_b"] % most["shape"]

    def shaped(table: NDArray[Any], kind: str) -> NDArray[Any]:
        return table.reshape(n, most[kind], *table.shape[1:])

    return Entities(
        mask["body"], bodies,
        mask["shape"], shaped(shapes, "shape"), shaped(kind, "shape"), shaped(of_body, "shape"),
        shaped(vertices, "shape"), shaped(points, "shape"),
        mask["joint"], shaped(joints, "joint"), shaped(type_of, "joint"), shaped(ends, "joint"),
        touching, touches, pairs,
    )  # fmt: skip
