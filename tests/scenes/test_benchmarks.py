"""The benchmark programs: the command line on tiny runs, JSON, statistics, peers that build the same scene, pictures."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest
from box2dpy.benchmarks import demo, peers, report, runner, script
from box2dpy.benchmarks.__main__ import main

from box2dpy.scenes import SCENES, get

installed = [peer for peer in peers.PEERS if importlib.util.find_spec(peer) is not None]
TINY = ["--steps", "6", "--scale", "0.05"]


def test_command_line_writes_wellformed_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "out" / "run.json"
    status = main(["--scene", "tumbler,mixed_pile", "--workers", "1,2", "--repeat", "2", "--json", str(path), *TINY])
    printed = capsys.readouterr().out
    assert status == 0
    assert "tumbler" in printed
    assert "box2dpy x2" in printed
    data = json.loads(path.read_text(encoding="utf-8"))
    assert data["machine"]["cores"] >= 1
    records = data["results"]
    assert [(r["scene"], r["workers"]) for r in records] == [
        ("tumbler", 1),
        ("tumbler", 2),
        ("mixed_pile", 1),
        ("mixed_pile", 2),
    ]
    for record in records:
        assert record["steps"] == 6
        assert record["repeats"] == 2
        assert 0 < record["total_ms"]["minimum"] <= record["total_ms"]["median"]
        assert 0 < record["step_ms"]["median"] <= record["step_ms"]["p99"] <= record["step_ms"]["max"]
        assert record["step0_ms"] > 0
        assert record["profile_ms"]["step"] > 0
        assert record["counters"]["bodies"] > 1
        assert len(record["state_hash"]) == 16
    assert records[0]["state_hash"] == records[1]["state_hash"]


def test_command_line_takes_engine_options(capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--simd", "scalar", "--broadphase", "brute", "--narrowphase", "batched,per_pair"]
    assert main(["--scene", "falling_hinges", *options, *TINY]) == 0
    printed = capsys.readouterr().out
    assert "scalar brute batched" in printed
    assert "scalar brute per_pair" in printed


@pytest.mark.parametrize("bad", [["--scene", "nope"], ["--peer", "nope"], ["--simd", "nope", "--scene", "tumbler"]])
def test_command_line_names_what_is_unknown(bad: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*bad, *TINY]) == 2
    assert "nope" in capsys.readouterr().err


@pytest.mark.skipif(not installed, reason="no peer is installed")
def test_command_line_prints_ratios(capsys: pytest.CaptureFixture[str]) -> None:
    wanted = [word for peer in installed for word in ("--peer", peer)]
    assert main(["--scene", "large_pyramid", *wanted, *TINY]) == 0
    printed = capsys.readouterr().out
    for peer in installed:
        assert f"{peer} / it" in printed


@pytest.mark.parametrize("peer", installed)
@pytest.mark.parametrize("name", SCENES)
def test_peer_builds_the_same_scene(peer: str, name: str) -> None:
    scene = get(name)
    world = peers.create(peer, **scene.options)
    with scene.world() as ours:
        for each in (world, ours):
            state = scene.build(each, 0.1)
            for number in range(17):  # rain comes every eighth step
                scene.advance(each, state, number)
                each.step(1 / 60, 4)
        counters = ours.counters
        assert tuple(world.counts) == (counters.bodies, counters.shapes, counters.joints)
    world.close()


def test_spike_is_three_times_what_is_around_it() -> None:
    steps = [1.0] * 100
    steps[40], steps[60], steps[70] = 3.5, 2.9, 50.0
    changed = [False] * 100
    changed[70] = True
    assert runner.find_spikes(steps, changed) == [41]
    assert runner.find_spikes([1.0, 1.0, 4.0], [False] * 3) == [3]


def test_percentile_is_a_value_of_the_list() -> None:
    values = [float(k) for k in range(1, 201)]
    assert runner.percentile(values, 0.99) == 198.0
    assert runner.percentile([5.0], 0.99) == 5.0


def test_table_lines_up() -> None:
    assert report.table(["name", "ms"], [["a", "1.25"], ["bcdef", "10"]]).splitlines() == [
        "name     ms",
        "-----  ----",
        "a      1.25",
        "bcdef    10",
    ]


def test_unequal_hashes_are_told() -> None:
    engine = runner.Engine()
    first, second = runner.Run(state_hash=1), runner.Run(state_hash=2)
    assert not list(runner.hash_mismatches([runner.Result("s", engine, [first, first])]))
    assert len(list(runner.hash_mismatches([runner.Result("s", engine, [first, second])]))) == 1


def test_demo_prints_a_table_and_leaves_a_picture(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    image = pytest.importorskip("PIL.Image")
    assert demo.main(["--steps", "3", "--out", str(tmp_path), "--no-window"]) == 0
    printed = capsys.readouterr().out
    assert "large_pyramid" in printed
    assert "5051" in printed
    with image.open(tmp_path / "demo.png") as picture:
        assert picture.size[1] == demo.PICTURE_SIZE[1]
        assert len(picture.getcolors(2**24)) > 50


def test_script_leaves_a_picture(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("PIL.Image")
    script.main("tumbler", None, ["--steps", "3", "--picture", str(tmp_path / "a" / "out.png")])
    assert "2027" in capsys.readouterr().out
    assert (tmp_path / "a" / "out.png").stat().st_size > 1000
