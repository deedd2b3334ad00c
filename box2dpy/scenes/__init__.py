"""The one registry of scenes, shared by samples, benchmarks, tests and documentation.

```
scene = box2dpy.scenes.get("tumbler")
world = scene.world(workers=2)
state = scene.build(world, 1.0)
for number in range(scene.steps):
    scene.advance(world, state, number)
    world.step(1 / 60, 4)
```

A scene uses a small part of the public API only, so that `benchmarks/engines/peers.py` can build it in other engines.
Every scene is the same in each run: its random numbers are drawn from a fixed seed.
"""

from __future__ import annotations

from ._scene import Scene
from .linked import CRANES, FALLING_HINGES, JOINT_GRID
from .menagerie import MENAGERIE
from .piles import COMPOUNDS, JUNKYARD, MIXED_PILE, SMASH
from .rain import RAIN
from .stacks import LARGE_PYRAMID, MANY_PYRAMIDS, PYRAMIDS
from .tumblers import SPINNER, TUMBLER, TUMBLER2000, WASHER

__all__ = ["SCENES", "Scene", "get"]


def __dir__() -> list[str]:
    return __all__


SCENES: dict[str, Scene] = {
    scene.name: scene
    for scene in (
        LARGE_PYRAMID,
        MANY_PYRAMIDS,
        TUMBLER,
        FALLING_HINGES,
        MENAGERIE,
        MIXED_PILE,
        COMPOUNDS,
        CRANES,
        JOINT_GRID,
        JUNKYARD,
        RAIN,
        SMASH,
        SPINNER,
        WASHER,
        PYRAMIDS,
        TUMBLER2000,
    )
}


def get(name: str) -> Scene:
    """The scene of this name.

    Raises:
        ValueError: there is none; the message lists the names.
    """
    try:
        return SCENES[name]
    except KeyError:
        raise ValueError(f"no scene {name!r}; there are {', '.join(SCENES)}") from None
