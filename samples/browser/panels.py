"""The panels around the scene: the tree of samples, the tool bar, the controls of the sample, the options of the world,
and the layers that are drawn."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from imgui_bundle import imgui

import box2dpy as b2
from box2dpy._draw.debug_draw import FLAGS

from .. import Button, Choice, Slider, Toggle, slug
from .._sample import search
from . import code, inspector
from .look import ICONS, accent
from .replay import Replay

if TYPE_CHECKING:
    from .window import Browser

NO_MOVE = imgui.WindowFlags_.no_move | imgui.WindowFlags_.no_resize | imgui.WindowFlags_.no_collapse
FIXED = NO_MOVE | imgui.WindowFlags_.no_title_bar | imgui.WindowFlags_.no_bring_to_front_on_focus
LEFT, RIGHT, BAR, TIMELINE, GAP = 230.0, 300.0, 46.0, 40.0, 8.0
CODE = 720.0  # the right panel while it shows code: about a hundred letters
NARROW = 900.0  # width under which the panels are folded

HELP = (
    ("P, space", "pause and continue"),
    ("O", "single step"),
    ("R", "restart"),
    ("[ ], page up / down", "previous, next sample"),
    ("/ or ctrl F", "search for a sample"),
    ("B", "throw a bomb towards the mouse"),
    ("home", "show the whole scene"),
    ("+ -", "zoom"),
    ("arrows", "move the camera, or the sample's own keys"),
    ("comma, period", "one step back, one step forward"),
    ("F9", "record the world to a file, again to end it"),
    ("F10", "save the newest recording as an HTML page"),
    ("F2", "figures: profile, counters, islands"),
    ("F11", "record a GIF, again to save it"),
    ("F12", "screenshot"),
    ("tab", "hide the interface"),
    ("F6", "keys operate the panels; again, escape or a click gives them back to the scene"),
    ("F7", "dark, light"),
    ("J X C N F I M", "joints, boxes, contacts, normals, forces, islands, masses"),
    ("F3, F4", "smaller, larger interface"),
    ("F1", "this help"),
    ("ctrl Q", "quit"),
    ("left drag", "pull a body"),
    ("right or middle drag", "move the camera"),
    ("wheel", "zoom at the mouse"),
    ("shift + left drag", "throw a bomb with a sling"),
    ("click", "select for the inspector"),
)


def place(x: float, y: float, width: float, height: float) -> None:
    imgui.set_next_window_pos(imgui.ImVec2(x, y))
    imgui.set_next_window_size(imgui.ImVec2(width, height))


def tip(text: str) -> None:
    imgui.set_item_tooltip(text.replace("%", "%%").replace("`", ""))


def samples(browser: Browser) -> None:
    """The tree of samples with its search field."""
    session, s = browser.session, browser.ui_scale
    low, high = browser.panel_span()
    place(GAP * s, low, browser.left_width(), high - low)
    imgui.begin("Samples", None, FIXED)
    imgui.set_next_item_width(-1)
    if browser.focus_search:
        imgui.set_keyboard_focus_here()
        browser.focus_search = False
    changed, browser.query = imgui.input_text_with_hint("##search", f"{ICONS['search']}  search", browser.query)
    browser.mark("search")
    entered = imgui.is_item_deactivated() and imgui.is_key_pressed(imgui.Key.enter)
    imgui.begin_child("tree")
    if browser.query:
        found = search(browser.query, session.samples)
        where = ""
        for name, place_found in found:
            if place_found != where:
                where = place_found
                if where:
                    imgui.separator_text(where)
            sample_line(browser, name)
        if entered and found:
            browser.choose(found[0][0])
        if not found:
            imgui.text_disabled("no match")
    else:
        tree(browser, changed)
    imgui.end_child()
    imgui.end()


def folds(browser: Browser) -> None:
    """In a narrow window: the buttons that lay a panel over the scene."""
    s = browser.ui_scale
    for side_name, icon, hint in (("left", "list", "samples"), ("right", "sliders", "sample, world, drawing")):
        x = GAP * s if side_name == "left" else browser.width - 52 * s
        open_here = browser.unfolded == side_name
        if open_here:
            wide = browser.left_width() if side_name == "left" else browser.right_width()
            x = wide + 2 * GAP * s if side_name == "left" else browser.width - wide - 56 * s
        imgui.set_next_window_pos(imgui.ImVec2(x, (BAR + 14) * s))
        imgui.begin(f"Fold {side_name}", None, FIXED | imgui.WindowFlags_.always_auto_resize)
        if imgui.button(ICONS[icon], imgui.ImVec2(28 * s, 26 * s)):
            browser.unfolded = "" if open_here else side_name
        tip(hint)
        browser.mark(f"unfold {side_name}")
        imgui.end()


def tree(browser: Browser, changed: bool) -> None:
    session = browser.session
    categories: dict[str, list[str]] = {}
    for name, kind in session.samples.items():
        categories.setdefault(kind.category, []).append(name)
    here = session.samples[session.name].category
    for category, names in categories.items():
        if browser.reveal and category == here:
            imgui.set_next_item_open(True)
        opened = imgui.tree_node_ex(f"{category}  ({len(names)})###{category}", imgui.TreeNodeFlags_.span_avail_width)
        browser.mark(f"category {category}")
        if opened:
            for name in names:
                sample_line(browser, name)
            imgui.tree_pop()
    browser.reveal = False


def sample_line(browser: Browser, name: str) -> None:
    session = browser.session
    chosen, _ = imgui.selectable(name, name == session.name)
    browser.mark(f"sample {slug(name)}")
    if browser.scroll and name == session.name and not browser.query:
        imgui.set_scroll_here_y(0.5)
        browser.scroll = False
    if imgui.is_item_hovered(imgui.HoveredFlags_.delay_short):
        tip(session.samples[name].description())
    if chosen:
        browser.choose(name)


def slide(
    label: str, value: float, low: float, high: float, form: Callable[[float], str], *, log: bool = False
) -> tuple[bool, float]:
    """A slider whose text stands beside its knob and never under it. Whole numbers where value and limits are `int`."""
    whole = isinstance(value, int)
    draw: Any = imgui.slider_int if whole else imgui.slider_float
    changed, now = draw(label, value, low, high, "", imgui.SliderFlags_.logarithmic if log else 0)
    corner, text = imgui.get_item_rect_min(), form(now)
    wide, pad = imgui.calc_item_width(), imgui.get_style().frame_padding.x
    part = (now - low) / (high - low) if high > low else 0.0
    if log and low > 0 and now > 0:
        part = math.log(now / low) / math.log(high / low)
    x = corner.x + (wide - pad - imgui.calc_text_size(text).x if part < 0.5 else pad)
    pen = imgui.get_window_draw_list()
    pen.add_text(imgui.ImVec2(x, corner.y + imgui.get_style().frame_padding.y), ink(), text)
    return changed, now


def ink() -> int:
    return int(imgui.get_color_u32(imgui.Col_.text))


def figure(value: float, low: float, high: float, unit: str = "") -> str:
    """A number with as many digits as its range needs, never as a power of ten."""
    size = min(max(abs(low), abs(high)), max(10 * abs(value), 1e-3))
    digits = 0 if isinstance(value, int) or size >= 500 else 1 if size >= 20 else 2 if size >= 1 else 3
    return f"{value:,.{digits}f} {unit}".replace(",", " ").rstrip()


def bar(browser: Browser) -> None:
    """The buttons above the scene."""
    session, s = browser.session, browser.ui_scale
    left, right = browser.scene_left(), browser.scene_right()
    imgui.set_next_window_pos(imgui.ImVec2(0.5 * (left + right), GAP * s), 0, imgui.ImVec2(0.5, 0))
    imgui.begin("Bar", None, FIXED | imgui.WindowFlags_.always_auto_resize | imgui.WindowFlags_.no_saved_settings)
    s *= min(1.0, (right - left) / (700 * s))  # smaller in a narrow window
    imgui.push_font(None, imgui.get_style().font_size_base * s / browser.ui_scale)
    size = imgui.ImVec2(34 * s, 28 * s)

    def button(name: str, icon: str, hint: str) -> bool:
        pressed = imgui.button(f"{ICONS[icon]}##{name}", size)
        tip(hint)
        browser.mark(name)
        imgui.same_line()
        return bool(pressed)

    if button("previous", "previous", "previous sample  ["):
        session.go(-1)
    if button("restart", "restart", "restart  R"):
        session.restart()
    if button("pause", "play" if session.paused else "pause", "pause and continue  P"):
        session.paused = not session.paused
    if button("step", "step", "single step  O"):
        session.step_once()
    if button("next", "next", "next sample  ]"):
        session.go(1)
    imgui.set_next_item_width(96 * s)
    _, session.settings.speed = slide("##speed", session.settings.speed, 0.1, 4.0, "{:.2f}x".format, log=True)
    tip("speed")
    browser.mark("speed")
    imgui.same_line()
    if button("home", "home", "show the whole scene  home"):
        session.view_changed = True
    if button("bomb", "bomb", "throw a bomb  B"):
        browser.throw_bomb()
    if button("screenshot", "camera", "screenshot  F12"):
        browser.wants_screenshot = True
    if button("record", "stop" if browser.recorder.recording else "record", "record a GIF  F11"):
        browser.toggle_film()
    if button("figures", "panel", "profile, counters, islands  F2"):
        browser.toggle_figures()
    if button("theme", "theme", "dark, light  F7"):
        browser.toggle_theme()
    if button("help", "help", "keys  F1"):
        browser.show_help = not browser.show_help
    imgui.new_line()
    if browser.recorder.recording:
        imgui.text_colored(imgui.ImVec4(0.9, 0.35, 0.3, 1), f"recording: {len(browser.recorder.frames)} pictures")
    elif browser.recorder.busy:
        done, total = browser.recorder.done, max(browser.recorder.total, 1)
        imgui.progress_bar(
            done / total, imgui.ImVec2(-1, 0), f"writing {browser.recorder.path}: {100 * done // total} %"
        )
    elif browser.notice():
        imgui.text_colored(accent("notice"), browser.notice())
    imgui.pop_font()
    imgui.end()


def timeline(browser: Browser) -> None:
    """The slider under the scene: any step of the last minute, or any frame of an opened recording."""
    session, s = browser.session, browser.ui_scale
    run = session.run
    assert run is not None
    left, right = browser.scene_left() + GAP * s, browser.scene_right() - GAP * s
    high = TIMELINE * s
    place(left, browser.height - browser.figures_height() - high - GAP * s, max(right - left, 200 * s), high)
    imgui.begin("Timeline", None, FIXED | imgui.WindowFlags_.no_scrollbar)
    first, last = session.time_range()
    now = session.moment()
    replayed = isinstance(run.sample, Replay)
    imgui.set_next_item_width(-140 * s if replayed else -1)
    imgui.begin_disabled(first >= last)
    changed, chosen = slide("##time", now, first, max(last, first + 1), lambda at: f"{(at - last) / run.hertz:.2f} s")
    step = int(chosen)
    imgui.end_disabled()
    tip("drag to go back; the scene goes on from there")
    browser.mark("timeline")
    if changed:
        session.scrub(step)
    if replayed:
        imgui.same_line()
        if imgui.button("continue from here", imgui.ImVec2(-1, 0)):
            session.continue_here()
        browser.mark("continue")
    imgui.end()


def recordings(browser: Browser) -> None:
    """Records the world, opens recordings, writes pages."""
    session = browser.session
    words = "end the recording" if session.recording else "record the world"
    if imgui.button(words, imgui.ImVec2(-1, 0)):
        browser.toggle_recording()
    browser.mark("record world")
    if session.recording:
        assert session.run is not None
        recorder = session.run.world.recorder
        assert recorder is not None
        imgui.text_wrapped(f"{recorder.frames} frames, {recorder.nbytes / 1e6:.1f} MB".replace("%", "%%"))
    imgui.begin_disabled(session.saved is None)
    if imgui.button("save the newest as HTML", imgui.ImVec2(-1, 0)):
        browser.export_recording()
    browser.mark("export")
    imgui.end_disabled()
    imgui.separator_text("pictures, films and recordings go to")
    imgui.set_next_item_width(-1)
    _, session.settings.folder = imgui.input_text("##folder", session.settings.folder)
    browser.mark("folder")
    imgui.separator_text("recordings in this folder")
    for path in sorted(Path(session.settings.folder or ".").glob("*.b2d")):
        chosen, _ = imgui.selectable(path.name, session.opened is not None and session.opened.name == path.name)
        browser.mark(f"recording {path.name}")
        if chosen:
            session.open_recording(path)
            return


def side(browser: Browser) -> None:
    """The tabs on the right side."""
    s = browser.ui_scale
    width = browser.right_width()
    low, high = browser.panel_span()
    place(browser.width - width - GAP * s, low, width, high - low)
    imgui.begin("Side", None, FIXED)
    if imgui.begin_tab_bar("tabs"):
        for name, draw in (
            ("Sample", sample),
            ("World", world),
            ("Draw", drawing),
            ("Inspect", inspector.panel),
            ("Record", recordings),
        ):
            flags = imgui.TabItemFlags_.set_selected if browser.wanted_tab == name else 0
            opened, _ = imgui.begin_tab_item(name, None, flags)
            browser.mark(f"tab {name}")
            if opened:
                browser.tab = name
                imgui.begin_child("body")
                imgui.push_item_width(-0.4 * width)
                draw(browser)
                imgui.pop_item_width()
                imgui.end_child()
                imgui.end_tab_item()
        browser.wanted_tab = ""
        imgui.end_tab_bar()
    imgui.end()


def sample(browser: Browser) -> None:
    session = browser.session
    run = session.run
    assert run is not None
    kind = run.kind
    imgui.push_font(None, imgui.get_style().font_size_base * 1.25)
    imgui.text_wrapped(kind.name)
    imgui.pop_font()
    imgui.text_disabled(kind.category)
    imgui.spacing()
    imgui.text_wrapped(kind.description().replace("%", "%%").replace("`", ""))
    imgui.spacing()
    imgui.separator()
    for control in kind.controls():
        if isinstance(control, Button):
            if imgui.button(control.label, imgui.ImVec2(-1, 0)):
                try:
                    getattr(run.sample, control.name)()
                except Exception as error:
                    session.message = f"{type(error).__name__}: {error}"
            browser.mark(f"control {control.name}")
            continue
        value = getattr(run.sample, control.name)
        changed, value = widget(control, value)
        browser.mark(f"control {control.name}")
        if changed:
            session.set_control(control, value)
            if session.run is not run:
                return
    for keys, meaning in kind.keys.items():
        imgui.text_colored(accent("key"), keys)
        imgui.same_line()
        imgui.text_wrapped(meaning)
    if run.demo and not run.sample.taken_over:
        imgui.text_disabled("plays a recorded input until you take over")
    imgui.spacing()
    opened = imgui.collapsing_header("Code")
    browser.mark("code")
    if opened != browser.code_open:
        browser.code_open = opened
        session.view_changed = True  # the scene has another place now
    if opened:
        code.panel(browser, kind)


def widget(control: Any, value: Any) -> tuple[bool, Any]:
    """Shows the widget of a control. Returns whether the value changed, and the value."""
    if isinstance(control, Toggle):
        return imgui.checkbox(control.label, value)
    if isinstance(control, Choice):
        changed, number = imgui.combo(control.label, control.words.index(value), list(control.words))
        return changed, control.words[number]
    assert isinstance(control, Slider)
    low, high = control.low, control.high
    if control.whole:
        low, high, value = int(low), int(high), int(value)
    return slide(control.label, value, low, high, lambda now: figure(now, low, high, control.unit), log=control.log)


def world(browser: Browser) -> None:
    session = browser.session
    run = session.run
    assert run is not None
    here = run.world

    def slider(name: str, value: Any, low: float, high: float, form: str, hint: str) -> None:
        changed, value = slide(name.replace("_", " "), value, low, high, form.format)
        tip(hint)
        browser.mark(f"option {name}")
        if changed:
            session.set_option(name, value)

    slider("substeps", int(run.substeps), 1, 32, "{:d}", "substeps of a step; more make larger hertz count")
    slider("hertz", float(run.hertz), 15.0, 240.0, "{:.0f} Hz", "steps a second of simulated time")
    slider("workers", here.workers, 1, 8, "{:d}", "number of threads; does not change the result")
    for name, hint in (
        ("sleeping", "islands at rest fall asleep"),
        ("continuous", "fast bodies do not pass through walls"),
        ("warm_starting", "start the solver from the last impulses"),
    ):
        changed, value = imgui.checkbox(name.replace("_", " "), getattr(here, name))
        tip(hint)
        browser.mark(f"option {name}")
        if changed:
            session.set_option(name, value)
    changed, pull = slide("gravity y", here.gravity.y, -30.0, 30.0, "{:.1f} m/s2".format)
    browser.mark("option gravity")
    if changed:
        for each in run.worlds():
            each.gravity = here.gravity.x, pull
            for body in each.bodies:
                body.awake = True
    imgui.separator_text("these restart the scene")
    for name, values in session.choices.items():
        usual = getattr(run.kind.options.get("strategies"), name, values[0])
        now = session.settings.overrides.get(name, run.kind.options.get(name, usual))
        number = values.index(now) if now in values else 0
        changed, number = imgui.combo(name, number, list(values))
        browser.mark(f"option {name}")
        if changed:
            session.set_option(name, values[number])
            return
    if imgui.collapsing_header("more"):
        for name in inspect.signature(b2.World).parameters:
            option: Any = getattr(b2.World, name)
            if not getattr(option, "shown", ()):
                continue
            low, high = option.shown
            changed, value = slide(name.replace("_", " "), getattr(here, name), low, high, "{:.2f}".format)
            tip(option.__doc__)
            if changed:
                for each in run.worlds():
                    setattr(each, name, value)
    checks(browser)
    if session.settings.overrides and imgui.button("as in the sample", imgui.ImVec2(-1, 0)):
        session.settings.overrides.clear()
        session.restart()


def checks(browser: Browser) -> None:
    """What `World.check` says: probable mistakes in the scene."""
    session = browser.session
    if session.checked is None:
        session.check()
    assert session.checked is not None
    imgui.separator_text(f"World.check(): {len(session.checked) or 'nothing'} to report")
    for sentence in session.checked[:20]:
        imgui.text_wrapped(f"* {sentence}".replace("%", "%%"))
    if imgui.button("check again", imgui.ImVec2(-1, 0)):
        session.check()
    browser.mark("check")


def drawing(browser: Browser) -> None:
    settings, run = browser.session.settings, browser.session.run
    assert run is not None
    ways = ("", "kind", "island", "body")
    labels = ["sample's own", "kind of shape", "island", "body"]
    number = ways.index(settings.color_by) if settings.color_by in ways else 0
    changed, number = imgui.combo("colour by", number, labels)
    browser.mark("draw color_by")
    if changed:
        settings.color_by = ways[number]
    _, settings.show_sleep = imgui.checkbox("dim sleeping bodies", settings.show_sleep)
    _, settings.show_fast = imgui.checkbox("fast bodies in red", settings.show_fast)
    _, settings.smooth = imgui.checkbox("smooth motion between steps", settings.smooth)
    imgui.separator()
    for flag, meaning in FLAGS.items():
        changed, on = imgui.checkbox(flag.replace("_", " "), flag in browser.session.flags())
        tip(meaning)
        browser.mark(f"draw {flag}")
        if changed:
            browser.session.toggle_flag(flag, on)
    _, settings.force_scale = slide("force scale", settings.force_scale, 0.05, 20.0, "{:.2f}".format, log=True)
    changed, light = imgui.checkbox("light theme", settings.theme == "light")
    browser.mark("draw theme")
    if changed:
        settings.theme = "light" if light else "dark"
    changed, scale = slide("interface", settings.interface_scale, 0.75, 3.0, "{:.2f}x".format)
    if changed and not imgui.is_mouse_down(0):
        settings.interface_scale = scale
    if imgui.is_item_deactivated_after_edit():
        settings.interface_scale = scale


def help_window(browser: Browser) -> None:
    s = browser.ui_scale
    imgui.set_next_window_pos(imgui.ImVec2(0.5 * browser.width, 0.5 * browser.height), 0, imgui.ImVec2(0.5, 0.5))
    imgui.set_next_window_size(imgui.ImVec2(520 * s, 0))
    _, browser.show_help = imgui.begin(f"Keys and mouse   box2dpy {b2.__version__}", True, NO_MOVE)
    if imgui.begin_table("keys", 2, imgui.TableFlags_.row_bg):
        imgui.table_setup_column("key", imgui.TableColumnFlags_.width_fixed, 170 * s)
        for key, meaning in HELP:
            imgui.table_next_row()
            imgui.table_next_column()
            imgui.text_colored(accent("key"), key)
            imgui.table_next_column()
            imgui.text_wrapped(meaning)
        imgui.end_table()
    imgui.end()
