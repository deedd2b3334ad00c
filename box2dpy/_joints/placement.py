"""The place of a joint on its two bodies: the options for it, and the two frames that follow from them.

There are three forms: `anchor`, a point in the world; `local_anchor_a` and `local_anchor_b`, points in body
coordinates; `frame_a` and `frame_b`, points with directions in body coordinates.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .._bridge.arguments import finite_pair
from .._bridge.errors import short_repr
from .._geometry.geometry import Frame
from .._objects.joint import as_frame

if TYPE_CHECKING:
    from typing import TypeAlias

    from .._objects.body import Body

POINTS, FRAMES = ("local_anchor_a", "local_anchor_b"), ("frame_a", "frame_b")
PLACES = ("anchor", *POINTS, *FRAMES)

Frames: TypeAlias = "tuple[float, float, float, float, float, float]"
"""x, y and angle of the frame on body A, then of the frame on body B."""


def frames_of(body_a: Body, body_b: Body, place: Mapping[str, Any], axis_name: str, axis_angle: float) -> Frames:
    """The two frames of a joint, from the options that say where it is.

    `axis_name` is the option with a direction in world coordinates, "" if there is none; `axis_angle` is its default.
    """
    names = (*place,)
    if names == FRAMES:  # the two most frequent cases first
        a, b = place.values()
        if type(a) is Frame and type(b) is Frame:
            (ax, ay), angle_a = a
            (bx, by), angle_b = b
            return ax, ay, angle_a, bx, by, angle_b
    elif names == POINTS and not axis_name:
        a, b = place.values()
        if a is not None and b is not None:
            (ax, ay), (bx, by) = finite_pair(a, "local_anchor_a"), finite_pair(b, "local_anchor_b")
            return ax, ay, 0.0, bx, by, 0.0
    return _frames_of_any(body_a, body_b, place, axis_name, axis_angle)


def _frames_of_any(body_a: Body, body_b: Body, place: Mapping[str, Any], axis_name: str, axis_angle: float) -> Frames:
    """The same for every combination of options."""
    get = place.get
    anchor, local_a, local_b = get("anchor"), get("local_anchor_a"), get("local_anchor_b")
    frame_a, frame_b = get("frame_a"), get("frame_b")
    by_points, by_frames = local_a is not None or local_b is not None, frame_a is not None or frame_b is not None
    if (anchor is not None) + by_points + by_frames != 1:
        given = ", ".join(f"{name}={short_repr(place[name])}" for name in PLACES if get(name) is not None) or "none"
        raise ValueError(
            f"give exactly one of anchor, local_anchor_a with local_anchor_b, frame_a with frame_b; given: {given}"
        )
    axis = get(axis_name) if axis_name else None
    if axis is not None:
        if by_frames:
            raise ValueError(f"{axis_name}={short_repr(axis)}: with frames it is the direction of frame_a")
        x, y = finite_pair(axis, axis_name)
        if x == y == 0.0:
            raise ValueError(f"{axis_name}={short_repr(axis)} must not be zero")
        axis_angle = math.atan2(y, x)
    if anchor is not None:
        x, y = finite_pair(anchor, "anchor")
        return (*body_a._frame_at(x, y, axis_angle), *body_b._frame_at(x, y, axis_angle))
    first, second = FRAMES if by_frames else POINTS
    for name in (first, second):
        if get(name) is None:
            raise ValueError(f"{name}=None: {first} and {second} belong together")
    if by_frames:
        (ax, ay), angle_a = as_frame(frame_a, "frame_a")
        (bx, by), angle_b = as_frame(frame_b, "frame_b")
        return ax, ay, angle_a, bx, by, angle_b
    (ax, ay), (bx, by) = finite_pair(local_a, "local_anchor_a"), finite_pair(local_b, "local_anchor_b")
    if not axis_name:
        return ax, ay, 0.0, bx, by, 0.0
    angle_a, angle_b = (math.remainder(axis_angle - body.angle, math.tau) for body in (body_a, body_b))
    return ax, ay, angle_a, bx, by, angle_b
