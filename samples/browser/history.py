"""`History`: the last minute of a running sample, so that the browser can go back to any step of it.

Idea: a ring of states of the worlds, with the plain attributes of the sample. A small world is saved after every step;
a large one less often, so that all states together keep within a limit of memory, and the steps between two states are
simulated again. What the user did with the mouse in between is then missing until the next saved state.
"""

from __future__ import annotations

import copy
import math
import random
from collections import deque
from typing import Any, NamedTuple

import box2dpy as b2

from .. import Run

SECONDS = 60.0  # how far back it reaches
MOST_BYTES = 256 << 20  # of all states together
MOST_BETWEEN = 120  # steps between two states
PLAIN = (int, float, str, tuple, type(None), b2.Vec2)
COPIED = (list, dict, set, deque, random.Random)
OWN = {
    "values",
    "scale",
    "world",
    "others",
    "pointer",
    "held",
    "taken_over",
}  # attributes of every sample, which the user sets


class Moment(NamedTuple):
    """The state after a step."""

    steps: int
    worlds: tuple[b2.World, ...]
    states: tuple[b2.State, ...]
    attributes: dict[str, Any]

    @property
    def nbytes(self) -> int:
        return sum(state.nbytes for state in self.states)


class History:
    """The moments of one run, oldest first."""

    def __init__(self) -> None:
        self.moments: deque[Moment] = deque()
        self.nbytes = 0
        self.last = 0  # the newest step

    def clear(self) -> None:
        self.moments.clear()
        self.nbytes = self.last = 0

    @property
    def first(self) -> int:
        """The oldest step that can be shown."""
        return self.moments[0].steps if self.moments else self.last

    def add(self, run: Run) -> None:
        """Called after each step, and when the scene has been built. What was later than this step is forgotten."""
        while self.moments and self.moments[-1].steps >= run.steps:
            self.nbytes -= self.moments.pop().nbytes
        self.last = run.steps
        if self.moments and run.steps - self.moments[-1].steps < self._spacing(run):
            return
        worlds = tuple(run.worlds())
        moment = Moment(run.steps, worlds, tuple(world.save() for world in worlds), _attributes(run))
        self.moments.append(moment)
        self.nbytes += moment.nbytes
        while len(self.moments) > 2 and (
            self.nbytes > MOST_BYTES or self.moments[1].steps <= run.steps - SECONDS * run.hertz
        ):
            self.nbytes -= self.moments.popleft().nbytes

    def _spacing(self, run: Run) -> int:
        """Steps between two states, so that a minute of them takes no more memory than allowed."""
        wanted = self.moments[-1].nbytes * SECONDS * run.hertz / MOST_BYTES
        return min(max(math.ceil(wanted), 1), MOST_BETWEEN)

    def show(self, run: Run, step: int) -> None:
        """Brings the run to a step. The moments after it remain until the run goes on from there."""
        step = min(max(step, self.first), self.last)
        found = [moment for moment in self.moments if moment.steps <= step and moment.worlds == tuple(run.worlds())]
        if not found:
            return
        moment = found[-1]
        for world, state in zip(moment.worlds, moment.states, strict=True):
            world.restore(state)
        vars(run.sample).update({name: _copied(value) for name, value in moment.attributes.items()})
        run.steps = moment.steps
        run.step(step - moment.steps)


def _attributes(run: Run) -> dict[str, Any]:
    return {
        name: _copied(value)
        for name, value in vars(run.sample).items()
        if name not in OWN and isinstance(value, PLAIN + COPIED)
    }


def _copied(value: Any) -> Any:
    return copy.copy(value) if isinstance(value, COPIED) else value
