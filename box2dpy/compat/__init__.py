"""Code written for the Box2D 2.3 bindings for Python runs on box2dpy: `install()` provides the module `Box2D`.

```
import box2dpy.compat

box2dpy.compat.install()

import Box2D
from Box2D.b2 import fixtureDef, polygonShape

world = Box2D.b2World(gravity=(0, -10))
```

Install it before the first import of `Box2D`; nothing of the bindings needs to be installed. The guide page
docs/guide/compat.md says what differs. `b2World.box2dpy`, `b2Body.box2dpy` and so on are the objects of box2dpy, so
that a program can be changed to its own interface piece by piece.
"""

from __future__ import annotations

import importlib.machinery
import sys
import types
from typing import Any

from . import _bodies, _contacts, _draw, _fixtures, _functions, _joint, _joints, _shapes, _vectors, _world

__all__ = ["install"]


def __dir__() -> list[str]:
    return __all__


# Names of the bindings without a counterpart here, and what does their work in box2dpy.
_OTHERS = {
    "b2BroadPhase": "World.overlap_aabb",
    "b2ContactManager": "World.contacts",
    "b2CollideCircles": "box2dpy.collide",
    "b2CollidePolygons": "box2dpy.collide",
    "b2CollidePolygonAndCircle": "box2dpy.collide",
    "b2CollideEdgeAndCircle": "box2dpy.collide",
    "b2CollideEdgeAndPolygon": "box2dpy.collide",
    "b2DrawExtended": "b2Draw, or World.debug_draw and box2dpy.pygame",
    "b2Mat33": "numpy",
    "b2Vec3": "numpy",
    "b2Sweep": "box2dpy.time_of_impact",
    "b2TimeOfImpact": "box2dpy.time_of_impact",
    "b2TOIInput": "box2dpy.time_of_impact",
    "b2DistanceInput": "box2dpy.distance",
    "b2DistanceProxy": "box2dpy.distance",
    "b2Profile": "World.profile",
    "examples": "python -m box2dpy.samples",
}


def _public() -> dict[str, Any]:
    names: dict[str, Any] = {}
    for module in (_vectors, _shapes, _fixtures, _bodies, _contacts, _joint, _joints, _world, _draw, _functions):
        names.update((name, value) for name, value in vars(module).items() if name.startswith("b2"))
    return names


def _short(name: str) -> str:
    """The name of `b2Vec2` in the module `Box2D.b2`: `vec2`; of `b2_pi`: `pi`; of `b2AABB`: `AABB`."""
    rest = name[2:].lstrip("_")
    return rest if rest[:2].isupper() else rest[0].lower() + rest[1:]


def _module(name: str, names: dict[str, Any], others: dict[str, str]) -> types.ModuleType:
    module = types.ModuleType(name, "The interface of the Box2D 2.3 bindings on box2dpy; see box2dpy.compat.")
    module.__spec__ = importlib.machinery.ModuleSpec(name, None, origin="box2dpy.compat")

    def missing(attribute: str) -> Any:
        ours = f": use {others[attribute]}" if attribute in others else ""
        raise AttributeError(f"{name}.{attribute} is not supported by box2dpy.compat{ours}")

    vars(module).update(names, __getattr__=missing, __version__="2.3.10", __all__=sorted(names), __file__=__file__)
    return module


def install() -> None:
    """Puts the modules `Box2D`, `Box2D.b2` and `Box2D.Box2D` into `sys.modules`; a second call does nothing.

    Raises:
        ImportError: the bindings themselves are already imported.
    """
    present = sys.modules.get("Box2D")
    if present is not None:
        if getattr(present.__spec__, "origin", None) == "box2dpy.compat":
            return
        raise ImportError("Box2D is already imported: call box2dpy.compat.install() before its first import")
    names = _public()
    short = {_short(name): value for name, value in names.items()}
    others = {_short(name): ours for name, ours in _OTHERS.items() if name.startswith("b2")}
    top, inner = _module("Box2D", names, _OTHERS), _module("Box2D.Box2D", names, _OTHERS)
    small = _module("Box2D.b2", short, others)
    vars(top).update(b2=small, Box2D=inner, __all__=[*sorted(names), "b2"])
    sys.modules.update({"Box2D": top, "Box2D.Box2D": inner, "Box2D.b2": small})
