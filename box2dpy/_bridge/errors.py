"""The exceptions, and the one place where a status of the C core becomes an exception.

```
RuntimeError
  Box2DError
    DestroyedError      the object, or its world, is gone
    WorldLockedError    another thread is stepping the world
AssertionError
  InvariantError        World.validate() found a broken invariant: a bug of box2dpy
ValueError
  SnapshotError         bytes are no snapshot of a world, or are damaged
  RecordingError        a file is no recording, or is damaged
  LevelError            something in a level is wrong
UserWarning
  StaleViewWarning      a table moved while numpy views of it live
```

Bad values raise `ValueError`, bad types `TypeError`. Each message names the argument and the value, and the world is
as it was. Too little memory raises `MemoryError`. The world is valid then; a call that creates something has created
nothing, a change of what exists may be done in part, and a step may have moved no body, or all but the fast ones. It
may also lack events. The next step or `validate()` does what is left undone: contacts that could not begin, begin then.
"""

from __future__ import annotations

from typing import Any, NoReturn

from .library import ffi, lib
from .lists import shared_list


class Box2DError(RuntimeError):
    """Base of the errors about the state of a world, not about an argument."""


class DestroyedError(Box2DError):
    """The object has been destroyed, or its world closed."""


class WorldLockedError(Box2DError):
    """Another thread is stepping the world, or changing it at this moment."""


class InvariantError(AssertionError):
    """An invariant of the engine does not hold; please report it with what led to it."""


class SnapshotError(ValueError):
    """Bytes are no snapshot of a world, are damaged, or come from a newer version; the message names the section."""


class RecordingError(ValueError):
    """A file is no recording, is damaged, or comes from a newer version."""


class LevelError(ValueError):
    """Something in a level is wrong; the message says where, for example `bodies[3].shapes[0]`."""


class StaleViewWarning(UserWarning):
    """Arrays taken from `world.arrays` show old memory, because the tables have grown since."""


# What "is not allowed here" means, by the argument that the status names.
_REASONS = {
    "linear_velocity": "a static body has no velocity",
    "angular_velocity": "a static body has no velocity",
    "linear_velocities": "a static body has no velocity",
    "body": "a static body does not move",
    "mass": "only a dynamic body has a mass",
    "inertia": "only a dynamic body has a mass",
    "local_center": "only a dynamic body has a mass",
    "force": "forces move only dynamic bodies",
    "torque": "forces move only dynamic bodies",
    "impulse": "impulses move only dynamic bodies",
    "shape": "it belongs to a chain, which is destroyed as a whole",
    "geometry": "a segment of a chain keeps its geometry",
    "joint_a": "a gear needs revolute or prismatic joints that move two bodies",
    "joint_b": "a gear needs revolute or prismatic joints that move two bodies",
    "option": "it is fixed once there are shapes or joints",
}
# A lower bound, and the upper bound that must not be less.
_ORDERED = {
    "lower_angle": "upper_angle",
    "lower_translation": "upper_translation",
    "min_length": "max_length",
    "lower_spring_force": "upper_spring_force",
    "lower": "upper",
}
_SENTENCES = [sentence for _, sentence in shared_list("status")]
_ARGUMENTS = [name for _, name in shared_list("arguments")]


def short_repr(value: object) -> str:
    """`repr` for a message: never raises, never long."""
    try:
        text = repr(value)
    except Exception:
        text = object.__repr__(value)
    return text if len(text) <= 200 else text[:180] + "... " + text[-15:]


def _allowed(name: str, values: dict[str, object]) -> str:
    """What the argument out of range should have been, as the end of a sentence; empty where C does not say it."""
    for low, high in _ORDERED.items():
        a, b = values.get(low), values.get(high)
        if name in (low, high) and isinstance(a, (int, float)) and isinstance(b, (int, float)) and a > b:
            return f": greater than {high}={b}" if name == low else f": less than {low}={a}"
    out = ffi.new("double[2]")
    lib.b2d_allowed_range(out)
    lower, upper = out
    if lower != lower or upper != upper:
        return ""
    if 0 < lower < 1e-100:
        return f": more than 0, at most {upper:g}"
    return f": {lower:g} to {upper:g}" + (" seconds; step(1 / 60) is usual" if name == "dt" else "")


def missing(what: str, package: str, extra: str, module: str | None = None) -> ModuleNotFoundError:
    """The error of a call whose optional package is not installed; `extra` of box2dpy installs it."""
    return ModuleNotFoundError(f"{what} needs {package}: pip install 'box2dpy[{extra}]'", name=module or package)


def raise_error(status: int, subject: object = None, /, **values: object) -> NoReturn:
    """Raises what a status that is not OK means.

    `subject` is the object that the call was made on, `values` are the caller's arguments by name: the message picks
    the one that the status names.
    """
    code, argument = status & 0xFF, status >> 8
    sentence = _SENTENCES[code] if code < len(_SENTENCES) else f"failed with status {code}"
    name = _ARGUMENTS[argument] if 0 < argument < len(_ARGUMENTS) else ""
    if code == lib.B2D_LOCKED:
        raise WorldLockedError(
            f"{sentence}: by another thread, around the callback that calls, or in a staged step that has not been left"
        )
    if code == lib.B2D_NO_MEMORY:
        world: Any = getattr(subject, "_world", subject)
        if getattr(world, "_table_rows", 0):  # there may have been room for new tables, and for nothing else
            world._drop_tables()
        crowded = (
            ". Shapes in one place need a contact for each pair that no filter refuses" if "substeps" in values else ""
        )
        raise MemoryError(f"{sentence}: the world stays valid, and the next step does what is left undone{crowded}")
    if code == lib.B2D_CALLBACK:  # World.step raises what the callback raised, unless a second signal hid it
        raise KeyboardInterrupt
    if code == lib.B2D_INVARIANT:
        raise InvariantError(sentence)
    if code == lib.B2D_STALE_HANDLE:
        if getattr(subject, "_generation", 1) == 0:
            raise WorldLockedError(f"{short_repr(subject)} is created when the step is over")
        culprit = f"{name} {short_repr(values[name])}" if name in values else short_repr(subject)
        raise DestroyedError(f"{culprit} {sentence}")
    if name not in values and f"{name}s" in values:  # of many
        name = f"{name}s"
    if name in values:
        what = f"{name}={short_repr(values[name])}"
    elif len(values) == 1:
        what = "".join(f"{key}={short_repr(value)}" for key, value in values.items())
    elif name:
        what = f"{name}, one of ({', '.join(f'{key}={short_repr(value)}' for key, value in values.items())}),"
    else:
        what = "one of (" + ", ".join(f"{key}={short_repr(value)}" for key, value in values.items()) + ")"
    if code == lib.B2D_OUT_OF_RANGE:
        sentence += _allowed(name, values)
    elif code == lib.B2D_NOT_ALLOWED and name in _REASONS:
        sentence += f": {_REASONS[name]}"
    raise ValueError(f"{what} {sentence}")


def raise_if(status: int, subject: object = None, /, **values: object) -> None:
    """Calls `raise_error` unless the status is OK."""
    if status:
        raise_error(status, subject, **values)
