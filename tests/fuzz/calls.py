"""Random calls of the public API, found by introspection: `python -m tests.fuzz.calls [calls] [first seed]`.

The public functions and classes are called, every public attribute of every public object is read, assigned or called,
and objects are compared, indexed, added, copied and pickled. `tests.fuzz.arguments` draws the arguments. Callbacks make
random calls, too, and so do some arguments when they are read. Only the documented exceptions may leave a call, and
`validate()` must hold after each step. There are up to three worlds at a time, which are saved, restored and cloned; of
64 one begins with 8,000 bodies, so that its tables are in slabs. The same seed repeats the same calls.
"""

from __future__ import annotations

import copy
import gc
import inspect
import operator
import os
import pickle
import sys
import warnings
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache
from itertools import islice
from typing import Any

import box2dpy as b2
from box2dpy._bridge.library import lib

from .arguments import Arguments

DOCUMENTED = (ValueError, TypeError, b2.Box2DError)
# They write or read files where they are told to
LEFT_OUT = ("MovieWriter", "record", "save_gif", "save_html", "save_picture", "save_level", "load_level", "rube_level")
EXPORTS = {name: getattr(b2, name) for name in b2.__all__ if callable(getattr(b2, name)) and name not in LEFT_OUT}
# What is called with a probability of its own, because each call is slow.
SLOW = {"plot": 0.01, "to_svg": 0.05, "trace": 0.3, "workers": 0.3, "reserve": 0.2, "clear": 0.2, "close": 0.1}
OPERATORS: tuple[Callable[..., Any], ...] = (
    operator.add, operator.sub, operator.mul, operator.truediv, operator.eq, operator.lt, operator.getitem,
    operator.contains, operator.and_, operator.or_, lambda a, b: b + a, lambda a, b: b * a, lambda a, b: b - a,
)  # fmt: skip
FUNCTIONS: tuple[Callable[..., Any], ...] = (
    repr, len, hash, bool, abs, operator.neg, copy.copy, copy.deepcopy, lambda each: list(islice(each, 50)),
    lambda each: pickle.loads(pickle.dumps(each)),
)  # fmt: skip


class Raised(Exception):
    """What a callback raises now and then; it leaves the step."""


class Calls(Arguments):
    """Random calls. `failures` lists what should not have happened, `returned` what returned a value at least once."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.seed = seed
        self.failures: list[str] = []
        self.returned: set[tuple[str, str]] = set()
        self.depth = 0
        self.shortages = 0  # calls with too little memory so far
        self.short = 0  # those that have not returned
        self.before_stage = 0  # shortages before the last staged step: its later parts may report them
        world = b2.World(workers=self.draw.choice((1, 1, 2, 4)))
        self.worlds.append(world)
        floor = world.create_static_body((0, -1))
        floor.create_shape(b2.Box(20, 1))
        if seed % 64 == 0:
            # Static, because someone will move all of them to one point
            where = [(k % 200 - 100, 20 + k // 200) for k in range(8000)]
            world.create_bodies(where, geometry=b2.Circle(0.3), type="static")
        self.keep(floor)
        for _ in range(5):
            self.grow()

    def keep(self, value: object) -> None:
        """Remembers an object for later calls."""
        if isinstance(value, b2.World):
            if not value.closed and value not in self.worlds:
                self.worlds.append(value)
                if len(self.worlds) > 3:
                    old = self.worlds.pop(1)
                    self.objects.append(old)  # calls on a closed world raise
                    old.close()
        elif type(value).__module__.startswith("box2dpy") and not isinstance(value, (type, int)):
            if isinstance(value, tuple) and self.draw.random() < 0.8:
                return
            if len(self.objects) > 60:
                self.objects.pop(self.draw.randrange(len(self.objects)))
            self.objects.append(value)

    def any_object(self) -> Any:
        """Of a random class."""
        kind = self.draw.choice(sorted({type(each).__name__ for each in self.objects}))
        return self.draw.choice([each for each in self.objects if type(each).__name__ == kind])

    def grow(self) -> None:
        """A new body with a shape, often joined to another one, or several bodies, or a chain."""
        world, draw = self.draw.choice(self.worlds), self.draw
        if draw.random() < 0.05:
            self.keep(world.create_bodies([self.point() for _ in range(3)], geometry=self.geometry()))
        body = world.create_dynamic_body(self.point(), bullet=draw.random() < 0.2)
        body.create_shape(self.geometry(), presolve=draw.random() < 0.3, sensor_events=True)
        other = next((each for each in self.objects if isinstance(each, b2.Body) and each.world is world), None)
        if other is not None and other.alive and draw.random() < 0.5:
            kinds = ("revolute", "weld", "wheel", "prismatic", "motor", "rotary_spring", "pogo", "ratchet", "mover")
            create = getattr(world, f"create_{draw.choice(kinds)}_joint")
            place = {"anchor": self.point()} if draw.random() < 0.8 else {}  # what is missing or too much is refused
            with suppress(ValueError, TypeError):
                self.keep(create(other, body, **place))
        elif draw.random() < 0.1:
            self.keep(body.create_chain([self.point() for _ in range(6)]))
        elif draw.random() < 0.1 and world.counters.bodies < 1000:
            with suppress(ValueError):  # names what in the world cannot be in a batch
                self.keep(b2.WorldBatch(world, draw.randrange(1, 5)))
        elif draw.random() < 0.05:
            with suppress(b2.Box2DError):  # it is being recorded already
                self.keep(world.record(os.devnull, keyframe_interval=0.1))
        self.keep(body)

    def stage(self) -> None:
        """A step in stages, with calls between them."""
        world = self.draw.choice(self.worlds)
        self.before_stage = self.shortages
        with world.staged_step(self.draw.choice((1 / 60, 1 / 30)), self.draw.randrange(1, 4)) as step:
            self.keep(step)
            for stage in (step.collide, step.prepare, step.substeps, step.finish):
                for _ in stage() or (None,):
                    for _ in range(self.draw.randrange(3)):
                        name = self.draw.choice(public_names(b2.StagedStep))
                        self.perform(f"StagedStep.{name}", lambda name=name: self.attribute(step, name), world)
                    if self.depth < 2 and self.draw.random() < 0.3:
                        self.call()

    def callback(self, *arguments: Any) -> Any:
        """Makes a call on an object of its world."""
        draw = self.draw
        for each in arguments:
            self.keep(each)
        if self.depth < 2 and draw.random() < 0.3:
            self.call()
        if draw.random() < 0.02:
            raise Raised
        return draw.choice((True, True, False, None))

    def read_argument(self) -> None:
        if self.depth < 2 and self.draw.random() < 0.3:
            self.call()

    def call(self) -> None:
        """One random access, often with too little memory."""
        draw = self.draw
        kind, what, world = draw.random(), "grow", draw.choice(self.worlds)
        action: Callable[[], Any] = self.grow
        if kind < 0.01:
            what, action = "stage", self.stage
        elif 0.05 < kind < 0.2:
            what = draw.choice(list(EXPORTS))
            action = self.export(what)
        elif 0.2 < kind < 0.3 and self.objects:
            subject = draw.choice([*self.objects, world])
            plain = isinstance(subject, tuple) and not isinstance(subject, b2.Vec2)  # operators are those of tuple
            function = draw.choice(FUNCTIONS if plain else FUNCTIONS + OPERATORS)
            values = [subject] if function in FUNCTIONS else [subject, self.value("other")]
            what = f"{function.__name__} of {type(subject).__name__}"
            action = lambda: function(*values)  # noqa: E731
        elif kind > 0.3:
            subject = world if draw.random() < 0.4 or not self.objects else self.any_object()
            names = public_names(subject if isinstance(subject, type) else type(subject))
            if not names:
                return
            name = draw.choice(names)
            if draw.random() > SLOW.get(name, 1.0):
                return
            what = f"{type(subject).__name__}.{name}"
            action = lambda: self.attribute(subject, name)  # noqa: E731
        self.perform(what, action, world)

    def export(self, name: str) -> Callable[[], Any]:
        """A call of a public function or class."""
        function = EXPORTS[name]

        def action() -> Any:
            positional, named = self.arguments(function)
            if name == "World" and len(self.worlds) > 2:
                self.worlds.pop().close()
            found = function(*positional, **named)
            self.returned.add(("", name))
            return found

        return action

    def attribute(self, subject: Any, name: str) -> Any:
        """Reads, assigns or calls an attribute."""
        owner = next(kind.__name__ for kind in type(subject).__mro__ if kind in EXPORTS.values() or kind is object)
        if name == "close" and subject is self.worlds[0]:
            return None
        found = getattr(subject, name)
        if callable(found) and not isinstance(found, type) and not name.startswith("on_"):
            positional, named = self.arguments(found)
            found = found(*positional, **named)
            if name == "close":
                self.worlds[:] = [each for each in self.worlds if not each.closed]
        # An event that has itself as its shape has no end, so its fields are not assigned
        elif self.draw.random() < 0.4 and not isinstance(subject, tuple) and not hasattr(subject, "_FIELDS"):
            setattr(subject, name, self.value(name))
        self.returned.add((owner, name))
        return found

    def perform(self, what: str, action: Callable[[], Any], world: b2.World) -> None:
        self.depth += 1
        few = self.draw.random() < 0.05 and not world.closed
        pointer = None
        shortages = self.before_stage if what.startswith("StagedStep.") else self.shortages
        if few:
            self.shortages += 1
            self.short += 1
            pointer = world._ptr
            lib.b2d_world_fail_allocation(pointer, self.draw.randrange(6))
        try:
            found = action()
            found = list(islice(found, 30)) if isinstance(found, Iterable) and not isinstance(found, tuple) else [found]
            for each in found:
                self.keep(each)
        except DOCUMENTED:
            pass
        except Raised:
            if not what.endswith((".step", ".advance", "stage", ".finish", ".substeps", ".collide", ".prepare")):
                self.fail(f"Raised by {what}")
        except (IndexError, KeyError) as error:
            if not what.endswith((".body", ".shape", ".joint", ".chain")) and "getitem" not in what:
                self.fail(f"{error!r} in {what}")
        except AttributeError as error:  # a joint whose kind lacks the attribute, or one that cannot be assigned
            if not any(
                words in str(error)
                for words in (" has no ", "read-only", "no data", "can't set", "cannot assign to field")
            ):
                self.fail(f"{error!r} in {what}")
        except ZeroDivisionError as error:
            if what != "truediv of Vec2":
                self.fail(f"{error!r} in {what}")
        except FileNotFoundError:
            if not what.startswith("Recording"):
                self.fail(f"no such file in {what}")
        except ModuleNotFoundError:  # an optional package that is not installed
            pass
        except MemoryError:
            if self.shortages == shortages and not self.short and not what.endswith(".reserve"):
                self.fail(f"MemoryError in {what}")
        except Exception as error:
            self.fail(f"{error!r} in {what}")
        finally:
            if pointer is not None:
                lib.b2d_world_fail_allocation(pointer, -1)
                self.short -= 1
            self.depth -= 1

    def unraisable(self, raised: Any) -> None:
        """What a finaliser raised, which Python only prints."""
        if not isinstance(raised.exc_value, Raised):
            self.fail(f"{raised.exc_value!r} in {raised.object!r}")

    def fail(self, text: str) -> None:
        self.failures.append(f"seed {self.seed}: {text}")

    def run(self, count: int) -> None:
        for k in range(count):
            self.call()
            if k % 20 == 19:
                for world in list(self.worlds):
                    self.step(world)
                for each in self.objects:
                    if isinstance(each, b2.WorldBatch) and self.draw.random() < 0.2:
                        self.step_batch(each)
        self.end()

    def end(self) -> None:
        for world in self.worlds:
            world.close()

    def step(self, world: b2.World) -> None:
        shortages = self.shortages
        try:
            world.step(self.draw.choice((1 / 60, 1 / 30, 0.0)), self.draw.randrange(1, 5))
        except (Raised, *DOCUMENTED):
            pass
        except MemoryError:
            if self.shortages == shortages:  # no callback had too little memory
                raise
        self.validate(world)

    def step_batch(self, batch: b2.WorldBatch) -> None:
        shortages = self.shortages
        try:
            batch.step()
            world = batch.extract(self.draw.randrange(len(batch)))
        except DOCUMENTED:
            return
        except MemoryError:
            if self.shortages == shortages:
                raise
            return
        self.validate(world)
        world.close()

    def validate(self, world: b2.World) -> None:
        try:
            if not world.closed:
                world.validate()
                if self.draw.random() < 0.2:
                    self.copy_by_bytes(world)
        except (b2.InvariantError, b2.SnapshotError) as error:
            self.fail(str(error))
            raise

    def copy_by_bytes(self, world: b2.World) -> None:
        """Every state has a snapshot, which is accepted and goes on with the same bits."""
        if world.counters.bodies > 1000:
            return
        with b2.World.from_snapshot(world.snapshot(compress=False)) as copied:
            copied.validate()
            if copied.state_hash() != world.state_hash():
                self.fail("a snapshot has another hash")
            if not world._functions:
                with world.clone(workers=1) as other:
                    other.step()
                    copied.step()
                    if copied.state_hash() != other.state_hash():
                        self.fail("a snapshot goes on with other bits")
                    copied.validate()


@cache
def public_names(kind: type) -> list[str]:
    return [each for each in dir(kind) if each[0] != "_" and each not in LEFT_OUT]


def run(calls: int, first_seed: int) -> Calls:
    """Worlds of 2,000 calls each. The last one has all failures and all that returned a value."""
    return play(Calls, calls, 2000, first_seed)


def play(kind: Callable[[int], Calls], calls: int, each: int, first_seed: int) -> Calls:
    """Makes `each` calls with each seed. The last of the kind has all failures and all that returned a value."""
    failures: list[str] = []
    returned: set[tuple[str, str]] = set()
    gc.collect()  # what a finalizer of another test raises is no failure here
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for seed in range(first_seed, first_seed + max(1, calls // each)):
            one = kind(seed)
            hook, sys.unraisablehook = sys.unraisablehook, one.unraisable
            try:
                one.run(min(calls, each))
            except Exception as error:
                one.fail(f"{error!r} between the calls")
            finally:
                sys.unraisablehook = hook
            failures += one.failures
            returned |= one.returned
            close_figures()
    one.failures, one.returned = failures, returned
    return one


def close_figures() -> None:
    """Of `World.plot`, which matplotlib keeps otherwise."""
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


def public_attributes() -> set[tuple[str, str]]:
    """(class, attribute) of everything public that is defined in this package, and ("", name) of functions."""
    found = {("", name) for name, each in EXPORTS.items() if not inspect.isclass(each)}
    for name, kind in EXPORTS.items():
        if inspect.isclass(kind) and not issubclass(kind, (Exception, Warning)):
            for each in kind.__mro__:
                if each.__module__.startswith("box2dpy"):
                    ours = set(dir(each))  # without names of other engines, which only raise
                    found |= {
                        (name, attribute) for attribute in vars(each) if attribute[0] != "_" and attribute in ours
                    }
    found = {each for each in found if each[1] not in LEFT_OUT}
    return found


def main() -> int:
    calls = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    done = run(calls, int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    for each in done.failures[:20]:
        print(each)
    print(f"{calls} calls, {len(done.failures)} failures")
    if len(sys.argv) > 3:
        print("never returned a value:", *sorted(".".join(each) for each in public_attributes() - done.returned))
    return bool(done.failures)


if __name__ == "__main__":
    sys.exit(main())
