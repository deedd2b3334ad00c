"""The docstrings of all `create_...` methods list their options: the texts are those of the properties."""

from __future__ import annotations

from .._bridge.signatures import describe_options
from .._objects.body import Body
from .._objects.chain import Chain
from .._objects.joint import Joint
from .._objects.shape import Shape

_SHAPE = {
    "update_mass": "False leaves the mass as it is until `Body.update_mass()`; for adding many shapes.",
    "data": "any Python object.",
}
_BODY = {
    "name": "a text that `repr` shows.",
    "data": "any Python object.",
    "linear_velocity": "velocity of the centre of mass, m/s.",
    "angular_velocity": "rad/s, counter-clockwise.",
}
_JOINT = {
    "data": "any Python object.",
    "anchor": "where the joint is, in world coordinates, metres.",
    "local_anchor_a": "the anchor on body A, in coordinates of that body, metres.",
    "local_anchor_b": "the anchor on body B, in coordinates of that body, metres.",
    "frame_a": "a `Frame`: anchor and direction on body A.",
    "frame_b": "a `Frame`: anchor and direction on body B.",
    "axis": "direction of the motion in world coordinates; (1, 0) where it is absent.",
    "normal": "direction of the leg in world coordinates; (0, 1) where it is absent.",
}


def describe_all(world: type) -> None:
    """Completes the docstrings of the methods of `World` and `Body`."""
    describe_options(world, world, texts={})
    for name in ("create_shape", "create_shapes"):
        describe_options(getattr(Body, name), Shape, texts=_SHAPE)
    describe_options(Body.create_chain, Chain, texts=_SHAPE)
    joints = {each.__name__: each for each in Joint.__subclasses__()}
    for name in dir(world):
        if not name.startswith("create_"):
            continue
        method = getattr(world, name)
        if name.endswith("_joint"):
            describe_options(method, joints[method.__annotations__["return"]], texts=_JOINT)
        else:
            describe_options(method, Body, Shape, texts=_BODY)
