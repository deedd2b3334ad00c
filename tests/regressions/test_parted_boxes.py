"""A contact is destroyed in the step in which its fat boxes separate, or in the first step after it was woken."""

from __future__ import annotations

import pytest

import box2dpy as b2

from ..oracle.lockstep import DT, FASTEST, REFERENCE, contact_pairs


@pytest.mark.parametrize("options", [REFERENCE, FASTEST])
@pytest.mark.parametrize("dt", [0.0, DT])
@pytest.mark.parametrize("woken_by", ["hand", "touch", "kinematic"])
def test_bodies_put_to_sleep_while_they_fly_apart_lose_their_contact_when_woken(
    woken_by: str, dt: float, options: dict[str, object]
) -> None:
    with b2.World(gravity=(0, 0), **options) as world:  # type: ignore[arg-type]
        left, right = (world.create_dynamic_body((x, 0)) for x in (0, 0.9))
        pair = tuple(body.create_shape(b2.Circle(0.5)).index for body in (left, right))
        world.step(dt)
        right.linear_velocity = (300, 0)
        world.step(DT)  # collides, then moves: 5 m between the two, and they still touch
        assert right.position.x - left.position.x > 5
        right.awake = False
        assert not left.awake
        world.step(dt)  # finds the new boxes, but does not update sleeping contacts
        world.validate()
        assert contact_pairs(world) == {pair}

        if woken_by == "hand":
            left.awake = True
        else:
            make = world.create_dynamic_body if woken_by == "touch" else world.create_kinematic_body
            make((-0.9, 0)).create_shape(b2.Circle(0.5))
            world.step(dt)  # the new contact begins after the old ones were updated
            world.validate()
            assert left.awake
        world.step(dt)
        world.validate()
        assert pair not in contact_pairs(world)
        assert [(e.shape_a.index, e.shape_b.index) for e in world.events.contact_end] == [pair]
        assert world.counters.pairs_destroyed == 1
