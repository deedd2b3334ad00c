"""Random batches: `python -m tests.fuzz.batches [calls] [first seed]`.

A batch of random templates and as many lone worlds get the same changes, with all kinds of numbers, and must agree: the
same bits after each step, and the same calls refused. States go to and fro between them. Each world that is saved or
taken out is valid, has a snapshot that is accepted, and goes on with the same bits. Other calls get arguments of any
kind, and sometimes too little memory; they raise only what is documented. The same seed repeats the same calls.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import box2dpy as b2
from box2dpy._bridge.library import lib

from ..seeds import arrays
from .arguments import Arguments
from .calls import DOCUMENTED, public_names
from .command import main

DT = 1 / 60
BODY = ("mass", "inertia", "linear_damping", "angular_damping", "gravity_scale")
SHAPE = ("friction", "restitution", "rolling_resistance", "tangent_speed", "density")
JOINT = ("motor_speed", "max_motor_torque", "max_motor_force", "enable_motor", "enable_limit", "enable_spring", "hertz",
         "damping_ratio", "lower_angle", "upper_angle", "length", "joint_hertz", "target_angle")  # fmt: skip


class Batches(Arguments):
    """A batch, and the lone worlds that its worlds must agree with."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        draw = self.draw
        self.seed, self.failures = seed, list[str]()
        self.last = ""
        self.short = False
        options: dict[str, Any] = {
            "joint_solver": draw.choice(("auto", "direct", "iterative")), "sleeping": draw.random() < 0.7,
            "continuous": draw.choice((True, False, "all")), "sleep_time": draw.choice((0.05, 0.5)),
        }  # fmt: skip
        kinds = draw.randrange(1, 3)
        plan = draw.getstate()
        self.templates = []
        for kind in range(kinds):
            draw.setstate(plan)  # the same bodies, shapes and joints, with other numbers
            self.templates.append(self.template(options, 1.0 + 0.3 * kind))
        n = draw.randrange(1, 6)
        others = [self.template(options, 1.0) for _ in range(2)]  # with other bodies, shapes and joints
        self.batch = b2.WorldBatch(
            self.templates[0] if kinds == 1 else self.templates, n, workers=draw.randrange(1, 3),
            room={"bodies": 16, "shapes": 40, "joints": 12, "chains": 2},
        )  # fmt: skip
        self.lone = [self.templates[k % kinds].clone() for k in range(n)]
        self.states = [world.save() for world in (*self.templates, *others)]
        self.kept = len(self.states)
        self.worlds, self.objects = self.templates, [self.batch, *self.states]

    def template(self, options: dict[str, Any], size: float) -> b2.World:
        """Has ids that are free, because objects were destroyed."""
        draw, world = self.draw, b2.World(**options)
        ground = world.create_static_body((0, -1))
        ground.create_shape(b2.Box(20, 1))
        if draw.random() < 0.5:
            ground.create_chain([(9, 1), (4, 1.3), (-4, 1.2), (-9, 1)])
        bodies = [ground]
        for k in range(draw.randrange(1, 10)):
            body = world.create_dynamic_body((draw.uniform(-5, 5), 1 + 0.8 * k), bullet=draw.random() < 0.1)
            for _ in range(draw.randrange(1, 3)):
                shape = body.create_shape(self.geometry(), density=size, sensor=draw.random() < 0.1, sensor_events=True)
                if len(body.shapes) > 1 and draw.random() < 0.3:
                    shape.destroy()
            bodies.append(body)
        if draw.random() < 0.3:
            world.create_kinematic_body((-6, 1), linear_velocity=(2, 0)).create_shape(b2.Box(0.3, 1))
        for _ in range(draw.randrange(9)):
            first, second = draw.sample(bodies, 2)
            kind = draw.choice(
                ("revolute", "revolute", "weld", "distance", "prismatic", "wheel", "motor", "rotary_spring")
            )
            anchor: dict[str, Any] = (
                {} if kind == "rotary_spring" else {"anchor": (first.position + second.position) / 2}
            )
            if kind in ("prismatic", "wheel"):
                anchor["axis"] = (0, 1)
            if kind == "distance":
                anchor = {"local_anchor_a": (0, 0), "local_anchor_b": (0, 0)}
            joint = getattr(world, f"create_{kind}_joint")(first, second, **anchor)
            if draw.random() < 0.2:
                joint.destroy()
        if draw.random() < 0.3:
            draw.choice(bodies[1:]).destroy()
        for _ in range(draw.choice((0, 0, 5, 40))):
            world.step(DT)
        return world

    # -- changes that both sides get

    def both(self, what: str, of_batch: Callable[[], object], of_world: Callable[[], object]) -> None:
        """Both accept a change, or both refuse it."""
        refused = []
        for call in (of_world, of_batch):
            try:
                call()
            except (ValueError, TypeError, AttributeError) as error:
                refused.append(error)
        if len(refused) == 1:
            self.fail(f"{what} of {self.last}: only one side refused: {refused[0]!r}")

    def number(self) -> float:
        value = self.draw.uniform(0, 3)
        return self.extreme(value) if self.draw.random() < 0.3 else value  # type: ignore[no-any-return]

    def change(self) -> None:
        draw, batch = self.draw, self.batch
        k = draw.randrange(len(batch))
        world, only = self.lone[k], np.arange(len(batch)) == k
        body = draw.choice(list(world.bodies))
        kind, value = draw.randrange(13), self.number()
        self.last = f"world {k}, {body!r}, {value}"
        if kind == 0:
            name = draw.choice(BODY)
            if np.float32(value) == getattr(batch, name)[k, body.index]:
                return  # a batch leaves values alone that are the present ones as float32
            self.both(name, lambda: self.write(batch, name, k, body.index, value), lambda: setattr(body, name, value))
        elif kind == 1 and body.shapes:
            shape = draw.choice(list(body.shapes))
            name = draw.choice(SHAPE)
            self.both(name, lambda: self.write(batch, name, k, shape.index, value), lambda: setattr(shape, name, value))
        elif kind in (2, 3) and len(world.joints):
            joint = draw.choice(list(world.joints))
            name = draw.choice([each for each in JOINT if hasattr(joint, each)] or ["hertz"])
            given = value > 1.5 if name.startswith("enable") else value
            if np.float32(given) == getattr(batch.joints, name)[k, joint.index]:
                return
            self.both(
                name, lambda: self.write(batch.joints, name, k, joint.index, given), lambda: setattr(joint, name, given)
            )
        elif kind in (4, 5):
            on = not body.enabled
            self.both("enabled", lambda: batch.set(body.index, only, enabled=on), lambda: setattr(body, "enabled", on))
        elif kind == 6:
            place = (value, draw.uniform(0, 5))
            self.both("position", lambda: batch.set(body.index, only, position=place),
                      lambda: setattr(body, "position", place))  # fmt: skip
        elif kind == 7:
            speed = (value, -value)
            self.both("velocity", lambda: batch.set(body.index, only, linear_velocity=speed),
                      lambda: setattr(body, "linear_velocity", speed))  # fmt: skip
        elif kind == 8:
            push = (value, 0.5)
            self.both("impulse", lambda: batch.apply_impulse(body.index, push, None, only),
                      lambda: body.apply_impulse(push))  # fmt: skip
        elif kind == 9:
            awake = draw.random() < 0.5
            self.both("awake", lambda: batch.set(body.index, only, awake=awake), lambda: setattr(body, "awake", awake))
        elif kind == 10:
            shapes = [each for each in body.shapes if each.chain is None]
            geometry = self.geometry()
            if shapes and not isinstance(geometry, b2.ChainSegment):
                self.both("geometry", lambda: batch.set_geometry(shapes[0].index, geometry, only),
                          lambda: shapes[0].set_geometry(geometry))  # fmt: skip
        elif kind == 11:
            gravity = batch.gravity
            gravity[k] = value, -10
            self.both("gravity", lambda: setattr(batch, "gravity", gravity),
                      lambda: setattr(world, "gravity", np.float32(gravity[k]).tolist()))  # fmt: skip
        else:
            state = draw.choice([*self.states, world.save()])
            self.both("restore", lambda: batch.restore(state, only, replace=True), lambda: world.restore(state))

    @staticmethod
    def write(owner: Any, name: str, k: int, index: int, value: float) -> None:
        column = getattr(owner, name)
        if math.isnan(column[k, index]):
            raise ValueError("the object has no such property")
        column[k, index] = value

    # -- states

    def save(self) -> None:
        """A world that is saved or taken out is valid and goes on with the same bits."""
        k = self.draw.randrange(len(self.batch))
        state = self.batch.world(k).save()
        self.states.append(state)
        del self.states[self.kept : -6]
        lone = self.lone[k]
        with (
            b2.World() as restored,
            self.batch.extract(k) as out,
            b2.World.from_snapshot(out.snapshot(compress=False)) as copied,
        ):
            restored.restore(state)
            others = [out, restored, copied]
            ahead = lone.clone()
            for _ in range(self.draw.randrange(1, 4)):
                for each in others:
                    each.validate()
                    with b2.World.from_snapshot(each.snapshot(compress=False)) as again:
                        again.validate()
                    if each.state_hash() != ahead.state_hash():
                        self.fail(f"a world that was taken out has other bits than world {k}")
                for each in (ahead, *others):
                    each.step(DT)
            ahead.close()

    def step(self) -> None:
        for _ in range(self.draw.randrange(1, 5)):
            self.batch.step()
            for world in self.lone:
                world.step(DT)
        wrong = [k for k, each in enumerate(self.batch.state_hash().tolist()) if each != self.lone[k].state_hash()]
        if wrong:
            self.fail(f"worlds {wrong} have other bits than lone worlds")
            raise StopIteration
        for world in self.lone:
            world.validate()

    # -- calls of any kind

    def any_call(self) -> None:
        """On a copy of the batch, because the worlds go their own ways."""
        draw = self.draw
        states = self.batch.save()
        workers, room = draw.randrange(1, 3), self.batch.room
        with b2.WorldBatch(self.templates, len(self.batch), workers=workers, room=room) as batch:
            batch.restore(states, replace=True)
            self.objects[0] = batch
            for _ in range(draw.randrange(1, 20)):
                subject = draw.choice((batch, batch, batch.joints, batch.world(0)))
                name = draw.choice(public_names(type(subject)))
                short = draw.random() < 0.1
                if short:
                    lib.b2d_world_fail_allocation(batch._cells.pointer, draw.randrange(6))
                try:
                    if name != "close":
                        self.touch(subject, name)
                except DOCUMENTED:
                    pass
                except MemoryError:
                    self.short = self.short or short
                    if not self.short:
                        self.fail(f"MemoryError in {name}")
                except (IndexError, AttributeError) as error:
                    if not isinstance(error, AttributeError) or "read-only" not in str(error):
                        self.check_attribute(name, error)
                except Exception as error:
                    self.fail(f"{error!r} in {name}")
                finally:
                    lib.b2d_world_fail_allocation(batch._cells.pointer, -1)
            self.short = False
            batch.force, batch.torque = 0.0, 0.0  # on bodies that are not dynamic they are refused
            batch.step()
            for k in range(len(batch)):
                with batch.extract(k) as out:
                    out.validate()
                    with b2.World.from_snapshot(out.snapshot(compress=False)) as again:
                        again.validate()
            self.objects[0] = self.batch

    def check_attribute(self, name: str, error: Exception) -> None:
        words = ("no setter", "no attribute", "can't set", "out of bounds", "read-only", "no deleter")
        if not any(word in str(error) for word in words):
            self.fail(f"{error!r} in {name}")

    def touch(self, subject: Any, name: str) -> None:
        found = getattr(subject, name)
        if callable(found):
            positional, named = self.arguments(found)
            found = found(*positional, **named)
            if isinstance(found, b2.World):
                found.close()
        elif self.draw.random() < 0.5:
            setattr(subject, name, self.array() if self.draw.random() < 0.5 else self.value(name))

    def array(self) -> Any:
        """An array for a mask, or for a property of every world or every object."""
        draw, batch = self.draw, self.batch
        n, bodies = len(batch), batch.position.shape[1]
        shape = draw.choice(((n,), (n, 2), (n, bodies), (n, bodies, 2), (bodies, n), ()))
        rows = np.asarray(arrays(draw.getrandbits(31)).normal(size=shape))
        if draw.random() < 0.2:
            rows = rows * self.extreme(1.0)
        if draw.random() < 0.3:
            rows = rows > 0
        return np.asfortranarray(rows) if draw.random() < 0.5 else rows

    def sensible(self, name: str) -> Any:
        if name == "mask":
            return self.draw.choice(
                (None, np.zeros(len(self.batch), bool), self.array() if self.draw.random() < 0.2 else None)
            )
        if name in ("body", "shape", "k", "index") and self.draw.random() < 0.8:
            return self.draw.randrange(len(self.batch)) if name == "index" else self.draw.randrange(4)
        if name in ("impulse", "position", "linear_velocity", "angle", "enabled", "awake") and self.draw.random() < 0.5:
            return self.array()
        if name == "pairs":
            world = self.templates[0]
            some = [*world.bodies, *(shape for body in world.bodies for shape in body.shapes)]
            return [(self.draw.choice(some), self.draw.choice(some)) for _ in range(self.draw.randrange(3))]
        if name == "state":
            return self.draw.choice((self.states, self.draw.choice(self.states)))
        return super().sensible(name)

    def fail(self, text: str) -> None:
        self.failures.append(f"seed {self.seed}: {text}")

    def run(self, count: int) -> None:
        for _ in range(count):
            kind = self.draw.random()
            if kind < 0.7:
                self.change()
            elif kind < 0.9:
                self.step()
            elif kind < 0.96:
                self.save()
            else:
                self.any_call()
        self.batch.close()


def run(calls: int, first_seed: int) -> list[str]:
    """Batches of 200 calls each. Returns what should not have happened."""
    failures: list[str] = []
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for seed in range(first_seed, first_seed + max(1, calls // 200)):
            one = Batches(seed)
            try:
                one.run(min(calls, 200))
            except StopIteration:
                pass
            except Exception as error:
                one.fail(f"{error!r} between the calls")
            failures += one.failures
    return failures


if __name__ == "__main__":
    main(run, 20_000, "calls of batches")
