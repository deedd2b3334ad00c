"""The timeline of the browser: going back, going on with other input, recordings. No window is needed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import box2dpy as b2
from samples import Run, Sample, load
from samples.browser import history
from samples.browser.history import History
from samples.browser.session import Session
from samples.browser.settings import Settings


class Dropper(Sample):  # no name: it does not join the registry
    """Drops a ball in every fifth step and counts them."""

    def build(self, world: b2.World) -> None:
        self.ground(world)
        self.balls: list[b2.Body] = []
        self.count = 0

    def step(self, world: b2.World) -> None:
        if self.count % 5 == 0:
            self.balls.append(world.create_dynamic_body((0.1 * self.count, 5)))
            self.balls[-1].create_shape(b2.Circle(0.4))
        self.count += 1


def test_every_step_of_the_last_minute_is_shown_again() -> None:
    with Run(Dropper) as run:
        timeline = History()
        timeline.add(run)
        hashes = [run.world.state_hash()]
        for _ in range(200):
            run.step()
            timeline.add(run)
            hashes.append(run.world.state_hash())
        for step in (200, 3, 150, 0, 199, 77):
            timeline.show(run, step)
            assert run.steps == step
            assert run.world.state_hash() == hashes[step]
            assert run.sample.count == step
            assert len(run.sample.balls) == (step + 4) // 5
        timeline.show(run, 50)
        for step in range(51, 60):
            run.step()
            timeline.add(run)
            assert run.world.state_hash() == hashes[step]
        assert timeline.last == 59, "the future was forgotten when the run went on"


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "MOST_BYTES", 1 << 20)
    with Run(Dropper) as run:
        timeline = History()
        for _ in range(600):
            run.step()
            timeline.add(run)
        assert timeline.nbytes == sum(moment.nbytes for moment in timeline.moments)
        assert timeline.nbytes <= 1 << 20
        digest = run.world.state_hash()
        timeline.show(run, timeline.last - 1)
        timeline.show(run, timeline.last)
        assert run.world.state_hash() == digest


def test_steps_older_than_a_minute_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "SECONDS", 1.0)
    with Run(Dropper) as run:
        timeline = History()
        for _ in range(150):
            run.step()
            timeline.add(run)
        assert 60 <= timeline.last - timeline.first <= 60 + 2


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return Session(Settings(), "Rollback")


def step(session: Session, count: int) -> None:
    session.paused = True
    session.single = count
    session.update(0.0)


def test_the_session_goes_back_and_on_with_other_input(session: Session) -> None:
    step(session, 40)
    run = session.run
    assert run is not None
    digest = run.world.state_hash()
    session.scrub(10)
    assert session.moment() == 10
    assert session.time_range() == (0, 40)
    session.scrub(40)
    assert run.world.state_hash() == digest
    session.scrub(10)
    session.bomb(b2.Vec2(0, 9), b2.Vec2(0, -20))
    step(session, 30)
    assert session.time_range() == (0, 40)
    assert run.world.state_hash() != digest
    session.close()


def test_recordings_are_saved_opened_and_continued(session: Session, tmp_path: Path) -> None:
    path = tmp_path / "run.b2d"
    step(session, 5)
    session.record(path)
    assert session.recording
    step(session, 30)
    run = session.run
    assert run is not None
    world = run.world
    places, digest = world.arrays.position.copy(), world.state_hash()
    session.stop_recording()
    assert not session.recording
    target = session.export()
    assert target is not None
    assert target.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    session.open_recording(path)
    assert session.time_range() == (0, 30)
    session.scrub(30)
    assert session.run is not None
    shown = session.run.world
    body = b2.Recording(path)[30].shapes["body"]
    np.testing.assert_allclose(shown.arrays.position, places[body], atol=1e-4)
    session.scrub(12)
    step(session, 1)
    assert session.moment() == 13
    session.scrub(30)
    session.continue_here()
    assert session.run.world.state_hash() == digest
    step(session, 3)
    assert session.message == ""
    session.open_recording(tmp_path / "missing.b2d")
    assert "missing.b2d" in session.message
    session.close()


def test_rollbacks_end_where_the_truth_leads() -> None:
    """With a delay the game guesses and corrects itself; as soon as the truth has arrived, the state is that of a game
    without delay."""
    kind = load()["Rollback"]
    with Run(kind, values={"delay": 10}) as late, Run(kind, values={"delay": 0}) as ideal:
        truth = late.sample.truth
        for step in range(400):
            late.step()
            ideal.step()
            # The input of the last steps has not arrived yet, but is the guessed one where it was constant
            if step > 12 and len({truth(k) for k in range(step - 12, step + 1)}) == 1:
                assert late.world.state_hash() == ideal.world.state_hash()
        assert late.sample.rollbacks >= 3
