"""Environments for reinforcement learning on `WorldBatch`: Gymnasium's interface, thousands of worlds in one call.

```
import gymnasium
from numpy.typing import NDArray
import box2dpy.envs

envs = gymnasium.make_vec("box2dpy/LunarLander-v0", num_envs=1024)
```

Importing this package registers these environments as `box2dpy/...-v0`, each as a single and as a vector environment:
`LunarLander`, `LunarLanderContinuous`, `BipedalWalker`, `BipedalWalkerHardcore`, `Hopper`, `Walker`, `Cheetah`,
`PushT`, `CircuitRacing`, `CircuitRacingPixels`, `AirHockey`, `Scoop`, `Levels` and `LevelsPixels`. It needs Gymnasium:
the extra `box2dpy[gym]`. Environments of your own are subclasses of `BatchEnv`. The module `parallel` has environments
of several agents, for PettingZoo: the extra `box2dpy[pettingzoo]`.
"""

from __future__ import annotations

from typing import Any

import gymnasium
from numpy.typing import NDArray

from .air_hockey import AirHockey
from .batch_env import BatchEnv, Episode
from .bipedal_walker import BipedalWalker
from .circuit_racing import CircuitRacing
from .levels import Levels
from .locomotion import Cheetah, Hopper, Walker
from .lunar_lander import LunarLander
from .push_t import PushT
from .scoop import Scoop
from .single_env import SingleEnv

__all__ = [
    "AirHockey",
    "AirHockeyEnv",
    "BatchEnv",
    "BipedalWalker",
    "BipedalWalkerEnv",
    "Cheetah",
    "CheetahEnv",
    "CircuitRacing",
    "CircuitRacingEnv",
    "Episode",
    "Hopper",
    "HopperEnv",
    "Levels",
    "LevelsEnv",
    "LunarLander",
    "LunarLanderEnv",
    "PushT",
    "PushTEnv",
    "Scoop",
    "ScoopEnv",
    "SingleEnv",
    "Walker",
    "WalkerEnv",
]  # fmt: skip


def __dir__() -> list[str]:
    return __all__


class LunarLanderEnv(SingleEnv):
    VECTOR = LunarLander


class BipedalWalkerEnv(SingleEnv):
    VECTOR = BipedalWalker


class HopperEnv(SingleEnv):
    VECTOR = Hopper


class WalkerEnv(SingleEnv):
    VECTOR = Walker


class CheetahEnv(SingleEnv):
    VECTOR = Cheetah


class PushTEnv(SingleEnv):
    VECTOR = PushT


class CircuitRacingEnv(SingleEnv):
    VECTOR = CircuitRacing


class AirHockeyEnv(SingleEnv):
    VECTOR = AirHockey


class ScoopEnv(SingleEnv):
    VECTOR = Scoop


class LevelsEnv(SingleEnv):
    VECTOR = Levels

    def reset_to_level(self, level: object) -> NDArray[Any]:
        """Begins an episode of a level (a world, the dictionary of one or the path of its file).

        Returns:
            The observation at its beginning.
        """
        return self.vector.reset_to_level(level)[0]  # type: ignore[no-any-return]


_NONE: dict[str, Any] = {}
for _id, _name, _steps, _threshold, _options in (
    ("LunarLander", "LunarLander", 1000, 200.0, {"continuous": False}),
    ("LunarLanderContinuous", "LunarLander", 1000, 200.0, {"continuous": True}),
    ("BipedalWalker", "BipedalWalker", 1600, 300.0, {"hardcore": False}),
    ("BipedalWalkerHardcore", "BipedalWalker", 2000, 300.0, {"hardcore": True}),
    ("Hopper", "Hopper", 1000, None, _NONE),
    ("Walker", "Walker", 1000, None, _NONE),
    ("Cheetah", "Cheetah", 1000, None, _NONE),
    ("PushT", "PushT", 500, None, _NONE),
    ("CircuitRacing", "CircuitRacing", 1500, None, {"obs": "state"}),
    ("CircuitRacingPixels", "CircuitRacing", 1500, None, {"obs": "pixels"}),
    ("AirHockey", "AirHockey", 500, None, _NONE),
    ("Scoop", "Scoop", 1500, None, _NONE),
    ("Levels", "Levels", 256, None, {"obs": "entities"}),
    ("LevelsPixels", "Levels", 256, None, {"obs": "pixels"}),
):
    gymnasium.register(
        f"box2dpy/{_id}-v0", entry_point=f"box2dpy.envs:{_name}Env", vector_entry_point=f"box2dpy.envs:{_name}",
        max_episode_steps=_steps, reward_threshold=_threshold, kwargs=_options,
    )  # fmt: skip
