"""The benchmark programs: the command line on tiny runs, JSON, statistics, peers that build the same scene,
pictures."""

from __future__ import annotations

import importlib.util
import json
import math
import shlex
import sys
from pathlib import Path

import numpy as np
import pytest
from box2dpy.benchmarks import quality
from box2dpy.benchmarks.__main__ import main
from box2dpy.benchmarks.commands import demo, growth, lifecycle, scaling, script, train
from box2dpy.benchmarks.engines import box2d_program, comparison, peers, prediction, results, runner
from box2dpy.benchmarks.engines.peer import CannotExpress, world_point
from box2dpy.benchmarks.output import pages, report
from box2dpy.benchmarks.output.machine import machine
from box2dpy.benchmarks.quality.common import maker

import box2dpy as b2
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
def test_the_command_line_names_unknown_scenes_peers_and_options(
    bad: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*bad, *TINY]) == 2
    assert "nope" in capsys.readouterr().err


@pytest.mark.skipif(not installed, reason="no peer is installed")
def test_command_line_prints_ratios(capsys: pytest.CaptureFixture[str]) -> None:
    wanted = [word for peer in installed for word in ("--peer", peer)]
    assert main(["--scene", "large_pyramid", *wanted, *TINY]) == 0
    printed = capsys.readouterr().out
    for peer in installed:
        assert f"{peer} / it" in printed


# Why a peer cannot build a scene; a scene that is not listed it can.
CANNOT_BUILD = {
    ("pymunk", "spinner"): "one-sided chains",
    **{(peer, "menagerie"): "open chains" for peer in peers.PEERS},
    **{(peer, "cranes"): "the mass of a body" for peer in peers.PEERS},
}


@pytest.mark.parametrize("peer", installed)
@pytest.mark.parametrize("name", SCENES)
def test_peer_builds_the_same_scene_as_box2dpy(peer: str, name: str) -> None:
    scene = get(name)
    if (peer, name) in CANNOT_BUILD:
        with pytest.raises(CannotExpress, match=CANNOT_BUILD[peer, name]):
            scene.build(peers.create(peer), 0.1)
        return
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


@pytest.mark.parametrize("engine", ["box2dpy", *installed])
def test_slides_rods_and_ropes_hold_alike(engine: str) -> None:
    """Each ties a ball beside a post that is turned; gravity moves it only where the joint lets it."""
    world = maker(engine)(gravity=(0, -10), sleeping=False)
    balls, anchor = [], (1.0, 0.0)
    for k in range(3):
        post, ball = world.create_static_body((10 * k, 0), 0.5), world.create_dynamic_body((10 * k + 2, 0))
        ball.create_shape(b2.Circle(0.1))
        near = world_point(post, anchor)
        if k == 0:
            world.create_prismatic_joint(post, ball, anchor=ball.position, axis=(0.6, 0.8))
        elif k == 1:
            world.create_distance_joint(post, ball, local_anchor_a=anchor, local_anchor_b=(0, 0))
            length = math.dist(near, ball.position)
        else:
            world.create_rope_joint(post, ball, max_length=3.0, local_anchor_a=anchor)
        balls.append((near, ball))
    fallen = 0.0
    for _ in range(120):
        world.step(1 / 60, 4)
        (_, slid), (rod, swung), (rope, hung) = balls
        x, y = slid.position
        assert abs(0.8 * (x - 2) - 0.6 * y) < 0.02
        assert math.dist(rod, swung.position) == pytest.approx(length, abs=0.05)
        assert math.dist(rope, hung.position) < 3.2
        fallen = min(fallen, hung.position[1])
    assert y == pytest.approx(-0.8 * 0.8 * 20, rel=0.1)
    assert fallen < -2
    world.close()


def test_spike_is_three_times_what_is_around_it() -> None:
    steps = [1.0] * 100
    steps[40], steps[60], steps[70] = 3.5, 2.9, 50.0
    changed = [False] * 100
    changed[70] = True
    assert results.find_spikes(steps, changed) == [41]
    assert results.find_spikes([1.0, 1.0, 4.0], [False] * 3) == [3]


def test_percentile_is_a_value_of_the_list() -> None:
    values = [float(k) for k in range(1, 201)]
    assert results.percentile(values, 0.99) == 198.0
    assert results.percentile([5.0], 0.99) == 5.0


def test_table_columns_are_aligned() -> None:
    assert report.table(["name", "ms"], [["a", "1.25"], ["bcdef", "10"]]).splitlines() == [
        "name     ms",
        "-----  ----",
        "a      1.25",
        "bcdef    10",
    ]


def test_unequal_hashes_are_reported() -> None:
    engine = results.Engine()
    first, second = results.Run(state_hash=1), results.Run(state_hash=2)
    assert not list(results.hash_mismatches([results.Result("s", engine, [first, first])]))
    assert len(list(results.hash_mismatches([results.Result("s", engine, [first, second])]))) == 1


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


BOX2D = """
import sys

options = dict(word.split("=") for word in sys.argv[1:] if "=" in word)
workers, scene = int(options["-w"]), options["-b"]
names = {names}
if {numbers}:
    scene = names[int(scene) if scene.isdigit() else 0]
if scene not in names:
    print(f'No benchmark named "{{scene}}"')
    sys.exit(1)
steps = {steps}
print("Starting Box2D benchmarks\\n======================================")
print(f"benchmark: {{scene}}, steps = {{steps}}\\nthread count: {{workers}}")
print("run 0 : %g (ms)" % (1000 / workers))
print("body 2027 / shape 2029 / contact 8823 / joint 1 / stack 4096\\ncolor counts: 1 2 3\\n")
if "-s" in sys.argv:
    with open(f"{{scene}}_t{{workers}}.dat", "w") as file:
        for number in range(steps):
            file.write(f"{{9 if number == 0 else 1.25}} 0.1 0.2 0.3 0.4 0.5 0.6\\n")
with open(f"{{scene}}.csv", "w") as file:
    file.write(f"threads,ms\\n{{workers}},{{1000 / workers}}\\n")
"""


def fake_box2d(folder: Path, *, steps: int = 750, numbers: bool = False) -> str:
    """A program with the output format of Box2D's: the total is 1000 ms divided by the number of workers."""
    path, program = folder / "benchmark", folder / "benchmark.py"
    program.write_text(BOX2D.format(names=box2d_program.NAMES, steps=steps, numbers=numbers), encoding="utf-8")
    # A first line that names Python would have an end after 127 bytes, or at a space
    command = shlex.join([sys.executable, str(program)])
    path.write_text(f'#!/bin/sh\nexec {command} "$@"\n', encoding="utf-8")
    path.chmod(0o755)
    return str(path)


posix = pytest.mark.skipif(sys.platform == "win32", reason="the program is a script of a shell")


@posix
@pytest.mark.parametrize("numbers", [False, True], ids=["names", "numbers only"])
def test_the_output_of_box2ds_program_is_read(tmp_path: Path, numbers: bool) -> None:
    output = box2d_program.run(fake_box2d(tmp_path, numbers=numbers), get("tumbler"), 2, 750, 1.0)
    assert (output.scene, output.steps, output.workers, output.total_ms) == ("tumbler", 750, 2, 500.0)
    assert output.counters == {"bodies": 2027, "shapes": 2029, "contacts": 8823, "joints": 1}
    assert output.step_ms == [9.0] + [1.25] * 749


@posix
def test_output_of_another_scene_or_step_count_of_box2ds_program_is_refused(tmp_path: Path) -> None:
    with pytest.raises(box2d_program.ProgramError, match="10 steps, not 750: is it a debug build"):
        box2d_program.run(fake_box2d(tmp_path, steps=10), get("tumbler"), 1, 750, 1.0)
    with pytest.raises(box2d_program.ProgramError, match="whole scenes"):
        box2d_program.run(fake_box2d(tmp_path), get("tumbler"), 1, 750, 0.5)
    with pytest.raises(box2d_program.ProgramError, match="does not have"):
        box2d_program.run(fake_box2d(tmp_path), get("mixed_pile"), 1, 600, 1.0)
    with pytest.raises(box2d_program.ProgramError, match="cannot run"):
        box2d_program.run(str(tmp_path / "nothing"), get("tumbler"), 1, 750, 1.0)
    with pytest.raises(box2d_program.ProgramError, match="printed no"):
        box2d_program.parse("benchmark: tumbler, steps = 750\nthread count: 1\n")


@posix
def test_ratios_to_box2ds_program_are_to_as_many_workers(tmp_path: Path) -> None:
    path = fake_box2d(tmp_path)
    scene = get("tumbler")
    program = [
        results.Result("tumbler", e, [runner.run_once(e, scene, 750)])
        for w in (1, 2)
        if (e := results.Engine("box2d", w, path=path))
    ]
    ours = [results.Result("tumbler", results.Engine(workers=w), [results.Run(1.0, [2.0] * 100)]) for w in (1, 2)]
    assert [comparison.ratio(result, "box2d", ours) for result in ours] == [None, None]
    assert "/ it" not in report.times(ours, [])
    together = [*ours, *program]
    assert [comparison.ratio(result, "box2d", together) for result in ours] == [5.0, 2.5]
    printed = report.times(together, [])
    assert "box2d / it" in printed
    assert "box2d x2" in printed
    assert "5.00x Box2D in the mean of 1 scenes" in printed


def test_the_table_of_box2ds_program_has_avx2_and_the_best_instructions(tmp_path: Path) -> None:
    def record(engine: str, workers: int, total: float, **more: object) -> dict[str, object]:
        steps, counters = {"median": 1.0, "p99": 1.0, "max": 1.0}, {"overflow_contacts": 0}
        return {
            "engine": engine, "scene": "tumbler", "workers": workers, "steps": 750, "repeats": 2, "spikes": [],
            "total_ms": {"minimum": total}, "step_ms": steps, "step0_ms": 1.0, "serial_share": None,
            "allocations": 0, "counters": counters, "state_hash": "0", "profile_ms": {"step": 1.0}, **more,
        }  # fmt: skip

    records = [
        record("box2dpy", 1, 250.0, box2d_ratio=4.0),
        record("box2dpy", 1, 400.0, box2d_ratio=2.5, simd="avx2"),
        record("box2dpy", 1, 900.0, box2d_ratio=1.1, simd="avx2", broadphase="tree"),
        record("box2d", 1, 1000.0),
    ]
    (tmp_path / "docs").mkdir()
    texts = {}
    for name, markers in (("docs/results.md", ["benchmark results", "box2d table"]), ("README.md", ["box2d table"])):
        text = "".join(f"<!-- {each} -->\n<!-- end of {each} -->\n" for each in markers)
        (tmp_path / name).write_text(text, encoding="utf-8")
    pages.write(tmp_path, "command", machine(), records, None)
    for name in ("docs/results.md", "README.md"):
        texts[name] = (tmp_path / name).read_text(encoding="utf-8")
    assert "| tumbler | 1000 | 400 | 250 | 2.50x | 4.00x |" in texts["docs/results.md"]
    assert "* AVX2, 1 worker: 2.50 in the geometric mean of 1 scenes" in texts["docs/results.md"]
    assert "| tumbler | 400 | 1000 |" in texts["README.md"]
    pages.write(tmp_path, "command", machine(), records[:1], None)
    kept = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert kept == texts["README.md"]  # the run without the program keeps the table


def test_the_command_line_skips_box2ds_program_where_it_cannot_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--scene", "tumbler", "--peer", f"box2d={tmp_path / 'nothing'}", *TINY]) == 0
    assert "whole scenes only" in capsys.readouterr().out


def test_charts_and_pages_are_written_from_the_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    image = pytest.importorskip("PIL.Image")
    pytest.importorskip("matplotlib")
    peer = ["--peer", installed[0], "--memory"] if installed and sys.platform == "linux" else []
    data = tmp_path / "run.json"
    assert (
        main(
            [
                "--scene", "tumbler", "--workers", "1,2", *peer, "--json", str(data), "--plot", str(tmp_path / "plots"),
                *TINY,
            ]
        )
        == 0
    )  # fmt: skip
    names = {path.name for path in (tmp_path / "plots").iterdir()}
    assert names == {"stages.png", "tumbler.png"} | ({"ratios.png", "memory.png"} if peer else set())
    for name in names:
        with image.open(tmp_path / "plots" / name) as picture:
            assert len(picture.convert("RGB").getcolors(2**24)) > 20
    (tmp_path / "docs").mkdir()
    page = tmp_path / "docs" / "results.md"
    page.write_text(
        "before\n<!-- benchmark results -->\nold\n<!-- end of benchmark results -->\nafter\n", encoding="utf-8"
    )
    assert main(["--load", str(data), "--write-results", str(tmp_path)]) == 0
    written = page.read_text(encoding="utf-8")
    assert written.startswith("before\n<!-- benchmark results -->\nCommand: ")
    assert written.endswith("<!-- end of benchmark results -->\nafter\n")
    where = json.loads(data.read_text(encoding="utf-8"))["machine"]
    for part in (where["cpu"], where["compiler"], where["date"][:10], "| tumbler | 6 |", "state"):
        assert part in written, part
    assert "old" not in written
    again = written
    assert main(["--load", str(data), "--write-results", str(tmp_path)]) == 0
    assert page.read_text(encoding="utf-8") == again
    page.write_text("no markers", encoding="utf-8")
    assert main(["--load", str(data), "--write-results", str(tmp_path)]) == 2
    assert "has no <!-- benchmark results -->" in capsys.readouterr().err


def test_the_documents_have_the_markers_for_results() -> None:
    root = Path(__file__).resolve().parents[2]
    for path, name in (
        (pages.RESULTS, "benchmark results"),
        (pages.RESULTS, "quality"),
        (pages.RESULTS, "box2d table"),
        (pages.README, "box2d table"),
    ):
        text = (root / path).read_text(encoding="utf-8")
        assert 0 < text.find(f"<!-- {name} -->\n") < text.find(f"<!-- end of {name} -->"), path


def test_the_quality_command_prints_draws_and_writes_its_figures(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("matplotlib")
    (tmp_path / "docs").mkdir()
    page = tmp_path / "docs" / "results.md"
    page.write_text("<!-- quality -->\nold\n<!-- end of quality -->\nafter\n", encoding="utf-8")
    data, plot = tmp_path / "quality.json", tmp_path / "quality.png"
    words = ["--scale", "0.01", "--json", str(data), "--plot", str(plot), "--write-results", str(tmp_path)]
    assert main(["quality", *words]) == 0
    printed = capsys.readouterr()
    values = json.loads(data.read_text(encoding="utf-8"))["quality"]
    assert list(values) == [figure.name for figure in quality.FIGURES]
    for name, row in values.items():
        assert list(row) == ["box2dpy", *installed], name
        assert isinstance(row["box2dpy"], float), name
        assert all(value is None or value >= 0 for value in row.values()), name  # None: cannot be expressed
        assert name in printed.out
    for peer in set(peers.PEERS) - set(installed):
        assert f"{peer} is not installed: skipped" in printed.err
    assert f"[{len(values) * (1 + len(installed))}/" in printed.err  # progress
    assert plot.stat().st_size > 10_000
    text = page.read_text(encoding="utf-8")
    assert "| cradle |" in text
    assert "old" not in text


def test_the_quality_command_measures_what_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["quality", "--only", "cradle,gas energy", "--peer", "pymunk" if "pymunk" in installed else ""]) == 0
    lines = capsys.readouterr().out.splitlines()[2:]
    assert [line.split("  ")[0] for line in lines] == ["cradle", "gas energy"]
    assert all(99 < float(line.split()[2 if line.startswith("gas") else 1]) < 101 for line in lines)
    assert main(["quality", "--only", "nothing"]) == 2
    assert "no figure 'nothing'" in capsys.readouterr().err


def test_the_islands_command_writes_a_table_and_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "islands.json"
    assert main(["islands", "--steps", "3", "--scale", "0.1", "--json", str(path)]) == 0
    printed = capsys.readouterr().out
    assert "persistent, all split after each step" in printed
    records = json.loads(path.read_text(encoding="utf-8"))["results"]
    scenes = {record["scene"] for record in records}
    assert scenes == {"pyramids", "tumbler2000"}
    for record in records:
        assert record["manage_ms"]["most"] >= record["manage_ms"]["average"] >= 0
    # A stage that has nothing to do takes no time; strategies that build the islands anew always have
    assert all(any(r["manage_ms"]["average"] > 0 for r in records if r["scene"] == scene) for scene in scenes)


def test_the_growth_command_writes_a_table_and_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = [
        "--bodies", "100,300", "--steps", "3", "--idle", "220", "--awake", "110", "--turns", "1", "--json",
        str(tmp_path / "g.json"),
    ]  # fmt: skip
    plot = ["--plot", str(tmp_path)] if importlib.util.find_spec("matplotlib") else []
    assert main(["growth", *arguments, *plot]) == 0
    assert "ns a body" in capsys.readouterr().out
    data = json.loads((tmp_path / "g.json").read_text(encoding="utf-8"))
    assert [(r["layout"], r["bodies"]) for r in data["growth"]] == [
        ("field", 110), ("field", 275), ("pyramid", 105), ("pyramid", 300), ("heap", 100), ("heap", 300),
    ]  # fmt: skip
    assert [r["growth"] for r in data["growth"]][::2] == [1.0] * 3
    assert [(r["kind"], r["awake"], r["idle"]) for r in data["idle"]] == [("sleeping", 110, 222), ("static", 110, 221)]
    assert (tmp_path / "growth.png").exists() == bool(plot)


@pytest.mark.parametrize("layout", growth.LAYOUTS)
def test_growth_layouts_are_piles_of_touching_bodies(layout: str) -> None:
    """Every body touches another before the timed steps, and no body flies away."""
    with b2.World(sleeping=False) as world:
        growth.LAYOUTS[layout](world, 220)
        for _ in range(growth.WARM):
            world.step()
        bodies = [body for body in world.bodies if body.type == b2.BodyType.DYNAMIC]
        assert all(body.touching_bodies for body in bodies)
        assert max(body.linear_velocity.length for body in bodies) < 3.0


def test_the_scaling_command_writes_a_table_and_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plot = ["--plot", str(tmp_path)] if importlib.util.find_spec("matplotlib") else []
    path = tmp_path / "s.json"
    assert main(["scaling", "--scene", "tumbler", "--workers", "1,2,3", "--json", str(path), *plot, *TINY]) == 0
    assert "as measured" in capsys.readouterr().out
    records = json.loads(path.read_text(encoding="utf-8"))["scaling"]
    assert [record["workers"] for record in records] == [1, 2, 3]
    assert records[0]["speedup"] == 1.0
    assert all(0 <= record["serial_share"] <= 1 for record in records)
    assert (tmp_path / "scaling.png").exists() == bool(plot)


def test_the_scaling_command_predicts_more_workers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "predicted.json"
    assert (
        main(["scaling", "--predict", "--scene", "tumbler,spinner", "--repeat", "2", "--json", str(path), *TINY]) == 0
    )
    assert "percent of a step with 8" in capsys.readouterr().out
    for record in json.loads(path.read_text(encoding="utf-8"))["predicted"]:
        parts = record["predicted_us"]
        assert set(record["measured_us"]) == {"1", "2"}
        assert sum(parts["1"].values()) > 0
        assert parts["1"]["barriers"] == parts["1"]["lines"] == 0
        assert sum(parts["64"].values()) > 0


def test_a_stage_takes_whole_grains_a_barrier_and_the_lines_of_others() -> None:
    solve = b2.Profile._fields.index("solve")
    step = prediction.Step([(solve, 6, 60.0, 0.0), (0, 4, 40.0, 30.0)], 8.0, {"contact_transitions": 5.0})
    assert prediction.predict([step], 1).total == pytest.approx(60 + 40 + 8 + 5)
    four = prediction.predict([step], 4)
    assert four.serial == 5
    tiny = prediction.predict([prediction.Step([(solve, 2, 0.2, 0.0)], 0.0, {})], 4)
    assert tiny.parts["serial solve"] == tiny.total == 0.2  # cheaper alone than with a barrier
    assert four.parts["work"] + four.parts["uneven grains"] == pytest.approx(8 / 4 + 2 / 6 * 60 + 30)
    assert four.parts["barriers"] == pytest.approx(2 * (0.30 + 2 * 0.04))
    assert four.parts["lines"] == pytest.approx(0.002 * 100 * 6 * 0.75 / 4)
    quicker = prediction.Step([(solve, 6, 50.0, 0.0), (0, 4, 50.0, 20.0)], 9.0, {"contact_transitions": 6.0})
    assert prediction.least([[step], [quicker]]) == [
        prediction.Step([(solve, 6, 50.0, 0.0), (0, 4, 40.0, 20.0)], 8.0, {"contact_transitions": 5.0})
    ]


def test_the_serial_part_follows_from_the_speedup_by_amdahls_law() -> None:
    """Amdahl: with a serial part of 10 % four workers give 1 / (0.1 + 0.9 / 4)."""
    assert scaling.karp_flatt(1 / (0.1 + 0.9 / 4), 4) == pytest.approx(0.1)
    assert scaling.karp_flatt(1.0, 1) is None
    assert scaling.default_workers(2) == [1, 2]
    assert scaling.default_workers(18) == [1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 18]
    assert scaling.default_workers(96)[-1] == 64


def test_the_lifecycle_command_prints_its_tables(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lifecycle", "--scale", "0.002", "--repeat", "1"]) == 0
    printed = capsys.readouterr().out
    for part in ("first steps, ms", "destroy, touching", "shuffled", "put to sleep"):
        assert part in printed


@pytest.mark.skipif("pyb2d3" not in installed, reason="pyb2d3 is not installed")
def test_creation_and_destruction_are_measured_for_pyb2d3_too() -> None:
    head, _, *rows = lifecycle.create_destroy(4, 1, ["pyb2d3"]).splitlines()
    assert head.split()[-2:] == ["box2dpy", "pyb2d3"]
    assert {row.split("  ")[0] for row in rows if not row.endswith("-")} == {
        "create",
        "first step",
        "destroy",
        "destroy, touching",
    }


def test_the_serial_share_includes_time_outside_of_the_stages() -> None:
    run = results.Run(profile_ms={"step": 10.0, "collide": 4.0, "contact_transitions": 1.0, "split": 0.5, "solve": 4.0})
    assert run.serial_share == pytest.approx(0.2)
    assert results.Run().serial_share is None


def test_worlds_prints_rates_restores_and_memory(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plot = ["--plot", str(tmp_path)] if importlib.util.find_spec("matplotlib") else []
    arguments = ["--worlds", "1,8", "--workers", "1,2", "--seconds", "0.01", "--json", str(tmp_path / "w.json"), *plot]
    assert main(["worlds", *arguments]) == 0
    shown = capsys.readouterr().out
    assert "lander, landed" in shown
    assert "restore us" in shown
    records = json.loads((tmp_path / "w.json").read_text(encoding="utf-8"))["records"]
    assert len(records) == 4 * len({each["template"] for each in records}) == 20
    assert all(each["steps_per_second"] > 0 and each["bytes"] > 1000 for each in records)
    assert (tmp_path / "worlds.png").exists() == bool(plot)


def test_throughput_compares_the_engines_that_are_installed(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("gymnasium", minversion="1.1")
    words = ["--env", "lander,arm,reacher,creature", "--worlds", "1,4", "--seconds", "0.01", "--rounds", "1"]
    assert main(["throughput", *words]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    for task in ("lander", "arm", "reacher", "creature"):
        found = [row for row in rows if row[:2] == [task, "box2dpy"]]
        assert all(int(rate.replace(",", "")) > 0 for rate in found[0][3:])
        assert len(found[0]) == 5
    assert ["arm", "Gymnasium", "Acrobot-v1"] in [row[:3] for row in rows]
    assert main(["throughput", "--env", "nope"]) == 2
    assert "nope" in capsys.readouterr().err


def test_arms_as_environments_take_their_actions() -> None:
    pytest.importorskip("gymnasium", minversion="1.1")
    from box2dpy.benchmarks.commands.arms import Reacher, TwoLinkArm

    arm, reacher = TwoLinkArm(3), Reacher(2)
    arm.reset(seed=0)
    seen, rewards, ended, _, _ = arm.step(np.array([0, 1, 2]))
    assert seen[0, 5] < seen[1, 5] < seen[2, 5]  # the elbow is turned to either side
    assert not ended.any()
    assert (rewards == -1).all()
    reacher.reset(seed=0)
    for _ in range(30):
        seen, rewards, _, _, _ = reacher.step(np.array([(1, 0), (-1, 0)], np.float32))
    assert np.sign(seen[:, 4]).tolist() == [1, -1]
    assert rewards == pytest.approx(-np.hypot(*(seen[:, 0:2] + seen[:, 2:4] - reacher.goal).T))
    arm.close()
    reacher.close()


def test_entities_prints_what_a_body_costs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["entities", "--entities", "5", "--worlds", "1,3", "--seconds", "0"]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines() if "box2dpy " in line and line[0] == "5"]
    assert [row[:3] for row in rows] == [["5", "1", "box2dpy"], ["5", "3", "box2dpy"]]
    assert 0.5 < float(rows[0][-1]) == float(rows[1][-1]) < 1.2  # mean height of the pile


def test_the_difference_of_returns_has_the_width_that_chance_explains() -> None:
    runs = [
        {"engine": engine, "learning": [mean - 1, mean + 1], **{where: {"returns": [mean]} for where in train.ENGINES}}
        for engine, means in zip(train.ENGINES, ((200.0, 210.0, 220.0), (205.0, 215.0, 225.0)), strict=True)
        for mean in means
    ]
    assert (
        train.difference(runs, "learning") == train.difference(runs, train.OURS) == "5.0 +- 22.7"
    )  # 2.78 sqrt(200 / 3)
    assert train.difference(runs[::3], "learning") == "5.0"


@pytest.mark.skipif(importlib.util.find_spec("torch") is not None, reason="it would learn")
def test_train_names_the_package_that_is_missing(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train"]) == 2
    assert "torch" in capsys.readouterr().err
