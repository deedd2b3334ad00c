"""Two workers of the narrow phase met in the flags of a contact: one decided whether it passes through, the other asked
whether it is with terrain. The bits were right; the thread sanitizer (`make thread`) reported the race."""

import box2dpy as b2

ROWS, COLUMNS, BODIES = 5, 60, 1200


def state_hash(workers: int) -> int:
    with b2.World(workers=workers, sleeping=False) as world:
        ground = world.create_static_body((0, 0))
        for row in range(ROWS):
            for column in range(COLUMNS):
                ground.create_shape(b2.Box(0.2, 0.1, center=(0.4 * column, 0.8 * row)), one_way=(0, 1))
        for k in range(BODIES):
            place = (0.1 * (k % 240), 0.3 + 0.8 * (k // 240))
            body = world.create_dynamic_body(place, linear_velocity=(1.0, 4.0 + k % 3))
            body.create_shape(b2.Box(0.04, 0.04))
        most = 0
        for _ in range(60):
            world.step(1 / 60, 4)
            most = max(most, len(world.contacts))
        assert most > BODIES
        return world.state_hash()


def test_bodies_pass_through_one_way_terrain_alike_with_any_number_of_workers() -> None:
    assert state_hash(1) == state_hash(2) == state_hash(3)
