"""Every sample without a window: it builds, runs 60 steps with the validator, draws, and gives the same result each
time."""

from __future__ import annotations

import math
import os
import re
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import box2dpy as b2
import samples
from samples import CATEGORIES, Button, Choice, Run, Sample, Slider, Toggle, _cli, fuzzy, slug
from samples._sample import search, tidy
from samples._script import script

from ..patience import finished

ALL = samples.load()
SMALL = 0.1
every = pytest.mark.parametrize("name", ALL, ids=[slug(name) for name in ALL])


def scale_of(kind: type[Sample]) -> float:
    return SMALL if kind.category == "Benchmark" else 1.0


def test_names_and_files_are_unique_and_categories_are_in_order() -> None:
    assert len({slug(name) for name in ALL}) == len(ALL)
    places = [CATEGORIES.index(kind.category) for kind in ALL.values()]
    assert places == sorted(places)


@every
def test_every_sample_has_a_description(name: str) -> None:
    kind = ALL[name]
    assert kind.name == name
    assert kind.__doc__
    assert 20 <= len(kind.description()) <= 330, kind.description()
    if kind.camera is not None:
        left, bottom, right, top = kind.camera
        assert left < right
        assert bottom < top
    assert kind.color_by in ("kind", "island", "body")


@every
def test_every_sample_runs_and_stays_valid(name: str) -> None:
    kind = ALL[name]
    with Run(kind, scale=scale_of(kind)) as run:
        before = [world.state_hash() for world in run.worlds()]
        for number in range(60):
            run.step()
            run.sample.draw(b2.DrawList())
            assert isinstance(run.sample.status(), str)
            if number % 20 == 19:
                for world in run.worlds():
                    world.validate()
        if len(run.world.bodies):
            assert [world.state_hash() for world in run.worlds()] != before, "nothing has changed in a second"
        for world in run.worlds():
            assert all(math.isfinite(x) and math.isfinite(y) for x, y in world.arrays.position.tolist())


@every
def test_every_control_of_a_sample_works(name: str) -> None:
    """Each control takes its extreme values while the sample runs or after it is built again; each button and key can
    be pressed."""
    kind = ALL[name]

    def values(control: Any) -> list[Any]:
        if isinstance(control, Slider):
            return [control.low, control.high]
        return list(getattr(control, "words", (False, True)))

    controls = [control for control in kind.controls() if kind.category != "Benchmark"]
    with Run(kind) as run:
        run.step(5)
        for control in controls:
            if isinstance(control, Button):
                getattr(run.sample, control.name)()
                run.step(2)
            elif not control.restart:
                for value in values(control):
                    run.set(control.name, value)
                    run.step(2)
        for keys in kind.keys:
            for key in keys.replace(",", " ").split():
                run.sample.held.add(key)
                run.sample.key(key)
                run.step(2)
        run.world.validate()
    for control in controls:
        if not isinstance(control, Button) and control.restart:
            for value in values(control):
                with Run(kind, values={control.name: value}) as run:
                    run.step(2)
                    run.sample.status()


def momenta(bodies: list[b2.Body]) -> list[float]:
    """Mass, momentum and angular momentum about the origin."""
    sums = [0.0] * 4
    for body in bodies:
        center = body.world_center
        velocity = body.velocity_at(center)
        turn = body.mass * (center.x * velocity.y - center.y * velocity.x) + body.inertia * body.angular_velocity
        for k, value in enumerate((body.mass, body.mass * velocity.x, body.mass * velocity.y, turn)):
            sums[k] += value
    return sums


def test_a_body_that_breaks_keeps_its_mass_and_momentum() -> None:
    with Run(ALL["Break on impact"]) as run:
        for number in range(6):
            bottle = next(body for body in run.world.bodies if body.data == "bottle")
            bottle.linear_velocity, bottle.angular_velocity = (3 - number, 1 + number), 2.0 * number - 5
            before, others = momenta([bottle]), set(run.world.bodies) - {bottle}
            run.sample.shatter(bottle, bottle.world_center + b2.Vec2(0.3 * number, 0.1))
            shards = [body for body in run.world.bodies if body not in others]
            assert len(shards) == 8
            assert momenta(shards) == pytest.approx(before, rel=1e-4, abs=1e-4 * before[0])


def test_the_car_keeps_its_wheels_on_the_ground_at_full_throttle() -> None:
    with Run(ALL["Car"]) as run:
        run.sample.held.add("right")
        for _ in range(1200):
            run.step()
            assert abs(run.sample.chassis.angle) < 1.0  # type: ignore[attr-defined]
        assert run.sample.chassis.position.x > 150  # type: ignore[attr-defined]


def test_the_bridge_carries_its_own_weight_from_the_first_step_on_and_breaks_under_the_lorry() -> None:
    with Run(ALL["Breakable bridge"]) as run:
        run.step()
        hinges = run.sample.hinges  # type: ignore[attr-defined]
        weight = 10 * sum(hinge.body_b.mass for hinge in hinges[:-1])
        wanted = math.hypot(weight * 20 / 8, weight / 2)  # of a rope of 20 m that sags by 1 m
        assert max(hinge.constraint_force.length for hinge in hinges) == pytest.approx(wanted, rel=0.03)
        run.step(300)
        assert run.sample.broken  # type: ignore[attr-defined]


def is_driven(kind: type[Sample]) -> bool:
    """Whether keys or the mouse drive it."""
    return bool(kind.keys) or "self.pointer" in kind.source() or kind.click is not Sample.click


@pytest.mark.parametrize("name", [name for name, kind in ALL.items() if is_driven(kind) or kind.has_demo()])
def test_a_driven_sample_plays_a_recorded_input_until_somebody_takes_over(name: str) -> None:
    kind = ALL[name]
    assert kind.has_demo()
    keys = {key for keys in kind.keys for key in keys.replace(",", " ").split()}
    assert {key for _, names in kind.demo for key in names.split()} <= keys | {"click"}
    with Run(kind) as still, Run(kind, demo=True) as driven:
        assert driven.demo
        assert not still.demo
        for _ in range(20):
            for run in (still, driven):
                run.step(60)
            if picture(still) != picture(driven):
                break
        else:
            pytest.fail("the recorded input changes nothing in twenty seconds")
        driven.take_over()
        driven.step()
        assert not driven.sample.held


def picture(run: Run) -> tuple[object, ...]:
    draw = b2.DrawList()
    run.sample.draw(draw)
    return run.world.state_hash(), draw.line_ends.tobytes(), run.status()


def test_nothing_drives_the_character_when_somebody_has_taken_over() -> None:
    with Run(ALL["Platformer"], demo=True) as run:
        run.step(60)
        assert run.sample.hero.position.x > -11  # type: ignore[attr-defined]
        run.take_over()
        run.step(60)
        place = run.sample.hero.position.x  # type: ignore[attr-defined]
        run.step(60)
        assert run.sample.hero.position.x == pytest.approx(place, abs=0.05)  # type: ignore[attr-defined]


def test_search_looks_into_names_descriptions_and_code() -> None:
    assert search("arch", ALL)[0] == ("Arch", "")
    assert search("car", ALL)[0] == ("Car", "")
    found = dict(search("create_chain", ALL))
    assert found["Car"] == "code"
    assert found.keys() < ALL.keys()
    assert ("Pinball", "description") in search("flippers", ALL)
    assert search("qqqq", ALL) == []


def edited(kind: type[Sample]) -> dict[str, Any]:
    """Other values than the default for the controls of a sample that rebuild it."""
    values: dict[str, Any] = {}
    for control in kind.controls():
        if isinstance(control, Slider) and control.restart:
            values[control.name] = control.checked(control.default + 0.25 * (control.high - control.default))
        elif isinstance(control, Choice) and control.restart:
            values[control.name] = control.words[-1]
        elif isinstance(control, Toggle) and control.restart:
            values[control.name] = not control.default
    return values


@every
def test_a_copied_script_uses_the_public_api_only_and_gives_the_bits_of_the_sample(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With other values than the default, as a user has edited them."""
    kind = ALL[name]
    values = {"size": 0.1} if kind.category == "Benchmark" else edited(kind)
    with Run(kind, values=values, options={"gravity": (1, -9)} if "gravity" not in kind.options else None) as run:
        text = script(kind, run)
        assert not re.search(r"import.*(samples|scenes|\._)|from \.", text)
        module = ModuleType("copied")
        monkeypatch.setitem(sys.modules, "copied", module)  # dataclasses look their module up
        space = vars(module)
        exec(compile(text, name, "exec"), space)
        classes = [each for each in space.values() if isinstance(each, type) and issubclass(each, space["Sample"])]
        sample = classes[-1]()
        sample.taken_over = run.sample.taken_over
        for _ in range(20):
            sample.frame()
        run.step(20)
        assert sample.world.state_hash() == run.world.state_hash()
        for world in (sample.world, *(world for world, _ in sample.others)):
            world.close()


def test_benchmarks_show_the_code_of_their_scenes() -> None:
    assert "def build_large_pyramid(" in ALL["Large pyramid"].source()
    assert "def add_pyramid(" in ALL["Large pyramid"].source()
    assert all("def build_" in kind.source() for kind in ALL.values() if kind.category == "Benchmark")


@pytest.mark.parametrize("name", ["car", "arch", "spinning-rods", "smash"])
def test_a_copied_script_runs(name: str, tmp_path: Path) -> None:
    path = tmp_path / "copied.py"
    path.write_text(script(samples.find(name)), encoding="utf-8")
    done = finished([sys.executable, "-W", "error", path], cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "steps; --window shows it" in done.stdout


def test_a_copied_script_opens_a_window(tmp_path: Path) -> None:
    pytest.importorskip("pygame")
    closes = (
        "import pygame\nstart = pygame.init\npygame.init = lambda: (start(), pygame.time.set_timer(pygame.QUIT, 300))\n"
    )
    path = tmp_path / "copied.py"
    path.write_text(closes + script(samples.find("pinball")), encoding="utf-8")
    environment = {**os.environ, "SDL_VIDEODRIVER": "dummy", "SDL_AUDIODRIVER": "dummy"}
    words = [sys.executable, path, "--window"]
    done = finished(words, cwd=tmp_path, env=environment)
    assert done.returncode == 0, done.stderr


def test_the_stone_of_the_trebuchet_is_in_sight_until_it_rests() -> None:
    with Run(ALL["Trebuchet"]) as run:
        left, bottom, right, top = run.camera()
        for _ in range(1200):
            run.step()
            middle = run.sample.look_at()
            assert middle is not None
            way = run.sample.stone.position - middle
            assert not run.sample.stone.awake or max(abs(way.x) / (right - left), abs(way.y) / (top - bottom)) < 0.5
        assert not run.sample.stone.awake
        assert middle.x < right, "the machine is in sight again"


@pytest.mark.parametrize("floors", [4, 8, 14, 20])
def test_the_tower_of_jenga_stands_by_itself(floors: int) -> None:
    with Run(ALL["Jenga"], values={"floors": floors}) as run:
        run.step(1200)
        top = max(body.position.y for body in run.world.bodies if body.mass)
        assert top == pytest.approx(0.6 * floors - 0.3, abs=0.1)
        for _ in range(60):
            run.sample.pull_a_block()
            run.step(10)
        assert floors == 4 or max(body.position.y for body in run.world.bodies if body.mass) < top - 0.5, "it falls"


def test_the_first_sample_builds_its_castle_again() -> None:
    name, kind = next(iter(ALL.items()))
    assert name == "Siege"
    with Run(kind, demo=True) as run:
        least, after = 0.0, 1.0
        for _ in range(4000):
            run.step()
            least = max(least, run.sample.ruined())
            after = run.sample.ruined() if least < 0.7 else min(after, run.sample.ruined())
        assert least > 0.7
        assert after < 0.1


def test_figures_have_no_negative_zero_and_no_power_of_ten() -> None:
    assert tidy("-0 km/h, -0.00 m, -0.05 m, 3-0") == "0 km/h, 0.00 m, -0.05 m, 3-0"
    with Run(ALL["Chain loops"]) as run:
        run.step(300)
        low, count = run.status().split(" grains")[0].split(" of ")
        assert int(low) <= int(count)
    with Run(ALL["Spinning rods"]) as run:
        run.step(900)
        assert -1 < float(run.status().split()[2]) < 10_000


def test_values_of_sliders_are_written_out() -> None:
    panels = pytest.importorskip("samples.browser.panels")
    assert panels.figure(5000.0, 100.0, 100000.0, "N") == "5 000 N"
    assert panels.figure(0.55, 0.3, 1.2, "m") == "0.55 m"
    assert panels.figure(35.0, 5.0, 60.0, "rad/s") == "35.0 rad/s"
    assert panels.figure(160, 20, 300) == "160"


def test_each_stage_of_a_step_has_a_colour_of_its_own() -> None:
    figures = pytest.importorskip("samples.browser.figures")
    assert len(figures.STAGES) < len(figures.STAGE_COLORS) == len(set(figures.STAGE_COLORS))


def test_code_is_split_into_coloured_pieces_that_give_the_text_again() -> None:
    code = pytest.importorskip("samples.browser.code")
    for kind in ALL.values():
        lines = code.pieces(kind.source())
        assert "\n".join("".join(text for text, _ in line) for line in lines) == kind.source()
    (line,) = code.pieces('def f(x=1): return "a"  # b')
    assert [name for _, name in line if name != "text"] == ["keyword", "number", "keyword", "string", "comment"]


def test_fuzzy_search_finds_by_letters_in_order() -> None:
    assert fuzzy("raf", "Ray fan") is not None
    assert fuzzy("fr", "Ray fan") is None
    ranked = sorted((cost, name) for name in ALL if (cost := fuzzy("arch", name)) is not None)
    assert ranked[0][1] == "Arch"
    assert samples.find("large-pyr").name == "Large pyramid"
    with pytest.raises(ValueError, match="no sample 'qqqq'"):
        samples.find("qqqq")


def run_cli(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    root = Path(__file__).resolve().parents[2]
    command = [sys.executable, "-m", "box2dpy", *arguments]
    return finished(command, cwd=root)


def test_render_writes_a_picture_that_is_not_empty(tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    done = run_cli(
        "render", "arch", "--steps", "5", "--out", str(tmp_path / "a.png"), "--width", "320", "--height", "200",
        folder=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    picture = image.open(tmp_path / "a.png")
    assert picture.size == (320, 200)
    assert len(picture.convert("RGB").getcolors(100000)) > 20


def test_a_film_of_a_sample_has_a_picture_for_each_moment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a program in place of ffmpeg, which need not be installed."""
    pytest.importorskip("PIL")
    frames: list[bytes] = []

    def write_frames(path: str, size: tuple[int, int], *, fps: float, **_: Any) -> Generator[None, bytes, None]:
        assert (size, fps) == ((162, 100), 25)
        while True:
            frame = yield
            assert len(frame) == 3 * size[0] * size[1]
            frames.append(frame)

    fake = ModuleType("imageio_ffmpeg")
    fake.write_frames = write_frames  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", fake)
    out = str(tmp_path / "film.mp4")
    words = ["render", "hit-events", "--steps", "60", "--out", out, "--width", "161", "--height", "100"]
    assert _cli.main(words) == 0
    assert len(frames) == 26  # one second, both ends
    assert len(set(frames)) > 10


def test_render_writes_an_animation_that_moves(tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    out = tmp_path / "a.gif"
    done = run_cli(
        "render", "hit-events", "--steps", "30", "--out", str(out), "--width", "160", "--height", "100", folder=tmp_path
    )
    assert done.returncode == 0, done.stderr
    animation = image.open(out)
    assert animation.n_frames == 13  # 30 steps of 1/60 s at 25 pictures a second, the first included
    first = animation.convert("RGB").tobytes()
    animation.seek(animation.n_frames - 1)
    assert animation.convert("RGB").tobytes() != first


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["render", "qqqq"], "no sample 'qqqq'"),
        (["render", "arch", "--steps", "0"], "--steps 0"),
        (["render", "arch", "--out", "a.txt"], "must end in"),
        (["render", "arch", "--steps", "1", "--scale", "inf"], "--scale inf"),
        (["render", "arch", "--steps", "1", "--scale", "-1"], "--scale -1"),
        (["render", "arch", "--steps", "1", "--width", "0"], "--width 0"),
        (["render", "arch", "--steps", "1", "--out", "/proc/nothing/a.png"], "/proc/nothing"),
    ],
)
def test_render_explains_what_is_wrong(arguments: list[str], said: str, tmp_path: Path) -> None:
    pytest.importorskip("PIL.Image")
    done = run_cli(*arguments, folder=tmp_path)
    assert done.returncode != 0
    assert said in done.stderr
    assert "Traceback" not in done.stderr
