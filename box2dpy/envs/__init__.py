"""Environments for reinforcement learning on `WorldBatch`: Gymnasium's interface, thousands of worlds in one call.

```
import gymnasium
import box2dpy.envs

envs = gymnasium.make_vec("box2dpy/LunarLander-v0", num_envs=1024)
```

Importing this package registers `box2dpy/...-v0`, each as a single and as a vector environment, for `LunarLander`,
`LunarLanderContinuous`, `Hopper`, `Walker`, `Cheetah` and `PushT`. It needs Gymnasium: the extra `box2dpy[gym]`.
Environments of your own are subclasses of `BatchEnv`.
"""

from __future__ import annotations

from typing import Any, ClassVar

import gymnasium

from .batch_env import BatchEnv, Episode
from .locomotion import Cheetah, Hopper, Walker
from .lunar_lander import LunarLander
from .push_t import PushT
from .single_env import SingleEnv

__all__ = [
    "BatchEnv", "Cheetah", "CheetahEnv", "Episode", "Hopper", "HopperEnv", "LunarLander", "LunarLanderEnv", "PushT",
    "PushTEnv", "SingleEnv", "Walker", "WalkerEnv",
]  # fmt: skip


class LunarLanderEnv(SingleEnv):
    """`LunarLander` with one world, as an `Env`."""

    VECTOR: ClassVar[type[BatchEnv]] = LunarLander


class HopperEnv(SingleEnv):
    """`Hopper` with one world, as an `Env`."""

    VECTOR: ClassVar[type[BatchEnv]] = Hopper


class WalkerEnv(SingleEnv):
    """`Walker` with one world, as an `Env`."""

    VECTOR: ClassVar[type[BatchEnv]] = Walker


class CheetahEnv(SingleEnv):
    """`Cheetah` with one world, as an `Env`."""

    VECTOR: ClassVar[type[BatchEnv]] = Cheetah


class PushTEnv(SingleEnv):
    """`PushT` with one world, as an `Env`."""

    VECTOR: ClassVar[type[BatchEnv]] = PushT


_NONE: dict[str, Any] = {}
for _id, _name, _steps, _threshold, _options in (
    ("LunarLander", "LunarLander", 1000, 200.0, {"continuous": False}),
    ("LunarLanderContinuous", "LunarLander", 1000, 200.0, {"continuous": True}),
    ("Hopper", "Hopper", 1000, None, _NONE),
    ("Walker", "Walker", 1000, None, _NONE),
    ("Cheetah", "Cheetah", 1000, None, _NONE),
    ("PushT", "PushT", 500, None, _NONE),
):
    gymnasium.register(
        f"box2dpy/{_id}-v0",
        entry_point=f"box2dpy.envs:{_name}Env",
        vector_entry_point=f"box2dpy.envs:{_name}",
        max_episode_steps=_steps,
        reward_threshold=_threshold,
        kwargs=_options,
    )
