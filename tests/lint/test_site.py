"""The documentation site: the reference has every name, the navigation every page, the tables of joints are current,
and the programs of docs/programs run without a screen."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import box2dpy as b2

from ..loading import loaded
from ..patience import finished
from ..stepping import advance

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PROGRAMS = ("platformer", "car", "tower", "trials", "pygame_loop")


@pytest.fixture(scope="module")
def reference() -> ModuleType:
    return loaded(DOCS / "site" / "reference.py")


def test_every_exported_name_is_on_one_page_of_the_reference(reference: ModuleType) -> None:
    listed = [name for _, names in reference.PAGES.values() for name in names]
    assert sorted(listed) == sorted(set(b2.__all__) - {"__version__"})


def test_every_public_member_is_in_the_reference(reference: ModuleType) -> None:
    pages = {name: text for name, _, text in reference.pages()}
    for name in ("World", "Body", "Shape", "Chain", "BodyArray", "Mover", "Recording"):
        cls = getattr(b2, name)
        members = [each for each in dir(cls) if not each.startswith("_") and not hasattr(Sequence, each)]
        page = next(text for text in pages.values() if f"\n## `{name}` {{#" in text)
        where = page + pages["joints"]
        assert [each for each in members if f"### `{name}.{each}` {{#" not in where] == []


def test_each_create_method_lists_all_its_options(reference: ModuleType) -> None:
    methods = [getattr(cls, name) for cls in (b2.World, b2.Body) for name in dir(cls) if name.startswith("create_")]
    assert len(methods) > 20
    for method in methods:
        listed = set(
            re.findall(r"`([\w*]+)`", "".join(re.findall(r"^\| (.*?) \|", reference.text(method.__doc__), re.M)))
        )
        options = {
            each.name for each in inspect.signature(method).parameters.values() if each.kind is each.KEYWORD_ONLY
        }
        assert options - listed == set(), method.__name__


def test_the_sections_of_a_docstring_become_tables_and_lists(reference: ModuleType) -> None:
    sections = "Args:\n    a, b: numbers,\n        both.\n\nRaises:\n    ValueError: wrong."
    shown = reference.text(f"Does it.\n\n{sections}\n\n>>> 1 + 1\n2\n\nMore.")
    assert "| `a`, `b` |  | Numbers, both. |" in shown
    assert "**Raises**\n\n* `ValueError`: wrong." in shown
    assert "``` { .pycon .no-copy }\n>>> 1 + 1\n2\n```" in shown
    assert shown.endswith("More.\n")


def test_every_page_of_the_guide_is_in_the_navigation() -> None:
    listed = set(re.findall(r"guide/\w+\.md", (ROOT / "mkdocs.yml").read_text(encoding="utf-8")))
    assert {f"guide/{path.name}" for path in (DOCS / "guide").glob("*.md")} - listed == set()


def test_the_site_takes_nothing_from_the_network() -> None:
    settings = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    assert "font: false" in settings
    assert "://" not in settings


def test_the_tables_of_joints_are_current() -> None:
    pytest.importorskip("PIL")
    joints = loaded(DOCS / "site" / "joints.py")
    text = joints.PAGE.read_text(encoding="utf-8")
    assert text == joints.completed(text), "run python docs/site/joints.py"
    pictures = [name for name, _ in joints.snippets(text)]
    assert len(pictures) == 14
    assert [name for name in pictures if not (joints.PICTURES / f"{name}.png").exists()] == []


@pytest.fixture
def program(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setenv("SDL_AUDIODRIVER", "dummy")
    pytest.importorskip("PIL")
    if request.param == "pygame_loop":
        pytest.importorskip("pygame")
    return loaded(DOCS / "programs" / f"{request.param}.py")


SHORT = {"pinball": "png", "asteroids": "png", "crane": "gif", "lander": "png", "slingshot": "gif"}


@pytest.mark.parametrize("name", SHORT)
def test_the_short_programs_run_and_draw(name: str, tmp_path: Path) -> None:
    """What they should reach is asserted in them."""
    pytest.importorskip("PIL")
    command = [sys.executable, "-W", "error", DOCS / "programs" / f"{name}.py"]
    done = finished(command, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert list(tmp_path.glob(f"*.{SHORT[name]}"))


def test_the_programs_are_short_and_the_guide_shows_them() -> None:
    page = (DOCS / "guide" / "programs.md").read_text(encoding="utf-8")
    assert [name for name in SHORT if f"<!-- program {name} -->" not in page] == []
    for name in PROGRAMS:
        assert f"<!-- program {name} -->" in page
        assert 60 <= len((DOCS / "programs" / f"{name}.py").read_text(encoding="utf-8").splitlines()) <= 150


@pytest.mark.parametrize("program", ["first_game"], indirect=True)
def test_the_first_game_has_at_most_20_lines_and_writes_its_animation(program: Any) -> None:
    assert len((DOCS / "programs" / "first_game.py").read_text(encoding="utf-8").splitlines()) <= 20
    assert len(program.world.bodies) > 25
    assert Path("first_game.gif").stat().st_size > 50_000


def test_the_readme_shows_the_first_game_and_no_derived_figure() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert (DOCS / "programs" / "first_game.py").read_text(encoding="utf-8") in readme
    table = readme.split("<!-- box2d table -->")[1].split("<!-- end of box2d table -->")[0]
    assert "| scene | box2dpy, ms | Box2D, ms |" in table  # times as measured: no column of ratios


@pytest.mark.parametrize("program", ["platformer"], indirect=True)
def test_the_player_of_the_platform_game_wins(program: Any) -> None:
    game = program.main()
    assert game.won
    assert game.coins == 4
    assert Path("platformer.gif").stat().st_size > 50_000


@pytest.mark.parametrize("program", ["car"], indirect=True)
def test_the_car_drives_on_its_wheels(program: Any) -> None:
    car = program.main(frames=60)
    assert car.chassis.position.x > 15
    assert abs(car.chassis.angle) < 1
    assert Path("car.gif").exists()


@pytest.mark.parametrize("program", ["tower"], indirect=True)
def test_the_tower_stands_until_the_ball_comes_and_then_breaks(program: Any) -> None:
    scene = program.Demolition()
    advance(scene, 60)
    assert scene.broken == 0
    advance(scene, 200)
    assert scene.broken > 60
    assert scene.hardest > 5


@pytest.mark.parametrize("program", ["trials"], indirect=True)
def test_some_of_5000_throws_hit_and_their_paths_pass_through_the_ring(program: Any) -> None:
    angle, _, scored = program.main()
    assert len(scored) == 5000
    assert 50 < scored.sum() < 1000
    assert angle[scored].mean() > 0.8, "steep throws hit"
    assert Path("trials.png").exists()


@pytest.mark.parametrize("program", ["pygame_loop"], indirect=True)
def test_the_sandbox_of_pygame_runs_and_obeys_keys_and_mouse(program: Any) -> None:
    import pygame

    sandbox = program.Sandbox()
    before = len(sandbox.world.bodies)
    pygame.init()
    surface = pygame.Surface(program.SIZE)
    sandbox.handle(pygame.event.Event(pygame.KEYDOWN, key=pygame.K_b))
    sandbox.handle(pygame.event.Event(pygame.MOUSEBUTTONDOWN, button=3, pos=(480, 100)))
    assert len(sandbox.world.bodies) == before + 11
    for _ in range(10):
        sandbox.frame(surface, 1 / 60)
    assert not sandbox.handle(pygame.event.Event(pygame.QUIT))
    assert len(program.main(frames=3).world.bodies) == before
