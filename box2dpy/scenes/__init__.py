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
from .linked import build_cranes, build_falling_hinges, build_joint_grid
from .menagerie import build_menagerie, step_menagerie
from .piles import MIXED_PILE_SEED, build_compounds, build_junkyard, build_mixed_pile, build_smash, step_junkyard
from .rain import build_rain, step_rain
from .stacks import build_large_pyramid, build_many_pyramids, build_pyramids
from .tumblers import build_spinner, build_tumbler, build_tumbler2000, build_washer

__all__ = ["SCENES", "Scene", "get"]


def __dir__() -> list[str]:
    return __all__


# fmt: off
_ALL = (
    Scene("large_pyramid", "One pyramid of 5050 boxes, 100 in its lowest row.", build_large_pyramid, steps=500,
          camera=(-58, -3, 58, 103), bodies=5051, shapes=5051, options={"sleeping": False}),
    Scene("many_pyramids", "400 pyramids of 55 boxes on 20 floors.", build_many_pyramids, steps=200,
          camera=(-112, -4, 112, 222), bodies=22001, shapes=22020, options={"sleeping": False}),
    Scene("tumbler", "A square drum turns 2025 small boxes over.", build_tumbler, steps=750,
          camera=(-15.5, -5.5, 15.5, 25.5), bodies=2027, shapes=2029, joints=1),
    Scene("falling_hinges", "Four towers of 20 boxes, hinged in pairs, tumble to rest.", build_falling_hinges,
          steps=300, camera=(-9, -1.5, 15, 11), bodies=81, shapes=81, joints=40),
    Scene("menagerie", "One of everything: joints of every type, chains, sensors, bullets, a lift and a pile.",
          build_menagerie, steps=300, camera=(-42, -2, 42, 32), bodies=209, shapes=269, joints=94,
          step=step_menagerie),
    Scene("mixed_pile", "600 circles, capsules, boxes, hexagons and rounded boxes drop into a bin.", build_mixed_pile,
          steps=600, camera=(-11, -1.5, 11, 31), bodies=601, shapes=603, seed=MIXED_PILE_SEED),
    Scene("compounds", "3000 arrowheads, each of two triangles, fall into a box.", build_compounds, steps=500,
          camera=(-45, -5, 45, 110), bodies=3001, shapes=6282),
    Scene("cranes", "Wrecking balls, telescopes and booms: 30 to 300 times as heavy as what they hang on.",
          build_cranes, steps=600, camera=(-70, -2, 78, 20), bodies=185, shapes=169, joints=140),
    Scene("joint_grid", "A net of 10,000 discs and 19,800 joints hangs from seven discs.", build_joint_grid,
          steps=500, camera=(-20, -150, 120, 10), bodies=10000, shapes=10000, joints=19800,
          options={"sleeping": False}),
    Scene("junkyard", "A pusher drives to and fro through 8000 pentagons.", build_junkyard, steps=800,
          camera=(-84, -3, 84, 57), bodies=8002, shapes=8262, step=step_junkyard),
    Scene("rain", "It rains people: 1000 jointed figures on five floors, a column renewed every eighth step.",
          build_rain, steps=1000, camera=(-130, -5, 130, 230), bodies=11001, shapes=15505, joints=10000,
          step=step_rain),
    Scene("smash", "A ram flies into a sleeping block of 9600 squares, without gravity.", build_smash, steps=300,
          camera=(-25, -45, 115, 45), bodies=9601, shapes=9601, options={"gravity": (0.0, 0.0)}),
    Scene("spinner", "A blade whirls 6076 small bodies about in a circle made of a chain.", build_spinner, steps=500,
          camera=(-42, -10, 42, 74), bodies=6078, shapes=6437, joints=1),
    Scene("washer", "A round drum with four fins washes 8100 small squares.", build_washer, steps=500,
          camera=(-19, -9, 19, 29), bodies=8102, shapes=8140),
    Scene("pyramids", "182 pyramids of 55 boxes at rest, each an island of its own.", build_pyramids, steps=200,
          camera=(-86, -4, 86, 158), bodies=10011, shapes=10023, options={"sleeping": False}),
    Scene("tumbler2000", "The tumbler with 40 rows of 50 boxes.", build_tumbler2000, steps=750,
          camera=(-15.5, -5.5, 15.5, 25.5), bodies=2002, shapes=2004, joints=1),
)
# fmt: on
SCENES: dict[str, Scene] = {scene.name: scene for scene in _ALL}


def get(name: str) -> Scene:
    """The scene of this name.

    Raises:
        ValueError: there is none; the message lists the names.
    """
    try:
        return SCENES[name]
    except KeyError:
        raise ValueError(f"no scene {name!r}; there are {', '.join(SCENES)}") from None
