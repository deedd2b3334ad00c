"""Films, cameras and the drawing of pygame and pyglet: what a picture shows, what it leaves out, and what is missing.

pygame draws into memory (`SDL_VIDEODRIVER=dummy`), pyglet into a window of Xvfb. Where a library is not installed its
tests are skipped and say so.
"""

from __future__ import annotations

import importlib
import math
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import box2dpy as b2
from box2dpy._draw.debug_draw import FLAGS
from box2dpy._draw.style import LIGHT, pieces
from tests.counting import lines_run
from tests.patience import finished
from tests.samples.screen import xvfb

ROOT = Path(__file__).resolve().parents[2]
GREEN = 0x00C000


@pytest.fixture
def world() -> Iterator[b2.World]:
    """A ground from x = -50 to 50 with its surface at y = 0, and a green ball that rolls on it."""
    with b2.World() as made:
        made.create_static_body((0, -1)).create_shape(b2.Box(50, 1))
        ball = made.create_dynamic_body((0, 0.5), linear_velocity=(5, 0), angular_velocity=-10)
        ball.create_shape(b2.Circle(0.5), color=GREEN)
        yield made


def ball_of(world: b2.World) -> b2.Body:
    return list(world.bodies)[-1]


def green(image: Any) -> Any:
    """Mean column and row of the pixels that are more green than anything else."""
    pixels = np.asarray(image.convert("RGB")).astype(int)
    rows, columns = np.nonzero((pixels[..., 1] > 100) & (pixels[..., 0] < 60) & (pixels[..., 2] < 60))
    return columns.mean(), rows.mean()


# -- cameras


def test_a_view_maps_points_to_pixels_and_back() -> None:
    view = b2.View((-10, 0, 10, 5), 400, 400)
    assert view.scale == 20
    assert view.to_pixel((0, 2.5)) == (200, 200)
    for point in ((0, 0), (-10, 5), (3, -7)):
        assert view.to_world(view.to_pixel(point)) == pytest.approx(point)
    with pytest.raises(ValueError, match="left < right"):
        b2.View((1, 0, 1, 5), 400, 400)


def test_a_view_refuses_what_is_no_number_and_stays_as_it_was() -> None:
    view = b2.View((-10, 0, 10, 5), 400, 400)
    with pytest.raises(ValueError, match="scale=0 must be positive"):
        view.scale = 0
    assert view.scale == 20
    with pytest.raises(TypeError, match="real numbers"):
        view.project((10**400, 0))


def test_a_follow_camera_keeps_its_body_in_the_middle(world: b2.World) -> None:
    ball = ball_of(world)
    camera = b2.FollowCamera(ball, width=8, height=6, offset=(0, 1))
    assert camera() == pytest.approx((-4, -1.5, 4, 4.5))
    ball.position = (20, 3)
    assert camera() == pytest.approx((16, 1, 24, 7))
    ball.destroy()
    assert camera() == pytest.approx((16, 1, 24, 7)), "it stays where the body was"


def test_what_is_assigned_to_a_camera_is_checked(world: b2.World) -> None:
    camera, view = b2.FollowCamera(ball_of(world)), b2.View((0, 0, 10, 5), 200, 100)
    for thing, name, value in (
        (camera, "width", 10**400), (camera, "height", -1), (camera, "offset", (float("nan"), 0)),
        (camera, "smoothing", 1), (view, "x", float("inf")), (view, "width", 10**400),
    ):  # fmt: skip
        before = getattr(thing, name)
        with pytest.raises(ValueError, match=name):
            setattr(thing, name, value)
        assert getattr(thing, name) == before
    with pytest.raises(TypeError, match="must be a Body"):
        camera.body = None
    camera.offset = (1, 2)
    assert camera.offset == b2.Vec2(1, 2)


def test_a_smooth_follow_camera_leaves_a_part_of_the_way(world: b2.World) -> None:
    ball = ball_of(world)
    camera = b2.FollowCamera(ball, width=2, smoothing=0.75)
    camera()
    ball.position = (8, 0.5)
    centers = [0.5 * (left + right) for left, _, right, _ in (camera() for _ in range(3))]
    assert centers == pytest.approx([8 * (1 - 0.75**k) for k in (1, 2, 3)])


@pytest.mark.parametrize(
    "wrong", [{"width": 0}, {"width": math.nan}, {"height": -1}, {"smoothing": 1.0}, {"offset": (math.inf, 0)}], ids=str
)
def test_a_follow_camera_refuses_numbers_out_of_range(world: b2.World, wrong: Any) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        b2.FollowCamera(ball_of(world), **wrong)


def test_a_follow_camera_refuses_what_is_no_body() -> None:
    with pytest.raises(TypeError, match="body=7"):
        b2.FollowCamera(7)  # type: ignore[arg-type]


# -- what a picture leaves out


def test_pictures_leave_out_what_the_camera_does_not_see() -> None:
    """Also a shape that rests half outside stays, and a shape that encloses the picture."""
    with b2.World() as world:
        body = world.create_static_body()
        for k in range(20):
            body.create_shape(b2.Box(0.5, 0.5, center=(3 * k, 0)))
        text = world.to_svg(camera=(-1, -1, 6, 1), size=(700, 200))
        assert text.count("<polygon") == 3, "the boxes at 0, 3 and half of 6"
        enclosing = world.to_svg(camera=(2.9, -0.1, 3.1, 0.1))
        assert enclosing.count("<polygon") == 1
        body.create_shape(b2.Circle(1, center=(0, 1000)))
        assert "<circle" not in world.to_svg(camera=(-1, -1, 6, 1))
        draw = b2.DrawList()
        draw.lines([(0, 0, 1, 1), (500, 0, 501, 0)])
        draw.dots([(0, 0), (500, 0)])
        draw.fill([(500, 0), (501, 0), (500, 1)])
        draw.text((500, 0), "far")
        text = world.to_svg(camera=(-1, -1, 6, 1), draw=draw)
        assert text.count("<polyline") == text.count("<circle") == 1
        assert "far" not in text


@pytest.mark.parametrize("offset", [0.0, 1e4])
def test_shapes_of_every_kind_are_seen_at_their_edges(offset: float) -> None:
    """The picture ends a hair inside and a hair outside of the leftmost point of a turned body."""
    forms = [
        (b2.Circle(0.5), 0.5),
        (b2.Capsule((0, -1), (0, 1), 0.25), 1.25),
        (b2.Segment((0, -1), (0, 1)), 1.0),
        (b2.Box(0.5, 1), 1.0),
        (b2.Box(0.5, 1, radius=0.1), 1.1),
    ]
    for form, reach in forms:
        with b2.World() as world:
            world.create_dynamic_body((offset, 0), angle=math.pi / 2).create_shape(form)
            for hair, count in ((0.02, 1), (-0.02, 0)):
                text = world.to_svg(camera=(offset - reach + hair - 10, -1, offset - reach + hair, 1), size=(100, 20))
                assert (text.count("<polygon") + text.count("<circle") or text.count("<polyline")) == count, form


def test_segments_of_a_chain_outside_of_the_picture_are_not_looked_at_one_by_one() -> None:
    def lines(count: int, bottom: float) -> int:
        with b2.World() as world:
            world.create_static_body().create_chain([(k, math.sin(k)) for k in range(count)])
            return lines_run(lambda: world.to_svg(camera=(0, bottom, 10, bottom + 10)))

    lines(10, -5)  # the first picture loads code
    assert lines(5000, 1000) == lines(500, 1000) < lines(5000, -5) == lines(500, -5) < 1000


@pytest.mark.parametrize("half", [10.0, 1e3, 1e6])
def test_a_shape_much_larger_than_the_picture_is_clipped(half: float) -> None:
    image_module = pytest.importorskip("PIL.Image", reason="pillow is not installed: pip install 'box2dpy[film]'")
    from box2dpy._draw.render import render

    with b2.World() as world:
        world.create_static_body((0, -half)).create_shape(b2.Box(half, half))
        image = render(world, camera=(-1, -1, 1, 1), size=(100, 100))
        assert isinstance(image, image_module.Image)
        assert image.getpixel((50, 40)) != image.getpixel((50, 60)) == image.getpixel((5, 95))


# -- flags of debug drawing


def test_debug_flags_show_borders_sleep_and_fast_bodies() -> None:
    with b2.World(gravity=(0, 0), sleep_time=0.1) as world:
        world.create_dynamic_body((0, 0)).create_shape(b2.Box(0.5, 0.5))
        world.create_static_body((1, 0)).create_shape(b2.Segment((0, 0), (0, 10)))
        for _ in range(12):
            world.step()
        bullet = world.create_dynamic_body((0, 5), linear_velocity=(100, 0))
        bullet.create_shape(b2.Polygon([(0, 0), (0.2, 0), (0, 0.2)]))
        world.step()
        shapes, sleep, fast = (world.debug_draw(None, flag).line_ends for flag in ("shapes", "sleep", "fast"))
        assert len(shapes) == 4 + 1 + 3
        corners = {(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)}
        assert {tuple(end) for end in np.round(sleep[:, :2], 6)} == corners
        assert {tuple(end) for end in np.round(sleep[:, 2:], 6)} == corners
        assert fast[:, :2].min(axis=0) == pytest.approx(bullet.position)
        assert len(fast) == 3
        assert len(world.debug_draw(None, "shapes", view=(-1, -1, 0.9, 1)).line_ends) == 4


def test_the_flag_features_shows_the_number_of_each_contact_point() -> None:
    with b2.World() as world:
        world.create_static_body((0, -1)).create_shape(b2.Box(5, 1))
        world.create_dynamic_body((0, 0.5)).create_shape(b2.Box(0.5, 0.5))
        for _ in range(3):
            world.step()
        (contact,) = world.contacts
        labels = world.debug_draw(None, "features").labels
        assert [(label.text, label.x) for label in labels] == [
            (str(point.feature), pytest.approx(point.point.x)) for point in contact.points
        ]


def test_bodies_are_culled_by_their_centre_of_mass() -> None:
    """The origin of this body is far away from its shapes."""
    with b2.World() as world:
        world.create_dynamic_body((100, 0), linear_velocity=(1, 0)).create_shape(b2.Circle(0.5, center=(-100, 0)))
        near = world.debug_draw(None, "mass", "velocities", view=(-1, -1, 1, 1))
        assert len(near.labels) == len(near.line_ends) == 1
        far = world.debug_draw(None, "mass", "velocities", view=(99, -1, 101, 1))
        assert not far.labels
        assert not len(far.line_ends)


def test_the_docstring_names_every_flag() -> None:
    assert [flag for flag in FLAGS if f'"{flag}"' not in (b2.World.debug_draw.__doc__ or "")] == []


# -- films


@pytest.fixture
def pillow() -> Any:
    return pytest.importorskip("PIL.Image", reason="pillow is not installed: pip install 'box2dpy[film]'")


def test_save_gif_writes_the_frames_in_real_time(world: b2.World, pillow: Any, tmp_path: Path) -> None:
    path = tmp_path / "new folder" / "ball.gif"
    steps: list[int] = []
    world.save_gif(path, 15, camera=(-2, -1, 6, 4), size=(160, 100), before_step=steps.append)
    assert steps == list(range(30)), "two steps of 1/60 s for each thirtieth of a second"
    with pillow.open(path) as film:
        assert (film.n_frames, film.size) == (15, (160, 100))
        durations, columns = [], []
        for k in range(15):
            film.seek(k)
            durations.append(film.info["duration"])
            columns.append(green(film)[0])
    assert sum(durations) == 500
    assert set(durations) == {30, 40}
    view = b2.View((-2, -1, 6, 4), 160, 100)
    assert columns[-1] == pytest.approx(view.to_pixel(ball_of(world).position).x, abs=1)
    assert np.all(np.diff(columns) > 1), "it rolls to the right in each frame"


def test_a_following_film_keeps_the_body_in_the_middle(world: b2.World, pillow: Any, tmp_path: Path) -> None:
    path = tmp_path / "ball.gif"
    world.save_gif(path, 8, camera=b2.FollowCamera(ball_of(world), width=4), size=(160, 100))
    assert ball_of(world).position.x > 1
    with pillow.open(path) as film:
        film.seek(film.n_frames - 1)
        assert green(film) == pytest.approx((80, 50), abs=1.5)


def test_a_new_colour_late_in_a_film_is_shown(world: b2.World, pillow: Any, tmp_path: Path) -> None:
    path = tmp_path / "late.gif"

    def paint(number: int) -> None:
        if number == 10:
            world.create_static_body((0, 3)).create_shape(b2.Box(1, 1), color=0xFF00FF)

    world.save_gif(path, 8, camera=(-2, -1, 6, 4), size=(160, 100), before_step=paint)
    with pillow.open(path) as film:
        film.seek(film.n_frames - 1)
        red, greenish, blue = film.convert("RGB").getpixel(b2.View((-2, -1, 6, 4), 160, 100).to_pixel((0, 3)))
    assert min(red, blue) > 220
    assert greenish < 40


def test_speed_and_overlays_of_a_film(world: b2.World, pillow: Any, tmp_path: Path) -> None:
    steps: list[int] = []
    lists: list[b2.DrawList] = []
    world.save_gif(
        tmp_path / "slow.gif", 8, size=(64, 40), speed=0.25, before_step=steps.append, draw=lists.append,
        flags=("mass",),
    )  # fmt: skip
    assert steps == list(range(4))
    assert len(lists) == 8
    assert len({id(one) for one in lists}) == 8, "each picture has a list of its own"


def test_an_exception_keeps_the_film_so_far(world: b2.World, pillow: Any, tmp_path: Path) -> None:
    path = tmp_path / "half.gif"

    def fail(number: int) -> None:
        if number == 10:
            raise RuntimeError("the motor broke")

    with pytest.raises(RuntimeError, match="motor"):
        world.save_gif(path, 20, size=(64, 40), camera=(-2, -1, 6, 4), before_step=fail)
    with pillow.open(path) as film:
        assert film.n_frames == 5


def test_pictures_are_numbered_or_the_last_one(world: b2.World, pillow: Any, tmp_path: Path) -> None:
    with b2.MovieWriter(tmp_path / "all" / "frame-%03d.png", size=(64, 40)) as film:
        film.record(world, 3)
        assert film.frames == 3
    assert sorted(path.name for path in (tmp_path / "all").iterdir()) == [f"frame-{k:03}.png" for k in range(3)]
    with b2.MovieWriter(tmp_path / "one.png", camera=(-2, -1, 6, 4), size=(160, 100)) as film:
        film.record(world, 3)
    world.save_picture(tmp_path / "same.png", camera=(-2, -1, 6, 4), size=(160, 100))
    assert (tmp_path / "one.png").read_bytes() == (tmp_path / "same.png").read_bytes()


def test_a_film_shows_interpolated_poses(world: b2.World, pillow: Any, tmp_path: Path) -> None:
    stepper = b2.FixedStepper(world, dt=0.1)
    stepper.advance(0.15)
    with b2.MovieWriter(tmp_path / "one.png", camera=(-2, -1, 6, 4), size=(160, 100)) as film:
        film.add(world, poses=stepper.interpolated())
    x = stepper.interpolated()[0][ball_of(world).index, 0]
    assert x < ball_of(world).position.x - 0.2
    assert green(pillow.open(tmp_path / "one.png"))[0] == pytest.approx(
        b2.View((-2, -1, 6, 4), 160, 100).to_pixel((x, 0)).x, abs=1
    )


def test_poses_of_fewer_bodies_are_refused(world: b2.World) -> None:
    poses = b2.FixedStepper(world).interpolated()
    world.create_bodies([(k, 9) for k in range(200)], geometry=b2.Circle(0.1))
    with pytest.raises(ValueError, match=f"poses have {len(poses[0])} and {len(poses[0])} rows"):
        next(pieces(world, LIGHT, poses=poses))


def test_an_mp4_has_every_frame(world: b2.World, pillow: Any, tmp_path: Path) -> None:
    ffmpeg = pytest.importorskip("imageio_ffmpeg", reason="not installed: pip install 'box2dpy[mp4]'")
    path = tmp_path / "ball.mp4"
    with b2.MovieWriter(path, size=(160, 100), fps=60) as film:
        film.record(world, 30)
    count, seconds = ffmpeg.count_frames_and_secs(str(path))
    assert count == 30
    assert seconds == pytest.approx(0.5, abs=0.05)
    with pytest.raises(ValueError, match=r"size=\(161, 100\)"):
        b2.MovieWriter(path, size=(161, 100))


def test_films_refuse_what_they_cannot_do(world: b2.World, pillow: Any, tmp_path: Path) -> None:
    gif = tmp_path / "a.gif"
    wrong: list[tuple[Any, str, Any]] = [
        (ValueError, "must end in .gif", lambda: world.save_gif(tmp_path / "a.mp4")),
        (ValueError, "must end in .gif, .mp4, .png", lambda: b2.MovieWriter(tmp_path / "a.avi")),
        (ValueError, "frames=0", lambda: world.save_gif(gif, 0)),
        (ValueError, "fps", lambda: world.save_gif(gif, fps=51)),
        (ValueError, "speed", lambda: world.save_gif(gif, speed=0)),
        (ValueError, "theme='blue'", lambda: world.save_gif(gif, theme="blue")),  # type: ignore[arg-type]
        (ValueError, "by='hue'", lambda: world.save_picture(gif, by="hue")),  # type: ignore[arg-type]
        (ValueError, "flag='wind'", lambda: world.save_gif(gif, flags=("wind",))),
        (ValueError, "camera", lambda: world.save_gif(gif, camera=(0, 0, 0, 1))),
        (ValueError, "four numbers", lambda: world.save_gif(gif, camera=lambda: (0, 0, 1))),  # type: ignore
        (ValueError, "size", lambda: world.save_gif(gif, size=(0, 10))),
        (TypeError, "size", lambda: world.save_gif(gif, size=(64.5, 10))),  # type: ignore[arg-type]
        (ValueError, "one place for a number", lambda: b2.MovieWriter(tmp_path / "%d-%d.png")),
    ]
    for kind, message, call in wrong:
        with pytest.raises(kind, match=message):
            call()
    writer = b2.MovieWriter(gif)
    with pytest.raises(ValueError, match="no picture"):
        writer.close()
    writer.close()
    with pytest.raises(ValueError, match="closed"):
        writer.add(world)
    assert not gif.exists()


def test_a_film_of_a_car_draws_what_the_camera_sees(pillow: Any, tmp_path: Path) -> None:
    """However long the road is: a picture takes as many lines of Python, 1,400 with a dozen shapes."""

    def lines(length: int, pictures: int) -> int:
        with b2.World() as world:
            world.create_static_body().create_chain([(x, math.sin(0.15 * x)) for x in range(length, -20, -2)])
            car = world.create_dynamic_body((0, 3))
            car.create_shape(b2.Box(1.5, 0.4))
            for x in (-1, 1):
                wheel = world.create_dynamic_body((x, 2.4))
                wheel.create_shape(b2.Circle(0.4), friction=1)
                world.create_wheel_joint(
                    car, wheel, anchor=(x, 2.4), axis=(0, 1), enable_motor=True, motor_speed=-15, max_motor_torque=20
                )
            camera = b2.FollowCamera(car, width=24)
            count = lines_run(lambda: world.save_gif(tmp_path / "car.gif", pictures, camera=camera, flags=("joints",)))
            assert pictures < 50 or car.position.x > 1.5
            return count

    lines(300, 2)  # the first film loads code
    assert lines(300, 50) == lines(3000, 50) < 50 * 1500


# -- pygame


@pytest.fixture
def pygame(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setenv("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    return pytest.importorskip("pygame", reason="pygame is not installed: pip install 'box2dpy[pygame]'")


def test_pygame_draws_the_interpolated_poses(world: b2.World, pygame: Any) -> None:
    from box2dpy.pygame import draw

    stepper = b2.FixedStepper(world, dt=0.1)
    stepper.advance(0.15)
    surface = pygame.Surface((160, 100))
    for chosen, position in ((None, ball_of(world).position), (stepper, stepper.interpolated()[0][-1])):
        surface.fill("white")
        view = draw(surface, world, (-2, -1, 6, 4), stepper=chosen)
        pixels = pygame.surfarray.array3d(surface).astype(int)
        columns, rows = np.nonzero((pixels[..., 1] > 100) & (pixels[..., 0] < 60) & (pixels[..., 2] < 60))
        assert (columns.mean(), rows.mean()) == pytest.approx(view.to_pixel(position), abs=1.5)
        assert view.to_world((columns.mean(), rows.mean())) == pytest.approx(position, abs=0.1)


def test_pygame_draws_sensors_lists_and_very_large_shapes(pygame: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from box2dpy.pygame import draw

    corners: list[float] = []
    polygon = pygame.draw.polygon

    def noted(surface: Any, color: Any, points: Any) -> Any:
        corners.extend(x for point in points for x in point)
        return polygon(surface, color, points)

    monkeypatch.setattr(pygame.draw, "polygon", noted)
    with b2.World() as world:
        half = 1e5
        world.create_static_body((0, -half)).create_shape(b2.Box(half, half))
        world.create_static_body((0, 2)).create_shape(b2.Box(1, 1), sensor=True)
        surface = pygame.Surface((80, 80))
        surface.fill("white")
        extra = b2.DrawList()
        extra.dot((-3, 3), "red", 6)
        extra.line((2, 1), (4, 1), "blue")
        extra.fill([(2, 2), (3, 2), (3, 3), (2, 3)], "red", 0.5)
        extra.text((-3, 1), "two\nlines", "black")
        draw(surface, world, (-4, -4, 4, 4), draw=extra)
        assert -90 < min(corners) < max(corners) < 170, "pygame goes through every row of a polygon, also those outside"
        at = {name: surface.get_at(where)[:3] for name, where in {
            "ground": (40, 70), "sensor": (40, 20), "sky": (75, 5), "dot": (10, 10), "line": (70, 30), "fill": (65, 15),
        }.items()}  # fmt: skip
        assert at["sky"] == (255, 255, 255)
        assert at["ground"] == (96, 104, 112)
        assert all(96 < part < 255 for part in at["sensor"]), "it is mixed with the background"
        assert at["dot"][0] > 200 > at["dot"][2]
        assert at["line"][2] > at["line"][0]
        assert 150 < at["fill"][1] < 200
        words = pygame.surfarray.array3d(surface)[5:40, 10:31]
        assert (words.max(axis=-1) < 100).any()


# -- pyglet


def test_pyglet_draws_the_interpolated_poses(tmp_path: Path) -> None:
    import shutil

    pytest.importorskip("pyglet", reason="pyglet is not installed: pip install 'box2dpy[pyglet]'")
    if shutil.which("Xvfb") is None:
        pytest.skip("Xvfb is not installed: apt-get install xvfb")
    program = tmp_path / "program.py"
    program.write_text(PYGLET_PROGRAM, encoding="utf-8")
    with xvfb() as display:
        done = finished(
            [sys.executable, str(program)],
            env={"PYTHONPATH": str(ROOT), "DISPLAY": display, "PATH": "/usr/bin:/bin", "HOME": str(tmp_path)},
        )
    if "NoSuchConfig" in done.stderr or "libGL" in done.stderr:
        pytest.skip("this screen has no OpenGL 3.3")
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["ok"] * 5


PYGLET_PROGRAM = """
import ctypes
import numpy as np
import pyglet
import box2dpy as b2
import box2dpy.pyglet

world = b2.World()
world.create_static_body((0, -1)).create_shape(b2.Box(50, 1))
ball = world.create_dynamic_body((0, 0.5), linear_velocity=(5, 0), angular_velocity=-10)
ball.create_shape(b2.Circle(0.5), color=0x00C000)
stepper = b2.FixedStepper(world, dt=0.1)
stepper.advance(0.15)
window = pyglet.window.Window(160, 100)


def pixels():
    rows = (ctypes.c_ubyte * (160 * 100 * 4))()
    pyglet.gl.glReadPixels(0, 0, 160, 100, pyglet.gl.GL_RGBA, pyglet.gl.GL_UNSIGNED_BYTE, rows)
    return np.frombuffer(rows, np.uint8).reshape(100, 160, 4).astype(int)


for chosen, position in ((None, ball.position), (stepper, stepper.interpolated()[0][-1])):
    drawer = box2dpy.pyglet.Drawer(window, world, camera=(-2, -1, 6, 4), stepper=chosen, theme="light")
    window.clear()
    drawer.draw()
    image = pixels()
    rows, columns = np.nonzero((image[..., 1] > 100) & (image[..., 0] < 60) & (image[..., 2] < 60))
    seen = drawer.to_world(columns.mean(), rows.mean())
    assert np.hypot(*(np.array(seen) - np.array(position))) < 0.1, (seen, position)
    print("ok")
    assert image[2, 80, :3].tolist() == [96, 104, 112], image[2, 80]
    print("ok")
extra = b2.DrawList()
extra.dot((4, 3), "red", 8)
extra.line((0, 2), (2, 2), "blue")
extra.fill([(4, 1), (5, 1), (5, 2)], "red", 0.5)
window.clear()
drawer.draw(extra)
image = pixels()
assert image[80, 120, 0] > 200
assert image[58:62, 60, 2].max() > 200
assert 80 < image[46, 136, 0] < 160
for wrong in (
    lambda: box2dpy.pyglet.Drawer(window, 5),
    lambda: box2dpy.pyglet.Drawer(window, world, stepper=5),
    lambda: drawer.draw(5),
):
    try:
        wrong()
    except TypeError as error:
        assert "=5 must be" in str(error)
    else:
        raise AssertionError("a wrong argument was accepted")
drawer.delete()
print("ok")
"""


# -- what is not installed


@pytest.mark.parametrize(
    ("module", "extra", "use"),
    [
        ("PIL", "film", "b2.World().save_gif('a.gif', 1)"),
        ("PIL", "film", "b2.World().save_picture('a.png')"),
        ("imageio_ffmpeg", "mp4", "b2.MovieWriter('a.mp4')"),
        ("matplotlib", "plot", "b2.World().plot()"),
        ("pygame", "pygame", "importlib.import_module('box2dpy.pygame')"),
        ("pyglet", "pyglet", "importlib.import_module('box2dpy.pyglet')"),
    ],
)
def test_a_missing_library_is_one_line_that_names_the_extra(
    module: str, extra: str, use: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if module == "imageio_ffmpeg":
        pytest.importorskip("PIL.Image", reason="pillow is not installed: pip install 'box2dpy[film]'")
    for name in [name for name in sys.modules if name.split(".")[0] == module or name == f"box2dpy.{module}"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ModuleNotFoundError) as caught:
        eval(use, {"b2": b2, "importlib": importlib})
    assert f"pip install 'box2dpy[{extra}]'" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert caught.value.name == module


@pytest.mark.parametrize(
    ("name", "arguments", "named", "error"),
    [
        ("to_svg", {"draw": 5}, "draw", TypeError),
        ("to_svg", {"size": 5}, "size", TypeError),
        ("to_svg", {"size": (1, 2, 3)}, "size", ValueError),
        ("plot", {"draw": 5}, "draw", TypeError),
        ("plot", {"axes": 5}, "axes", TypeError),
        ("save_picture", {"path": None}, "path", TypeError),
        ("save_picture", {"path": 5}, "path", TypeError),
        ("save_picture", {"path": "a.png", "draw": 5}, "draw", TypeError),
        ("save_gif", {"path": 5}, "path", TypeError),
    ],
)
def test_wrong_arguments_of_pictures_are_named(
    world: b2.World, name: str, arguments: dict[str, Any], named: str, error: type[Exception]
) -> None:
    pytest.importorskip("PIL.Image")
    if name == "plot":
        pytest.importorskip("matplotlib")
    with pytest.raises(error, match=named):
        getattr(world, name)(**arguments)


def test_wrong_arguments_of_films_and_views_are_named(world: b2.World, pillow: Any, tmp_path: Path) -> None:
    film = b2.MovieWriter(tmp_path / "a.gif")
    view = b2.View((0, 0, 10, 5), 200, 100)
    wrong: list[tuple[type[Exception], str, Callable[[], object]]] = [
        (TypeError, "world=5 must be a World", lambda: film.add(5)),  # type: ignore[arg-type]
        (TypeError, "draw=5", lambda: film.add(world, draw=5)),  # type: ignore[arg-type]
        (TypeError, "poses=5", lambda: film.add(world, poses=5)),  # type: ignore[arg-type]
        (TypeError, "poses", lambda: film.add(world, poses=("a", "b"))),  # type: ignore[arg-type]
        (ValueError, "poses", lambda: film.add(world, poses=(np.zeros(3), np.zeros(3, np.float32)))),
        (TypeError, "points", lambda: view.project("here")),
        (ValueError, r"must have shape \(n, 2\)", lambda: view.project(np.zeros((4, 3)))),
        (TypeError, "lower", lambda: view.shows("here", (1, 1))),
        (ValueError, "one shape", lambda: view.shows(np.zeros((2, 2)), np.zeros((3, 2)))),
    ]
    for kind, message, call in wrong:
        with pytest.raises(kind, match=message):
            call()
    assert film.frames == 0
    film.add(world)
    film.close()


def test_wrong_arguments_of_pygame_are_named(world: b2.World, pygame: Any) -> None:
    from box2dpy.pygame import draw

    surface = pygame.Surface((160, 100))
    wrong: list[tuple[str, Callable[[], object]]] = [
        ("surface=5", lambda: draw(5, world)),
        ("world=5 must be a World", lambda: draw(surface, 5)),  # type: ignore[arg-type]
        ("stepper=5", lambda: draw(surface, world, stepper=5)),  # type: ignore[arg-type]
        ("draw=5", lambda: draw(surface, world, draw=5)),  # type: ignore[arg-type]
    ]
    for message, call in wrong:
        with pytest.raises(TypeError, match=message):
            call()


def test_a_picture_in_thousands_of_folders_is_saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A path is at most 4,096 bytes long; creating its folders takes no recursion."""
    pytest.importorskip("PIL")
    monkeypatch.chdir(tmp_path)
    path = Path("/".join(["a"] * 1990), "picture.png")
    with b2.World() as world:
        world.create_static_body().create_shape(b2.Box(1, 1))
        world.save_picture(path)
    path.unlink()
    for folder in path.parents[:-1]:  # what clears the folders of tests does so by recursion
        folder.rmdir()
