"""Joints in piles: what is wedged in an open joint is let out, and nothing else passes through."""

from __future__ import annotations

import itertools
import math

import pytest

import box2dpy as b2
from box2dpy.scenes.human import create_human
from tests.seeds import draws

from ..stepping import advance

DT = 1 / 60


def fill_bin(
    world: b2.World, figures: int, width: float, scale: float, spacing: float, down: float, seed: int
) -> list[b2.Body]:
    """Figures in a column over a bin; `down` is the direction of gravity against straight down, in radians."""
    chance, turn = draws(seed), b2.Frame((0, 0), down)
    cosine, sine = math.cos(down), math.sin(down)
    world.gravity = (10 * scale * sine, -10 * scale * cosine)
    ground, half = world.create_static_body((0, 0), turn.angle), width * scale / 2
    high = 2 * figures * spacing * scale
    for a, b in (((-half, 0), (half, 0)), ((-half, 0), (-half, high)), ((half, 0), (half, high))):
        ground.create_shape(b2.Segment(a, b))
    bodies: list[b2.Body] = []
    for k in range(figures):
        at = (chance.uniform(-half + 0.4 * scale, half - 0.4 * scale), scale * (spacing * k + chance.uniform(0.1, 0.2)))
        for body in create_human(world, at, scale=scale, group=k + 1):
            x, y = body.position
            body.position, body.angle = (cosine * x - sine * y, sine * x + cosine * y), down
            bodies.append(body)
    return bodies


def gap(joint: b2.Joint) -> float:
    a = joint.body_a.world_point(joint.local_anchor_a)
    b = joint.body_b.world_point(joint.local_anchor_b)
    return math.dist(a, b)


@pytest.mark.parametrize(
    ("figures", "width", "scale", "spacing", "down", "rate", "substeps"),
    [(6, 3, 1, 2.5, 0, 60, 4), (6, 6, 1, 2.5, 1.0, 60, 4), (6, 3, 3, 2.5, 0, 60, 4), (10, 2, 1, 1.8, -2.0, 60, 4),
     (20, 6, 1, 2, 0, 60, 4), (20, 3, 1, 2, 0, 60, 8), (6, 3, 1, 2.5, 0, 120, 4), (6, 3, 1, 2.5, 0.5, 60, 2)],
)  # fmt: skip
def test_no_joint_of_a_pile_stays_open(
    figures: int, width: float, scale: float, spacing: float, down: float, rate: int, substeps: int
) -> None:
    # Before, a joint stayed open by 0.09 m in 14 of 40 bins of 6 figures, and by up to 0.2 m in each bin of 20. What is
    # left is the stretch of joints that carry the pile: of 60 bins of 20, one had 0.054.
    for seed in range(4):
        with b2.World(sleeping=False) as world:
            fill_bin(world, figures, width, scale, spacing, down, seed)
            advance(world, 10 * rate, 1 / rate, substeps)
            world.validate()
            worst = max(gap(joint) for joint in world.joints)
            assert worst < (0.03 if figures < 20 else 0.06) * scale, seed


def wedged(world: b2.World, *, fixed: bool, radius: float, apart: float, turn: float) -> tuple[b2.Joint, b2.Body]:
    """Two capsules whose hinge is held open by a bar that lies across it."""
    world.gravity = (0, 0)
    cosine, sine = math.cos(turn), math.sin(turn)
    links = []
    for side in (-1, 1):
        x = side * (0.3 + apart / 2)
        link = world.create_dynamic_body((x * cosine, x * sine), turn)
        link.create_shape(b2.Capsule((-0.25, 0), (0.25, 0), 0.05))
        links.append(link)
    joint = world.create_revolute_joint(*links, local_anchor_a=(0.3, 0), local_anchor_b=(-0.3, 0))
    bar = (world.create_static_body if fixed else world.create_dynamic_body)((0, 0), turn)
    bar.create_shape(b2.Capsule((0, -0.3), (0, 0.3), radius))
    return joint, bar


@pytest.mark.parametrize("turn", [0.0, 1.0, -2.5])
def test_a_bar_in_an_open_hinge_is_let_out_and_then_collides_again(turn: float) -> None:
    for radius, substeps in itertools.product((0.03, 0.05, 0.08), (1, 4, 8)):
        with b2.World(sleeping=False) as world:
            joint, bar = wedged(world, fixed=False, radius=radius, apart=2 * radius, turn=turn)
            advance(world, 600, DT, substeps)
            assert gap(joint) < 0.001, (radius, substeps)
            assert len(bar.touching_bodies) == 0
            copy = b2.World.from_snapshot(world.snapshot())  # what yields is part of the state
            for each in (world, copy):
                list(each.bodies)[2].linear_velocity = (-math.sin(turn), math.cos(turn))
                advance(each, 60, DT, substeps)
                assert gap(next(iter(each.joints))) < 0.001
                list(each.bodies)[2].linear_velocity = (math.sin(turn), -math.cos(turn))
                for _ in range(90):
                    each.step(DT, substeps)
                    each.validate()
            assert world.state_hash() == copy.state_hash()
            copy.close()
            assert joint.body_a.linear_velocity.length > 0.05, (radius, substeps)  # the bar struck them


def test_a_fixed_post_lets_nothing_through() -> None:
    with b2.World(sleeping=False) as world:
        joint, post = wedged(world, fixed=True, radius=0.05, apart=0.1, turn=0.0)
        advance(world, 120, DT, 4)
        assert set(post.touching_bodies) == {joint.body_a, joint.body_b}


@pytest.mark.parametrize("radius", [0.0, 0.01, 0.05])
def test_loads_on_stretched_chains_and_in_jaws_stay(radius: float) -> None:
    for mass, substeps in itertools.product((1.0, 10.0, 100.0), (2, 4)):
        with b2.World(sleeping=False, joint_solver="iterative") as world:
            last, links = world.create_static_body((-3.25, 0)), list[b2.Body]()
            for k in range(13):
                link = world.create_dynamic_body((-3 + 0.5 * k, 0))
                link.create_shape(b2.Capsule((-0.25, 0), (0.25, 0), radius) if radius else b2.Box(0.25, 0.01))
                link.mass = 1.0
                world.create_revolute_joint(last, link, anchor=(-3.25 + 0.5 * k, 0))
                last = link
                links.append(link)
            world.create_revolute_joint(last, world.create_static_body((3.25, 0)), anchor=(3.25, 0))
            ball = world.create_dynamic_body((0.1, 0.5 + radius))
            ball.create_shape(b2.Circle(0.5))
            ball.mass = mass
            advance(world, 300, DT, substeps)
            assert ball.position.y > min(link.position.y for link in links), (mass, substeps)
