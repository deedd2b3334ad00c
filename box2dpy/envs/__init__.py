"""Environments for reinforcement learning on `WorldBatch`: Gymnasium's interface, thousands of worlds in one call.

```
import gymnasium
import box2dpy.envs

envs = gymnasium.make_vec("box2dpy/LunarLander-v0", num_envs=1024)
```

Importing this package registers `box2dpy/LunarLander-v0` and `box2dpy/LunarLanderContinuous-v0`, each as a single and
as a vector environment. It needs Gymnasium: the extra `box2dpy[gym]`. Environments of your own are subclasses of
`BatchEnv`.
"""

from __future__ import annotations

from typing import ClassVar

import gymnasium

from .batch_env import BatchEnv
from .lunar_lander import LunarLander
from .single_env import SingleEnv

__all__ = ["BatchEnv", "LunarLander", "LunarLanderEnv", "SingleEnv"]


class LunarLanderEnv(SingleEnv):
    """`LunarLander` with one world, as an `Env`."""

    VECTOR: ClassVar[type[BatchEnv]] = LunarLander


for _name, _continuous in (("LunarLander", False), ("LunarLanderContinuous", True)):
    gymnasium.register(
        f"box2dpy/{_name}-v0",
        entry_point="box2dpy.envs:LunarLanderEnv",
        vector_entry_point="box2dpy.envs:LunarLander",
        max_episode_steps=1000,
        reward_threshold=200.0,
        kwargs={"continuous": _continuous},
    )
