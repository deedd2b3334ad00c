"""Other engines behind the few calls that `box2dpy.scenes` uses, so that all engines build the same scenes.

`create("pyb2d3", gravity=..., sleeping=...)` returns a `PeerWorld`. It takes those keywords of `box2dpy.World` that a
scene sets, and it has `create_static_body`, `create_kinematic_body`, `create_dynamic_body`, `step` and the calls that
create revolute, weld, prismatic, distance and rope joints; its bodies have `create_shape` and `create_chain`. A call
that an engine cannot express raises `CannotExpress` with the reason, and the scene is skipped for that engine.

Differences between the engines:
* pymunk multiplies the friction coefficients of two shapes, Box2D takes the square root of the product. pymunk also
  multiplies the restitutions, and Box2D takes the larger one. pymunk is therefore given the square root of each
  coefficient; where only one shape bounces, it does not bounce in pymunk.
* pymunk's joints have no softness. That is not compensated.
* pyb2d3 has one joint softness for the whole world.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
from typing import Any

from .peer import PeerWorld
from .pyb2d3 import Pyb2d3World
from .pymunk import PymunkWorld

WORLDS: dict[str, type[PeerWorld]] = {"pyb2d3": Pyb2d3World, "pymunk": PymunkWorld}
PEERS = tuple(WORLDS)


def check(peer: str) -> None:
    if peer not in WORLDS:
        raise ValueError(f"no peer {peer!r}; there are {', '.join(PEERS)}")


def version(peer: str) -> str | None:
    """The installed version, or None when the engine is not installed.

    Raises:
        ValueError: there is no such peer.
    """
    check(peer)
    if importlib.util.find_spec(peer) is None:
        return None
    return importlib.metadata.version(peer)


def create(peer: str, *, keep: bool = False, **options: Any) -> PeerWorld:
    """Creates an empty world of a peer; with `keep` it remembers its shapes, for a picture.

    Raises:
        ValueError: there is no such peer.
    """
    check(peer)
    return WORLDS[peer](keep=keep, **options)
