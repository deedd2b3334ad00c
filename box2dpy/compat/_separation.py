"""Bodies that were created deep inside others, or away from where their joints hold them: they are put right as the
position iterations of Box2D 2.3 do it. Positions and joint angles change, velocities do not. A step of box2dpy would
throw such bodies apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import BodyType

if TYPE_CHECKING:
    from .. import Joint, World
    from ._bodies import b2Body

DEEP, DONE = 0.03, 0.01  # error from which bodies are put right, and to which; metres
ROUNDS, INSTANT = 60, 1e-3  # steps of this many seconds, in which nothing else happens
STIFF = {
    "contact_hertz": 240.0,
    "contact_damping_ratio": 0.1,
    "contact_push_speed": 100.0,
    "joint_hertz": 240.0,
    "joint_damping_ratio": 0.1,
    "restitution_threshold": 1e6,  # what is put right is no impact, so it is repeated
}


def separate(native: World, fresh: set[b2Body], forced: bool) -> bool:
    """Puts the new bodies right, where needed, and tells whether it did; forces remain for the next step."""
    if not any(body.box2dpy.type == BodyType.DYNAMIC for body in fresh):
        return False
    pushed = [(body, body.force, body.torque) for body in native.bodies] if forced else []
    joints = [joint.box2dpy for body in fresh for joint in body._joints if joint.rigid]
    try:
        native.step(0.0, 1)  # finds the contacts
        wrong = _error(native, joints) > DEEP
        if wrong:
            _relax(native, joints)
    finally:
        for body, force, torque in pushed:
            body.clear_forces()
            if any(force):
                body.apply_force(force, wake=False)
            if torque:
                body.apply_torque(torque, wake=False)
    return wrong


def _error(native: World, joints: list[Joint]) -> float:
    """The deepest overlap or the greatest separation of a joint, metres."""
    return max(native.resolve_overlaps(0), *(joint.linear_separation for joint in joints), 0.0)


def _relax(native: World, joints: list[Joint]) -> None:
    moving = [body for body in native.bodies if body.type != BodyType.STATIC and body.enabled and body.awake]
    before = [(body.linear_velocity, body.angular_velocity) for body in moving]
    options = {name: getattr(native, name) for name in STIFF}
    gravity = native.gravity
    for body in moving:
        body.clear_forces()
    try:
        native.gravity = 0.0, 0.0
        for name, value in STIFF.items():
            setattr(native, name, value)
        for _ in range(ROUNDS):
            for body in moving:
                body.linear_velocity, body.angular_velocity = (0.0, 0.0), 0.0
            native.step(INSTANT, 1)
            if _error(native, joints) <= DONE:
                break
    finally:
        native.gravity = gravity
        for name, value in options.items():
            setattr(native, name, value)
        for body, (velocity, turning) in zip(moving, before, strict=True):
            body.linear_velocity, body.angular_velocity = velocity, turning
