"""What the short ways of small calls must keep: handles, errors and records as of the long ones."""

from __future__ import annotations

import math

import pytest

import box2dpy as b2

NAN = math.nan


def test_a_body_with_many_parts_takes_them_all_along() -> None:
    world = b2.World()
    body, others = world.create_dynamic_body(), [world.create_dynamic_body() for _ in range(50)]
    shapes = [body.create_shape(b2.Circle(0.1)) for _ in range(90)]
    chain = body.create_chain([(float(x), 0.0) for x in range(9)])
    segments = chain.shapes
    joints = [world.create_weld_joint(body, other, anchor=(0, 0)) for other in others]
    joints[3].data = "kept"
    body.destroy()
    assert not any(thing.alive for thing in (body, chain, *shapes, *segments, *joints))
    assert all(other.alive for other in others)
    assert (len(world.bodies), len(world.shapes), len(world.joints), len(world.chains)) == (50, 0, 0, 0)
    assert not world._data
    world.validate()


def test_a_hit_is_a_record_of_the_handle_that_the_user_holds() -> None:
    world = b2.World()
    box = world.create_static_body((5, 0)).create_shape(b2.Box(1, 1))
    hit, same = world.ray_cast((0, 0), (10, 0)), world.ray_cast((0, 0), (10, 0))
    assert hit is not None
    assert hit
    assert (hit.shape is box, hit.point, hit.normal, round(hit.fraction, 9)) == (True, (4, 0), (-1, 0), 0.4)
    assert tuple(hit) == (hit.shape, hit.point, hit.normal, hit.fraction)
    assert hit == same
    assert hash(hit) == hash(same)
    assert hit != world.ray_cast((0, 0.5), (10, 0))
    assert repr(hit).startswith("RayHit(shape=<Shape 0 polygon on body 0>, point=Vec2(4.0, 0.0), normal=Vec2(-1.0, 0.0), fract")
    box.destroy()
    assert not hit.shape.alive
    assert world.ray_cast((0, 0), (10, 0)) is None


def test_a_handle_from_a_hit_hears_of_its_death() -> None:
    world = b2.World()
    for x in range(3):
        world.create_static_body((2.0 * x + 2, 0)).create_shape(b2.Circle(0.5))  # no handle is held
    first, everything = world.ray_cast((0, 0), (10, 0)), world.ray_cast_all((0, 0), (10, 0))
    near = world.nearest((0, 0), 5)
    assert first is not None
    assert near is not None
    assert first.shape is everything[0].shape is near.shape is world.shapes[0]
    world.bodies[0].destroy()
    assert [first.shape.alive, near.shape.alive, *(hit.shape.alive for hit in everything)] == [False, False, False, True, True]
    with pytest.raises(b2.DestroyedError):
        _ = first.shape.friction


def test_a_handle_made_while_something_died_is_looked_at_again() -> None:
    world = b2.World()
    shapes = [world.create_static_body().create_shape(b2.Circle(1)) for _ in range(2)]
    (gone, kept), before = [shape._key()[:2] for shape in shapes], world._deaths
    shapes.pop(0).destroy()
    del shapes[:]
    assert not world._fresh(b2.Shape, gone[1], gone[0], before).alive  # as if another thread had destroyed it meanwhile
    handle = world._fresh(b2.Shape, kept[1], kept[0], before)
    assert handle.alive
    assert world.shapes[0] is handle


@pytest.mark.parametrize("chosen", [None, b2.Filter()])
def test_rays_name_what_is_wrong(chosen: b2.Filter | None) -> None:
    world = b2.World()
    with pytest.raises(ValueError, match=r"origin=\(nan, 0\) must be finite"):
        world.ray_cast((NAN, 0), (1, 0), filter=chosen)
    with pytest.raises(ValueError, match="translation=.* is out of range"):
        world.ray_cast((0, 0), (1e13, 0), filter=chosen)
    with pytest.raises(ValueError, match="origin=.* exactly two"):
        world.ray_cast((0, 0, 0), (1, 0), filter=chosen)
    with pytest.raises(TypeError, match="translation='ab' must be a pair"):
        world.ray_cast((0, 0), "ab", filter=chosen)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="filter=3 must be a Filter"):
        world.ray_cast((0, 0), (1, 0), filter=3)  # type: ignore[arg-type]


def test_a_world_of_a_class_of_yours_closes_as_any() -> None:
    class Game(b2.World):
        score = 3

        def double(self) -> int:
            return 2 * self.score

    game = Game()
    game.score = 4
    body = game.create_static_body()
    game.close()
    game.close()
    assert (game.closed, game.double(), isinstance(game, Game), type(game).__name__) == (True, 8, True, "Game")
    assert not body.alive
    with pytest.raises(b2.DestroyedError, match="the world has been closed"):
        game.create_static_body()
    with Game() as other:
        assert not other.closed
