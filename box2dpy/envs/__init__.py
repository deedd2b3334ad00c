"""Environments for reinforcement learning on `WorldBatch`: Gymnasium's interface, thousands of worlds in one call.

```
import gymnasium
import box2dpy.envs

envs = gymnasium.make_vec("box2dpy/LunarLander-v0", num_envs=1024)
```

Importing this package registers `LunarLander`, `LunarLanderContinuous`, `BipedalWalker` and `BipedalWalkerHardcore`,
all as `box2dpy/...-v0`, each as a single and as a vector environment. It needs Gymnasium: the extra `box2dpy[gym]`. Environments of your own are subclasses of
`BatchEnv`.
"""

from __future__ import annotations

from typing import ClassVar

import gymnasium

from .batch_env import BatchEnv
from .bipedal_walker import BipedalWalker
from .lunar_lander import LunarLander
from .single_env import SingleEnv

__all__ = ["BatchEnv", "BipedalWalker", "BipedalWalkerEnv", "LunarLander", "LunarLanderEnv", "SingleEnv"]


class LunarLanderEnv(SingleEnv):
    """`LunarLander` with one world, as an `Env`."""

    VECTOR: ClassVar[type[BatchEnv]] = LunarLander


class BipedalWalkerEnv(SingleEnv):
    """`BipedalWalker` with one world, as an `Env`."""

    VECTOR: ClassVar[type[BatchEnv]] = BipedalWalker


for _id, _name, _steps, _threshold, _options in (
    ("LunarLander", "LunarLander", 1000, 200.0, {"continuous": False}),
    ("LunarLanderContinuous", "LunarLander", 1000, 200.0, {"continuous": True}),
    ("BipedalWalker", "BipedalWalker", 1600, 300.0, {"hardcore": False}),
    ("BipedalWalkerHardcore", "BipedalWalker", 2000, 300.0, {"hardcore": True}),
):
    gymnasium.register(
        f"box2dpy/{_id}-v0",
        entry_point=f"box2dpy.envs:{_name}Env",
        vector_entry_point=f"box2dpy.envs:{_name}",
        max_episode_steps=_steps,
        reward_threshold=_threshold,
        kwargs=_options,
    )
