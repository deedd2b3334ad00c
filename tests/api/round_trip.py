"""A world and the world that comes back from its level, step by step."""

from __future__ import annotations

import json
from typing import Any

import box2dpy as b2

STEPS = 30


def again(world: b2.World, **options: Any) -> b2.World:
    """The world that comes back through the text of a file."""
    return b2.World.from_dict(json.loads(json.dumps(world.to_dict(**options), allow_nan=False)))


def check_round_trip(world: b2.World) -> None:
    level = world.to_dict(data=False)
    with again(world, data=False) as other, world.clone() as plain:
        assert other.state_hash() == plain.state_hash()
        assert other.to_dict() == level
        for step in range(STEPS):
            plain.step()
            other.step()
            assert other.state_hash() == plain.state_hash(), step
