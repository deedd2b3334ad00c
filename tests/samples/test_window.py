"""The browser used as a person uses it: real keys and a real mouse in a real window, under Xvfb."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ..patience import PATIENCE, finished
from .screen import ROOT, Window, missing, xvfb

ABSENT = missing() or ("" if shutil.which("xdotool") else "not installed: xdotool (apt-get install xdotool)")
pytestmark = pytest.mark.skipif(bool(ABSENT), reason=f"no window to drive: {ABSENT}")


@pytest.fixture(scope="module")
def display() -> Iterator[str]:
    with xvfb() as name:
        yield name


@pytest.fixture
def window(display: str, tmp_path: Path) -> Iterator[Window]:
    opened = Window(display, tmp_path, "tower")
    yield opened
    opened.close()


def pick(window: Window, words: str) -> dict[str, Any]:
    """Types into the search field and takes the best."""
    window.key("slash")
    window.do("type", "--delay", "60", words)
    window.until(lambda state: state["query"] == words)
    window.key("Return")
    return window.frames(6)


def saved(window: Window) -> Path:
    """The folder that pictures, films and recordings go to."""
    return window.folder / "box2dpy-samples"


def body(state: dict[str, Any], index: int) -> dict[str, Any]:
    return next(row for row in state["bodies"] if row["index"] == index)


def test_search_pause_step_restart_and_neighbours(window: Window) -> None:
    state = pick(window, "merge")
    assert state["sample"] == "Merge and split"
    window.key("p")
    before = window.until(lambda state: state["paused"])["steps"]
    assert window.frames(20)["steps"] == before, "a paused scene does not move"
    window.key("o")
    assert window.until(lambda state: state["steps"] != before)["steps"] == before + 1
    window.click("step")
    assert window.until(lambda state: state["steps"] != before + 1)["steps"] == before + 2
    window.click("pause")
    window.until(lambda state: not state["paused"] and state["steps"] > before + 10)
    window.key("p")
    window.key("r")
    assert window.until(lambda state: state["steps"] == 0)["sample"] == "Merge and split"
    window.key("bracketright")
    after = window.until(lambda state: state["sample"] != "Merge and split")["sample"]
    window.click("previous")
    assert window.until(lambda state: state["sample"] != after)["sample"] == "Merge and split"


def test_the_window_shows_islands_that_merge_and_split(window: Window) -> None:
    """Two towers and a bar are three islands, then one when the bar lies on them, and three again when a button lifts
    it."""
    pick(window, "merge")
    window.key("r")
    window.until(lambda state: state["status"].startswith("1 islands"))
    window.click("control lift_the_bar")
    state = window.until(lambda state: not state["status"].startswith("1 islands"))
    assert int(state["status"].split()[0]) >= 2


def test_dragging_a_box_moves_it_and_a_click_selects_it(window: Window) -> None:
    window.frames(30)
    state = window.state()
    top = max((row for row in state["bodies"] if row["type"] == "dynamic"), key=lambda row: row["position"][1])
    x, y = top["screen"]
    window.to((x, y))
    window.do("mousedown", 1)
    window.until(lambda state: state["dragging"])
    for k in range(1, 9):
        window.do("mousemove", round(x + 15 * k), round(y - 4 * k))
        window.frames(3)
    pulled = window.until(lambda state: body(state, top["index"])["position"][0] > top["position"][0] + 2.0)
    assert pulled["dragging"]
    window.do("mouseup", 1)
    window.until(lambda state: not state["dragging"])
    window.key("r", "p")
    state = window.until(lambda state: state["paused"])
    low = min((row for row in state["bodies"] if row["type"] == "dynamic"), key=lambda row: row["position"][1])
    state = window.click(tuple(low["screen"]))
    assert f"on body {low['index']}" in state["selected"]
    assert window.until(lambda state: "inspect body" in state["marks"])["tab"] == "Inspect"


def test_world_options_of_the_panel_take_effect(window: Window) -> None:
    window.click("tab World")
    place = window.until(lambda state: "option workers" in state["marks"])["marks"]["option workers"]
    assert window.state()["workers"] == 1
    window.to(place)
    window.do("keydown", "ctrl")
    window.click(place)  # a click with ctrl types into a slider
    window.do("keyup", "ctrl")
    window.do("type", "--delay", "60", "2")
    window.key("Return")
    assert window.until(lambda state: state["workers"] == 2)["substeps"] == 4
    assert window.state()["sleeping"]
    window.click("option sleeping")
    window.until(lambda state: not state["sleeping"])
    window.key("p", "r")
    state = window.until(lambda state: state["steps"] == 0)
    assert (state["workers"], state["sleeping"]) == (2, False), "a restart keeps what was set"


def test_camera_flags_interface_and_picture(window: Window) -> None:
    window.frames(10)
    state = window.state()
    middle = (600, 500)
    window.to(middle)
    window.do("click", 4)
    closer = window.until(lambda state_: state_["zoom"] > state["zoom"])
    assert closer["zoom"] == pytest.approx(1.15 * state["zoom"], rel=0.2)
    window.do("mousedown", 3)
    window.frames(3)
    window.do("mousemove", 680, 500)
    window.frames(3)
    window.do("mouseup", 3)
    moved = window.until(lambda state_: state_["center"][0] < closer["center"][0] - 0.5)
    assert moved["center"][0] == pytest.approx(closer["center"][0] - 80 / closer["zoom"], abs=10 / closer["zoom"])
    window.key("Home")
    window.until(lambda state_: state_["zoom"] == pytest.approx(state["zoom"]))
    window.key("c")
    assert "contacts" in window.until(lambda state_: len(state_["flags"]) == 2)["flags"]
    window.key("p")
    with_panels = window.picture()
    window.key("Tab")
    window.until(lambda state_: not state_["interface"])
    without = window.picture()
    assert with_panels.size == without.size == (1280, 800)
    assert len(without.getcolors(1 << 20)) > 30
    assert with_panels.tobytes() != without.tobytes()
    window.key("Tab", "F4", "F4", "F4", "F4")
    assert window.until(lambda state_: state_["scale"] == 2.0)["interface"]
    assert window.picture().size == (1280, 800)


def test_a_bomb_can_be_thrown_and_an_animation_recorded(window: Window) -> None:
    from PIL import Image

    count = len(window.state()["bodies"])
    window.key("b")
    window.until(lambda state: len(state["bodies"]) == count + 1)
    window.key("F11")
    window.until(lambda state: state["recording"])
    window.until(lambda state: state["filmed"] >= 2)
    window.key("F11")
    window.until(lambda state: not state["recording"] and not state["writing"] and list(saved(window).glob("*.gif")))
    (path,) = saved(window).glob("*.gif")
    window.until(lambda state: state["said"] == f"saved {path}")
    with Image.open(path) as film:
        assert film.n_frames >= 2
        assert film.size == (640, 400)


def test_the_timeline_goes_back_and_the_scene_goes_on_from_there(window: Window) -> None:
    window.until(lambda state: state["steps"] > 60)
    window.key("p")
    last = window.until(lambda state: state["paused"])["steps"]
    late = window.picture()
    state = window.click("timeline")  # its middle
    assert 0.3 * last < state["steps"] < 0.7 * last
    assert state["timeline"] == [0, last, state["steps"]]
    assert window.picture().tobytes() != late.tobytes()
    back = state["steps"]
    window.key("comma", "comma", "period")
    assert window.until(lambda state: state["steps"] == back - 1)["timeline"][1] == last
    window.key("b", "o")  # a bomb changes what follows
    state = window.until(lambda state: state["steps"] == back)
    assert state["timeline"] == [0, back, back]
    assert "Error" not in state["message"]


def test_recordings_are_saved_opened_continued_and_exported(window: Window) -> None:
    window.key("F9")
    window.until(lambda state: state["world_recording"])
    window.frames(20)
    window.key("F9")
    window.until(lambda state: not state["world_recording"] and list(saved(window).glob("*.b2d")))
    (path,) = saved(window).glob("*.b2d")
    window.key("F10")
    window.until(lambda _: path.with_suffix(".html").exists())
    window.click("tab Record")
    window.click(f"recording {path.name}")
    state = window.until(lambda state: state["status"].startswith(path.name))
    assert state["timeline"][0] == 0
    window.key("p")
    window.click("timeline")
    frames = window.state()["timeline"]
    assert 0 < frames[2] < frames[1]
    window.click("continue")
    window.until(lambda state: not state["status"].startswith(path.name))
    window.key("o")
    assert window.until(lambda state: state["steps"] == 1)["timeline"] == [0, 1, 1]


def test_game_keys_belong_to_the_scene_unless_the_panels_are_given_them(window: Window) -> None:
    pick(window, "pinball")
    window.click("control torque")  # the panel has been used, but the keys still belong to the scene
    window.key("Left", "Down", "Right", "Up")
    assert window.state()["sample"] == "Pinball", "arrow keys choose no sample"
    assert window.until(lambda state: state["taken_over"])["panels_have_keys"] is False
    window.key("F6")
    window.until(lambda state: state["panels_have_keys"])
    window.key("p")
    assert not window.state()["paused"], "keys of the scene are for the panels now"
    window.key("Escape")
    window.until(lambda state: not state["panels_have_keys"])
    window.key("p")
    window.until(lambda state: state["paused"])


def test_a_recorded_input_drives_until_somebody_takes_over(window: Window) -> None:
    pick(window, "car")
    window.until(lambda state: body(state, 1)["position"][0] > 3)
    assert not window.state()["taken_over"]
    window.key("Left")
    window.until(lambda state: state["taken_over"])
    window.until(lambda state: state["status"] == "0 km/h")


def test_search_finds_words_of_descriptions_and_code_and_the_list_shows_what_was_chosen(window: Window) -> None:
    window.key("slash")
    window.do("type", "--delay", "60", "set_material_pair")
    window.until(lambda state: state["query"] == "set_material_pair")
    window.click("sample material-pairs")
    state = window.until(lambda state: state["sample"] == "Material pairs" and not state["query"])
    x, y = window.until(lambda state: "sample material-pairs" in state["marks"])["marks"]["sample material-pairs"]
    assert 0 < x < 240
    assert 30 < y < state["size"][1] - 30, "it is in sight"


def test_the_code_is_copied_as_a_script_and_checks_and_theme_are_shown(window: Window) -> None:
    window.click("code")
    window.click("copy code")
    script = window.until(lambda state: state["copied"])["copied"]
    assert "class Tower(Sample):" in script
    compile(script, "tower.py", "exec")
    dark = window.picture().resize((1, 1)).getpixel((0, 0))
    window.key("F7")
    window.until(lambda state: state["theme"] == "light")
    light = window.picture().resize((1, 1)).getpixel((0, 0))
    assert sum(light) > sum(dark) + 300
    window.click("tab World")
    assert window.until(lambda state: state["checked"] is not None)["checked"] == []
    assert window.state()["frames_per_second"] > 0


def test_escape_closes_a_list_and_the_code_gets_room(window: Window) -> None:
    window.click("tab World")
    closed = window.picture()
    window.click("option broadphase")  # a drop-down list
    window.to((600, 400))
    opened = window.picture()
    window.key("Escape")
    again = window.picture()
    box = window.state()["marks"]["option broadphase"]
    part = [round(box[0]) - 60, round(box[1]) + 12, round(box[0]) + 20, round(box[1]) + 60]  # where the list drops
    assert opened.crop(part).tobytes() != closed.crop(part).tobytes()
    assert again.crop(part).tobytes() == closed.crop(part).tobytes()

    window.click("tab Sample")
    narrow = window.until(lambda state: "code" in state["marks"])["marks"]["code"][0]
    window.click("code")
    window.until(lambda state: state["marks"]["code"][0] < narrow - 50)  # its middle: the panel has become wider
    window.click("code")
    window.until(lambda state: abs(state["marks"]["code"][0] - narrow) < 1)


def test_panels_fold_in_a_narrow_window(window: Window) -> None:
    wide = window.state()
    assert not wide["folded"]
    window.do("search", "--name", "box2dpy samples", "windowsize", "700", "600")
    window.until(lambda state: state["folded"] and state["size"] == [700, 600])
    window.click("unfold left")
    window.click("search")  # not under the buttons
    window.do("type", "--delay", "60", "tank")
    window.until(lambda state: state["query"] == "tank")
    window.click("sample tank")
    window.until(lambda state: state["sample"] == "Tank")


def test_settings_are_kept_for_the_next_start(display: str, tmp_path: Path) -> None:
    first = Window(display, tmp_path, "arch")
    first.key("x")
    first.until(lambda state: "boxes" in state["flags"])
    first.do("key", "ctrl+q")
    assert first.process.wait(PATIENCE) == 0
    first.close()
    (tmp_path / "state.json").unlink()
    second = Window(display, tmp_path)
    state = second.state()
    second.close()
    assert state["sample"] == "Arch"
    assert "boxes" in state["flags"]


def test_the_browser_prints_one_line_when_there_is_no_screen() -> None:
    done = finished(
        [sys.executable, "-m", "samples", "arch"],
        cwd=ROOT,
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT), "DISPLAY": ":9999"},
    )
    assert done.returncode == 1
    assert "no window can be opened here" in done.stderr
    assert "Traceback" not in done.stderr
