"""Deep copies of worlds keep their callbacks, as those of the copies of their owners; where they cannot, they warn."""

from __future__ import annotations

import copy
import functools
import warnings
from collections.abc import Callable

import pytest

import box2dpy as b2

from ..stepping import advance


class Game:
    """Holds a world, whose callbacks are its own."""

    def __init__(self) -> None:
        self.world = b2.World()
        ground = self.world.create_static_body((0, -1))
        ground.create_shape(b2.Box(9, 1))
        self.ball = self.world.create_dynamic_body((0, 1))
        self.ball.create_shape(b2.Circle(0.5), presolve=True)
        self.begun: list[object] = []
        self.ended: list[object] = []
        self.hits = 0

    def begin(self, event: b2.ContactBegin) -> None:
        self.begun.append(self.ball in (event.shape_a.body, event.shape_b.body))

    def fall(self) -> None:
        advance(self.world, 60)


def by_name(event: object, game: Game) -> None:
    game.begun.append(game.ball in game.world.bodies)


class Counting:
    """A function with a state."""

    def __init__(self, holder: object) -> None:
        self.holder, self.count = holder, 0

    def __call__(self, event: object) -> None:
        self.count += 1


def callbacks_of(game: Game) -> dict[str, Callable[[object], object]]:
    """Each notes something in the game when the ball begins to touch."""

    def closure(event: object) -> None:
        game.begun.append(game.ball.world is game.world)

    def inner(event: object) -> None:
        closure(event)

    ball = game.ball
    return {
        "method": game.begin, "method of a list": game.begun.append, "closure": closure, "closure of a closure": inner,
        "default": lambda event, game=game: game.begun.append(True), "partial": functools.partial(by_name, game=game),
        "handle": lambda event: game.begun.append(ball is game.ball),
    }  # fmt: skip


@pytest.mark.parametrize("first", [False, True])
@pytest.mark.parametrize("kind", callbacks_of(Game()))
def test_a_deep_copy_calls_the_functions_of_the_copy(kind: str, first: bool) -> None:
    """Also where the world is copied before the owner of the function."""
    game = Game()
    game.world.on_contact_begin = callbacks_of(game)[kind]
    copied = copy.deepcopy([game.world, game])[1] if first else copy.deepcopy(game)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        copied.fall()
    assert copied.begun
    assert all(copied.begun)
    assert game.begun == []
    game.fall()
    assert len(game.begun) == len(copied.begun)


def test_a_deep_copy_keeps_functions_that_have_nothing_to_do_with_the_world() -> None:
    seen: list[object] = []
    game = Game()
    counting = Counting(None)
    game.world.on_contact_begin = seen.append
    game.world.on_presolve = counting
    game.world.on_body_move = print  # of a module
    copied = copy.deepcopy(game.world)
    copied.on_body_move = None
    advance(copied, 60)
    assert len(seen) == 1
    assert counting.count > 0


@pytest.mark.parametrize("kind", ["method", "closure", "partial", "object"])
def test_a_deep_copy_warns_of_functions_whose_owner_is_not_copied(kind: str) -> None:
    game = Game()
    functions = {**callbacks_of(game), "object": Counting(game.ball)}
    game.world.on_contact_begin = functions[kind]
    game.world.on_contact_hit = callable
    copied = copy.deepcopy(game.world)
    with pytest.warns(UserWarning, match="no on_contact_begin"):
        copied.step()
    advance(copied, 60)
    assert game.begun == []
    assert copied.on_contact_begin is None
    assert copied.on_contact_hit is callable


class Level(b2.World):
    """Its callbacks are methods of the world itself."""

    def begin(self, event: b2.ContactBegin) -> None:
        self.begun = event.shape_a.world is self


def test_methods_of_a_world_become_those_of_its_copy() -> None:
    level = Level()
    level.on_contact_begin = level.begin
    level.create_static_body((0, -1)).create_shape(b2.Box(9, 1))
    level.create_dynamic_body((0, 0.5)).create_shape(b2.Circle(0.5))
    copied = copy.deepcopy(level)
    copied.step()
    assert copied.begun
    assert not hasattr(level, "begun")
