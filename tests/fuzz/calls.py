"""Random calls of the public API, found by introspection: `python -m tests.fuzz.calls [calls] [first seed]`.

Every public attribute of every public object is read, assigned or called, with arguments drawn by the names of the
parameters: mostly sensible values, often odd ones. Only the documented exceptions may leave a call, and `validate()`
must hold after each step and at the end. The same seed repeats the same calls.
"""

from __future__ import annotations

import inspect
import math
import random
import sys
import warnings
from collections.abc import Callable
from typing import Any

import box2dpy as b2
from box2dpy._bridge.library import lib

# AttributeError: a joint without the attribute. ModuleNotFoundError: an optional package that is not installed.
ALLOWED = (ValueError, TypeError, IndexError, KeyError, AttributeError, b2.Box2DError, ModuleNotFoundError)
ODD = (
    None, math.nan, math.inf, -1, 0, 1e300, -1e-300, 10**400, "text", b"", True, (), [], {}, {1.0, 2.0}, (1, 2, 3),
    (math.nan, 0), object(), 2**31, [[1, 2], [3]],
)  # fmt: skip
LEFT_OUT = {"close", "validate", "plot", "to_svg", "debug_draw", "workers", "length_unit", "reserve"}


class Calls:
    """Random calls on one world. `failures` lists what should not have happened."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        self.seed = seed
        self.world = b2.World(workers=self.draw.choice((1, 1, 2, 4)))
        self.objects: list[Any] = [self.world]
        self.failures: list[str] = []
        floor = self.world.create_static_body((0, -1))
        floor.create_shape(b2.Box(20, 1))
        self.keep(floor)

    def keep(self, value: object) -> None:
        """Remembers an object for later calls; the world stays first, and values such as vectors are not kept."""
        if type(value).__module__.startswith("box2dpy") and not isinstance(value, (b2.World, type, tuple, int)):
            if len(self.objects) > 40:
                self.objects.pop(self.draw.randrange(1, len(self.objects)))
            self.objects.append(value)

    def point(self) -> tuple[float, float]:
        return self.draw.uniform(-9, 9), self.draw.uniform(-1, 9)

    def geometry(self) -> b2.Geometry:
        draw, size = self.draw, self.draw.uniform(0.1, 1)
        return draw.choice((b2.Circle(size), b2.Box(size, 0.5), b2.Capsule((0, 0), (size, 0), 0.3)))

    def one_of(self, kind: type) -> Any:
        some = [each for each in self.objects if isinstance(each, kind)]
        return self.draw.choice(some) if some else None

    def value(self, name: str) -> Any:
        """An argument for a parameter of this name."""
        draw = self.draw
        if draw.random() < 0.12:
            return draw.choice(ODD)
        if name in ("geometry", "mover"):
            return self.geometry()
        if name.startswith("body"):
            return self.one_of(b2.Body)
        if name in ("first", "second") or name.startswith("joint"):
            return self.one_of(b2.Joint)
        if name in ("positions", "points", "origins", "translations", "where", "vertices", "lowers", "uppers"):
            return [self.point() for _ in range(draw.randrange(6))]
        if name in ("angles", "forces", "values"):
            return [draw.uniform(-3, 3) for _ in range(draw.randrange(6))]
        if name.startswith(
            ("wake", "can_", "awake", "enabled", "bullet", "lock", "sensor", "loop", "enable", "update")
        ):
            return draw.random() < 0.5
        if name == "dt":
            return draw.choice((1 / 60, 1 / 60, 1 / 30, 0.0))
        if name in ("substeps", "k", "index", "key", "group", "material", "max_vertices"):
            return draw.randrange(1, 5)
        if name == "type":
            return draw.choice(("static", "kinematic", "dynamic"))
        if name == "filter":
            return draw.choice((None, b2.Filter()))
        if any(part in name for part in ("angle", "torque", "hertz", "ratio", "speed", "density", "length", "angular")):
            return draw.uniform(0, 3)
        if any(part in name for part in ("position", "point", "force", "velocity", "axis", "anchor", "translation")):
            return self.point()
        if name in ("origin", "center", "lower", "upper", "impulse", "wind", "target", "direction", "gravity"):
            return self.point()
        return draw.choice((draw.uniform(0, 2), self.point(), draw.randrange(4)))

    def arguments(self, function: Callable[..., Any]) -> tuple[list[Any], dict[str, Any]]:
        try:
            parameters = inspect.signature(function).parameters.values()
        except (TypeError, ValueError):
            return [], {}
        positional, named = [], {}
        for each in parameters:
            if each.kind in (each.VAR_POSITIONAL, each.VAR_KEYWORD):
                continue
            needed = each.default is each.empty
            if each.kind is each.KEYWORD_ONLY:
                if needed or self.draw.random() < 0.15:
                    named[each.name] = self.value(each.name)
            elif needed or (self.draw.random() < 0.5 and len(positional) < 9):
                positional.append(self.value(each.name))
            else:
                break
        return positional, named

    def call(self) -> None:
        """One random access."""
        draw = self.draw
        subject = self.world if draw.random() < 0.5 else draw.choice(self.objects)
        name = draw.choice([each for each in dir(subject) if each[0] != "_" and each not in LEFT_OUT])
        with_failure = draw.random() < 0.05
        if with_failure:
            lib.b2d_world_fail_allocation(self.world._ptr, draw.randrange(4))
        try:
            found = getattr(subject, name)
            if callable(found) and not isinstance(found, type) and not name.startswith("on_"):
                positional, named = self.arguments(found)
                found = found(*positional, **named)
            elif draw.random() < 0.4 and not name.startswith("on_"):
                setattr(subject, name, self.value(name))
            for each in found if isinstance(found, list) else [found]:
                self.keep(each)
        except ALLOWED:
            pass
        except MemoryError:
            if not with_failure:
                self.failures.append(f"seed {self.seed}: MemoryError in {type(subject).__name__}.{name}")
        except Exception as error:
            self.failures.append(f"seed {self.seed}: {error!r} in {type(subject).__name__}.{name}")
        finally:
            lib.b2d_world_fail_allocation(self.world._ptr, -1)

    def run(self, count: int) -> None:
        for k in range(count):
            self.call()
            if k % 20 == 19:
                self.world.step(self.draw.choice((1 / 60, 1 / 30, 0.0)), self.draw.randrange(1, 5))
                self.check()
        self.world.close()

    def check(self) -> None:
        try:
            self.world.validate()
        except b2.InvariantError as error:
            self.failures.append(f"seed {self.seed}: {error}")
            raise


def run(calls: int, first_seed: int) -> list[str]:
    """Worlds of 2,000 calls each; what went wrong."""
    failures: list[str] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for seed in range(first_seed, first_seed + max(1, calls // 2000)):
            one = Calls(seed)
            try:
                one.run(min(calls, 2000))
            except Exception as error:
                failures.append(f"seed {seed}: {error!r} between the calls")
            failures += one.failures
    return failures


def main() -> int:
    calls = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    failures = run(calls, int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    for each in failures[:20]:
        print(each)
    print(f"{calls} calls, {len(failures)} failures")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
