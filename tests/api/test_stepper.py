"""`FixedStepper`: the same simulation from any frame rate."""

from __future__ import annotations

import numpy as np
import pytest

import box2dpy as b2


def falling() -> tuple[b2.World, b2.Body]:
    world = b2.World()
    world.create_static_body((0, -1)).create_shape(b2.Box(50, 1))
    body = world.create_dynamic_body((0, 5), angular_velocity=3.0)
    body.create_shape(b2.Box(0.5, 0.5))
    return world, body


def test_the_simulation_does_not_depend_on_the_frame_rate() -> None:
    hashes = set()
    for frames in ([1 / 60] * 120, [1 / 30] * 60, [1 / 144] * 288, [0.05, 0.01] * 33 + [0.02]):
        world, _ = falling()
        with world:
            stepper = b2.FixedStepper(world, dt=1 / 60)
            steps = sum(stepper.advance(frame + 1e-12) for frame in frames)
            assert steps == 120
            hashes.add(world.state_hash())
    assert len(hashes) == 1


def test_interpolated_poses_move_evenly_between_states() -> None:
    world, body = falling()
    with world:
        stepper = b2.FixedStepper(world, dt=0.1)
        stepper.advance(0.1)
        before = world.arrays.position[body.index].copy()
        stepper.advance(0.125)
        after = world.arrays.position[body.index].copy()
        position, rotation = stepper.interpolated()
        assert stepper.alpha == pytest.approx(0.25)
        assert position[body.index] == pytest.approx(before + 0.25 * (after - before), abs=1e-6)
        assert np.hypot(*rotation.T) == pytest.approx(1.0, abs=1e-6)
        late = world.create_dynamic_body((7, 7))
        assert stepper.interpolated()[0][late.index].tolist() == [7, 7]


def test_time_that_a_slow_machine_cannot_simulate_is_dropped() -> None:
    world, _ = falling()
    with world:
        stepper = b2.FixedStepper(world, dt=0.01, max_steps=3)
        assert stepper.advance(1.0) == 3
        assert stepper.alpha <= 1
        assert stepper.advance(0.0) <= 1


@pytest.mark.parametrize(
    ("argument", "value", "error"),
    [
        ("dt", 0.0, ValueError),
        ("dt", float("nan"), ValueError),
        ("dt", "1", TypeError),
        ("substeps", 0, ValueError),
        ("substeps", 65, ValueError),
        ("max_steps", -1, ValueError),
        ("max_steps", 1.5, TypeError),
    ],
)
def test_bad_stepper_arguments_are_named_in_the_error(argument: str, value: object, error: type[Exception]) -> None:
    with b2.World() as world, pytest.raises(error, match=argument):
        b2.FixedStepper(world, **{argument: value})  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [-0.1, float("inf"), float("nan")])
def test_bad_frame_times_are_refused(value: float) -> None:
    with b2.World() as world:
        stepper = b2.FixedStepper(world)
        with pytest.raises(ValueError, match="elapsed"):
            stepper.advance(value)
        assert stepper.advance(1 / 60 + 1e-9) == 1


def test_a_step_that_raises_leaves_at_most_one_step_for_later() -> None:
    with b2.World() as world:
        ball = world.create_dynamic_body((0, 9))
        ball.create_shape(b2.Circle(0.5))
        stepper = b2.FixedStepper(world, dt=0.01, max_steps=50)
        stepper.advance(0.01)

        def boom(_: object) -> None:
            raise RuntimeError("boom")

        world.on_body_move = boom
        with pytest.raises(RuntimeError, match="boom"):
            stepper.advance(0.5)
        assert 0 <= stepper.alpha <= 1
        world.on_body_move = None
        low, high = sorted((9.0, ball.position.y))
        assert low <= stepper.interpolated()[0][ball.index, 1] <= high
        assert stepper.advance(0.0) <= 1
