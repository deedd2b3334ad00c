"""Random calls of the whole API in random order: every invariant holds after every step, and the options do not change
results."""

from __future__ import annotations

import pytest

from .lockstep import (
    FASTEST,
    REFERENCE,
    TREE,
    Mob,
    assert_coarsening,
    assert_exact_after_splitting,
    assert_pairs_match_brute_force,
)


@pytest.mark.parametrize("seed", range(12))
def test_random_calls_leave_valid_worlds_with_one_hash(seed: int) -> None:
    mob = Mob(seed, [REFERENCE, FASTEST], sleep_time=0.2)
    for number in range(60):
        for _ in range(mob.draw.choice((0, 0, 1, 2, 5))):
            mob.act()
        for _ in range(mob.draw.choice((1, 1, 1, 10))):
            mob.step()
            mob.check()
        if number % 10 == 9:
            for world in mob.worlds:
                assert_coarsening(world)
                assert_pairs_match_brute_force(world)
                assert_exact_after_splitting(world)
            mob.check()
    mob.close()


@pytest.mark.parametrize("seed", range(100, 103))
def test_random_calls_between_steps_give_one_hash_for_all_broad_phases(seed: int) -> None:
    mob = Mob(seed, [REFERENCE, TREE, FASTEST], most_bodies=40, sleep_time=0.1)
    mob.play(80)
