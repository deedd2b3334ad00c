"""Rain of human figures: bodies, joints and contacts come and go all the time."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .. import Box, Template, World
from ._scene import shrunk
from .human import create_human

if TYPE_CHECKING:
    from .. import Body, BodyArray

HUMANS = 5  # in one place of the grid


@dataclass
class RainState:
    """Which columns are full, and which comes next."""

    rows: int
    columns: int
    human: Template
    people: dict[int, BodyArray | list[Body]] = field(default_factory=dict)
    next_column: int = 0


def build_rain(world: World, scale: float = 1.0) -> RainState:
    with World() as model:
        human = Template(create_human(model, (0, 0)))
    state = RainState(rows=shrunk(5, scale, least=1), columns=shrunk(40, scale), human=human)
    ground = world.create_static_body()
    for row in range(state.rows):
        for k in range(501):
            ground.create_shape(Box(0.25, 0.25, (-125 + 0.5 * k, 45.0 * row)))
    return state


def step_rain(world: World, state: RainState, number: int) -> bool:
    """Every eighth step renews one column."""
    if number % 8 != 0:
        return False
    column = state.next_column
    state.next_column = (column + 1) % state.columns
    former = state.people.pop(column, [])
    if isinstance(former, list):
        for body in former:
            body.destroy()
    else:
        former.destroy()
    left = -125 + 6.25 * (column + 0.5)
    feet = [(left + 0.5 * n, 40 + 45 * row) for row in range(state.rows) for n in range(HUMANS)]
    groups = [-n - 1 for _ in range(state.rows) for n in range(HUMANS)]
    if isinstance(world, World):
        state.people[column] = world.create_many(state.human, feet, groups=groups)
    else:  # another engine of the benchmarks, without templates
        pairs = zip(feet, groups, strict=True)
        state.people[column] = [body for place, group in pairs for body in create_human(world, place, group=-group)]
    return True
