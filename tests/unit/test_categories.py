"""Named categories, 64-bit masks and groups."""

from __future__ import annotations

import pytest

import box2dpy as b2
from box2dpy import Categories, Filter

ALL = 2**64 - 1


def meets(one: Filter, two: Filter) -> bool:
    """Whether a ball that was created inside another is pushed out."""
    with b2.World(gravity=(0, 0)) as world:
        world.create_static_body().create_shape(b2.Circle(1), filter=one)
        ball = world.create_dynamic_body((0.5, 0))
        ball.create_shape(b2.Circle(1), filter=two)
        for _ in range(3):
            world.step()
            world.validate()
        hit = world.overlap_aabb((-1, -1), (1, 1), filter=one)
        assert (ball.contacts != []) is (ball.position.x > 0.5)
        seen = len([shape for shape in hit if shape.body is ball]) == 1
        assert seen is bool(one.mask & two.category and two.mask & one.category), "queries know no groups"
        return ball.position.x > 0.5


@pytest.mark.parametrize("bit", [0, 1, 31, 32, 62, 63])
def test_every_one_of_the_64_category_bits_is_used(bit: int) -> None:
    only = Filter(1 << bit, 1 << bit)
    assert meets(only, only)
    assert not meets(only, Filter(1 << bit, ALL ^ (1 << bit)))
    assert not meets(only, Filter(1 << (bit + 1) % 64))
    assert meets(only, Filter(ALL))


@pytest.mark.parametrize(
    ("a", "b", "filtered", "answer"),
    [(0, 0, True, True), (1, 1, False, True), (-1, -1, True, False), (1, 2, True, True), (1, -1, True, True),
        (-1, -2, False, False),
     (2**31 - 1, 2**31 - 1, False, True), (-(2**31), -(2**31), True, False), (0, -5, True, True)],
)  # fmt: skip
def test_equal_groups_override_the_masks(a: int, b: int, filtered: bool, answer: bool) -> None:
    mask = ALL if filtered else 0
    assert meets(Filter(1, mask, a), Filter(1, ALL, b)) is answer


def test_named_categories_make_working_filters() -> None:
    layers = Categories("ground", "player", "enemy", "ghost")
    player, ghost = layers.filter("player", mask=["ground", "enemy"]), layers.filter("ghost", mask="ground")
    ground, enemy = layers.filter("ground"), layers.filter("enemy", but=("enemy",))
    assert meets(ground, player) and meets(ground, ghost) and meets(player, enemy)
    assert not meets(player, ghost) and not meets(enemy, enemy) and not meets(player, player)
    assert not meets(Filter(), player) and meets(Filter(), enemy)


def test_category_names_map_to_bits() -> None:
    layers = Categories("a", "b", "a")
    assert list(layers) == ["default", "a", "b"] and len(layers) == 3 and "a" in layers and "c" not in layers
    assert (layers["default"], layers["a"], layers["b"]) == (1, 2, 4)
    assert layers.mask() == 0 and layers.mask("a", "a", "b") == 6 and layers.names(7) == ["default", "a", "b"]
    assert layers.filter() == Filter() and layers.filter(["a", "b"], group=-3) == Filter(6, ALL, -3)
    assert layers.filter("a", mask=[]) == Filter(2, 0)
    assert repr(layers) == "Categories('a', 'b')"
    many = Categories(*(f"n{k}" for k in range(63)))
    assert many["n62"] == 1 << 63 and many.add("n62") == 1 << 63
    with pytest.raises(ValueError, match="64"):
        many.add("one more")


def test_unknown_category_names_and_wrong_types_are_refused() -> None:
    layers = Categories("a")
    for call in (lambda: layers["z"], lambda: layers.mask("z"), lambda: layers.filter("z"),
        lambda: layers.filter("a", mask=["z"]),
                 lambda: layers.filter("a", but="z"), lambda: layers["az"], lambda: layers.names(-1),
                 lambda: layers.names(2**64),
                 lambda: layers.filter("a", group=2**31), lambda: layers.filter([1])):  # fmt: skip
        with pytest.raises(ValueError, match="."):
            call()
    for bad in (1, None, b"a"):
        with pytest.raises(TypeError):
            layers.add(bad)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        layers.filter(5)  # type: ignore[arg-type]
    assert len(layers) == 2


def test_worlds_have_their_own_categories_or_share_them() -> None:
    with b2.World() as one, b2.World() as two:
        one.categories.add("x")
        assert "x" not in two.categories
        two.categories = one.categories
        assert two.categories["x"] == 2
        with pytest.raises(TypeError, match="categories"):
            two.categories = {"x": 1}  # type: ignore[assignment]
