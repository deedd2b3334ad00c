"""What the tests of `box2dpy.compat` share."""

from __future__ import annotations

from typing import Any

import box2dpy.compat

box2dpy.compat.install()

from Box2D.b2 import circleShape, contactListener, fixtureDef, polygonShape  # noqa: E402

DT = 1.0 / 60.0


def steps(simulation: Any, count: int) -> None:
    for _ in range(count):
        simulation.Step(DT, 8, 3)
        simulation.ClearForces()
    simulation.box2dpy.validate()


def ground(simulation: Any, half_width: float = 50.0) -> Any:
    return simulation.CreateStaticBody(position=(0, -1), shapes=polygonShape(box=(half_width, 1)))


def ball(simulation: Any, position: tuple[float, float], radius: float = 0.5, **options: Any) -> Any:
    options.setdefault("density", 1.0)
    return simulation.CreateDynamicBody(
        position=position, fixtures=fixtureDef(shape=circleShape(radius=radius), **options)
    )


def box(simulation: Any, position: tuple[float, float], half: float = 0.5, **options: Any) -> Any:
    options.setdefault("density", 1.0)
    return simulation.CreateDynamicBody(
        position=position, fixtures=fixtureDef(shape=polygonShape(box=(half, half)), **options)
    )


class Log(contactListener):
    """Notes all calls as (name, body A's data, body B's data)."""

    def __init__(self) -> None:
        contactListener.__init__(self)
        self.calls: list[tuple[str, Any]] = []

    def note(self, name: str, contact: Any) -> None:
        self.calls.append((name, {contact.fixtureA.body.userData, contact.fixtureB.body.userData}))

    def BeginContact(self, contact: Any) -> None:
        self.note("begin", contact)

    def EndContact(self, contact: Any) -> None:
        self.note("end", contact)

    def names(self) -> list[str]:
        return [name for name, _ in self.calls]
