"""Random programs of `box2dpy.compat`: `python -m tests.fuzz.compat [steps] [first seed]`.

Two worlds get the same calls and have listeners that do the same: they push bodies, ask for changes that are put off,
some of which are refused, and switch contacts off. The listener of one also raises, exceptions and interrupts, in a
tenth of its calls. Nothing but the exception may differ: bits, reports, forces and warm starting. The same seed repeats
the same programs.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import box2dpy.compat

from ..seeds import draws
from .command import main

box2dpy.compat.install()

import Box2D  # noqa: E402

DT = 1 / 60


class Raised(Exception):
    """What a listener raises."""


class Program(Box2D.b2ContactListener, Box2D.b2ContactFilter, Box2D.b2DestructionListener):
    """A world and its listeners. `loud`: they raise what others swallow."""

    def __init__(self, seed: int, loud: bool) -> None:
        super().__init__()
        self.draw, self.errors = draws(seed), draws(seed + 1)
        self.loud, self.log, self.raised = loud, list[Any](), 0
        draw = self.draw
        self.world = Box2D.b2World(gravity=(0, -10), doSleep=draw.random() < 0.5)
        parts = draw.sample(("listener", "presolve", "postsolve", "filter", "destruction"), draw.randrange(1, 6))
        kind = type("Some", (Box2D.b2ContactListener,), {
            name: getattr(self, name) for name, part in (
                ("BeginContact", "listener"), ("EndContact", "listener"), ("PreSolve", "presolve"),
                ("PostSolve", "postsolve"),
            ) if part in parts
        })  # fmt: skip
        self.world.contactListener = kind()
        if "filter" in parts:
            self.world.contactFilter = self
        if "destruction" in parts:
            self.world.destructionListener = self
        self.world.CreateStaticBody(shapes=Box2D.b2PolygonShape(box=(30, 1)), position=(0, -1))
        self.numbers: dict[Any, int] = {}
        for _ in range(draw.randrange(2, 7)):
            self.add()

    def add(self) -> None:
        draw, world = self.draw, self.world
        body = world.CreateDynamicBody(position=(draw.uniform(-3, 3), draw.uniform(0.2, 3)), angle=draw.uniform(-1, 1))
        self.numbers[body] = len(self.numbers)
        shape = draw.choice((Box2D.b2PolygonShape(box=(0.4, 0.3)), Box2D.b2CircleShape(radius=0.3)))
        body.CreateFixture(shape=shape, density=1, friction=0.4, isSensor=draw.random() < 0.1)
        if draw.random() < 0.4:
            other = draw.choice(world.bodies[:-1])
            joint = world.CreateRevoluteJoint(
                bodyA=other, bodyB=body, anchor=body.position, enableMotor=True, maxMotorTorque=50,
                motorSpeed=draw.uniform(-20, 20),
            )  # fmt: skip
            assert joint in world.joints

    # -- what the world calls

    def told(self, what: str, first: Any, second: Any = None) -> None:
        """Does something with the bodies of two fixtures, and raises perhaps."""
        draw = self.draw
        bodies = [each.body for each in (first, second) if each is not None]
        self.log.append((what, *(self.numbers.get(each) for each in bodies)))
        body = draw.choice(bodies)
        kind = draw.random()
        if kind < 0.2:
            body.ApplyForceToCenter((draw.uniform(-9, 9), 5), True)
        elif kind < 0.3:
            body.ApplyTorque(draw.uniform(-2, 2), True)
        elif kind < 0.4:
            body.ApplyLinearImpulse((0, draw.uniform(0, 1)), body.worldCenter, True)
        elif kind < 0.5 and body.fixtures:
            body.fixtures[0].friction = draw.choice((0.1, 0.9))
        elif kind < 0.6 and body.fixtures:
            self.quietly(lambda: setattr(body.fixtures[0], "friction", -1.0))  # refused, now or when the step is over
        elif kind < 0.7:
            body.linearVelocity = draw.uniform(-2, 2), draw.uniform(-2, 2)
        if self.errors.random() < 0.1 and self.loud:
            self.raised += 1
            raise self.errors.choice((Raised, KeyboardInterrupt, SystemExit))

    def quietly(self, change: Callable[[], object]) -> None:
        with suppress(ValueError):
            change()

    def BeginContact(self, contact: Any) -> None:
        self.told("begin", contact.fixtureA, contact.fixtureB)

    def EndContact(self, contact: Any) -> None:
        self.told("end", contact.fixtureA, contact.fixtureB)

    def PreSolve(self, contact: Any, oldManifold: Any) -> None:
        if self.draw.random() < 0.1:
            contact.enabled = False
        self.told("pre", contact.fixtureA, contact.fixtureB)

    def PostSolve(self, contact: Any, impulse: Any) -> None:
        self.told("post", contact.fixtureA, contact.fixtureB)

    def ShouldCollide(self, fixtureA: Any, fixtureB: Any) -> bool:
        self.told("filter", fixtureA, fixtureB)
        return True

    def SayGoodbye(self, object: Any) -> None:
        if isinstance(object, Box2D.b2Fixture):
            self.told("goodbye", object)

    # -- the program

    def guarded(self, call: Callable[[], object]) -> None:
        with suppress(Raised, KeyboardInterrupt, SystemExit, ValueError):
            call()

    def turn(self) -> None:
        draw, world = self.draw, self.world
        kind, dynamic = draw.random(), [body for body in world.bodies if body.type == Box2D.b2_dynamicBody]
        if kind < 0.1:
            self.add()
        elif kind < 0.15 and len(dynamic) > 2:
            body = draw.choice(dynamic)
            self.guarded(lambda: world.DestroyBody(body))
        elif kind < 0.2 and dynamic and dynamic[0].fixtures:
            self.guarded(lambda: dynamic[0].DestroyFixture(dynamic[0].fixtures[0]))
        elif kind < 0.5 and dynamic:
            draw.choice(dynamic).ApplyForceToCenter((draw.uniform(-30, 30), 20), True)
        elif kind < 0.6 and dynamic:
            draw.choice(dynamic).position = draw.uniform(-3, 3), draw.uniform(0, 3)
        self.guarded(lambda: world.Step(DT, 8, 3))

    def state(self) -> Any:
        native = self.world.box2dpy
        return native.state_hash(), self.world.warmStarting, self.world.locked, self.world._forces, self.log[-20:]


def run(steps: int, first_seed: int) -> list[str]:
    """Programs of 60 steps. Returns what should not have happened."""
    failures = []
    for seed in range(first_seed, first_seed + max(1, steps // 60)):
        quiet, loud = Program(seed, False), Program(seed, True)
        for number in range(60):
            try:
                quiet.turn()
                loud.turn()
                loud.world.box2dpy.validate()
            except Exception as error:
                failures.append(f"seed {seed}: {error!r} in step {number}")
                break
            if quiet.state() != loud.state():
                failures.append(f"seed {seed}: step {number} differs after {loud.raised} exceptions")
                break
    return failures


if __name__ == "__main__":
    main(run, 60_000, "steps of compat")
