"""The fast paths of small calls give the same handles, errors and records as the general ones."""

from __future__ import annotations

import math

import pytest

import box2dpy as b2

from ..seeds import arrays

NAN = math.nan


def test_destroying_a_body_destroys_all_of_its_many_parts() -> None:
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


def test_a_ray_hit_has_the_shape_handle_that_the_user_holds() -> None:
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
    assert repr(hit).startswith(
        "RayHit(shape=<Shape 0 polygon on body 0>, point=Vec2(4.0, 0.0), normal=Vec2(-1.0, 0.0), fract"
    )
    box.destroy()
    assert not hit.shape.alive
    assert world.ray_cast((0, 0), (10, 0)) is None


def test_a_handle_from_a_ray_hit_becomes_invalid_when_its_shape_is_destroyed() -> None:
    world = b2.World()
    for x in range(3):
        world.create_static_body((2.0 * x + 2, 0)).create_shape(b2.Circle(0.5))  # no handle is held
    first, everything = world.ray_cast((0, 0), (10, 0)), world.ray_cast_all((0, 0), (10, 0))
    near = world.nearest((0, 0), 5)
    assert first is not None
    assert near is not None
    assert first.shape is everything[0].shape is near.shape is world.shape(0)
    world.body(0).destroy()
    assert [first.shape.alive, near.shape.alive, *(hit.shape.alive for hit in everything)] == [
        False,
        False,
        False,
        True,
        True,
    ]
    with pytest.raises(b2.DestroyedError):
        _ = first.shape.friction


def test_a_handle_created_during_a_destruction_is_checked_again() -> None:
    world = b2.World()
    shapes = [world.create_static_body().create_shape(b2.Circle(1)) for _ in range(2)]
    (gone, kept), before = [shape._key()[:2] for shape in shapes], world._destroyed_count
    shapes.pop(0).destroy()
    del shapes[:]
    # The count before says that something was destroyed meanwhile, as by another thread.
    assert not world._new_handle(b2.Shape, gone[1], gone[0], before).alive
    handle = world._new_handle(b2.Shape, kept[1], kept[0], before)
    assert handle.alive
    assert world.shape(kept[1]) is handle


@pytest.mark.parametrize("chosen", [None, b2.Filter()])
def test_ray_cast_errors_name_the_bad_argument(chosen: b2.Filter | None) -> None:
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


def test_an_instance_of_a_subclass_of_world_can_be_closed() -> None:
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


def make_pair() -> tuple[b2.World, b2.Body, b2.Body]:
    world = b2.World()
    return world, world.create_static_body(), world.create_dynamic_body((2, 0), 0.5)


def test_all_descriptions_of_a_joint_place_give_the_same_frames() -> None:
    world, a, b = make_pair()
    by_anchor = world.create_revolute_joint(a, b, anchor=(1, 1))
    assert by_anchor.local_anchor_b == pytest.approx(b.local_point((1, 1)), abs=1e-6)
    assert by_anchor.local_angle_b == pytest.approx(-0.5, abs=1e-6)
    same = world.create_revolute_joint(a, b, frame_b=by_anchor.frame_b, frame_a=by_anchor.frame_a, anchor=None)
    assert (same.frame_a, same.frame_b) == (by_anchor.frame_a, by_anchor.frame_b)
    points = [
        {"local_anchor_a": (1, 0.5), "local_anchor_b": [2.5, 3]},
        {"local_anchor_b": (2.5, 3.0), "local_anchor_a": (1.0, 0.5)},
    ]
    for place in points:
        joint = world.create_revolute_joint(a, b, **place)  # type: ignore[arg-type]
        assert (joint.frame_a, joint.frame_b) == (b2.Frame((1, 0.5)), b2.Frame((2.5, 3)))


def test_create_joint_methods_refuse_unknown_options() -> None:
    world, a, b = make_pair()
    for options in (
        {"ancor": (0, 0)},
        {"anchor": (0, 0), "local_angle_a": 1.0},
        {"anchor": (0, 0), "groove_length": 1.0},
    ):
        with pytest.raises(TypeError, match="unexpected keyword"):
            world.create_revolute_joint(a, b, **options)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="ratchet"):
        world.create_ratchet_joint(a, b)  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="local_anchor_a and local_anchor_b belong together"):
        world.create_mover_joint(a, b, local_anchor_a=(0, 0))
    with pytest.raises(ValueError, match="local_anchor_b=None: local_anchor_a and local_anchor_b belong together"):
        world.create_revolute_joint(a, b, local_anchor_a=(0, 0), local_anchor_b=None)
    with pytest.raises(ValueError, match=r"frame_a=None: frame_a and frame_b belong together"):
        world.create_weld_joint(a, b, frame_b=b2.Frame())
    with pytest.raises(ValueError, match="lower_angle=0.0 is out of range"):  # the default, above what was given
        world.create_revolute_joint(a, b, anchor=(0, 0), upper_angle=-1.0)
    a.destroy()
    with pytest.raises(b2.DestroyedError, match=r"body_a=<Body 0 destroyed> has been destroyed"):
        world.create_revolute_joint(a, b, anchor=(0, 0))
    assert len(world.joints) == 0


def test_options_of_one_create_call_do_not_affect_the_next() -> None:
    world, a, b = make_pair()
    with pytest.raises(TypeError):
        world.create_revolute_joint(a, b, anchor=(0, 0), hertz=3.0, enable_limit="yes")  # type: ignore[arg-type]
    first = world.create_revolute_joint(a, b, anchor=(0, 0), hertz=2, enable_spring=True, enable_motor=1)
    second = world.create_revolute_joint(a, b, anchor=(0, 0))
    assert (first.hertz, first.enable_spring, first.enable_motor) == (2, True, True)
    assert (second.hertz, second.enable_spring, second.enable_motor) == (0, False, False)
    shapes = [
        b.create_shape(b2.Circle(1), color=0xFF8000, material=-3, one_way=(0, 2), filter=b2.Filter(4, 5, -6)),
        b.create_shape(b2.Circle(1)),
    ]
    values = [(s.color, s.material, s.one_way, s.filter) for s in shapes]
    assert values == [(0xFF8000, -3, (0, 1), b2.Filter(4, 5, -6)), (0, 0, None, b2.Filter())]
    with pytest.raises(TypeError, match="'sens'"):
        b.create_shape(b2.Circle(1), sens=True)  # type: ignore[call-arg]
    bodies = [
        world.create_dynamic_body(linear_velocity=(1, 2), bullet=True, name="one", data=7),
        world.create_dynamic_body(),
    ]
    assert [(each.linear_velocity, each.bullet, each.name, each.data) for each in bodies] == [
        ((1, 2), True, "one", 7),
        ((0, 0), False, "", None),
    ]
    with pytest.raises(TypeError, match="name=3"):
        world.create_dynamic_body(name=3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="linear_damping=nan must be finite"):
        world.create_dynamic_body(linear_damping=NAN)
    assert len(world.bodies) == 4


@pytest.mark.parametrize("corners", [[(0, 0), (1, 0), (0, 1)], ([0.0, 0.0], (1, 0.0), b2.Vec2(0, 1))])
def test_polygon_vertices_can_be_pairs_of_any_number_type(corners: list[tuple[float, float]]) -> None:
    assert b2.Polygon(corners).vertices == ((0, 0), (1, 0), (0, 1))
    for bad, error in (
        ([(0, 0), (1, 0), (0, 1, 2)], ValueError),
        ([(0, 0), (1, 0), (0, "1")], TypeError),
        ([(0, 0), (1, 0)], ValueError),
        ([(0, 0), (1, 0), (0, 10**400)], (TypeError, ValueError)),
        ([(0, 0), (1, 0), (0, NAN)], ValueError),
        (["ab", "cd", "ef"], TypeError),
    ):
        with pytest.raises(error, match="vertices"):
            b2.Polygon(bad)  # type: ignore[arg-type]


def test_a_polygon_is_the_hull_of_any_set_of_points() -> None:
    """Points that are already a hull are used unchanged; the same points in another order need the hull algorithm."""
    draw = arrays(11)
    hulls = 0
    for _ in range(3000):
        points = draw.normal(size=(draw.integers(3, 9), 2)) * 10 ** draw.uniform(-2.2, 3)
        if draw.random() < 0.3:  # on a lattice of about the welding distance
            points = 0.00051 * draw.integers(-3, 4, size=points.shape) * draw.choice([1, 40])
        try:
            polygon = b2.Polygon(points)
        except ValueError:
            with pytest.raises(ValueError, match="vertices"):
                b2.Polygon(draw.permutation(points))
            continue
        corners, hulls = list(polygon.vertices), hulls + 1
        for again in (points[::-1], draw.permutation(points), corners, corners[1:] + corners[:1], corners[::-1]):
            assert b2.Polygon(again) == polygon  # type: ignore[arg-type]
    assert hulls > 2500
    star = [(math.cos(0.8 * math.pi * k), math.sin(0.8 * math.pi * k)) for k in range(5)]  # turns left, twice around
    assert b2.Polygon(star) == b2.Polygon(star[::-1])


def test_the_shape_of_a_ray_hit_can_be_read_at_any_later_time() -> None:
    """The handle is created when it is read: of a living or a destroyed shape, of a closed world, or one that is
    already held."""
    world = b2.World()
    for x in (5, 15):
        world.create_static_body((x, 0)).create_shape(b2.Box(1, 1))
    first, second = world.ray_cast((0, 0), (10, 0)), world.ray_cast((10, 0), (10, 0))
    third, fourth = world.ray_cast((0, 0), (10, 0)), world.ray_cast((10, 0), (10, 0))
    assert first is not None and second is not None and third is not None and fourth is not None
    near = first.shape
    assert third.shape is near is world.body(0).shapes[0] and near.alive
    world.body(1).destroy()
    assert not second.shape.alive and second.point == (14, 0) and second.shape is second.shape
    world.close()
    assert not fourth.shape.alive
    assert fourth.fraction == pytest.approx(0.4)
