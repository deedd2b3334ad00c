"""Rollback as a networked game needs it: play ahead, restore, replay with changed input."""

from __future__ import annotations

import pytest

import box2dpy as b2

AHEAD = 10


def arena() -> tuple[b2.World, list[b2.Body]]:
    world = b2.World()
    ground = world.create_static_body()
    for a, b in (((-12, 0), (12, 0)), ((-12, 0), (-12, 9)), ((12, 0), (12, 9))):
        ground.create_shape(b2.Segment(a, b))
    for k in range(60):
        box = world.create_dynamic_body((-5 + 1.01 * (k % 10), 0.5 + 1.01 * (k // 10)))
        box.create_shape(b2.Box(0.5, 0.5))
    players = [world.create_dynamic_body((x, 1)) for x in (-9, 9)]
    for player in players:
        player.create_shape(b2.Circle(0.7), density=2.0)
    return world, players


def play(world: b2.World, players: list[b2.Body], keys: tuple[int, int]) -> None:
    for player, key in zip(players, keys):
        player.apply_force((60.0 * key, 0))
    world.step()


def truth(step: int) -> tuple[int, int]:
    return (step // 17) % 3 - 1, 1 - (step // 23) % 3


@pytest.mark.parametrize("options", [{}, {"workers": 2}, {"simd": "scalar"}])
def test_a_corrected_game_has_the_bits_of_one_that_knew_all_input(options: dict[str, object]) -> None:
    """The second player's input arrives 10 steps late. Until then it is guessed to be the last known one."""
    known, players = arena()
    hashes = []
    for step in range(150):
        play(known, players, truth(step))
        hashes.append(known.state_hash())
    known.close()

    made, players = arena()
    world = made.clone(**options)  # type: ignore[arg-type]
    made.close()
    players = [world.body(player.index) for player in players]
    states: dict[int, b2.State] = {}
    guesses: dict[int, int] = {}
    rollbacks = 0
    for step in range(150 + AHEAD):
        arrived = step - AHEAD
        if arrived >= 0 and guesses[arrived] != truth(arrived)[1]:
            rollbacks += 1
            world.restore(states[arrived])
            for again in range(arrived, step):
                states[again], guesses[again] = world.save(), truth(arrived)[1]
                play(world, players, (truth(again)[0], guesses[again]))
        if arrived >= 0:
            assert guesses.pop(arrived) == truth(arrived)[1]
            del states[arrived]
            if arrived + 1 in states:
                with world.clone() as past:
                    past.restore(states[arrived + 1])
                    assert past.state_hash() == hashes[arrived]
        guess = truth(max(arrived, 0))[1]
        states[step], guesses[step] = world.save(), guess
        play(world, players, (truth(step)[0], guess))
    assert rollbacks >= 5
    world.close()
